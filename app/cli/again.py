"""``pitwall restart`` and ``pitwall rollback``: a deployment again, or as it was before."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import click

from app.cli.connect import Answers
from app.cli.context import EXIT_OK, run_command
from app.cli.deploy import Progress, how_to_go_on
from app.cli.operate import deployment_argument, find_deployment, said_when_cancelled
from app.cli.options import accept_key_option, json_option, password_option
from app.cli.output import Output
from app.core.documents.operate import RestartDocument, RollbackDocument, deployment_entry
from app.core.errors import HostError
from app.core.events import DeploymentSnapshot

if TYPE_CHECKING:
    from app.bootstrap import Application

_Act = Callable[[DeploymentSnapshot], Awaitable[DeploymentSnapshot]]


@click.command("restart")
@deployment_argument
@accept_key_option
@password_option
@json_option
def restart_command(
    *, ref: str, accept_key: str | None, password_stdin: bool, as_json: bool
) -> None:
    """Stop a deployment and start it again, until it is verified; a stopped one is started."""
    output = Output("restart", as_json=as_json)
    answers = Answers.from_options(accept_key=accept_key, password_stdin=password_stdin)

    async def work(application: "Application") -> int:
        service = application.deployments
        found = await find_deployment(application, ref, answers)
        done = await _watched(
            application, output, found, lambda it: service.restart(it.host_id, it.name)
        )
        document = RestartDocument(ref=ref, deployment=deployment_entry(done))
        output.document(document, f"{ref} is serving again.")
        return EXIT_OK

    run_command(output, work)


@click.command("rollback")
@deployment_argument
@click.option(
    "--to",
    type=click.IntRange(min=1),
    metavar="REVISION",
    help="A certain revision; else the newest earlier one that has served.",
)
@accept_key_option
@password_option
@json_option
def rollback_command(
    *, ref: str, to: int | None, accept_key: str | None, password_stdin: bool, as_json: bool
) -> None:
    """Put an earlier revision of a deployment in force again, until it is verified.

    Its container is still on the host. When it does not serve, what ran before is started again.
    """
    output = Output("rollback", as_json=as_json)
    answers = Answers.from_options(accept_key=accept_key, password_stdin=password_stdin)

    async def work(application: "Application") -> int:
        service = application.deployments
        found = await find_deployment(application, ref, answers)
        done = await _watched(
            application, output, found, lambda it: service.rollback(it.host_id, it.name, to=to)
        )
        before, now = found.deployment_revision, done.deployment_revision
        document = RollbackDocument(
            ref=ref, revision_before=before, deployment=deployment_entry(done)
        )
        output.document(
            document,
            f"{ref} is serving revision {now} again.\n"
            f"Revision {before} stays, stopped: “pitwall rollback {ref} --to {before}” brings it "
            "back.",
        )
        return EXIT_OK

    run_command(output, work)


async def _watched(
    application: "Application", output: Output, found: DeploymentSnapshot, act: _Act
) -> DeploymentSnapshot:
    """Do it while what happens is told on stderr."""
    progress = Progress(output, found.host_id, found.name, as_lines=False)
    detach = application.bus.subscribe(progress)
    try:
        with said_when_cancelled(output, found):
            return await act(found)
    except HostError as error:
        raise how_to_go_on(error, found.host_name) from error
    finally:
        detach()
