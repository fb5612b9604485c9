"""How each number of the memory picture came about: formula, inputs, band and source."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QCoreApplication

from app.core.models.memory import Basis, Input, MemoryEstimate
from app.core.units import format_bytes
from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.viewmodels.plan_words import formula_words, input_words, source_words

translate = QCoreApplication.translate

FREE: Final = "free"
"""What is left over; no engine names it."""

_TITLES: Final[Mapping[str, str]] = {
    "total_bytes_per_gpu": QT_TRANSLATE_NOOP("Plan", "In all, as the engine sees it"),
    "usable_bytes_per_gpu": QT_TRANSLATE_NOOP("Plan", "Limit: what the engine may use"),
    "weights_bytes_per_gpu": QT_TRANSLATE_NOOP("Plan", "Weights"),
    "activation_bytes": QT_TRANSLATE_NOOP("Plan", "Activations"),
    "cuda_graph_bytes": QT_TRANSLATE_NOOP("Plan", "CUDA graphs"),
    "non_torch_bytes": QT_TRANSLATE_NOOP("Plan", "Other: CUDA and libraries"),
    "kv_cache_bytes_per_gpu": QT_TRANSLATE_NOOP("Plan", "KV cache"),
    FREE: QT_TRANSLATE_NOOP("Plan", "Free"),
    "kv_bytes_per_token_per_gpu": QT_TRANSLATE_NOOP("Plan", "KV cache per token"),
    "kv_tokens": QT_TRANSLATE_NOOP("Plan", "Tokens in the KV cache"),
    "max_concurrency": QT_TRANSLATE_NOOP("Plan", "Requests of full length at once"),
}
"""In the order in which they are shown: first the room, then what fills it, then what it holds."""

_METHODS: Final[Mapping[str, str]] = {
    "formula": QT_TRANSLATE_NOOP("Plan", "calculated"),
    "calibrated": QT_TRANSLATE_NOOP("Plan", "calibrated on measurements"),
    "measured": QT_TRANSLATE_NOOP("Plan", "measured"),
}

QUANTITY_OF_PART: Final[Mapping[str, str]] = {
    "other": "non_torch_bytes",
    "weights": "weights_bytes_per_gpu",
    "activations": "activation_bytes",
    "kv": "kv_cache_bytes_per_gpu",
    "graphs": "cuda_graph_bytes",
    "free": FREE,
    "limit": "usable_bytes_per_gpu",
}
"""Which number a part of the picture is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InputRow:
    """One value that went into a formula."""

    name: str
    value: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Arithmetic:
    """One number with where it comes from."""

    quantity: str
    title: str
    value: str
    formula: str
    inputs: tuple[InputRow, ...]
    band: str
    method: str
    source: str

    @property
    def text(self) -> str:
        """All of it as plain text, to be copied."""
        rows = [f"{row.name} = {row.value}" + _beside(row.source) for row in self.inputs]
        lines = [self.formula, *rows, self.band, self.method, self.source]
        return "\n".join([f"{self.title}: {self.value}", *(f"  {line}" for line in lines if line)])


def present_arithmetic(estimate: MemoryEstimate) -> tuple[Arithmetic, ...]:
    """Return every number of the picture with its arithmetic; what takes nothing is left out."""
    found: dict[str, Basis] = {}
    for basis in estimate.basis:
        found.setdefault(basis.quantity, basis)
    return tuple(
        _arithmetic(quantity, estimate, found.get(quantity))
        for quantity in _TITLES
        if quantity in found or _number(quantity, estimate)
    )


def arithmetic_text(entries: tuple[Arithmetic, ...]) -> str:
    """Return all numbers as plain text."""
    return "\n\n".join(entry.text for entry in entries) + "\n"


def _arithmetic(quantity: str, estimate: MemoryEstimate, basis: Basis | None) -> Arithmetic:
    correction = estimate.corrections.get(quantity)
    learned = (_learned(correction),) if correction else ()
    return Arithmetic(
        quantity=quantity,
        title=translate("Plan", _TITLES[quantity]),
        value=_value(quantity, estimate),
        formula=_own_formula(quantity)
        if basis is None or not basis.formula
        else formula_words(basis.formula),
        inputs=(*(() if basis is None else map(_input_row, basis.inputs)), *learned),
        band=_band(estimate.error_band.get(quantity)),
        method="" if basis is None else translate("Plan", _METHODS[basis.method]),
        source="" if basis is None else basis.source,
    )


def _learned(correction: int) -> InputRow:
    sign = "−" if correction < 0 else "+"
    return InputRow(
        name=translate("Plan", "learned from starts here"),
        value=f"{sign}{format_bytes(abs(correction))}",
        source=translate("Plan", "Settings: corrections of memory estimates"),
    )


def _number(quantity: str, estimate: MemoryEstimate) -> float:
    if quantity == FREE:
        return free_bytes(estimate)
    return float(getattr(estimate, quantity))


def free_bytes(estimate: MemoryEstimate) -> int:
    """Return what nobody takes, others' memory left aside."""
    taken = (
        estimate.weights_bytes_per_gpu
        + estimate.activation_bytes
        + estimate.cuda_graph_bytes
        + estimate.non_torch_bytes
        + estimate.kv_cache_bytes_per_gpu
    )
    return max(estimate.total_bytes_per_gpu - taken, 0)


def _value(quantity: str, estimate: MemoryEstimate) -> str:
    number = _number(quantity, estimate)
    match quantity:
        case "kv_bytes_per_token_per_gpu":
            return f"{int(number):,} B"
        case "kv_tokens":
            return f"{int(number):,}"
        case "max_concurrency":
            return f"{number:,.2f}"
        case _:
            return format_bytes(int(number))


def _own_formula(quantity: str) -> str:
    """Return the arithmetic of what follows from the others by itself."""
    texts = {
        FREE: translate("Plan", "all − weights − activations − KV cache − graphs − other"),
        "max_concurrency": translate("Plan", "tokens in the KV cache ÷ context"),
    }
    return texts.get(quantity, "")


def _input_row(one: Input) -> InputRow:
    return InputRow(
        name=input_words(one.name),
        value=f"{_input_value(one)} {one.unit}".rstrip(),
        source=source_words(one.source),
    )


def _input_value(one: Input) -> str:
    if isinstance(one.value, str):
        return one.value
    # The share of memory is said as the window says shares, not as a flag takes it.
    return f"{one.value * 100:g} %" if one.name == "fraction" else f"{one.value:,}"


def _band(band: float | None) -> str:
    if not band:
        return ""
    return translate("Plan", "within ± {percent} %").format(percent=f"{band * 100:.1f}")


def _beside(source: str) -> str:
    return f"  [{source}]" if source else ""
