"""Can a load meet the limits that a goal sets? Said as advice, never by leaving a plan out."""

from collections.abc import Mapping

from app.core.speed.estimate import Span, SpeedEstimate
from app.core.speed.load import Load
from app.core.speed.texts import LIMITS
from app.core.texts import Text
from app.core.units import format_seconds


def limit_texts(
    speed: SpeedEstimate, *, ttft_s: float | None, itl_s: float | None
) -> Mapping[str, Text]:
    """Return what is to be said of limits, by code; empty when they are met or nothing is known.

    Args:
        speed: Under the load that the limits hold for.
        ttft_s: Limit of the time to the first token.
        itl_s: Limit of the gap between two tokens.
    """
    least = speed.least
    found: dict[str, Text] = {}
    for name, limit, span, bound in (
        ("ttft", ttft_s, speed.ttft_s, least.ttft_s if least else None),
        ("itl", itl_s, speed.itl_s, least.itl_s if least else None),
    ):
        said = None if limit is None else _judged(name, limit, span, bound, speed.load)
        if said is not None:
            found[said[0]] = said[1]
    return found


def _judged(
    name: str, limit_s: float, span: Span | None, bound_s: float | None, load: Load
) -> tuple[str, Text] | None:
    """Judge by the band where there is one, else by what the hardware allows at best."""
    best_s = span.low if span is not None else bound_s
    if best_s is None:
        return None
    if limit_s < best_s:
        code = f"{name}_out_of_reach"
    elif span is not None and limit_s < span.expected:
        code = f"{name}_doubtful"
    else:
        return None
    values = {
        "limit": format_seconds(limit_s),
        "best": format_seconds(best_s),
        "expected": "" if span is None else format_seconds(span.expected),
        "prompt": f"{load.prompt_tokens:,}",
        "count": load.concurrency,
    }
    return code, LIMITS[code].filled(values)
