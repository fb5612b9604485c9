"""``pitwall diagnose``: from a log, or a deployment, to the cause and the remedy."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli.connect import Answers
from app.cli.context import EXIT_OK, run_command
from app.cli.options import SECONDS, accept_key_option, json_option, password_option
from app.cli.output import Output
from app.core.diagnosis.finding import Diagnosis, Verdict
from app.core.documents.diagnose import ChangedParameter, diagnose_document
from app.core.documents.findings import diagnosis_text
from app.core.documents.slow import slow_entry, slow_text
from app.core.errors import AppError, ErrorCode, UserInputError
from app.core.slow.alerts import Alert
from app.core.slow.explain import SlowReport
from app.core.texts import Text, said

if TYPE_CHECKING:
    from app.bootstrap import Application

_SAY_EVERY_S = 1.0
_SLOW_HINT = Text(
    en="Where the time of its requests goes: pitwall diagnose {ref} --slow",
    zh_CN="想知道请求的时间花在哪里：pitwall diagnose {ref} --slow",
)


@click.command("diagnose")
@click.argument("source", metavar="FILE|-|HOST/NAME")
@click.option(
    "--lang", type=click.Choice(["en", "zh_CN"]), default="en", help="Language of the answer."
)
@click.option(
    "--slow", is_flag=True, help="Of a deployment that serves: where the time of requests goes."
)
@click.option(
    "--window",
    type=SECONDS,
    default="10s",
    show_default=True,
    help="With --slow: for how long to look.",
)
@click.option(
    "--through",
    metavar="URL",
    default="",
    help="With --slow: ask through this base URL, as clients do (a proxy shows).",
)
@accept_key_option
@password_option
@json_option
def diagnose_command(
    *,
    source: str,
    lang: str,
    slow: bool,
    window: float,
    through: str,
    accept_key: str | None,
    password_stdin: bool,
    as_json: bool,
) -> None:
    """Say why an engine failed: from a log (“-” is stdin), or from a deployment's own container.

    That the cause is not in the log is an answer, too; what to collect next comes with it. With
    --slow a deployment is looked at for a while and asked one short question: where the time
    goes, and what is wrong that no log calls a failure.
    """
    output = Output("diagnose", as_json=as_json)
    answers = Answers.from_options(accept_key=accept_key, password_stdin=password_stdin)

    async def work(application: "Application") -> int:
        changes: tuple[ChangedParameter, ...] = ()
        looked: _Looked | None = None
        is_deployment = _is_deployment(application, source)
        if is_deployment:
            diagnosis, changes = await _of_deployment(application, source, answers)
            if slow:
                looked = await look(application, source, window, through)
        elif slow:
            raise _no_figures(source)
        else:
            diagnosis = await application.diagnosis.file(source, progress=_Said(output))
        entry = None if looked is None else slow_entry(*looked, lang)
        document = diagnose_document(diagnosis, lang, plan_change=changes, slow=entry)
        text = diagnose_text(diagnosis, lang, changes)
        if looked is not None:
            text = f"{text}\n\n{slow_text(*looked, lang)}"
        elif is_deployment and diagnosis.verdict is Verdict.HEALTHY:
            text = f"{text}\n\n{said(_SLOW_HINT.filled({'ref': source}), lang)}"
        output.document(document, text)
        return EXIT_OK

    run_command(output, work)


def diagnose_text(
    diagnosis: Diagnosis, language: str, changes: tuple[ChangedParameter, ...] = ()
) -> str:
    """Write a diagnosis for people, with the deployed plan's change as a diff."""
    parts = [diagnosis_text(diagnosis, language)]
    if changes:
        lines = []
        for change in changes:
            if change.old is not None:
                lines.append(f"- {change.parameter} = {change.old}")
            if change.new is not None:
                lines.append(f"+ {change.parameter} = {change.new}")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _is_deployment(application: "Application", source: str) -> bool:
    """HOST/NAME of a known host, unless there is a file of that name."""
    host, slash, name = source.rpartition("/")
    if not (host and slash and name) or source == "-" or _is_there(source):
        return False
    return any(known.settings.name == host for known in application.hosts.snapshot())


def _is_there(source: str) -> bool:
    try:
        return Path(source).exists()
    except (OSError, ValueError):
        return False


async def _of_deployment(
    application: "Application", ref: str, answers: Answers
) -> tuple[Diagnosis, tuple[ChangedParameter, ...]]:
    from app.cli.operate import find_deployment

    found = await find_deployment(application, ref, answers)
    diagnosis = await application.diagnosis.deployment(found.host_id, found.name)
    primary = diagnosis.primary
    if primary is None or primary.change is None:
        return diagnosis, ()
    try:
        plan = await application.diagnosis.changed_plan(found.host_id, found.name, primary.change)
    except AppError:
        return diagnosis, ()  # the words of the remedy stay; what cannot be planned is no answer
    values = plan.values if plan is not None else ()
    return diagnosis, tuple(
        ChangedParameter(parameter=value.flag or value.parameter, old=value.old, new=value.new)
        for value in values
        if not value.reason
    )


def _no_figures(source: str) -> UserInputError:
    return UserInputError(
        ErrorCode.INVALID_INPUT,
        {"field": "source"},
        cause=f"“{source}” is no deployment of a known host: a log holds no figures.",
        remedy="Give HOST/NAME of a deployment that serves; “pitwall ps” lists them.",
    )


_Looked = tuple[SlowReport, tuple[Alert, ...]]


async def look(application: "Application", ref: str, window_s: float, through: str = "") -> _Looked:
    """Look for a while; what only a longer watch can tell is left to the window."""
    found = application.deployments.find(ref)
    await application.watching.look(found.host_id)
    report = await application.slow.explain(found, window_s=window_s, through=through)
    alerts = application.watching.alerts(found.host_id)
    return report, tuple(a for a in alerts if a.key.deployment in {"", found.name})


class _Said:
    """Say on a terminal how far a large file is read, at most once a second."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._next_s = time.monotonic() + _SAY_EVERY_S

    def __call__(self, done: int, total: int | None) -> None:
        if time.monotonic() < self._next_s or not sys.stderr.isatty():
            return
        self._next_s = time.monotonic() + _SAY_EVERY_S
        share = f" of {total / 1e6:,.0f}" if total else ""
        self._output.progress(f"{done / 1e6:,.0f}{share} MB read …")
