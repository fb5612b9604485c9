"""Comparing versions of engines, drivers and GPUs: numbers, never strings or floats.

vLLM writes ``0.10.2`` (older posts and candidates ``0.9.0.post2``, ``1.3.0rc22``), llama.cpp
counts builds ``b10434``, drivers are ``580.65.06``. All become tuples of numbers.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import Final

_SEMVER = re.compile(
    r"v?(\d+(?:\.\d+)*)(?:[.\-]?(a|b|rc|post|dev)(\d*))?(?:\.dev\d+)?(?:\+\S*)?", re.IGNORECASE
)
_RELEASE = re.compile(r"v?\d+(?:\.\d+)*", re.IGNORECASE)
_BUILD = re.compile(r"b?(\d+)", re.IGNORECASE)
_PRE = {"dev": -4, "a": -3, "b": -2, "rc": -1, "post": 1}
_DRIVER = re.compile(r"\d+(?:\.\d+)*")


class VersionScheme(StrEnum):
    """How versions of an engine compare."""

    SEMVER = "semver"
    BUILD = "build"
    """llama.cpp's ``bNNNN``."""


_LONGEST: Final = 64
_FORMS: Final[Mapping[VersionScheme, re.Pattern[str]]] = MappingProxyType(
    {
        VersionScheme.SEMVER: re.compile(
            r"v?\d+(?:\.\d+)*(?:\.x|[+_-]\S*|\.?(?:a|b|rc|post|dev)\d*\S*)?",
            re.IGNORECASE | re.ASCII,
        ),
        VersionScheme.BUILD: re.compile(r"b?\d+(?:[+_-]\S*)?", re.IGNORECASE | re.ASCII),
    }
)

VersionKey = tuple[tuple[int, ...], int, int]
"""Release numbers, kind of addition (negative: before the release), its number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionMatch:
    """How a version stands to those that were examined."""

    version: str
    nearest: str
    """The examined version whose facts are used."""
    known: bool
    is_newer: bool = False
    """Newer than everything examined: the facts of the newest known range are used."""
    is_readable: bool = True


@lru_cache(maxsize=4096)
def version_key(version: str, scheme: VersionScheme) -> VersionKey | None:
    """Return a comparable key; ``None`` when the text is no version of that scheme."""
    if scheme is VersionScheme.BUILD:
        found = _BUILD.fullmatch(version.strip())
        return ((int(found[1]),), 0, 0) if found else None
    match = _SEMVER.fullmatch(version.strip())
    if match is None:
        return None
    numbers = [int(part) for part in match[1].split(".")]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    kind = _PRE[match[2].lower()] if match[2] else 0
    return (tuple(numbers), kind, int(match[3] or 0))


def is_version(text: str, scheme: VersionScheme | None = None) -> bool:
    """Tell whether a text may name a release or a build of an engine, as people write them.

    Releases are 0.8.5, v1.0.0rc3, 0.8.x, 0.5.0.post1, 25.03-py3; llama.cpp's builds b10434,
    b9800-cuda, 2026-09. Without a scheme either will do.
    """
    forms = _FORMS.values() if scheme is None else (_FORMS[scheme],)
    return len(text) <= _LONGEST and any(form.fullmatch(text) for form in forms)


def in_span(version: str, since: str, until: str, scheme: VersionScheme) -> bool:
    """Tell whether a version lies in ``since … until`` (both included, empty is open).

    A post release belongs to its release: ``0.9.0.post2`` lies in ``… until 0.9.0``.
    """
    key = version_key(version, scheme)
    if key is None:
        return not since and not until
    if since:
        lower = version_key(since, scheme)
        if lower is None or key < lower:
            return False
    if until:
        upper = version_key(until, scheme)
        if upper is None or (key > upper and not _is_post_release_of(key, upper)):
            return False
    return True


@lru_cache(maxsize=1024)
def in_loose_span(version: str, since: str, until: str) -> bool:
    """Tell the same of a release number as people write it, for what is only estimated.

    ``0.8.x`` counts as 0.8; a text without a number (``nightly``) counts as the newest release.
    """
    release = _RELEASE.match(version.strip())
    if release is None:
        return not until
    return in_span(release[0], since, until, VersionScheme.SEMVER)


def _is_post_release_of(key: VersionKey, release: VersionKey) -> bool:
    return key[0] == release[0] and key[1] > 0 and release[1] == 0


def series_of(version: str) -> str:
    """Return the range of versions that are taken to behave alike in what is measured.

    Example:
        >>> series_of("0.26.1"), series_of("v1.3.0rc2"), series_of("b10434")
        ('0.26', '1.3', 'b10xxx')
    """
    if build := re.fullmatch(r"b(\d+)", version.strip()):
        return f"b{int(build[1]) // 1000}xxx"
    if release := re.match(r"v?(\d+)\.(\d+)", version.strip()):
        return f"{release[1]}.{release[2]}"
    return version.strip()


def match_version(version: str, known: Sequence[str], scheme: VersionScheme) -> VersionMatch:
    """Find the examined version whose facts speak for ``version``: itself or the next older one."""
    key = version_key(version, scheme)
    keyed = [(found, name) for name in known if (found := version_key(name, scheme)) is not None]
    if key is None or not keyed:
        newest = max(keyed)[1] if keyed else version
        return VersionMatch(version=version, nearest=newest, known=False, is_readable=False)
    older = [(found, name) for found, name in keyed if found <= key]
    nearest = max(older)[1] if older else min(keyed)[1]
    is_known = any(found == key for found, _ in keyed)
    return VersionMatch(
        version=version, nearest=nearest, known=is_known, is_newer=key > max(keyed)[0]
    )


def newest_first(versions: Iterable[str], scheme: VersionScheme) -> tuple[str, ...]:
    """Sort versions, newest first; unreadable ones are left out."""
    keyed = [(key, name) for name in versions if (key := version_key(name, scheme)) is not None]
    return tuple(name for _, name in sorted(keyed, reverse=True))


def driver_key(driver: str | None) -> tuple[int, ...] | None:
    """Return ``(580, 65, 6)`` for ``580.65.06``; ``None`` when it cannot be read."""
    if driver is None:
        return None
    match = _DRIVER.match(driver.strip())
    return tuple(int(part) for part in match[0].split(".")) if match else None


def driver_at_least(driver: str | None, wanted: str) -> bool | None:
    """Tell whether a driver is new enough; ``None`` when it is not known."""
    have, need = driver_key(driver), driver_key(wanted)
    if have is None or need is None:
        return None
    return have >= need


def capability_key(capability: str | None) -> tuple[int, int] | None:
    """Return ``(9, 0)`` for ``9.0``; ``None`` when it cannot be read."""
    if capability is None:
        return None
    major, dot, minor = capability.partition(".")
    if not dot or not major.isdigit() or not minor.isdigit():
        return None
    return int(major), int(minor)


def capability_at_least(capability: str | None, wanted: str) -> bool | None:
    """Tell whether a GPU's compute capability reaches a limit; ``None`` when it is not known."""
    have, need = capability_key(capability), capability_key(wanted)
    if have is None or need is None:
        return None
    return have >= need
