"""How what was recognised is printed for people: remarks with their lines, else the values."""

from collections.abc import Mapping, Sequence
from typing import Final

import click

from app.core.clinic.report import Clinic
from app.core.documents.clinic import (
    LaunchDocument,
    LaunchResult,
    RemarkDocument,
    launch_result,
)
from app.core.documents.encode import to_json
from app.core.inspect.mask import Masker

_COLORS: Final = {
    "reject": "red",
    "misunderstood": "yellow",
    "ignored": "yellow",
    "risk": "yellow",
    "hint": "cyan",
}
_SOURCES: Final = {"tag": "image tag", "stated": "as stated", "newest": "newest on record"}


def result_text(
    kind: str, result: Mapping[str, object], warnings: Sequence[str], clinic: Clinic | None = None
) -> str:
    """Return the text of an answer."""
    lines = [f"kind: {kind}", *(f"warning: {text}" for text in warnings)]
    plain = {key: value for key, value in result.items() if key != "clinic"}
    if clinic is None or kind == clinic.kind.value == "docker-inspect":
        lines.append(to_json(plain, indent=2))
    return "\n".join(
        [*lines, *(launch_lines(launch_result(clinic, Masker(clinic))) if clinic else ())]
    )


def launch_lines(result: LaunchResult) -> list[str]:
    """Return one paragraph for each remark, in the order of the lines."""
    lines = [_launch(launch) for launch in result.launches]
    for remark in result.remarks:
        lines += ["", *_remark(remark)]
    if not result.remarks:
        lines += ["", "Nothing to remark on."]
    if result.corrected is not None:
        lines += ["", "Corrected, as far as no thought is needed:", "", result.corrected.rstrip()]
    counted = ", ".join(f"{name}: {count}" for name, count in result.counts.items() if count)
    return [*lines, "", counted] if counted else lines


def _launch(launch: LaunchDocument) -> str:
    parts = (
        f"{launch.engine} {launch.version} ({_SOURCES.get(launch.version_source, '')})",
        f"model {launch.model}" if launch.model else "",
        f"“{launch.name}”" if launch.name else "",
    )
    return f"line {launch.line}: " + ", ".join(part for part in parts if part)


def _remark(remark: RemarkDocument) -> list[str]:
    head = click.style(remark.severity.value, fg=_COLORS.get(remark.severity.value), bold=True)
    lines = [f"{remark.line}:{remark.column}  {head}  {remark.text.en}"]
    lines += [f"    here: {remark.words}"] if remark.words else []
    if remark.instead is not None:
        lines.append(f"    write: {remark.instead.en}")
    return lines
