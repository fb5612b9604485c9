"""A new theme for what is seen; pages behind are styled anew when they are shown.

Qt styles every widget of the program in one turn of the loop, a third of a second for all pages.
Widgets with a style of their own, and those that were never polished, are passed over: for the
length of the change the hidden pages say so of themselves.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt
from PySide6.QtWidgets import QApplication, QWidget

_OWN_STYLE = Qt.WidgetAttribute.WA_SetStyle
_POLISHED = Qt.WidgetAttribute.WA_WState_Polished


class PageStyles(QObject):
    """Keep hidden pages out of a change of theme, and bring them up to it later."""

    def __init__(self, pages: Callable[[], Iterable[QWidget]], parent: QObject) -> None:
        super().__init__(parent)
        self._pages = pages
        self._behind: set[QWidget] = set()

    @contextmanager
    def only_what_is_seen(self) -> Iterator[None]:
        """Hide the hidden pages from Qt while the block changes the style sheet."""
        hidden = [page for page in self._pages() if not page.isVisible()]
        widgets = [one for page in hidden for one in _polished(page)]
        for widget in widgets:
            widget.setAttribute(_POLISHED, False)
            widget.setAttribute(_OWN_STYLE, True)
        try:
            yield
        finally:
            for widget in widgets:
                widget.setAttribute(_OWN_STYLE, False)
                widget.setAttribute(_POLISHED, True)
            self._behind.update(hidden)
            self._behind.difference_update(set(self._pages()) - set(hidden))

    def bring_up(self, page: QWidget) -> None:
        """Style a page anew when the theme changed behind it; to be called before it is shown."""
        if page not in self._behind:
            return
        self._behind.discard(page)
        style = QApplication.style()
        for widget in _polished(page):
            style.polish(widget)
            QCoreApplication.sendEvent(widget, QEvent(QEvent.Type.StyleChange))


def _polished(page: QWidget) -> list[QWidget]:
    """Return a page and what is in it, as far as Qt has styled it; own styles are left alone."""
    return [
        one
        for one in (page, *page.findChildren(QWidget))
        if one.testAttribute(_POLISHED) and not one.testAttribute(_OWN_STYLE)
    ]
