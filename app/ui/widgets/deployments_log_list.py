"""The lines of a log: drawn in their level's colour, wrapped or not, smooth at a million lines."""

from itertools import chain
from typing import Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt, Signal
from PySide6.QtGui import (
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from app.core.logs.line import LogLevel
from app.ui.theme import Theme, letters
from app.ui.viewmodels.deployments_lines import (
    LEVEL_ROLE,
    MATCH_ROLE,
    TEXT_ROLE,
    TIME_ROLE,
    LogModel,
)

_TOKENS: Final = {
    LogLevel.DEBUG: "muted",
    LogLevel.INFO: "text",
    LogLevel.UNKNOWN: "text",
    LogLevel.WARNING: "status.warn",
    LogLevel.ERROR: "status.error",
    LogLevel.FATAL: "status.error",
}
MARKS: Final = {
    LogLevel.DEBUG: "D",
    LogLevel.WARNING: "W",
    LogLevel.ERROR: "E",
    LogLevel.FATAL: "F",
}
_STEP: Final = 40
"""The width grows in steps of so many letters, so that it does not change with every line."""
_GUTTER: Final = 22
"""Pixels left of the text, for the level's letter."""
_WRAP: Final = Qt.TextFlag.TextWrapAnywhere | Qt.AlignmentFlag.AlignTop
_LEAST_LINES: Final = 6
_WIDEST: Final = 4_000
"""Letters: a column wider than this helps nobody, and Qt counts pixels in 31 bits."""


class LogDelegate(QStyledItemDelegate):
    """Draw a line in its level's colour, with a letter beside it: colour never stands alone."""

    def __init__(self, theme: Theme, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._theme = theme
        self._view = view
        self.wraps = False

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Draw one line."""
        theme = self._theme
        area = option.rect
        if not self.wraps and area.bottom() > self._view.viewport().height():
            return  # half a line cannot be read, and looks like a fault
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(area, theme.color("selected"))
        elif index.data(MATCH_ROLE):
            painter.fillRect(area, theme.color("soft.warn"))
        level = index.data(LEVEL_ROLE)
        painter.setFont(option.font)
        painter.setPen(theme.color(_TOKENS.get(level, "text")))
        flags = _WRAP if self.wraps else Qt.AlignmentFlag.AlignVCenter
        gutter = QRect(area.left() + 6, area.top(), 14, area.height())
        painter.drawText(gutter, flags, MARKS.get(level, ""))
        left = area.left() + _GUTTER
        if clock := str(index.data(TIME_ROLE)):
            width = option.fontMetrics.horizontalAdvance("00:00:00  ")
            painter.save()
            painter.setPen(theme.color("muted"))
            painter.drawText(QRect(left, area.top(), width, area.height()), flags, clock)
            painter.restore()
            left += width
        text = QRect(left, area.top(), area.right() - left + 1, area.height())
        painter.drawText(text, flags, str(index.data(TEXT_ROLE)))

    def height_of(self, index: QModelIndex, metrics: QFontMetrics, width: int) -> int:
        """Return the height of a wrapped line in a column of some width."""
        taken = metrics.horizontalAdvance("00:00:00  ") if index.data(TIME_ROLE) else 0
        room = QRect(0, 0, max(width - _GUTTER - taken, 40), 1 << 20)
        return metrics.boundingRect(room, _WRAP, str(index.data(TEXT_ROLE))).height() + 1


class LogList(QTableView):
    """The lines. A table, because a list lays out every row again for each batch that arrives.

    Measured with 100,000 lines: 89 ms a batch as QListView, 86 ms as QTreeView, 3 ms as table.
    """

    resized = Signal()
    moved = Signal()
    """The user scrolled."""

    def __init__(self, theme: Theme, model: LogModel) -> None:
        super().__init__()
        self._theme = theme
        self._log = model
        self._fitted: set[int] = set()
        """Places of lines whose rows have a height of their own."""
        self._delegate = LogDelegate(theme, self)
        self.setItemDelegate(self._delegate)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        for header in (self.horizontalHeader(), self.verticalHeader()):
            header.hide()
            header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
            header.setMinimumSectionSize(1)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        self.setModel(model)
        self.restyle()
        theme.changed.connect(self.restyle)
        bar = self.verticalScrollBar()
        bar.actionTriggered.connect(lambda _action: self.moved.emit())
        bar.valueChanged.connect(lambda _value: self.fit_heights())
        model.modelReset.connect(self._on_reset)

    @property
    def is_at_end(self) -> bool:
        """True while the newest line is seen."""
        bar = self.verticalScrollBar()
        return bar.sliderPosition() >= bar.maximum()

    @property
    def wraps(self) -> bool:
        """True while long lines are wrapped."""
        return self._delegate.wraps

    def set_wrap(self, *, wraps: bool) -> None:
        """Wrap long lines, or scroll sideways to their end."""
        self._delegate.wraps = wraps
        height = self._line_height()
        self.verticalHeader().setDefaultSectionSize(height)
        for row in map(self._log.row_of, self._fitted):
            if row >= 0:
                self.setRowHeight(row, height)
        self._fitted.clear()
        self.fit_width()
        self.fit_heights()
        self.viewport().update()

    def restyle(self) -> None:
        """Take the font and the colours of the theme."""
        self.setFont(self._theme.font("mono"))
        below = self.horizontalScrollBar().sizeHint().height() + 2 * self.frameWidth()
        self.setMinimumHeight(_LEAST_LINES * self._line_height() + below)
        self.set_wrap(wraps=self._delegate.wraps)

    def fit_width(self) -> None:
        """Give lines the width of the longest one, at least that of the view."""
        steps = -(-max(self._log.longest, 1) // _STEP) * _STEP
        wanted = max(letters(self.font(), min(steps + 10, _WIDEST)) + 30, self.viewport().width())
        if self._delegate.wraps:
            wanted = self.viewport().width()
        if wanted != self.columnWidth(0):
            self.setColumnWidth(0, wanted)

    def fit_heights(self) -> None:
        """Give the rows that are seen the height of their wrapped lines."""
        if not self._delegate.wraps:
            return
        first = self.verticalScrollBar().value()
        self._fit_rows(range(first, min(first + self._visible_lines(), self._log.rowCount())))

    def show_end(self) -> None:
        """Go to the newest line."""
        if self._delegate.wraps:
            count = self._log.rowCount()
            self._fit_rows(range(max(count - self._visible_lines(), 0), count))
        self.scrollToBottom()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fill the view."""
        super().resizeEvent(event)
        self.fit_width()
        self.fit_heights()
        # Also when a scroll bar comes: it would cover the newest line.
        self.resized.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll, and say that it was the user."""
        super().wheelEvent(event)
        self.moved.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy the chosen lines; moving is the user's scrolling."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
            return
        super().keyPressEvent(event)
        self.moved.emit()

    def chosen_rows(self) -> list[int]:
        """Return the chosen rows; an index for each of a million lines would take seconds."""
        chosen = self.selectionModel().selection()
        pieces = [chosen.at(number) for number in range(chosen.count())]
        rows = (range(piece.top(), piece.bottom() + 1) for piece in pieces)
        return sorted(chain.from_iterable(rows))

    def copy(self, *, with_time: bool | None = None) -> None:
        """Copy the chosen lines, or all: as shown, or with or without their whole stamps."""
        rows = self.chosen_rows() or range(self._log.rowCount())
        if with_time is None:
            lines = [self._log.text(row) for row in rows]
        else:
            lines = [self._log.stamped(row, with_time=with_time) for row in rows]
        QGuiApplication.clipboard().setText("\n".join(lines))

    def _on_reset(self) -> None:
        self._fitted.clear()
        self.set_wrap(wraps=self._delegate.wraps)

    def _line_height(self) -> int:
        return QFontMetrics(self.font()).height() + 1

    def _visible_lines(self) -> int:
        return self.viewport().height() // self._line_height() + 2

    def _fit_rows(self, rows: range) -> None:
        metrics, width = QFontMetrics(self.font()), self.columnWidth(0)
        for row in rows:
            height = self._delegate.height_of(self._log.index(row), metrics, width)
            if height != self.rowHeight(row):
                self.setRowHeight(row, height)
                self._fitted.add(self._log.place(row))
