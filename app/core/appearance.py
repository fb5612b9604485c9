"""Colour tokens of a theme: names are the contract, values come from ``resources/themes``.

No Qt here: the window turns tokens into a palette and a style sheet.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

HEX_COLOR: Final = re.compile(r"#[0-9A-Fa-f]{6}(?:[0-9A-Fa-f]{2})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class ThemeFile:
    """One file of ``resources/themes``; tables below ``[colors]`` become dotted tokens."""

    schema_version: int
    id: str
    is_dark: bool
    series: tuple[str, ...]
    """Line colours of plots in order; the same engine keeps its place."""
    colors: Mapping[str, str | Mapping[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """A theme with flat tokens such as ``window``, ``text.muted`` or ``status.ok``."""

    id: str
    is_dark: bool
    series: tuple[str, ...] = ()
    colors: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Token → ``#RRGGBB`` or ``#AARRGGBB`` (Qt's order)."""


def flatten_theme(file: ThemeFile) -> Theme:
    """Return the theme with nested colour tables written as dotted tokens."""
    colors: dict[str, str] = {}
    for token, value in file.colors.items():
        if isinstance(value, str):
            colors[token] = value
        else:
            colors.update({f"{token}.{name}": color for name, color in value.items()})
    return Theme(
        id=file.id, is_dark=file.is_dark, series=file.series, colors=MappingProxyType(colors)
    )


def broken_colors(theme: Theme) -> tuple[str, ...]:
    """Return tokens (and ``series.N``) whose value is not a colour."""
    named = {f"series.{index}": color for index, color in enumerate(theme.series)}
    return tuple(
        token
        for token, color in {**theme.colors, **named}.items()
        if not HEX_COLOR.fullmatch(color)
    )
