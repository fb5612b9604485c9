"""How fast a plan may be, in one sentence and its notes."""

from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QCoreApplication

from app.core.speed.estimate import Span, SpeedEstimate
from app.core.units import format_seconds
from app.ui.viewmodels.said import said

translate = QCoreApplication.translate

_SHORT_S: Final = 0.02
_LONG_S: Final = 60.0
"""From a minute on, durations are written in minutes and seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedView:
    """A plan's speed as its card shows it."""

    text: str
    """Figures with their bands, or why there are none."""
    notes: str
    """For which load, and how the figures came about."""
    source: str
    is_known: bool


def present_speed(speed: SpeedEstimate | None) -> SpeedView | None:
    """Return a speed in the language in force; ``None`` where none was asked for."""
    if speed is None:
        return None
    load = translate(
        "Plan", "{count} requests at once, prompts of {prompt} and answers of {output} tokens"
    ).format(
        count=speed.load.concurrency,
        prompt=f"{speed.load.prompt_tokens:,}",
        output=f"{speed.load.output_tokens:,}",
    )
    notes = " · ".join((load, *(said(note).rstrip(".。") for note in speed.notes)))
    ttft, itl, rate = speed.ttft_s, speed.itl_s, speed.output_tokens_per_s
    if ttft is None or itl is None or rate is None:
        reason = "" if speed.reason is None else said(speed.reason)
        text = translate("Plan", "Speed not known: {reason}").format(reason=reason)
        return SpeedView(text=text, notes=notes, source=speed.source, is_known=False)
    text = " · ".join(
        (
            translate("Plan", "first token {span}").format(span=_seconds(ttft)),
            translate("Plan", "between tokens {span}").format(span=_seconds(itl)),
            translate("Plan", "{span} tokens/s in all").format(span=_rate(rate)),
        )
    )
    return SpeedView(text=text, notes=notes, source=speed.source, is_known=True)


def _seconds(span: Span) -> str:
    """Write a span in one unit, that of what is expected."""
    if span.high >= _LONG_S:
        low, expected, high = map(format_seconds, (span.low, span.expected, span.high))
        return f"{expected} ({low} – {high})"
    in_ms = span.expected < 1
    scale, unit = (1000, "ms") if in_ms else (1, "s")
    # Gaps between tokens are a few milliseconds: a digit more than durations usually have.
    digits = (1 if span.expected < _SHORT_S else 0) if in_ms else 2
    low, expected, high = (
        f"{part * scale:,.{digits}f}" for part in (span.low, span.expected, span.high)
    )
    return f"{expected} {unit} ({low} – {high})"


def _rate(span: Span) -> str:
    return f"{span.expected:,.0f} ({span.low:,.0f} – {span.high:,.0f})"
