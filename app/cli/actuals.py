"""``pitwall actuals``: predicted against actual, and the corrections that come of it."""

from typing import TYPE_CHECKING, Final

import click

from app.cli.connect import Answers
from app.cli.context import EXIT_OK, run_command
from app.cli.operate import find_deployment
from app.cli.options import accept_key_option, json_option, password_option
from app.cli.output import Output, table
from app.core.actuals.verdict import Verdict
from app.core.documents.actuals import (
    ActualsDocument,
    CorrectionEntry,
    correction_entry,
    start_entry,
)
from app.core.documents.comparison import ComparisonEntry
from app.core.units import format_seconds, format_signed, format_size

if TYPE_CHECKING:
    from app.bootstrap import Application

_VERDICTS: Final = {
    Verdict.INSIDE: "inside",
    Verdict.OUTSIDE: "OUTSIDE",
    Verdict.NO_BAND: "no band",
    Verdict.NOT_SAID: "not said",
}


@click.command("actuals")
@click.argument("ref", metavar="[HOST/NAME]", required=False)
@click.option("--reset", metavar="ID", help="Forget what was learned under ID; “all” forgets all.")
@accept_key_option
@password_option
@json_option
def actuals_command(
    *,
    ref: str | None,
    reset: str | None,
    accept_key: str | None,
    password_stdin: bool,
    as_json: bool,
) -> None:
    """Set what an engine took beside what was predicted; without HOST/NAME list corrections."""
    output = Output("actuals", as_json=as_json)
    answers = Answers.from_options(accept_key=accept_key, password_stdin=password_stdin)

    async def work(application: "Application") -> int:
        if ref is None or reset is not None:
            document = await _corrections(application, reset)
            output.document(document, corrections_text(document))
        else:
            document = await _start(application, ref, answers)
            output.document(document, start_text(document))
        return EXIT_OK

    run_command(output, work)


async def _corrections(application: "Application", reset: str | None) -> ActualsDocument:
    count = None
    if reset is not None:
        count = await application.actuals.forget(None if reset == "all" else reset)
    learned = await application.actuals.learned()
    return ActualsDocument(corrections=tuple(map(correction_entry, learned)), reset=count)


async def _start(application: "Application", ref: str, answers: Answers) -> ActualsDocument:
    found = await find_deployment(application, ref, answers)
    actuals = application.actuals
    record = await actuals.of(found.host_id, found.name, found.deployment_revision)
    entry = None if record is None else start_entry(record, actuals.comparisons(record))
    return ActualsDocument(deployment=ref, start=entry)


def start_text(document: ActualsDocument) -> str:
    """Write a start as a table, with what the engine chose and why something differs."""
    start = document.start
    if start is None:
        return f"No start of {document.deployment} was seen from here."
    simulated = " (simulated)" if start.simulated else ""
    parts = [f"{document.deployment}, ready {start.at}{simulated}"]
    if start.compared:
        parts.append(compared_text(start.compared))
    else:
        parts.append("Nothing was predicted here: another desk deployed it.")
    if start.chosen:
        chosen = ", ".join(f"{name} {value}" for name, value in start.chosen.items())
        parts.append(f"The engine chose: {chosen}")
    if start.durations:
        times = ", ".join(f"{n} {format_seconds(s)}" for n, s in start.durations.items())
        parts.append(f"Phases: {times}")
    return "\n\n".join(parts)


def compared_text(rows: tuple[ComparisonEntry, ...]) -> str:
    """Write predicted and actual side by side, then why some lie outside their band."""
    header = ("QUANTITY", "PREDICTED", "FROM", "TO", "ACTUAL", "DIFFERENCE", "BAND")
    lines = table(header, [_row(row) for row in rows], right=(1, 2, 3, 4, 5))
    why = [f"{row.quantity}: {row.why}" for row in rows if row.why]
    marks = ["* with what earlier starts taught"] if any(row.corrected for row in rows) else []
    return "\n".join([lines, *marks, *why])


def _row(row: ComparisonEntry) -> tuple[str, ...]:
    def shown(value: float | None) -> str:
        if value is None:
            return "–"
        return f"{value:,.0f}" if row.unit == "tokens" else format_size(round(value), digits=2)

    difference = "–"
    if row.difference is not None:
        difference = format_signed(row.difference, shown(abs(row.difference)))
        if row.predicted:
            share = row.difference / row.predicted
            difference += f" ({format_signed(share, f'{abs(share):.1%}')})"
    return (
        row.quantity + ("*" if row.corrected else ""),
        shown(row.predicted),
        shown(row.low),
        shown(row.high),
        shown(row.actual),
        difference,
        _VERDICTS[row.verdict],
    )


def corrections_text(document: ActualsDocument) -> str:
    """Write what was learned, and what is used of it."""
    head = [] if document.reset is None else [f"{document.reset} starts teach no more."]
    if not document.corrections:
        return "\n".join([*head, "There are no corrections: nothing was learned from starts."])
    return "\n\n".join([*head, *map(_learned_text, document.corrections)])


def _learned_text(entry: CorrectionEntry) -> str:
    rows = [
        (
            correction.quantity,
            _signed(correction.delta_bytes),
            str(correction.samples),
            "used" if correction.is_used else "needs another start",
        )
        for correction in entry.quantities
    ]
    head = f"{entry.id}   ({entry.starts} starts, last {entry.last_at})"
    return "\n".join([head, table(("QUANTITY", "ADDED", "SAMPLES", ""), rows, right=(1, 2))])


def _signed(size: int) -> str:
    return format_signed(size, format_size(abs(size), digits=2))
