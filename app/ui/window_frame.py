"""The parts of the window around the pages, and where they stand."""

from collections.abc import Iterable
from typing import Final

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from app.ui.icons import IconSet
from app.ui.pages.registry import PageSpec
from app.ui.theme import Theme
from app.ui.widgets.activity_bar import ActivityBar
from app.ui.widgets.host_bar import HostBar
from app.ui.widgets.inspector import Inspector
from app.ui.widgets.rail import Rail

_FOOT_FROM: Final = 90
_TITLE_BAR: Final = 48
"""Room for the window system's frame and title, in pixels."""


class WindowFrame(QWidget):
    """Rail on the left; host bar, page with inspector, and activity bar beside it."""

    def __init__(self, icons: IconSet, theme: Theme, specs: Iterable[PageSpec]) -> None:
        super().__init__()
        self.rail = Rail(icons, theme)
        for spec in specs:
            self.rail.add_page(spec.id, spec.icon, at_foot=spec.order >= _FOOT_FROM)
        self.host_bar = HostBar(icons)
        self.stack = QStackedWidget()
        self.inspector = Inspector(icons)
        self.activity = ActivityBar(icons)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(self.stack)
        self.splitter.addWidget(self.inspector)
        self.splitter.setStretchFactor(0, 1)
        right = QVBoxLayout()
        right.setContentsMargins(0, 0, 0, 0)
        right.setSpacing(0)
        right.addWidget(self.host_bar)
        right.addWidget(self.splitter, 1)
        right.addWidget(self.activity)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.rail)
        layout.addLayout(right, 1)


def first_size(room: QSize) -> QSize:
    """Return the first window's size: with its title bar it must fit the screen."""
    return QSize(min(1280, room.width() - 16), min(800, room.height() - _TITLE_BAR))
