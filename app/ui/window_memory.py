"""What the user arranged, kept over restarts: tables, splitters, tabs and filters of each page.

Found by walking a page when it is made: nothing has to be told but which filters count
(`kept`). Names come from the page, the widget's class and its place among its kind.
"""

import base64
import json
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final

from PySide6.QtCore import QAbstractItemModel, QByteArray, QObject, QTimer, Signal
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLineEdit, QSplitter, QTabWidget, QWidget

from app.ui.widgets.table import DataTable

KEPT: Final = "kept"
"""Property of a filter whose value is to be kept; its value names it within the page."""
_SOON_MS: Final = 500
_LARGEST: Final = 64_000


def kept_bytes(text: str) -> QByteArray:
    """Return what a setting kept; nothing, which Qt ignores, when somebody spoiled it."""
    try:
        return QByteArray(base64.b64decode(text))
    except ValueError:
        return QByteArray()


def bytes_text(state: QByteArray) -> str:
    """Return a widget's state as text for a setting."""
    return base64.b64encode(state.data()).decode()


class WindowMemory(QObject):
    """Bring pages to where they were and remember what changes."""

    changed = Signal(str)
    """The whole memory as text, a moment after the last change."""

    def __init__(self, text: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._values = _read(text)
        self._first: list[tuple[str, Callable[[str], None], str]] = []
        """Of each followed widget its name, what takes a value, and the value it began with."""
        self._followed: set[str] = set()
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_SOON_MS)
        self._soon.timeout.connect(lambda: self.changed.emit(self.text()))

    def text(self) -> str:
        """Return everything that is remembered."""
        return json.dumps(self._values, ensure_ascii=False, sort_keys=True)

    def follow(self, page_id: str, page: QWidget) -> None:
        """Arrange a page as it was, then remember what the user changes.

        May be called again for what a page made since.
        """
        for name, widget in _named(page_id, page):
            if name in self._followed:
                continue
            self._followed.add(name)
            # What shows a result comes and goes with it.
            widget.destroyed.connect(lambda _=None, gone=name: self._leave(gone))
            match widget:
                case DataTable():
                    self._follow_table(name, widget)
                case QSplitter():
                    self._follow_splitter(name, widget)
                case QTabWidget():
                    self._follow_tabs(name, widget, lambda: self.follow(page_id, page))
                case _:
                    self._follow_filter(name, widget)

    def forget(self) -> None:
        """Arrange every page as it was at the first start."""
        self._values.clear()
        for name, take, first in self._first:
            take(first)
            self._values.pop(name, None)
        self._values.clear()
        self._soon.start()

    # Inside

    def _begin(self, name: str, take: Callable[[str], None], first: str) -> None:
        self._first.append((name, take, first))
        kept = self._values.get(name)
        if kept is not None:
            take(kept)

    def _leave(self, name: str) -> None:
        self._followed.discard(name)
        self._first = [first for first in self._first if first[0] != name]

    def _keep(self, name: str, value: str) -> None:
        if self._values.get(name) != value:
            self._values[name] = value
            self._soon.start()

    def _follow_table(self, name: str, table: DataTable) -> None:
        model: QAbstractItemModel | None = table.model()
        columns = [str(n) for n in range(model.columnCount())] if model is not None else []
        if columns:
            self._begin(name, lambda text: table.arrange(text, columns), table.arrangement(columns))
            table.arranged.connect(lambda: self._keep(name, table.arrangement(columns)))

    def _follow_splitter(self, name: str, splitter: QSplitter) -> None:
        self._begin(
            name,
            lambda text: (splitter.restoreState(kept_bytes(text)), None)[1],
            bytes_text(splitter.saveState()),
        )
        splitter.splitterMoved.connect(
            lambda _pos, _index: self._keep(name, bytes_text(splitter.saveState()))
        )

    def _follow_tabs(self, name: str, tabs: QTabWidget, look: Callable[[], None]) -> None:
        def take(text: str) -> None:
            if text.isdecimal() and int(text) < tabs.count():
                tabs.setCurrentIndex(int(text))

        self._begin(name, take, str(tabs.currentIndex()))
        tabs.currentChanged.connect(lambda number: self._keep(name, str(number)))
        # A tab may be filled when it is first seen.
        tabs.currentChanged.connect(lambda: QTimer.singleShot(0, tabs, look))
        QTimer.singleShot(0, tabs, look)

    def _follow_filter(self, name: str, widget: QWidget) -> None:
        match widget:
            case QLineEdit():
                self._begin(name, widget.setText, widget.text())
                widget.textChanged.connect(lambda text: self._keep(name, text))
            case QComboBox():
                self._begin(name, _choose_in(widget), str(widget.currentIndex()))
                widget.activated.connect(lambda row: self._keep(name, str(row)))
            case QAbstractButton():
                self._begin(name, _press(widget), str(int(widget.isChecked())))
                widget.toggled.connect(lambda on: self._keep(name, str(int(on))))
            case _:
                pass


def _named(page_id: str, page: QWidget) -> Iterator[tuple[str, QWidget]]:
    """Yield every widget that is followed, with a name that is the same at the next start."""
    seen: Counter[str] = Counter()
    for widget in page.findChildren(QWidget):
        kept = widget.property(KEPT)
        if kept:
            yield f"{page_id}/{kept}", widget
        elif isinstance(widget, DataTable | QSplitter | QTabWidget):
            owner = widget.parentWidget()
            kind = f"{page_id}/{type(owner).__name__}/{type(widget).__name__}"
            yield f"{kind}/{seen[kind]}", widget
            seen[kind] += 1


def _choose_in(box: QComboBox) -> Callable[[str], None]:
    def take(text: str) -> None:
        if text.isdecimal() and int(text) < box.count() and int(text) != box.currentIndex():
            box.setCurrentIndex(int(text))
            box.activated.emit(int(text))

    return take


def _press(button: QAbstractButton) -> Callable[[str], None]:
    def take(text: str) -> None:
        if button.isChecked() != (text == "1"):
            button.click()

    return take


def _read(text: str) -> dict[str, str]:
    try:
        found = json.loads(text) if 0 < len(text) < _LARGEST else {}
    except ValueError:
        return {}
    values = found if isinstance(found, dict) else {}
    return {str(name): value for name, value in values.items() if isinstance(value, str)}
