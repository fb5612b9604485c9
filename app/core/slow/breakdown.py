"""Where a request's time goes: queue, prefill, decode, and the server around the engine.

Sums are those of the requests that ended in the window. For a request that is answered,
E2E = queue + prefill + decode + the rest, which is spent in the server's own process: reading the
request, tokenizing, handing over, turning tokens into text, sending.
"""

from dataclasses import dataclass
from enum import StrEnum

from app.core.slow.readings import EngineWindow
from app.core.slow.spec import Figure, SlowRules
from app.core.texts import Text


class Place(StrEnum):
    """Where time is spent."""

    QUEUE = "queue"
    PREFILL = "prefill"
    DECODE = "decode"
    SERVER = "server"
    """The rest: HTTP, tokenizer, hand-over, text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One place's part of the time."""

    place: Place
    seconds: float | None
    """Per request that ended; ``None`` when it is not known."""
    share: float | None
    """Of E2E latency, 0 to 1; ``None`` when that is not known."""
    reason: Text | None = None
    """Why it is unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakdown:
    """The time of the requests that ended in a window."""

    window_s: float
    requests: float | None
    e2e_s: float | None
    """Mean per request; ``None`` when not exposed, or when none ended."""
    ttft_s: float | None
    itl_s: float | None
    """Mean seconds between tokens."""
    parts: tuple[Part, ...]


NOT_EXPOSED = Text(en="This engine does not expose it.", zh_CN="该引擎不提供此数据。")
NONE_ENDED = Text(en="No request ended in the window.", zh_CN="观察窗口内没有请求结束。")
_FIGURES = {
    Place.QUEUE: Figure.QUEUE_S,
    Place.PREFILL: Figure.PREFILL_S,
    Place.DECODE: Figure.DECODE_S,
}


def break_down(window: EngineWindow, rules: SlowRules, engine: str) -> Breakdown:
    """Return where the time went."""
    e2e_s = window.per_request(Figure.E2E_S)
    seconds = {place: window.per_request(figure) for place, figure in _FIGURES.items()}
    parts = [
        _part(place, value, e2e_s, _reason(window, rules, engine, _FIGURES[place]))
        for place, value in seconds.items()
    ]
    known = [value for value in seconds.values() if value is not None]
    rest = e2e_s - sum(known) if e2e_s is not None and len(known) == len(seconds) else None
    if rest is not None:
        rest = max(rest, 0.0)
    unknown = next(
        (part.reason for part in parts if part.reason is not None),
        _reason(window, rules, engine, Figure.E2E_S),
    )
    parts.append(_part(Place.SERVER, rest, e2e_s, unknown))
    return Breakdown(
        window_s=window.seconds,
        requests=window.added.get(Figure.REQUESTS),
        e2e_s=e2e_s,
        ttft_s=_ratio(window, Figure.TTFT_S, Figure.TTFT_COUNT),
        itl_s=_ratio(window, Figure.ITL_S, Figure.ITL_COUNT),
        parts=tuple(parts),
    )


def _part(place: Place, seconds: float | None, e2e_s: float | None, reason: Text) -> Part:
    share = min(seconds / e2e_s, 1.0) if seconds is not None and e2e_s else None
    return Part(
        place=place, seconds=seconds, share=share, reason=reason if seconds is None else None
    )


def _reason(window: EngineWindow, rules: SlowRules, engine: str, figure: Figure) -> Text:
    if figure in window.added and Figure.REQUESTS in window.added:
        return NONE_ENDED
    return rules.reason(engine, figure) or NOT_EXPOSED


def _ratio(window: EngineWindow, sums: Figure, counts: Figure) -> float | None:
    count = window.added.get(counts)
    total = window.added.get(sums)
    return total / count if count and total is not None else None
