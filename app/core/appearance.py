"""Colour tokens of a theme: names are the contract, values come from ``resources/themes``.

No Qt here: the window turns tokens into a palette and a style sheet.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

TEXT_CONTRAST: Final = 4.5
LINE_CONTRAST: Final = 3.0
"""Least contrast of text and of lines. Source: WCAG 2.2, criteria 1.4.3 and 1.4.11."""

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


def contrast(first: str, second: str) -> float:
    """Return the contrast of two ``#RRGGBB`` colours, 1 (same) to 21 (black on white).

    ``contrast("#000000", "#FFFFFF")`` is 21. Source: WCAG 2.2, relative luminance.
    """
    brighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


def _luminance(color: str) -> float:
    red, green, blue = (int(color[start : start + 2], 16) / 255 for start in (1, 3, 5))
    return 0.2126 * _linear(red) + 0.7152 * _linear(green) + 0.0722 * _linear(blue)


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else float(((channel + 0.055) / 1.055) ** 2.4)
