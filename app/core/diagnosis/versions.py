"""Version ranges as rules write them: ``>=0.8,<0.9``."""

import re
from typing import Final

from app.core.versions import VersionKey, VersionScheme, version_key

_PART: Final = re.compile(r"(>=|<=|==|<|>)\s*(\S+)")
_BUILD: Final = re.compile(r"b\d+")

Range = tuple[tuple[str, VersionKey], ...]


def parse_range(text: str) -> Range | None:
    """Return the limits of a range, ``None`` when it cannot be read."""
    limits = []
    for part in text.split(","):
        found = _PART.fullmatch(part.strip())
        key = None if found is None else _key(found[2])
        if found is None or key is None:
            return None
        limits.append((found[1], key))
    return tuple(limits)


def in_range(version: str | None, limits: Range) -> bool | None:
    """Tell whether a version lies in a range; ``None`` when the version cannot be read."""
    key = None if version is None else _key(version)
    if key is None:
        return None
    return all(_within(key, sign, limit) for sign, limit in limits)


def _within(key: VersionKey, sign: str, limit: VersionKey) -> bool:
    match sign:
        case ">=":
            return key >= limit
        case "<=":
            return key <= limit
        case "<":
            return key < limit
        case ">":
            return key > limit
        case _:
            return key == limit


def _key(version: str) -> VersionKey | None:
    is_build = _BUILD.fullmatch(version) is not None
    return version_key(version, VersionScheme.BUILD if is_build else VersionScheme.SEMVER)
