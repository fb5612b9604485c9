"""Compare engine versions as far as the memory model needs it."""

import re
from typing import Final

_RELEASE: Final = re.compile(r"v?(\d+(?:\.\d+)*)")


def version_key(version: str) -> tuple[int, ...] | None:
    """Return the numbers of a release; ``None`` when the text does not begin with them.

    Example:
        >>> version_key("v0.26.0"), version_key("0.8.x"), version_key("nightly")
        ((0, 26, 0), (0, 8), None)
    """
    match = _RELEASE.match(version.strip())
    return tuple(int(part[:9]) for part in match[1].split(".")[:4]) if match else None


def in_range(version: str, since: str | None, until: str | None) -> bool:
    """Tell whether ``since <= version < until``; an unreadable version counts as the newest."""
    key = version_key(version)
    if key is None:
        return until is None
    low = version_key(since) if since else None
    high = version_key(until) if until else None
    return (low is None or key >= low) and (high is None or key < high)
