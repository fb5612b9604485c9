"""The answers about sizes as values: what each hardware would give, and how far the plan goes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QCoreApplication

from app.core.engines.spec import EngineData
from app.core.models.hardware_table import HardwareRow
from app.core.models.inverse import Solution, Wanted
from app.core.models.memory import Limit
from app.core.models.request import Device
from app.core.units import format_bytes
from app.services.estimating import Asked
from app.services.sizing_answer import SizingAnswer
from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.viewmodels.plan_memory import limit_texts
from app.ui.viewmodels.plan_texts import engine_name, short_reason, why

translate = QCoreApplication.translate

_MAKER: Final = "NVIDIA "
"""In front of nearly every product's name; without it the rest can be read."""

_SHORT: Final[Mapping[str, str]] = {
    Limit.TOO_FEW_GPUS: QT_TRANSLATE_NOOP("Plan", "Too few GPUs"),
    Limit.HEADS_NOT_DIVISIBLE: QT_TRANSLATE_NOOP("Plan", "Heads do not divide"),
    Limit.WEIGHTS_TOO_LARGE: QT_TRANSLATE_NOOP("Plan", "Weights too large"),
    Limit.NO_ROOM_FOR_KV: QT_TRANSLATE_NOOP("Plan", "No room for KV"),
    Limit.CONTEXT_TOO_LONG: QT_TRANSLATE_NOOP("Plan", "Context too long"),
    Limit.MEMORY_IN_USE: QT_TRANSLATE_NOOP("Plan", "Memory in use"),
    Limit.GRAPHS_DO_NOT_FIT: QT_TRANSLATE_NOOP("Plan", "Graphs do not fit"),
    Limit.RAM_TOO_SMALL: QT_TRANSLATE_NOOP("Plan", "Too little RAM"),
}
_NOT_THERE: Final = "dtype_refused"
"""The reason with the short words “not on this GPU”."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HardwareView:
    """One row of the table of hardware."""

    name: str
    memory: str
    memory_bytes: int
    tokens: int
    requests: float
    verdict: str
    status: str
    """``ok warn error unknown``"""
    note: str
    """Everything about it, for the tool tip."""
    is_smallest: bool
    is_owned: bool
    runs: bool = True
    """Whether the engine runs the model there at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """One answer to how far a plan goes."""

    question: str
    value: str
    note: str
    status: str
    name: str = ""
    """The input that takes the value; empty where there is none."""
    text: str = ""
    """What would be typed there."""


def present_hardware(rows: tuple[HardwareRow, ...]) -> tuple[HardwareView, ...]:
    """Return the table's rows, owned hosts first."""
    return tuple(map(_hardware, rows))


def goal_line(asked: Asked, engines: Mapping[str, EngineData]) -> str:
    """Return what the hardware has to hold."""
    tokens = asked.options.context_tokens or asked.model.architecture.max_context
    text = translate(
        "Plan",
        "{engine}, {count} requests of {tokens} tokens at once. What cannot run it is greyed.",
    )
    return text.format(
        engine=f"{engine_name(asked.engine, engines)} {asked.version}",
        count=f"{asked.options.concurrency or 1:,}",
        tokens="?" if tokens is None else f"{tokens:,}",
    )


def smallest_line(rows: tuple[HardwareView, ...]) -> str:
    """Name the smallest that is enough."""
    for row in rows:
        if row.is_smallest:
            text = translate("Plan", "Smallest that is enough: {hardware}")
            return text.format(hardware=row.name)
    return translate("Plan", "None of these is enough.")


def hardware_text(rows: tuple[HardwareView, ...], heads: tuple[str, ...]) -> str:
    """Return the table as text with tabs, as spreadsheets take it."""
    lines = [
        (row.name, row.memory, f"{row.tokens}", f"{row.requests:.1f}", row.verdict) for row in rows
    ]
    return "\n".join("\t".join(line) for line in (heads, *lines)) + "\n"


def present_reach(asked: Asked, answer: SizingAnswer) -> tuple[Reach, ...]:
    """Return the answers to the inverse questions."""
    rows = [_solution(one, asked) for one in answer.solutions]
    return (*rows, _beside(asked, answer))


def _hardware(row: HardwareRow) -> HardwareView:
    product = f"{row.gpu_count} × {row.gpu.removeprefix(_MAKER)}"
    notes = limit_texts(row.limits)
    verdict, status = _verdict(row, notes)
    facts = [f"{row.owned_by}: {product}" if row.owned_by else product, verdict]
    if row.used_bytes:
        text = translate("Plan", "Others held {size} on the fullest GPU.")
        facts.append(text.format(size=format_bytes(row.used_bytes)))
    if row.seen_at:
        facts.append(translate("Plan", "As of {time}.").format(time=row.seen_at))
    if row.refused is not None:
        facts.append(why(row.refused).text)
    if row.dtype:
        text = translate("Plan", "Counted in {dtype}: the GPU needs it.")
        facts.append(text.format(dtype=row.dtype))
    if row.kv_error:
        text = translate("Plan", "Tokens within ± {percent} %.")
        facts.append(text.format(percent=f"{row.kv_error * 100:.0f}"))
    return HardwareView(
        name=f"{product} · {row.owned_by}" if row.owned_by else product,
        memory=format_bytes(row.memory_bytes),
        memory_bytes=row.memory_bytes,
        tokens=row.kv_tokens,
        requests=row.max_concurrency,
        verdict=verdict,
        status=status,
        note="\n".join(dict.fromkeys((*facts, *notes))),
        is_smallest=row.smallest,
        is_owned=bool(row.owned_by),
        runs=row.refused is None,
    )


