"""Icons: outline SVG drawn in a token's colour, at any size and pixel ratio."""

import re
import weakref
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Protocol

from PySide6.QtCore import QByteArray, QObject, QRectF, QSize, Qt, QTimer, Slot
from PySide6.QtGui import QGuiApplication, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from app.ui.theme import Theme

_LOGICAL: Final = (16, 20, 24, 28, 48)
"""Sizes the window uses; each is drawn for every pixel ratio of the screens that are there."""
_A_TURN: Final = 8
"""Icons renewed in one turn of the loop."""
STATUS_ICONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "ok": "circle-check",
        "warn": "alert-triangle",
        "error": "circle-x",
        "unknown": "question-mark",
    }
)
"""The icon of an answer's status; its colour is the token ``status.<status>``."""
_STROKE = re.compile(r'stroke-width="2"')


class IconTarget(Protocol):
    """A button, an action, anything with an icon."""

    def setIcon(self, icon: QIcon, /) -> None:
        """Show ``icon``."""


class IconSet(QObject):
    """Give out icons in the colours of the theme in force."""

    def __init__(
        self, svgs: Mapping[str, str], theme: Theme, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._svgs = svgs
        self._theme = theme
        self._cache: dict[tuple[str, str], QIcon] = {}
        self._targets: weakref.WeakKeyDictionary[IconTarget, tuple[str, str]] = (
            weakref.WeakKeyDictionary()
        )
        self._waiting: list[IconTarget] = []
        self._later = QTimer(self)
        self._later.setInterval(0)
        self._later.timeout.connect(self._renew_some)
        self._drawn_for = theme.name
        theme.changed.connect(self._on_theme_changed)

    def names(self) -> tuple[str, ...]:
        """Return the names of all icons."""
        return tuple(self._svgs)

    def icon(self, name: str, token: str = "text") -> QIcon:  # noqa: S107 - a colour's name
        """Return an icon whose strokes have the token's colour.

        Raises:
            KeyError: for a name that no file has.
        """
        key = (name, token)
        if key not in self._cache:
            self._cache[key] = self._draw(name, token)
        return self._cache[key]

    def pixmap(
        self,
        name: str,
        token: str = "text",  # noqa: S107 - a colour's name
        *,
        size: int = 16,
        ratio: float = 1.0,
    ) -> QPixmap:
        """Return an icon as a picture of ``size`` logical pixels."""
        return self.icon(name, token).pixmap(QSize(size, size), ratio)

    def set_icon(
        self,
        target: IconTarget,
        name: str,
        token: str = "text",  # noqa: S107 - a colour's name
    ) -> None:
        """Give ``target`` an icon and renew it when the theme changes."""
        self._targets[target] = (name, token)
        target.setIcon(self.icon(name, token))

    def _draw(self, name: str, token: str) -> QIcon:
        icon = QIcon()
        # Without one for Selected Qt tints the icon of a selected row.
        usual = (QIcon.Mode.Normal, QIcon.Mode.Selected)
        self._add(icon, name, self._theme.color(token).name(), usual)
        self._add(icon, name, self._theme.color("strong").name(), (QIcon.Mode.Disabled,))
        return icon

    def _add(self, icon: QIcon, name: str, color: str, modes: tuple[QIcon.Mode, ...]) -> None:
        svg = _STROKE.sub('stroke-width="1.75"', self._svgs[name]).replace("currentColor", color)
        renderer = QSvgRenderer(QByteArray(svg.encode()))
        renderer.setAspectRatioMode(Qt.AspectRatioMode.KeepAspectRatio)
        for size in _device_sizes():
            pixmap = _render(renderer, size)
            for mode in modes:
                icon.addPixmap(pixmap, mode)

    @Slot()
    def _on_theme_changed(self) -> None:
        if self._theme.name == self._drawn_for:
            return  # another language: the colours are what they were
        self._drawn_for = self._theme.name
        self._cache.clear()
        # In turns of their own, what is seen first: drawing them all at once takes too long.
        self._waiting = sorted(self._targets.keys(), key=_is_seen)
        self._later.start()

    @Slot()
    def _renew_some(self) -> None:
        for _ in range(_A_TURN):
            if not self._waiting:
                self._later.stop()
                return
            self._renew(self._waiting.pop())

    def _renew(self, target: IconTarget) -> None:
        if target not in self._targets:
            return
        name, token = self._targets[target]
        try:
            target.setIcon(self.icon(name, token))
        except RuntimeError:  # Qt has deleted it; Python has not noticed yet
            self._targets.pop(target, None)


def _is_seen(target: IconTarget) -> bool:
    try:
        return (
            isinstance(target, QObject)
            and target.isWidgetType()
            and bool(target.property("visible"))
        )
    except RuntimeError:  # deleted by Qt
        return False


def _device_sizes() -> tuple[int, ...]:
    """Return the pixel sizes worth drawing; drawing more would cost each first page."""
    ratios = {screen.devicePixelRatio() for screen in QGuiApplication.screens()} or {1.0}
    return tuple(sorted({round(size * ratio) for size in _LOGICAL for ratio in ratios}))


def _render(renderer: QSvgRenderer, size: int) -> QPixmap:
    pixmap = QPixmap(size, size)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return pixmap
