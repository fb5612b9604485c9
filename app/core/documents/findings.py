"""Findings as programs and people read them: entries of JSON documents, and plain text."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from app.core.diagnosis.finding import (
    Confidence,
    Diagnosis,
    Evidence,
    Finding,
    ParameterChange,
    PlanChange,
    Verdict,
)
from app.core.texts import Text, said

_WIDEST: Final = 240
"""Characters of an evidence line in texts; documents have all of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceEntry:
    """A line that supports a finding; ``line`` counts from 1, 0 is not a line of this log."""

    line: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterEntry:
    """One change to the plan that would help."""

    parameter: str
    action: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeEntry:
    """The remedy as a change to the plan."""

    parameters: tuple[ParameterEntry, ...]
    image_hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingEntry:
    """One cause with what proves it and what to do."""

    cause: str
    family: str
    confidence: str
    evidence: tuple[EvidenceEntry, ...]
    title: str
    explanation: str
    remedy: str
    """All steps, one a line."""
    steps: tuple[str, ...]
    change: ChangeEntry | None
    sources: tuple[str, ...]
    start: int
    """Which start of the engine in this log it belongs to."""


def finding_entry(finding: Finding, language: str = "en") -> FindingEntry:
    """Return what is printed of a finding."""
    steps = tuple(said(step, language) for step in finding.remedy)
    return FindingEntry(
        cause=finding.cause,
        family=finding.family,
        confidence=finding.confidence.value,
        evidence=tuple(EvidenceEntry(line=e.line, text=e.text) for e in finding.evidence),
        title=said(finding.title, language),
        explanation=said(finding.explanation, language),
        remedy="\n".join(steps),
        steps=steps,
        change=None if finding.change is None else _change_entry(finding.change),
        sources=finding.sources,
        start=finding.start,
    )


def _change_entry(change: PlanChange) -> ChangeEntry:
    return ChangeEntry(
        parameters=tuple(
            ParameterEntry(parameter=p.parameter, action=p.action, value=p.value)
            for p in change.parameters
        ),
        image_hint=change.image_hint,
    )


# For people

CONFIDENCE: Final = {
    Confidence.HIGH: Text(en="high confidence", zh_CN="把握：高"),
    Confidence.MEDIUM: Text(en="medium confidence", zh_CN="把握：中"),
    Confidence.LOW: Text(en="low confidence", zh_CN="把握：低"),
}
VERDICT: Final = {
    Verdict.CAUSE_FOUND: Text(en="The cause was found.", zh_CN="已找到原因。"),
    Verdict.NOT_IN_LOG: Text(
        en="Something failed, but its cause is not in this log.",
        zh_CN="确实出了故障，但原因不在这份日志里。",
    ),
    Verdict.NOT_A_FAILURE: Text(
        en="Nothing failed: what looks like an error is a warning, or the engine recovered.",
        zh_CN="没有故障：看起来像错误的内容只是警告，或引擎已自行恢复。",
    ),
    Verdict.HEALTHY: Text(
        en="The engine started and nothing failed.", zh_CN="引擎已正常启动，没有故障。"
    ),
    Verdict.NOTHING_FOUND: Text(
        en="Nothing was found that Pitwall knows.", zh_CN="没有发现 Pitwall 认识的问题。"
    ),
}
_EVIDENCE: Final = Text(en="Evidence", zh_CN="依据")
_LINE: Final = Text(en="line {line}", zh_CN="第 {line} 行")
_ELSEWHERE: Final = Text(en="beside the log", zh_CN="日志之外")
_WHY: Final = Text(en="What it means", zh_CN="含义")
_TODO: Final = Text(en="What to do", zh_CN="如何处理")
_CHANGE: Final = Text(en="Change of the plan", zh_CN="方案改动")
_COLLECT: Final = Text(en="What to collect next", zh_CN="接下来需要收集")
_TELLING: Final = Text(
    en="Lines that name a fault Pitwall does not know", zh_CN="指明故障但 Pitwall 不认识的行"
)
_SOURCES: Final = Text(en="Sources", zh_CN="来源")
_ALSO: Final = Text(en="Also found", zh_CN="另外发现")
_ACTIONS: Final = {
    "set": Text(en="set {parameter} to {value}", zh_CN="将 {parameter} 设为 {value}"),
    "raise": Text(en="raise {parameter}", zh_CN="调高 {parameter}"),
    "lower": Text(en="lower {parameter}", zh_CN="调低 {parameter}"),
    "remove": Text(en="remove {parameter}", zh_CN="去掉 {parameter}"),
}
_TO: Final = Text(en=" to {value}", zh_CN="至 {value}")
_IMAGE: Final = Text(en="take another image: {hint}", zh_CN="换用另一个镜像：{hint}")
_IMAGE_HINTS: Final = {
    "older_cuda": Text(en="one built for an older CUDA", zh_CN="面向较旧 CUDA 构建的镜像"),
    "newer_cuda": Text(en="one built for a newer CUDA", zh_CN="面向较新 CUDA 构建的镜像"),
    "newer_engine": Text(en="a newer version of the engine", zh_CN="更新的引擎版本"),
    "older_engine": Text(en="an older version of the engine", zh_CN="更旧的引擎版本"),
    "official": Text(en="the engine's official image", zh_CN="引擎的官方镜像"),
    "other_architectures": Text(
        en="one built for this GPU's compute capability", zh_CN="面向该 GPU 计算能力构建的镜像"
    ),
    "other_engine": Text(en="that of another engine", zh_CN="其他引擎的镜像"),
    "devel": Text(en="one with the CUDA compiler (devel)", zh_CN="带 CUDA 编译器的镜像（devel）"),
}


