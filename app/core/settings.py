"""Preferences: few, plain values that the window and the command line share."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Final

from app.core.errors import ErrorCode, UserInputError

_PROXY: Final = re.compile(r"http://(?:[A-Za-z0-9.-]+|\[[0-9a-fA-F:]+\]):\d{1,5}")


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
    text_percent: int = 100
    """Size of the window's text in per cent of the desktop's."""
    image_mirrors: str = ""
    """Lines of ``REGISTRY = MIRROR``, see `app.core.mirrors`."""
    http_proxy: str = ""
    """``http://HOST:PORT`` for what this desk asks of the internet; empty asks the environment."""
    check_for_updates: bool = False
    update_url: str = "https://pypi.org/pypi/pitwall-desk/json"
    """Where a package index, or a mirror of it, tells the newest version."""
    view_state: str = ""
    """Widths, orders, splitters, tabs and filters that the user chose, as JSON."""
    demo_offered: bool = False
    """True once the user has seen the offer to try the demo host."""


TEXT_PERCENTS = (80, 90, 100, 110, 125, 150, 175, 200)
"""Sizes of text that are offered."""
KEPT_BY_RESET = frozenset({"last_host_id", "last_page", "last_folder", "demo_offered"})
"""What is no preference but a place where one was; it survives going back to the defaults."""


def default_changes(settings: Settings) -> dict[str, str | bool | int]:
    """Return what has to change so that every preference has its default."""
    defaults = Settings()
    return {
        field.name: getattr(defaults, field.name)
        for field in fields(Settings)
        if field.name not in KEPT_BY_RESET
        if getattr(settings, field.name) != getattr(defaults, field.name)
    }


def check_proxy(text: str) -> str:
    """Return a proxy's address as it is kept; empty for none.

    Raises:
        UserInputError: INVALID_INPUT for what is no ``http://HOST:PORT``, or holds a password.
    """
    found = text.strip().rstrip("/")
    if not found or _PROXY.fullmatch(found):
        return found
    secret = "@" in found
    raise UserInputError(
        ErrorCode.INVALID_INPUT,
        {"field": "http_proxy", "value": "" if secret else found},
        cause="A proxy is written as http://HOST:PORT"
        + (", without a user or password." if secret else "."),
        remedy="A proxy that asks for a login goes into HTTPS_PROXY of the environment."
        if secret
        else "For example: http://proxy.example:3128",
    )


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
