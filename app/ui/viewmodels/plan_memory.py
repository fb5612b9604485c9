"""The memory picture as values: one stacked bar per GPU (or group of equal GPUs), and its words."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QCoreApplication

from app.core.hardware.fingerprint import Fingerprint, Gpu
from app.core.models.memory import Limit, MemoryEstimate
from app.core.planning.plan import Plan
from app.core.units import GIB, MIB, format_bytes
from app.ui.i18n import QT_TRANSLATE_NOOP

translate = QCoreApplication.translate

PARTS: Final[Mapping[str, str]] = {
    "other": QT_TRANSLATE_NOOP("Plan", "Other"),
    "weights": QT_TRANSLATE_NOOP("Plan", "Weights"),
    "activations": QT_TRANSLATE_NOOP("Plan", "Activations"),
    "kv": QT_TRANSLATE_NOOP("Plan", "KV cache"),
    "graphs": QT_TRANSLATE_NOOP("Plan", "CUDA graphs"),
    "free": QT_TRANSLATE_NOOP("Plan", "Free"),
}
"""In the order in which they are stacked; what comes on top of the limit stands last."""

_LIMITS: Final[Mapping[str, str]] = {
    Limit.TOO_FEW_GPUS: QT_TRANSLATE_NOOP("Plan", "Fewer GPUs than the plan needs."),
    Limit.HEADS_NOT_DIVISIBLE: QT_TRANSLATE_NOOP(
        "Plan", "The attention heads cannot be divided over so many GPUs."
    ),
    Limit.WEIGHTS_TOO_LARGE: QT_TRANSLATE_NOOP("Plan", "The weights alone are too large."),
    Limit.NO_ROOM_FOR_KV: QT_TRANSLATE_NOOP("Plan", "No room is left for the KV cache."),
    Limit.CONTEXT_TOO_LONG: QT_TRANSLATE_NOOP(
        "Plan", "One request of this length does not fit into the KV cache."
    ),
    Limit.CONTEXT_ABOVE_MODEL: QT_TRANSLATE_NOOP(
        "Plan", "The context is longer than the model was made for."
    ),
    Limit.CONTEXT_UNKNOWN: QT_TRANSLATE_NOOP(
        "Plan", "The model does not say how long its context may be."
    ),
    Limit.CONCURRENCY_QUEUES: QT_TRANSLATE_NOOP(
        "Plan", "Not all requests fit at full length: the rest waits."
    ),
    Limit.MEMORY_IN_USE: QT_TRANSLATE_NOOP("Plan", "Others hold memory that the plan wants."),
    Limit.MEMORY_UNKNOWN: QT_TRANSLATE_NOOP("Plan", "How much memory there is is not known."),
    Limit.GRAPHS_DO_NOT_FIT: QT_TRANSLATE_NOOP("Plan", "CUDA graphs do not fit beside the rest."),
    Limit.GRAPHS_TIGHT: QT_TRANSLATE_NOOP(
        "Plan", "CUDA graphs come on top of the limit; little is left beside them."
    ),
    Limit.RAM_TOO_SMALL: QT_TRANSLATE_NOOP("Plan", "Main memory is too small."),
    Limit.NO_GENERATION: QT_TRANSLATE_NOOP("Plan", "The model generates no text."),
    Limit.OUTSIDE_CALIBRATION: QT_TRANSLATE_NOOP(
        "Plan", "Outside what was measured: the estimate is less certain."
    ),
    Limit.ENGINE_NOT_MEASURED: QT_TRANSLATE_NOOP(
        "Plan", "This engine was not measured: the estimate is rough."
    ),
    Limit.VISION_NOT_COUNTED: QT_TRANSLATE_NOOP("Plan", "The vision part is not counted."),
    Limit.PROMPT_CACHE_RAM: QT_TRANSLATE_NOOP("Plan", "The prompt cache takes main memory."),
    Limit.ARCHITECTURE_UNKNOWN: QT_TRANSLATE_NOOP(
        "Plan", "The architecture is not known: sizes may be off."
    ),
    Limit.QUANTIZATION_UNKNOWN: QT_TRANSLATE_NOOP(
        "Plan", "The quantization is not known: counted as if there were none."
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """One part of a bar."""

    part: str
    """A key of `PARTS`; its colour is the token ``memory.<part>``."""
    size_bytes: int
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRow:
    """One bar: a GPU, several alike, or main memory."""

    title: str
    total_bytes: int | None
    limit_bytes: int | None
    segments: tuple[Segment, ...]
    text: str
    """The bar in words."""
    gpus: int = 1
    """How many equal GPUs the bar stands for; its sizes are those of one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryView:
    """The whole picture."""

    title: str = ""
    rows: tuple[MemoryRow, ...] = ()
    verdict: str = ""
    status: str = "unknown"
    """``ok warn error unknown``"""
    notes: tuple[str, ...] = ()
    caption: str = ""