def change_lines(change: PlanChange, language: str = "en") -> tuple[str, ...]:
    """Return a plan change in words, one change a line."""
    lines = [_parameter_line(parameter, language) for parameter in change.parameters]
    if change.image_hint:
        known = _IMAGE_HINTS.get(change.image_hint)
        hint = said(known, language) if known else change.image_hint.replace("_", " ")
        lines.append(said(_IMAGE.filled({"hint": hint}), language))
    return tuple(lines)


def _parameter_line(change: ParameterChange, language: str) -> str:
    values = {"parameter": change.parameter, "value": change.value}
    words = _ACTIONS.get(change.action)
    text = said(words.filled(values), language) if words else f"{change.action} {change.parameter}"
    if change.action in {"raise", "lower"} and change.value:
        text += said(_TO.filled(values), language)
    return text


def finding_text(finding: Finding, language: str = "en", *, sources: bool = True) -> str:
    """Return one finding as text that can be sent to somebody."""
    lines = [
        (
            f"{said(finding.title, language)}  "
            f"[{finding.cause}, {said(CONFIDENCE[finding.confidence], language)}]"
        ),
        f"  {said(_EVIDENCE, language)}:",
        *evidence_lines(finding.evidence, language),
    ]
    explanation = said(finding.explanation, language).strip()
    if explanation:
        lines += [f"  {said(_WHY, language)}:", *_indented(explanation)]
    if finding.remedy:
        lines.append(f"  {said(_TODO, language)}:")
        for number, step in enumerate(finding.remedy, start=1):
            first, *rest = said(step, language).splitlines() or [""]
            lines += [f"    {number}. {first}", *(f"       {line}" for line in rest)]
    if finding.change is not None:
        lines.append(f"  {said(_CHANGE, language)}:")
        lines += [f"    {line}" for line in change_lines(finding.change, language)]
    if sources and finding.sources:
        lines += [f"  {said(_SOURCES, language)}:", *(f"    {s}" for s in finding.sources)]
    return "\n".join(lines)


def evidence_lines(evidence: Iterable[Evidence], language: str = "en") -> list[str]:
    """Return lines with their numbers, long ones shortened."""
    lines = []
    for item in evidence:
        text = item.text.strip()
        shown = text if len(text) <= _WIDEST else f"{text[:_WIDEST]} …"
        place = said(_LINE.filled({"line": item.line}) if item.line else _ELSEWHERE, language)
        lines.append(f"    {place}: {shown}")
    return lines


def diagnosis_text(diagnosis: Diagnosis, language: str = "en") -> str:
    """Return a whole diagnosis as text for people."""
    parts = []
    if diagnosis.primary is None:
        parts.append(said(VERDICT[diagnosis.verdict], language))
    else:
        parts.append(finding_text(diagnosis.primary, language))
    others = [f for f in diagnosis.findings if f is not diagnosis.primary]
    if others:
        parts.append(f"{said(_ALSO, language)}:")
        parts += [finding_text(finding, language, sources=False) for finding in others]
    if diagnosis.telling and diagnosis.primary is None:
        lines = [f"{said(_TELLING, language)}:", *evidence_lines(diagnosis.telling, language)]
        parts.append("\n".join(lines))
    if diagnosis.collect:
        head = f"{said(_COLLECT, language)}:"
        parts.append("\n".join([head, *(f"  - {said(t, language)}" for t in diagnosis.collect)]))
    return "\n\n".join(parts)


def _indented(text: str) -> list[str]:
    return [f"    {line}" for line in text.splitlines()]
