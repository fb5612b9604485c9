"""States in a column, and a model's findings as text."""

from collections.abc import Collection, Mapping
from typing import Final

import click

from app.core.checks.spec import CheckState
from app.core.models.preflight import ModelPreflight, PreflightFinding
from app.core.texts import Text, said

STATE_WORDS: Final[Mapping[CheckState, Text]] = {
    CheckState.PASS: Text(en="pass", zh_CN="通过"),
    CheckState.WARN: Text(en="WARN", zh_CN="警告"),
    CheckState.FAIL: Text(en="FAIL", zh_CN="失败"),
    CheckState.UNKNOWN: Text(en="unknown", zh_CN="未知"),
    CheckState.NOT_APPLICABLE: Text(en="n/a", zh_CN="不适用"),
}
LOUD: Final = frozenset({CheckState.FAIL, CheckState.WARN})
_WIDTH: Final = 8
INDENT: Final = _WIDTH + 2
_COLOURS: Final = {
    CheckState.PASS: "green",
    CheckState.WARN: "yellow",
    CheckState.FAIL: "red",
}
_HEAD: Final = Text(en="Model {name} in {path}", zh_CN="模型 {name}，位于 {path}")


def column(state: CheckState, lang: str) -> str:
    """Return a state's word in its colour, as wide as the others."""
    word = said(STATE_WORDS[state], lang)
    padded = word + " " * max(_WIDTH - len(word.encode("gb18030")), 1)  # wide signs take two
    return click.style(padded, fg=_COLOURS.get(state))


def model_text(report: ModelPreflight, wanted: Collection[CheckState], lang: str) -> str:
    """Write a model's findings; what failed or warns with evidence, reason and remedy."""
    head = said(_HEAD, lang).format(name=report.name, path=report.path)
    lines = [click.style(head, bold=True)]
    lines += [
        line
        for finding in report.findings
        if finding.state in wanted
        for line in _lines(finding, lang)
    ]
    return "\n".join(lines)


def _lines(finding: PreflightFinding, lang: str) -> list[str]:
    state = finding.state
    lines = [f"  {column(state, lang)}{said(finding.title, lang)}: {said(finding.said, lang)}"]
    if state not in LOUD:
        return lines
    indent = " " * INDENT
    lines += [f"{indent}· {text}" for text in finding.evidence]
    return [
        *lines,
        f"{indent}{said(finding.why, lang)}",
        f"{indent}→ {said(finding.remedy, lang)}",
    ]
