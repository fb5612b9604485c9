"""The log: follow, pause, search, levels in colour, copy, save; long logs stay smooth."""

from typing import Final

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRect, Qt, Signal
from PySide6.QtGui import (
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from app.core.errors import ErrorInfo
from app.core.logs.line import LogLevel
from app.ui.icons import IconSet
from app.ui.messages import cause_text, remedy_text
from app.ui.theme import Theme, letters, space
from app.ui.viewmodels.deployments_lines import LEVEL_ROLE, MATCH_ROLE, LogModel
from app.ui.widgets.buttons import icon_button, name_button, name_clear_button
from app.ui.widgets.dialog import shortcut
from app.ui.widgets.text import label, set_status

_TOKENS: Final = {
    LogLevel.DEBUG: "muted",
    LogLevel.INFO: "text",
    LogLevel.UNKNOWN: "text",
    LogLevel.WARNING: "status.warn",
    LogLevel.ERROR: "status.error",
    LogLevel.FATAL: "status.error",
}
_MARKS: Final = {LogLevel.WARNING: "W", LogLevel.ERROR: "E", LogLevel.FATAL: "F"}
_STEP: Final = 40
"""The width grows in steps of so many letters, so that it does not change with every line."""


class LogDelegate(QStyledItemDelegate):
    """Draw a line in its level's colour, with a letter beside it: colour never stands alone."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Draw one line."""
        theme = self._theme
        area = option.rect
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(area, theme.color("selected"))
        elif index.data(MATCH_ROLE):
            painter.fillRect(area, theme.color("soft.warn"))
        level = index.data(LEVEL_ROLE)
        painter.setFont(option.font)
        painter.setPen(theme.color(_TOKENS.get(level, "text")))
        middle = Qt.AlignmentFlag.AlignVCenter
        mark = _MARKS.get(level, "")
        gutter = QRect(area.left() + 6, area.top(), 14, area.height())
        painter.drawText(gutter, middle, mark)
        text = QRect(area.left() + 22, area.top(), area.width() - 22, area.height())
        painter.drawText(text, middle, str(index.data()))


class LogList(QTableView):
    """The lines. A table, because a list lays out every row again for each batch that arrives.

    Measured with 100,000 lines: 89 ms a batch as QListView, 86 ms as QTreeView, 3 ms as table.
    """

    resized = Signal()

    def __init__(self, theme: Theme, model: LogModel) -> None:
        super().__init__()
        self._theme = theme
        self._log = model
        self.setItemDelegate(LogDelegate(theme, self))
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

    def restyle(self) -> None:
        """Take the font and the colours of the theme."""
        self.setFont(self._theme.font("mono"))
        self.verticalHeader().setDefaultSectionSize(QFontMetrics(self.font()).height() + 1)
        self.fit_width()
        self.viewport().update()

    def fit_width(self) -> None:
        """Give lines the width of the longest one, at least that of the view."""
        steps = -(-max(self._log.longest, 1) // _STEP) * _STEP
        wanted = max(letters(self.font(), steps) + 30, self.viewport().width())
        if wanted != self.columnWidth(0):
            self.setColumnWidth(0, wanted)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fill the view."""
        super().resizeEvent(event)
        self.fit_width()
        # Also when a scroll bar comes: it would cover the newest line.
        self.resized.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy the chosen lines."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
            return
        super().keyPressEvent(event)

    def copy(self) -> None:
        """Copy the chosen lines, or all."""
        rows = sorted(index.row() for index in self.selectedIndexes())
        text = "\n".join(self._log.text(row) for row in rows) if rows else self._log.all_text()
        QGuiApplication.clipboard().setText(text)


class LogView(QWidget):
    """Tools above, lines below."""

    save_wanted = Signal()
    following_changed = Signal(bool)
    copied = Signal()

    def __init__(self, theme: Theme, icons: IconSet, model: LogModel) -> None:
        super().__init__()
        self._icons = icons
        self._model = model
        self.lines = LogList(theme, model)
        self._title = label("section")
        self._count = label("caption")
        self._trouble: ErrorInfo | None = None
        self.search = QLineEdit()
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._on_search)
        self.search.returnPressed.connect(self._next)
        self._found = label("caption")
        self._previous_button = icon_button(icons, "chevron-up", on_click=self._previous)
        self._next_button = icon_button(icons, "chevron-down", on_click=self._next)
        self.follow = icon_button(icons, "player-pause", on_click=self._toggle)
        self._copy = icon_button(icons, "copy", on_click=self._on_copy)
        self._save = icon_button(icons, "device-floppy", on_click=self.save_wanted.emit)
        self._is_following = True
        tools = QHBoxLayout()
        tools.setSpacing(space(1))
        tools.addWidget(self._title)
        tools.addSpacing(space(2))
        tools.addWidget(self._count, 1)
        for tool in (
            self._found, self.search, self._previous_button, self._next_button, self.follow,
            self._copy, self._save,
        ):  # fmt: skip
            tools.addWidget(tool)
        self.search.setMaximumWidth(letters(self.font(), 24))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(space(1))
        layout.addLayout(tools)
        layout.addWidget(self.lines, 1)
        model.rowsInserted.connect(self._on_rows)
        self.lines.resized.connect(self._on_resized)
        model.rowsRemoved.connect(self._show_count)
        model.matches_changed.connect(self._show_found)
        find = shortcut(self, QKeySequence(QKeySequence.StandardKey.Find), self.search.setFocus)
        find.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self.retranslate()

    def retranslate(self) -> None:
        """Set every text again."""
        self._title.setText(self.tr("Log"))
        self.search.setPlaceholderText(self.tr("Search"))
        self.search.setAccessibleName(self.tr("Search the log"))
        name_clear_button(self.search, self.tr("Clear"))
        self.lines.setAccessibleName(self.tr("Log"))
        name_button(self._previous_button, self.tr("Match before"))
        name_button(self._next_button, self.tr("Next match"))
        name_button(self._copy, self.tr("Copy the chosen lines, or all"))
        name_button(self._save, self.tr("Save the whole log…"))
        self._name_follow()
        self._show_count()
        self._show_found()

    def set_following(self, *, following: bool) -> None:
        """Go on to the newest line, or stand still."""
        self._is_following = following
        self._icons.set_icon(self.follow, "player-pause" if following else "player-play")
        self._name_follow()
        self._show_count()
        self.following_changed.emit(following)
        if following:
            self.lines.scrollToBottom()

    def show_line(self, number: int, text: str) -> bool:
        """Go to a line; False when it is not here (any more)."""
        row = self._model.row_of_line(number, text)
        self._show_row(row)
        self.lines.setFocus()
        return row >= 0

    def set_trouble(self, error: ErrorInfo | None) -> None:
        """Say why no more lines come."""
        if error != self._trouble:
            self._trouble = error
            self._show_count()

    def changeEvent(self, event: QEvent) -> None:
        """Follow a change of language."""
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def _name_follow(self) -> None:
        words = self.tr("Pause") if self._is_following else self.tr("Follow")
        name_button(self.follow, words)

    def _toggle(self) -> None:
        self.set_following(following=not self._is_following)

    def _on_rows(self) -> None:
        self.lines.fit_width()
        if self._is_following:
            self.lines.scrollToBottom()
        self._show_count()

    def _on_resized(self) -> None:
        if self._is_following:
            self.lines.scrollToBottom()

    def _show_count(self) -> None:
        count = self._model.rowCount()
        text = self.tr("{count} lines").format(count=f"{count:,}")
        if count == 1:
            text = self.tr("1 line")
        if self._model.dropped:
            dropped = f"{self._model.dropped:,}"
            text += " · " + self.tr("older ones left out: {count}").format(count=dropped)
        if not self._is_following:
            text += " · " + self.tr("paused")
        trouble = self._trouble
        if trouble is not None:
            text += " · " + self.tr("cut off")
        self._count.setText(text)
        set_status(self._count, "" if trouble is None else "warn")
        why = "" if trouble is None else f"{cause_text(trouble)}\n{remedy_text(trouble)}"
        self._count.setToolTip(why)

    def _on_search(self, text: str) -> None:
        self._model.search(text)
        self._show_found()
        if self._model.matches:
            row = self._model.match_before(self._model.rowCount())
            self._show_row(row)

    def _show_found(self) -> None:
        searching = bool(self._model.needle)
        self._found.setVisible(searching)
        for button in (self._previous_button, self._next_button):
            button.setVisible(searching)
            button.setEnabled(self._model.matches > 0)
        if searching:
            number = self._model.match_number(self.lines.currentIndex().row())
            text = self.tr("{number} of {count}") if number else self.tr("found: {count}")
            self._found.setText(text.format(number=number, count=self._model.matches))

    def _next(self) -> None:
        self._show_row(self._model.match_after(self.lines.currentIndex().row()))

    def _previous(self) -> None:
        self._show_row(self._model.match_before(max(self.lines.currentIndex().row(), 0)))

    def _show_row(self, row: int) -> None:
        if row < 0:
            return
        if self._is_following:
            self.set_following(following=False)
        index = self._model.index(row)
        across = self.lines.horizontalScrollBar()
        position = across.value()
        self.lines.setCurrentIndex(index)
        self.lines.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtCenter)
        # One wide column: Qt would centre that too.
        across.setValue(position)
        self._show_found()

    def _on_copy(self) -> None:
        self.lines.copy()
        self.copied.emit()