def _verdict(row: HardwareRow, notes: tuple[str, ...]) -> tuple[str, str]:
    if row.smallest:
        return translate("Plan", "Smallest enough"), "ok"
    if row.meets:
        return translate("Plan", "Enough"), "ok"
    if row.refused is not None:
        short = short_reason(row.refused.code, short_reason(_NOT_THERE, ""))
        return short[:1].upper() + short[1:], "error"
    first = notes[0] if notes else ""
    if row.fits == "unknown":
        return translate("Plan", "Not known. {reason}").format(reason=first).strip(), "unknown"
    if row.fits:
        return translate("Plan", "Too few at once"), "warn"
    return _why_not(row), "error"


def _why_not(row: HardwareRow) -> str:
    """Say in two or three words why it does not fit; the tool tip says it in full."""
    for entry in row.limits:
        short = _SHORT.get(entry.split(":", maxsplit=1)[0])
        if short is not None:
            return translate("Plan", short)
    return translate("Plan", "Does not fit")


def _solution(found: Solution, asked: Asked) -> Reach:
    match found.wanted:
        case Wanted.CONTEXT:
            return _context(found, asked)
        case Wanted.CONCURRENCY:
            return _concurrency(found, asked)
        case Wanted.TENSOR_PARALLEL:
            return _gpus(found, asked)


def _context(found: Solution, asked: Asked) -> Reach:
    question = translate("Plan", "Longest context")
    if found.value is None:
        return _none(question, found)
    is_all = found.value == asked.model.architecture.max_context
    return Reach(
        question=question,
        value=translate("Plan", "{count} tokens").format(count=f"{found.value:,}"),
        note=translate("Plan", "The model's own limit.")
        if is_all
        else translate("Plan", "One request of this length still fits."),
        status="ok",
        name="context",
        text=str(found.value),
    )


def _concurrency(found: Solution, asked: Asked) -> Reach:
    question = translate("Plan", "Most requests at once")
    if found.value is None:
        return _none(question, found)
    tokens = asked.options.context_tokens or asked.model.architecture.max_context or 0
    return Reach(
        question=question,
        value=f"{found.value:,}",
        note=translate("Plan", "Each of full length, {count} tokens.").format(count=f"{tokens:,}"),
        status="ok",
        name="concurrency",
        text=str(found.value),
    )


def _gpus(found: Solution, asked: Asked) -> Reach:
    question = translate("Plan", "Fewest GPUs like these")
    if found.value is None:
        return _none(question, found)
    note = translate("Plan", "The host has {count} of them.").format(count=asked.device.count)
    return Reach(
        question=question,
        value=f"{found.value} × {asked.device.name}",
        note=translate("Plan", "For all requests of the goal at once.")
        if found.value <= asked.device.count
        else note,
        status="ok" if found.value <= asked.device.count else "warn",
    )


def _none(question: str, found: Solution) -> Reach:
    reasons = limit_texts(found.estimate.limits)
    unknown = found.estimate.fits == "unknown"
    return Reach(
        question=question,
        value=translate("Plan", "not known") if unknown else translate("Plan", "none"),
        note=reasons[0] if reasons else "",
        status="unknown" if unknown else "error",
    )


def _beside(asked: Asked, answer: SizingAnswer) -> Reach:
    """Say whether it fits beside what already runs there."""
    estimate = answer.estimate
    reasons = limit_texts(estimate.limits)
    if estimate.fits == "unknown":
        value, status = translate("Plan", "not known"), "unknown"
    elif estimate.fits:
        value, status = translate("Plan", "Fits"), "ok"
    else:
        text = translate("Plan", "{size} lacking per GPU")
        value, status = text.format(size=format_bytes(estimate.missing_bytes)), "error"
    note = _held(asked.device)
    if status != "ok" and reasons:
        note = f"{note} {reasons[0]}"
    question = translate("Plan", "Beside what already runs")
    return Reach(question=question, value=value, note=note, status=status)


def _held(device: Device) -> str:
    if not device.used_bytes:
        return translate("Plan", "Nothing else holds memory there.")
    text = translate("Plan", "Others hold {size} on the fullest GPU.")
    return text.format(size=format_bytes(device.used_bytes))
