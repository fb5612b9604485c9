"""Preferences: few, plain values that the window and the command line share."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum


class Language(StrEnum):
    """Language of the window."""

    SYSTEM = "system"
    EN = "en"
    ZH_CN = "zh_CN"


class ThemeChoice(StrEnum):
    """Theme of the window."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All preferences with their defaults."""

    language: Language = Language.SYSTEM
    theme: ThemeChoice = ThemeChoice.SYSTEM
    window_geometry: str = ""
    """What the window wants back, base64."""
    window_state: str = ""
    last_host_id: str = ""
    last_page: str = ""
    last_folder: str = ""
    """Folder of the last file dialog."""
    demo_offered: bool = False
    """True once the user has seen the offer to try the demo host."""


def read_settings(raw: Mapping[str, object]) -> tuple[Settings, tuple[str, ...]]:
    """Return settings from raw values and the keys whose value cannot be used.

    Unusable values fall back to their default; unknown keys are a newer Pitwall's and left alone.
    """
    good: dict[str, object] = {}
    broken: list[str] = []
    defaults = Settings()
    for field in fields(Settings):
        if field.name not in raw:
            continue
        kind = type(getattr(defaults, field.name))
        value = _usable(kind, raw[field.name])
        if value is None:
            broken.append(field.name)
        else:
            good[field.name] = value
    return Settings(**good), tuple(broken)  # type: ignore[arg-type]  # checked just above


def _usable(kind: type, value: object) -> object | None:
    if issubclass(kind, StrEnum):
        return next((member for member in kind if member == value), None)
    return value if type(value) is kind else None
