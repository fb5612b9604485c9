"""A user's own data files over the shipped ones: how entries merge, and which files do so."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final, TypeGuard

_IDENTITY: Final = ("id", "metric", "name", "quantity", "code")
"""Keys that tell entries of a list of tables apart; the first one present counts."""


class OverrideKind(StrEnum):
    """What a user's file does."""

    ADDS = "adds"
    CHANGES = "changes"


@dataclass(frozen=True, slots=True, kw_only=True)
class OverridingFile:
    """One of the user's own data files, for showing that it is in force."""

    file: Path
    relative: str
    kind: OverrideKind


def overriding_files(root: Path, overrides: Path) -> tuple[OverridingFile, ...]:
    """Return the user's data files, sorted by path."""
    return tuple(
        OverridingFile(
            file=file,
            relative=(relative := file.relative_to(overrides).as_posix()),
            kind=OverrideKind.CHANGES
            if (root / "resources" / relative).is_file()
            else OverrideKind.ADDS,
        )
        for file in sorted(overrides.rglob("*.toml"))
        if file.is_file()
    )


def merge(base: Mapping[str, object], over: Mapping[str, object]) -> dict[str, object]:
    """Lay ``over`` on ``base``: tables merge, lists of tables merge by identity, else replace."""
    merged = dict(base)
    for key, value in over.items():
        merged[key] = _merge_value(merged.get(key), value)
    return merged


def _merge_value(base: object, over: object) -> object:
    if isinstance(base, Mapping) and isinstance(over, Mapping):
        return merge(base, over)
    if _is_tables(base) and _is_tables(over):
        return _merge_entries(base, over)
    return over


def _merge_entries(
    base: Sequence[Mapping[str, object]], over: Sequence[Mapping[str, object]]
) -> list[Mapping[str, object]]:
    replaced = {_identity(entry) for entry in over}
    kept = [entry for entry in base if _identity(entry) not in replaced]
    return [*kept, *over]


def _is_tables(value: object) -> TypeGuard[list[Mapping[str, object]]]:
    return isinstance(value, list) and bool(value) and all(isinstance(v, Mapping) for v in value)


def _identity(entry: Mapping[str, object]) -> tuple[str, object] | int:
    for key in _IDENTITY:
        if key in entry:
            return key, entry[key]
    return id(entry)  # an entry without a name stands for itself
