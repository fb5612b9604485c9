"""``pitwall check``: what is wrong with a host, why it matters and what cures it."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from app.cli.check_text import INDENT, LOUD, STATE_WORDS, column, model_text
from app.cli.connect import Answers, reach
from app.cli.context import EXIT_NEGATIVE, EXIT_OK, run_command
from app.cli.fingerprint import load, take
from app.cli.options import (
    accept_key_option,
    is_file,
    is_file_argument,
    is_folder,
    json_option,
    password_option,
)
from app.cli.output import Output
from app.core.checks.sheet import Language
from app.core.checks.spec import CheckReport, CheckResult, CheckState
from app.core.documents.check import CheckDocument, check_body, check_counts
from app.core.documents.model_preflight import model_preflight_body
from app.core.errors import ErrorCode, UserInputError
from app.core.hardware.fingerprint import Fingerprint
from app.core.models.preflight import ModelPreflight
from app.core.texts import Text, said

if TYPE_CHECKING:
    from app.bootstrap import Application

_SIMULATED: Final = Text(
    en="SIMULATED: these facts are not those of a machine of yours.",
    zh_CN="模拟数据：以下信息并非来自您的机器。",
)


@click.command("check")
@click.argument("target", metavar="HOST|FINGERPRINT")
@click.option("--only", metavar="CATEGORY", multiple=True, help="Only this category (repeatable).")
@click.option("--state", metavar="STATES", help="Only these states, for example fail,warn.")
@click.option("--model", metavar="DIR", help="Also look whether this model is whole.")
@click.option("--measure", is_flag=True, help="Read up to 256 MiB of it to tell its load time.")
@click.option("--sheet", metavar="FILE", help="Also write the preparation sheet (Markdown).")
@click.option("--lang", type=click.Choice(["en", "zh_CN"]), default="en", help="Language.")
@accept_key_option
@password_option
@json_option
def check_command(
    *,
    target: str,
    only: tuple[str, ...],
    state: str | None,
    model: str | None,
    measure: bool,
    sheet: str | None,
    lang: str,
    accept_key: str | None,
    password_stdin: bool,
    as_json: bool,
) -> None:
    """Check a HOST now, or a saved FINGERPRINT (a file, a folder, “-” is stdin).

    Nothing is changed on the host. What could not be read is unknown, never passed. Exit code 3
    when a check fails. With a saved fingerprint, the model is looked for on this computer.
    """
    output = Output("check", as_json=as_json)
    answers = Answers.from_options(accept_key=accept_key, password_stdin=password_stdin)

    async def work(application: "Application") -> int:
        wanted = _states(state)
        fingerprint = await _facts(application, target, answers, output)
        report = await application.checks.judge(fingerprint)
        _refuse_unknown(only, report)
        if sheet is not None:
            language: Language = "zh_CN" if lang == "zh_CN" else "en"
            text = application.checks.preparation_sheet(report, fingerprint, language)
            await application.checks.save_sheet(Path(sheet), text)
            output.progress(f"Saved {sheet}")
        shown = [
            result
            for result in report.results
            if result.state in wanted and (not only or result.category in only)
        ]
        found = await _model(application, target, model, measure=measure)
        lines = "" if found is None else "\n\n" + model_text(found, wanted, lang)
        output.document(
            _document(report, fingerprint, shown, found),
            _text(report, fingerprint, shown, lang) + lines,
        )
        failed = report.counts[CheckState.FAIL] or (found is not None and found.failed())
        return EXIT_NEGATIVE if failed else EXIT_OK

    run_command(output, work)


async def _facts(
    application: "Application", target: str, answers: Answers, output: Output
) -> Fingerprint:
    if is_file_argument(target) or is_file(target) or is_folder(target):
        return await load(application, target)
    snapshot = await reach(application, target, answers)
    return await take(application, snapshot.settings.id, output)


async def _model(
    application: "Application", target: str, path: str | None, *, measure: bool
) -> ModelPreflight | None:
    """Look at a model where the facts came from: on the connected host, else on this computer."""
    if path is None:
        return None
    if is_file_argument(target) or is_file(target) or is_folder(target):
        return await application.models.preflight_local(Path(path), measure=measure)
    host = application.hosts.find(target)
    return await application.models.preflight(host.settings.id, path, measure=measure)


def _states(text: str | None) -> frozenset[CheckState]:
    """Read ``fail,warn``.

    Raises:
        UserInputError: for a word that is no state.
    """
    if text is None:
        return frozenset(CheckState)
    words = [word.strip().lower().replace("-", "_") for word in text.split(",") if word.strip()]
    known = {state.value for state in CheckState}
    wrong = [word for word in words if word not in known]
    if wrong or not words:
        raise _no_such("state", wrong[0] if wrong else text, sorted(known))
    return frozenset(CheckState(word) for word in words)


def _refuse_unknown(only: Iterable[str], report: CheckReport) -> None:
    known = [category.id for category in report.categories]
    for name in only:
        if name not in known:
            raise _no_such("category", name, known)


def _no_such(field: str, word: str, known: Iterable[str]) -> UserInputError:
    return UserInputError(
        ErrorCode.INVALID_INPUT,
        {"field": field},
        cause=f"There is no {field} “{word}”.",
        remedy=f"Choose among: {', '.join(known)}.",
    )


def _document(
    report: CheckReport,
    fingerprint: Fingerprint,
    shown: Iterable[CheckResult],
    model: ModelPreflight | None,
) -> CheckDocument:
    return CheckDocument(
        host=fingerprint.host_name or fingerprint.machine.hostname,
        host_source=fingerprint.source,
        simulated=fingerprint.simulated,
        taken_at=report.taken_at,
        ok=not report.counts[CheckState.FAIL] and not (model is not None and model.failed()),
        counts=check_counts(report),
        checks=tuple(check_body(result) for result in shown),
        model=None if model is None else model_preflight_body(model),
    )


def _text(
    report: CheckReport, fingerprint: Fingerprint, shown: list[CheckResult], lang: str
) -> str:
    """Write the results by category; what failed or warns with evidence, reason and remedy."""
    lines = [said(_SIMULATED, lang), ""] if fingerprint.simulated else []
    for category in report.categories:
        results = [result for result in shown if result.category == category.id]
        if results:
            lines.append(click.style(said(category.title, lang), bold=True))
            lines += [line for result in results for line in _lines(result, lang)]
            lines.append("")
    counts = report.counts
    total = " · ".join(f"{said(STATE_WORDS[state], lang)} {counts[state]}" for state in CheckState)
    return "\n".join([*lines, total])


def _lines(result: CheckResult, lang: str) -> list[str]:
    lines = [f"  {column(result.state, lang)}{said(result.title, lang)}: {said(result.said, lang)}"]
    if result.state not in LOUD:
        return lines
    indent = " " * INDENT
    lines += [f"{indent}· {text}" for text in result.evidence]
    lines.append(f"{indent}{said(result.why, lang)}")
    for step in result.remedy:
        lines.append(f"{indent}→ {said(step.text, lang)}")
        lines += [f"{indent}    {step.command}"] if step.command else []
    return lines
