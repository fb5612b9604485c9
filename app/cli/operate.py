"""``pitwall ps``, ``logs`` and ``stop``."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from app.cli.connect import Answers, reach, with_options
from app.cli.context import EXIT_OK, run_command
from app.cli.options import accept_key_option, json_option, password_option
from app.cli.output import Output, as_started, table
from app.core.documents.actuals import StartEntry, start_entry
from app.core.documents.failure import ErrorBody, error_body
from app.core.documents.operate import (
    DeploymentEntry,
    LogLineDocument,
    PsDocument,
    StopDocument,
    deployment_entry,
)
from app.core.errors import AppError, HostError
from app.core.events import DeploymentSnapshot
from app.core.ids import parse_deployment_ref

if TYPE_CHECKING:
    from app.bootstrap import Application

deployment_argument = click.argument("ref", metavar="HOST/NAME")


@click.command("ps")
@click.argument("host", required=False)
@accept_key_option
@password_option
@json_option
def ps_command(
    *, host: str | None, accept_key: str | None, password_stdin: bool, as_json: bool
) -> None:
    """List what runs on HOST, or on all hosts."""
    output = Output("ps", as_json=as_json)
    answers = Answers.from_options(accept_key=accept_key, password_stdin=password_stdin)

    async def work(application: "Application") -> int:
        if host is not None:
            snapshot = await reach(application, host, answers)
            await application.deployments.refresh(snapshot.settings.id)
            found = application.deployments.snapshot(snapshot.settings.id)
            document = await _ps(application, found, {})
        else:
            hosts = application.hosts.snapshot()
            names = [entry.settings.name for entry in hosts if not entry.is_record]
            errors = await _refresh_all(application, names)
            document = await _ps(application, application.deployments.snapshot(), errors)
        output.document(document, ps_text(document))
        return EXIT_OK

    run_command(output, work)


async def _refresh_all(application: "Application", names: list[str]) -> dict[str, ErrorBody]:
    async def refresh(name: str) -> AppError | None:
        try:
            # No questions here: with several hosts at once nobody could tell whose they are.
            snapshot = await application.hosts.connect(application.hosts.find(name).settings.id)
            await application.deployments.refresh(snapshot.settings.id)
        except HostError as error:
            return with_options(error, Answers())
        except AppError as error:
            return error
        return None

    results = await asyncio.gather(*map(refresh, names))
    return {
        name: error_body(error.info)
        for name, error in zip(names, results, strict=True)
        if error is not None
    }


async def _ps(
    application: "Application",
    snapshots: tuple[DeploymentSnapshot, ...],
    errors: dict[str, ErrorBody],
) -> PsDocument:
    entries = [deployment_entry(shot, await _start(application, shot)) for shot in snapshots]
    return PsDocument(deployments=tuple(entries), unreachable=errors)


async def _start(application: "Application", shot: DeploymentSnapshot) -> StartEntry | None:
    actuals = application.actuals
    record = await actuals.of(shot.host_id, shot.name, shot.deployment_revision)
    return None if record is None else start_entry(record, actuals.comparisons(record))


def ps_text(document: PsDocument) -> str:
    """Write the deployments as a table, then the hosts that could not be asked."""
    rows = [_ps_row(entry) for entry in document.deployments]
    header = ("DEPLOYMENT", "STATE", "ENGINE", "MODEL", "PORT", "STARTED")
    text = table(header, rows) if rows else "Nothing is deployed."
    notes = [f"{host}: {error.cause}" for host, error in document.unreachable.items()]
    causes = [line for entry in document.deployments for line in _why(entry)]
    return "\n".join([text, *causes, *notes])


def _why(entry: DeploymentEntry) -> tuple[str, ...]:
    """Say under the table why something failed, and what to do."""
    if entry.error is None:
        return ()
    if not entry.findings:
        return (f"{entry.ref}: {entry.error.cause}",)
    first = entry.findings[0]
    remedy = f"  What to do: {first.steps[0]}" if first.steps else ""
    more = as_started(f"  More: pitwall diagnose {entry.ref}")
    said = f"{entry.ref}: {first.title} ({first.cause}, {first.confidence} confidence)"
    return tuple(line for line in (said, remedy, more) if line)


def _ps_row(entry: DeploymentEntry) -> tuple[str, ...]:
    state = entry.state.replace("_", " ") + (" (simulated)" if entry.simulated else "")
    port = "–" if entry.host_port is None else str(entry.host_port)
    engine = f"{entry.engine} {entry.engine_version}"
    started = _to_the_second(entry.started_at) if entry.started_at else "–"
    return (entry.ref, state, engine, entry.model, port, started)


def _to_the_second(stamp: str) -> str:
    """Container engines tell nanoseconds, which nobody reads."""
    seconds, dot, _ = stamp.partition(".")
    return f"{seconds}Z" if dot else stamp


@click.command("logs")
@deployment_argument
@click.option("-f", "--follow", is_flag=True, help="Go on until interrupted.")
@click.option("--tail", type=click.IntRange(min=0), help="Only the last N lines.")
@accept_key_option
@password_option
@json_option
def logs_command(
    *,
    ref: str,
    follow: bool,
    tail: int | None,
    accept_key: str | None,
    password_stdin: bool,
    as_json: bool,
) -> None:
    """Print the log of a deployment."""
    output = Output("logs", as_json=as_json)
    answers = Answers.from_options(accept_key=accept_key, password_stdin=password_stdin)

    async def work(application: "Application") -> int:
        from app.services.streams import ended

        found = await find_deployment(application, ref, answers)
        lines = application.deployments.logs(found.host_id, found.name, follow=follow, tail=tail)
        async with ended(lines) as arriving:
            async for line in arriving:
                document = LogLineDocument(
                    at=line.at, level=line.level, source=line.source, rank=line.rank, text=line.text
                )
                output.line(document, line.raw)
        return EXIT_OK

    run_command(output, work)


@click.command("stop")
@deployment_argument
@click.option("--remove", is_flag=True, help="Also remove the container; the model stays.")
@accept_key_option
@password_option
@json_option
def stop_command(
    *, ref: str, remove: bool, accept_key: str | None, password_stdin: bool, as_json: bool
) -> None:
    """Stop a deployment."""
    output = Output("stop", as_json=as_json)
    answers = Answers.from_options(accept_key=accept_key, password_stdin=password_stdin)

    async def work(application: "Application") -> int:
        found = await find_deployment(application, ref, answers)
        with said_when_cancelled(output, found):
            await application.deployments.stop(found.host_id, found.name)
        stopped = application.deployments.find(ref)
        if remove:
            await application.deployments.remove(found.host_id, found.name)
        document = StopDocument(
            ref=ref, removed=remove, deployment=None if remove else deployment_entry(stopped)
        )
        output.document(document, f"{ref} is {'removed' if remove else 'stopped'}.")
        return EXIT_OK

    run_command(output, work)


@contextmanager
def said_when_cancelled(output: Output, found: DeploymentSnapshot) -> Iterator[None]:
    """Say on stderr that a change was interrupted: whether the host still made it is not known."""
    try:
        yield
    except asyncio.CancelledError:
        look = as_started(f"“pitwall ps {found.host_name}”")
        output.progress(f"Cancelled: {look} shows where {found.ref} stands.")
        raise


async def find_deployment(
    application: "Application", ref: str, answers: Answers
) -> DeploymentSnapshot:
    """Connect to the deployment's host, ask what runs there, return the one that was named.

    Raises:
        HostError, DockerError: when the host or its container engine cannot be asked.
        UserInputError: NOT_FOUND.
    """
    snapshot = await reach(application, parse_deployment_ref(ref).host, answers)
    await application.deployments.refresh(snapshot.settings.id)
    return application.deployments.find(ref)
