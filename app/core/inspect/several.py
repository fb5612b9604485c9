"""Several tools in one paste: the first kind names it, the others fill its GPUs."""

from collections.abc import Callable, Mapping
from typing import Final

from app.core.inspect.kinds import Inspection, InspectKind
from app.core.inspect.smi_results import (
    inspect_any_list,
    inspect_csv,
    inspect_nvlink,
    inspect_table,
)

_OTHERS: Final[Mapping[InspectKind, Callable[[str], Inspection | None]]] = {
    InspectKind.SMI_TABLE: inspect_table,
    InspectKind.SMI_CSV: inspect_csv,
    InspectKind.SMI_LIST: inspect_any_list,
    InspectKind.SMI_NVLINK: inspect_nvlink,
}
_JOINS: Final = frozenset({InspectKind.TOPO, *_OTHERS})
"""Kinds that people paste one below the other."""
_IDENTITY: Final = ("uuid", "bus_id", "index")


def with_others(found: Inspection, text: str) -> Inspection:
    """Add what other tools in the same paste say of the same GPUs; ``also`` names their kinds."""
    if found.kind not in _JOINS:
        return found
    result = dict(found.result)
    also: list[str] = []
    for kind, read in _OTHERS.items():
        other = read(text) if kind is not found.kind else None
        if other is None or not _is_own(other, result):
            continue
        also.append(kind.value)
        gpus = _filled(result.get("gpus"), other.result.get("gpus"))
        extra = {k: v for k, v in other.result.items() if result.get(k) is None}
        result = {**result, **extra, "gpus": gpus}
    if also:
        result["also"] = also
    return Inspection(kind=found.kind, result=result, warnings=found.warnings)


def _is_own(other: Inspection, result: Mapping[str, object]) -> bool:
    """Tell whether the other tool speaks of as many GPUs, and was not guessed from one line."""
    gpus = other.result.get("gpus")
    if not isinstance(gpus, list) or any(w.startswith("columns_guessed") for w in other.warnings):
        return False
    return bool(gpus) and result.get("gpu_count") in (None, len(gpus))


def _filled(gpus: object, others: object) -> list[dict[str, object]]:
    """Fill GPUs with each other's values, where an identity says that they are the same."""
    first = [gpu for gpu in gpus if isinstance(gpu, dict)] if isinstance(gpus, list) else []
    second = [gpu for gpu in others if isinstance(gpu, dict)] if isinstance(others, list) else []
    if not first:
        return second
    return [_fill(gpu, next((o for o in second if _same(gpu, o)), {})) for gpu in first]


def _same(a: Mapping[str, object], b: Mapping[str, object]) -> bool:
    """Tell whether the strongest identity that both have is equal."""
    key = next((k for k in _IDENTITY if a.get(k) is not None and b.get(k) is not None), None)
    return key is not None and a[key] == b[key]


def _fill(gpu: Mapping[str, object], other: Mapping[str, object]) -> dict[str, object]:
    values = {k: v for k, v in other.items() if k != "unknown" and gpu.get(k) in (None, [])}
    filled = {**gpu, **values}
    unknown = gpu.get("unknown")
    if isinstance(unknown, dict):
        filled["unknown"] = {k: v for k, v in unknown.items() if filled.get(k) is None}
    return filled