def present_memory(fingerprint: Fingerprint | None, plan: Plan | None) -> MemoryView:
    """Return the picture of a plan on a host, or of the host alone."""
    if fingerprint is None:
        return MemoryView()
    per_gpu = translate("Plan", "Memory per GPU")
    if plan is None:
        return MemoryView(title=per_gpu, rows=_grouped(_bare_row(gpu) for gpu in fingerprint.gpus))
    estimate = plan.estimate
    if estimate.on_cpu:
        rows: tuple[MemoryRow, ...] = (_plan_row(translate("Plan", "RAM"), estimate, 0),)
    else:
        used = set(plan.parameters.gpu_indices)
        rows = _grouped(
            _plan_row(f"GPU {gpu.index}", estimate, (gpu.memory_used_mib or 0) * MIB)
            if gpu.index in used
            else _bare_row(gpu)
            for gpu in fingerprint.gpus
        )
    verdict, status = _verdict(estimate)
    return MemoryView(
        title=translate("Plan", "Main memory") if estimate.on_cpu else per_gpu,
        rows=rows,
        verdict=verdict,
        status=status,
        notes=limit_texts(estimate.limits),
        caption=_caption(estimate),
    )


def limit_texts(limits: Iterable[str]) -> tuple[str, ...]:
    """Return what holds an estimate back, each said once."""
    known: dict[str, None] = {}
    for entry in limits:
        code = entry.split(":", maxsplit=1)[0]
        text = _LIMITS.get(code)
        known[translate("Plan", text) if text else entry] = None
    return tuple(known)


def _verdict(estimate: MemoryEstimate) -> tuple[str, str]:
    if estimate.fits == "unknown":
        return translate("Plan", "Whether it fits is not known"), "warn"
    if not estimate.fits:
        text = translate("Plan", "Does not fit: {size} lacking")
        return text.format(size=format_bytes(estimate.missing_bytes)), "error"
    return translate("Plan", "Fits"), "ok"


def _caption(estimate: MemoryEstimate) -> str:
    text = translate("Plan", "{tokens} KV tokens · {count} requests of full length at once")
    return text.format(tokens=f"{estimate.kv_tokens:,}", count=f"{int(estimate.max_concurrency):,}")


def _plan_row(title: str, estimate: MemoryEstimate, used_bytes: int) -> MemoryRow:
    sizes = {
        "other": estimate.non_torch_bytes + used_bytes,
        "weights": estimate.weights_bytes_per_gpu,
        "activations": estimate.activation_bytes,
        "kv": estimate.kv_cache_bytes_per_gpu,
        "graphs": estimate.cuda_graph_bytes,
    }
    total = estimate.total_bytes_per_gpu
    sizes["free"] = max(total - sum(sizes.values()), 0)
    return _row(title, total, estimate.usable_bytes_per_gpu, sizes)


def _bare_row(gpu: Gpu) -> MemoryRow:
    title = f"GPU {gpu.index}"
    if gpu.memory_total_mib is None:
        text = translate("Plan", "{gpu}: memory not reported").format(gpu=title)
        return MemoryRow(title=title, total_bytes=None, limit_bytes=None, segments=(), text=text)
    used = (gpu.memory_used_mib or 0) * MIB
    # What the driver keeps for itself belongs to nobody: the plan's own bar leaves it out, too.
    total = (gpu.memory_total_mib - (gpu.memory_reserved_mib or 0)) * MIB
    return _row(title, total, None, {"other": used, "free": max(total - used, 0)})


def _row(title: str, total: int, limit: int | None, sizes: Mapping[str, int]) -> MemoryRow:
    segments = tuple(
        Segment(part=part, size_bytes=size, note=f"{part_text(part)}: {format_bytes(size)}")
        for part, size in sizes.items()
        if size > 0
    )
    words = ", ".join(segment.note for segment in segments)
    text = translate("Plan", "{gpu}, {total} in all: {parts}").format(
        gpu=title, total=format_bytes(total), parts=words
    )
    if limit is not None:
        text += ". " + translate("Plan", "The engine may use {size}.").format(
            size=format_bytes(limit)
        )
    return MemoryRow(
        title=title, total_bytes=total, limit_bytes=limit, segments=segments, text=text
    )


def part_text(part: str) -> str:
    """Return the word for a part of the memory."""
    return translate("Plan", PARTS[part])


def gib_figure(size_bytes: int) -> str:
    """Return a size in GiB without its unit, for inside a bar."""
    return f"{size_bytes / GIB:,.1f}"


def _grouped(rows: Iterable[MemoryRow]) -> tuple[MemoryRow, ...]:
    """Put neighbours that look alike into one bar: eight equal GPUs are one line."""
    groups: list[list[MemoryRow]] = []
    for row in rows:
        if groups and _look(groups[-1][0]) == _look(row):
            groups[-1].append(row)
        else:
            groups.append([row])
    return tuple(_joined(group) for group in groups)


def _look(row: MemoryRow) -> tuple[object, ...]:
    return (row.total_bytes, row.limit_bytes, row.segments)


def _joined(group: list[MemoryRow]) -> MemoryRow:
    first, last = group[0], group[-1]
    if first is last:
        return first
    title = f"{first.title}–{last.title.removeprefix('GPU ')}"
    return MemoryRow(
        title=title,
        total_bytes=first.total_bytes,
        limit_bytes=first.limit_bytes,
        segments=first.segments,
        text=first.text.replace(first.title, title, 1),
        gpus=len(group),
    )
