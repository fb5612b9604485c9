"""Time stamps of container engines as numbers, and back."""

import re
from datetime import UTC, datetime
from typing import Final

_LONG_FRACTION: Final = re.compile(r"(\.\d{6})\d+")
_NEVER: Final = "0001-01-01T00:00:00Z"


def seconds_of(stamp: str) -> float | None:
    """Return seconds since the epoch of an RFC 3339 stamp; ``None`` for none and for “never”."""
    if not stamp or stamp == _NEVER:
        return None
    try:
        at = datetime.fromisoformat(_LONG_FRACTION.sub(r"\1", stamp))
    except ValueError:
        return None
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()


def stamp_of(at_s: float) -> str:
    """Write seconds since the epoch as RFC 3339 in UTC, to the millisecond."""
    return (
        datetime.fromtimestamp(at_s, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    )
