"""``pitwall deploy``: a profile onto a host, until it is verified."""

import asyncio
import re
from typing import TYPE_CHECKING, Final

import click

from app.cli.connect import Answers, reach
from app.cli.context import EXIT_OK, run_command
from app.cli.fingerprint import take
from app.cli.options import accept_key_option, json_option, password_option
from app.cli.output import Output, as_started
from app.core.deployment.spec import DeploymentSpec
from app.core.documents.operate import DeployLine, DeployPreviewDocument, deployment_entry
from app.core.errors import ErrorCode, HostError
from app.core.events import (
    DeploymentChanged,
    DeploymentSnapshot,
    DeploymentState,
    Event,
    HostState,
)
from app.core.ids import HostId

if TYPE_CHECKING:
    from app.bootstrap import Application


_SAID_BY_STATE: Final = frozenset({"preflight", "fetch", "create", "verify", "serving"})
"""Steps of our own: the state's name says the same."""
_OLD_PROGRESS: Final = re.compile(r":?\s*\d+%.*?(?=\s*\[simulated\]|$)")


@click.command("deploy")
@click.argument("profile")
@click.option("--host", required=True)
@click.option("--model", metavar="DIR", help="Model folder or file on the host, when it differs.")
@click.option("--name", help="Name of the deployment; else the profile's.")
@click.option("--dry-run", is_flag=True, help="Show what would be created; change nothing.")
@click.option(
    "--compose", is_flag=True, help="With --dry-run: as a compose file, not as docker run."
)
@accept_key_option
@password_option
@json_option
def deploy_command(
    *,
    profile: str,
    host: str,
    model: str | None,
    name: str | None,
    dry_run: bool,
    compose: bool,
    accept_key: str | None,
    password_stdin: bool,
    as_json: bool,
) -> None:
    """Put PROFILE (a file, or the name of a saved or shipped one) onto a host."""
    output = Output("deploy", as_json=as_json)
    answers = Answers.from_options(accept_key=accept_key, password_stdin=password_stdin)

    async def work(application: "Application") -> int:
        loaded = await application.profiles.load(profile)
        snapshot = await reach(application, host, answers)
        host_id = snapshot.settings.id
        if await application.hosts.fingerprint(host_id) is None:
            output.progress(f"Taking the fingerprint of {host} …")
            await take(application, host_id, output)
        await application.deployments.refresh(host_id)
        spec = await application.deployments.preview(loaded, host_id, name=name, model_path=model)
        if dry_run:
            text = application.planning.docker_run_text(spec.container)
            composed = application.planning.compose_text(spec.container) if compose else ""
            preview = DeployPreviewDocument(spec=spec, docker_run=text, compose=composed)
            output.document(preview, composed or text)
            return EXIT_OK
        detach = application.bus.subscribe(Progress(output, spec.host_id, spec.name))
        try:
            done = await application.deployments.deploy(spec)
        except HostError as error:
            raise how_to_go_on(error, host) from error
        except asyncio.CancelledError:
            output.progress(_what_is_left(application, spec, host))
            raise
        finally:
            detach()
        output.line(DeployLine(event="done", deployment=deployment_entry(done)), _done_text(done))
        return EXIT_OK

    run_command(output, work)


def _what_is_left(application: "Application", spec: DeploymentSpec, host: str) -> str:
    """Say what an interrupted start left: nothing, unless its host could not be asked."""
    here = application.deployments.snapshot(HostId(spec.host_id))
    if any(s.name == spec.name and s.state is DeploymentState.SERVING for s in here):
        return as_started(
            f"{spec.name} was serving already; “pitwall stop {host}/{spec.name} --remove” takes it "
            "away."
        )
    if application.hosts.find(spec.host_id).state is HostState.CONNECTED:
        return f"Cancelled: nothing of {spec.name} is left on {host}."
    return as_started(
        f"Cancelled, but {host} does not answer: what is left of {spec.name} there is removed when "
        f"Pitwall reaches it again. “pitwall ps {host}” does that and shows what runs."
    )


def how_to_go_on(error: HostError, host: str) -> HostError:
    """Return what to do about a lost host: a command ends with it, nothing looks again."""
    if error.code is not ErrorCode.CONNECTION_LOST:
        return error
    return HostError(
        error.code,
        error.params,
        cause=error.cause,
        remedy=f"What was started on {host} goes on. When it is back, run this command again: it "
        f"waits for the same start and verifies it. “pitwall ps {host}” shows where it stands.",
        details=error.details,
    )


class Progress:
    """Print each new state and phase of one deployment once."""

    def __init__(self, output: Output, host_id: str, name: str, *, as_lines: bool = True) -> None:
        """Follow one deployment.

        Args:
            output: Where to.
            host_id: Its host.
            name: Which.
            as_lines: Print documents for programs; else only words on stderr, for commands that
                answer with one document.
        """
        self._output = output
        self._what = (host_id, name)
        self._as_lines = as_lines
        self._last = ""

    def __call__(self, event: Event) -> None:
        """Tell of an event, if it is about this deployment."""
        if not isinstance(event, DeploymentChanged):
            return
        if (event.snapshot.host_id, event.snapshot.name) != self._what:
            return
        text = _progress_text(event.snapshot)
        if not self._as_lines:
            if text != self._last:
                self._output.progress(text)
        elif self._output.as_json or text != self._last:
            entry = deployment_entry(event.snapshot)
            self._output.news(DeployLine(event="changed", deployment=entry), text)
        self._last = text


def _progress_text(snapshot: DeploymentSnapshot) -> str:
    running = [
        phase
        for phase in snapshot.phases
        if phase.started_s is not None and phase.duration_s is None
    ]
    text = snapshot.state.value.replace("_", " ")
    if snapshot.state is DeploymentState.PLANNED and snapshot.phases:
        text = "cancelled: what was begun is being undone"
    if running:
        phase = running[-1]
        words = [] if phase.phase in _SAID_BY_STATE else [phase.phase.replace("_", " ")]
        detail = phase.detail
        if phase.progress is not None:
            words.append(f"{phase.progress:.0%}")
            # The line that the phase began with tells a progress of its own, long past.
            detail = _OLD_PROGRESS.sub("", detail)
        text = ": ".join(filter(None, (text, " ".join([*words, detail]).strip())))
    return text


def _done_text(snapshot: DeploymentSnapshot) -> str:
    simulated = " (SIMULATED engine)" if snapshot.simulated else ""
    return (
        f"{snapshot.ref} is serving {snapshot.model_name} with {snapshot.engine}"
        f" {snapshot.engine_version}{simulated}.\n"
        f"It answered: {snapshot.verified_text!r}\n"
        + as_started(
            f"Reach it: pitwall tunnel {snapshot.ref} --show-key\n"
            f"  (prints address, API key and a ready request)"
        )
    )
