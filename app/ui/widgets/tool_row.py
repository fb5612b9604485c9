"""Buttons beside a page's title: icons alone where the words have no room."""

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QBoxLayout, QLabel, QPushButton, QWidget

_WORDS = "words"
"""Property of a button whose words were taken away: what it says and how wide that is."""


class ToolFitter(QObject):
    """Take the words off the plain buttons of a row while they do not fit, and give them back.

    The primary button keeps its words. A button without words says them in its tool tip and to
    screen readers.
    """

    def __init__(self, head: QWidget, title: QLabel, tools: QBoxLayout) -> None:
        super().__init__(head)
        self._head, self._title, self._tools = head, title, tools
        self._is_fitting = False
        head.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Fit again when the row or what it holds has another size."""
        if event.type() in {QEvent.Type.Resize, QEvent.Type.LayoutRequest}:
            self.fit()
        return super().eventFilter(watched, event)

    def fit(self) -> None:
        """Give every button its words, or none of the plain ones."""
        if self._is_fitting:
            return
        self._is_fitting = True
        items = [self._tools.itemAt(number) for number in range(self._tools.count())]
        widgets = [item.widget() for item in items if item is not None]
        shown = [widget for widget in widgets if widget is not None and not widget.isHidden()]
        gaps = self._tools.spacing() * (len(shown) + 2)
        needed = self._title.sizeHint().width() + gaps + sum(map(_full_width, shown))
        needed += sum(one.sizeHint().width() for one in self._beside())
        is_narrow = needed > self._head.width()
        for widget in shown:
            if isinstance(widget, QPushButton):
                _shorten(widget) if is_narrow else _restore(widget)
        self._is_fitting = False

    def _beside(self) -> list[QWidget]:
        """Return what stands in the row besides title and tools, such as the page's menu."""
        row = self._head.layout()
        items = [row.itemAt(number) for number in range(row.count())] if row is not None else []
        widgets = [item.widget() for item in items if item is not None]
        return [one for one in widgets if one and one is not self._title and not one.isHidden()]


def _full_width(widget: QWidget) -> int:
    kept = widget.property(_WORDS)
    if isinstance(widget, QPushButton) and kept and not widget.text():
        return int(kept[1])
    return widget.sizeHint().width()


def _shorten(button: QPushButton) -> None:
    words = button.text()
    if not words or button.icon().isNull() or button.property("kind") == "primary":
        return
    tip = _own_tip(button)
    button.setProperty(_WORDS, (words, button.sizeHint().width(), tip))
    button.setText("")
    button.setAccessibleName(words)
    button.setToolTip(tip or words)


def _restore(button: QPushButton) -> None:
    kept = button.property(_WORDS)
    if not kept:
        return
    button.setToolTip(_own_tip(button))
    if not button.text():
        button.setText(kept[0])
    button.setProperty(_WORDS, None)
    button.setAccessibleName("")


def _own_tip(button: QPushButton) -> str:
    """Return the tool tip that the page gave, not the words that stand in for none."""
    kept = button.property(_WORDS)
    return str(kept[2]) if kept and button.toolTip() == kept[0] else button.toolTip()
