"""Times as people type them to find a place in a log."""

import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final

from app.core.logs.stamps import seconds_of

_CLOCK: Final = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d+)?))?\Z")
_BACK: Final = re.compile(r"[-\u2212](\d+(?:\.\d+)?)\s*(s|m|min|h|d)?\Z")
_UNITS_S: Final = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400, None: 60}


def moment_of(text: str, *, newest_s: float, zone: tzinfo | None) -> float | None:
    """Return the seconds since the epoch that ``14:03``, ``-10m`` or an ISO stamp mean.

    A time of day is the last such time before the newest line, a negative duration counts back
    from that line, and a stamp without zone is read in ``zone`` (``None``: this computer's).
    ``None`` for anything else.
    """
    typed = text.strip()
    if back := _BACK.match(typed):
        return newest_s - float(back[1]) * _UNITS_S[back[2]]
    if clock := _CLOCK.match(typed):
        return _last_time(clock, newest_s, zone)
    if len(typed) < len("2026-01-01"):
        return None
    try:
        at = datetime.fromisoformat(typed)
    except ValueError:
        return seconds_of(typed)
    return (at if at.tzinfo else at.replace(tzinfo=zone)).timestamp()


def _last_time(clock: re.Match[str], newest_s: float, zone: tzinfo | None) -> float | None:
    hour, minute, second = int(clock[1]), int(clock[2]), float(clock[3] or 0)
    if hour > 23 or minute > 59 or second >= 60:
        return None
    newest = datetime.fromtimestamp(newest_s, UTC).astimezone(zone)
    at = newest.replace(hour=hour, minute=minute, second=0, microsecond=0)
    at += timedelta(seconds=second)
    return (at if at <= newest else at - timedelta(days=1)).timestamp()
