"""The log: follow, pause, find, levels, times, copy, save; long logs stay smooth."""

from PySide6.QtCore import QEvent, QModelIndex, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QMenu,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.core.errors import ErrorInfo
from app.core.logs.line import LogLevel
from app.ui.icons import IconSet
from app.ui.keys import shown
from app.ui.messages import cause_text, remedy_text
from app.ui.theme import Theme, space
from app.ui.viewmodels.deployments_lines import LogModel, ShownTime
from app.ui.widgets.buttons import icon_button, name_button, push_button
from app.ui.widgets.deployments_levels import LevelButtons
from app.ui.widgets.deployments_log_find import FindBar
from app.ui.widgets.deployments_log_list import LogList
from app.ui.widgets.dialog import shortcut
from app.ui.widgets.text import ElidedLabel, label, set_status


class LogView(QWidget):
    """Tools above, lines below."""

    save_wanted = Signal()
    command_wanted = Signal()
    whole_wanted = Signal()
    """Lines from before those that were read."""
    following_changed = Signal(bool)
    enlarged = Signal(bool)
    """The log wants all the room, or gives it back."""
    missed = Signal()
    """A line that was asked for is not here."""
    copied = Signal()

    def __init__(self, theme: Theme, icons: IconSet, model: LogModel) -> None:
        super().__init__()
        self._icons = icons
        self._model = model
        self._trouble: ErrorInfo | None = None
        self._is_following = True
        self._seen = 0
        self.lines = LogList(theme, model)
        self.finder = FindBar(icons, model)
        self.finder.hide()
        self.levels = LevelButtons(icons, model)
        self._title = label("section")
        self._count = ElidedLabel(role="caption")
        self.search_button = icon_button(icons, "search", on_click=self.open_find)
        self.follow = icon_button(icons, "player-pause", on_click=self._toggle)
        self._copy = icon_button(icons, "copy", on_click=self._on_copy)
        self._save = icon_button(icons, "device-floppy", on_click=self.save_wanted.emit)
        self.enlarge = icon_button(icons, "arrows-maximize", checkable=True)
        self.enlarge.toggled.connect(self._on_enlarged)
        self._more = icon_button(icons, "dots-vertical")
        self._build_menu()
        self.news = push_button(icons, icon="chevron-down", kind="chip", on_click=self._toggle)
        self.news.hide()
        self._lay_out()
        self._connect()
        self.retranslate()

    @property
    def search(self) -> QWidget:
        """The input of the search."""
        return self.finder.search

    def _lay_out(self) -> None:
        tools = QHBoxLayout()
        tools.setSpacing(space(1))
        tools.addWidget(self._title)
        tools.addSpacing(space(1))
        tools.addWidget(self.levels)
        tools.addSpacing(space(1))
        tools.addWidget(self._count, 1)
        tools.addWidget(self.news)
        for tool in (
            self.search_button, self.follow, self._copy, self._save, self.enlarge, self._more,
        ):  # fmt: skip
            tools.addWidget(tool)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(space(1))
        layout.addLayout(tools)
        layout.addWidget(self.finder)
        layout.addWidget(self.lines, 1)

    def _connect(self) -> None:
        model = self._model
        model.rowsInserted.connect(self._on_rows)
        model.modelReset.connect(self._on_rows)
        model.rowsAboutToBeRemoved.connect(self._on_going)
        model.counted.connect(self._show_count)
        self.levels.chosen.connect(self._on_levels)
        self.finder.row_wanted.connect(self._show_row)
        self.finder.closed.connect(self.close_find)
        self.finder.search.textChanged.connect(self._on_typed)
        model.search.changed.connect(self._on_found)
        self.lines.resized.connect(self._on_resized)
        self.lines.moved.connect(self._on_moved)
        for keys, act in (
            (QKeySequence(QKeySequence.StandardKey.Find), self.open_find),
            (QKeySequence("F3"), self.finder.next),
            (QKeySequence("Shift+F3"), self.finder.previous),
            (QKeySequence("Ctrl+G"), self.open_time),
        ):
            made = shortcut(self, keys, act)
            made.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)

    def _build_menu(self) -> None:
        menu = QMenu(self._more)
        self.wrap = QAction(self, checkable=True)
        self.wrap.toggled.connect(lambda on: self.lines.set_wrap(wraps=on))
        menu.addAction(self.wrap)
        menu.addSeparator()
        group = QActionGroup(self)
        self.times: dict[ShownTime, QAction] = {}
        for way in ShownTime:
            action = QAction(self, checkable=True)
            action.setChecked(way is self._model.shown_time)
            action.triggered.connect(lambda _on, wanted=way: self._on_time(wanted))
            group.addAction(action)
            menu.addAction(action)
            self.times[way] = action
        menu.addSeparator()
        self.copy_stamped = menu.addAction("", lambda: self._on_copy(with_time=True))
        self.copy_bare = menu.addAction("", lambda: self._on_copy(with_time=False))
        self.copy_command = menu.addAction("", self.command_wanted.emit)
        menu.addSeparator()
        self.go_to_time = menu.addAction("", self.open_time)
        self.read_whole = menu.addAction("", self.whole_wanted.emit)
        self._more.setMenu(menu)
        self._more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)

    def retranslate(self) -> None:
        """Set every text again."""
        self._title.setText(self.tr("Log"))
        self.lines.setAccessibleName(self.tr("Log"))
        name_button(self.search_button, self.tr("Search the log"), shown("Ctrl+F"))
        name_button(self._copy, self.tr("Copy the chosen lines, or all"))
        name_button(self._save, self.tr("Save the whole log…"))
        name_button(self.enlarge, self.tr("Give the log all the room"))
        name_button(self._more, self.tr("More for the log"))
        self.wrap.setText(self.tr("Wrap long lines"))
        self.times[ShownTime.LOCAL].setText(self.tr("Times of this computer"))
        self.times[ShownTime.UTC].setText(self.tr("Times in UTC"))
        self.times[ShownTime.NONE].setText(self.tr("No times"))
        self.copy_stamped.setText(self.tr("Copy with full time stamps"))
        self.copy_bare.setText(self.tr("Copy without times"))
        self.copy_command.setText(self.tr("Copy as command"))
        self.go_to_time.setText(self.tr("Go to a time…"))
        self.read_whole.setText(self.tr("Read the log from its start"))
        self.levels.show_counts()
        self._name_follow()
        self._show_count()

    def set_following(self, *, following: bool) -> None:
        """Go on to the newest line, or stand still."""
        changed = following != self._is_following
        self._is_following = following
        self._seen = self._model.end
        self._icons.set_icon(self.follow, "player-pause" if following else "player-play")
        self._name_follow()
        self._show_count()
        if following:
            self.lines.show_end()
        if changed:
            self.following_changed.emit(following)

    def show_line(self, number: int, text: str) -> None:
        """Go to an evidence line; `missed` tells that it is not here (any more)."""
        self._model.find_line(number, text, self._show_place)

    def set_trouble(self, error: ErrorInfo | None) -> None:
        """Say why no more lines come."""
        if error != self._trouble:
            self._trouble = error
            self._show_count()

    def open_find(self) -> None:
        """Show the search and go into it."""
        self.finder.show()
        self.finder.search.setFocus()
        self.finder.search.selectAll()

    def open_time(self) -> None:
        """Show the search row and go into its time."""
        self.finder.show()
        self.finder.time.setFocus()
        self.finder.time.selectAll()

    def close_find(self) -> None:
        """End the search."""
        self.finder.stop()
        self.finder.hide()
        self.lines.setFocus()

    def changeEvent(self, event: QEvent) -> None:
        """Follow a change of language."""
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    # Showing

    def _name_follow(self) -> None:
        words = self.tr("Pause") if self._is_following else self.tr("Follow")
        name_button(self.follow, words)

    def _show_count(self) -> None:
        model = self._model
        count, seen = model.kept, model.rowCount()
        text = self.tr("1 line") if count == 1 else self.tr("{count} lines")
        if seen != count:
            text = self.tr("{shown} of {count} lines")
        parts = [text.format(count=f"{count:,}", shown=f"{seen:,}")]
        if not self._is_following:
            parts.append(self.tr("paused"))
        tips = []
        if model.dropped:
            dropped = f"{model.dropped:,}"
            parts.append(self.tr("older lines dropped: {count}").format(count=dropped))
            tips.append(self.tr("The whole log is in what Save writes, and in pitwall logs."))
        if self._trouble is not None:
            parts.append(self.tr("cut off"))
            tips += [cause_text(self._trouble), remedy_text(self._trouble)]
        said = " · ".join(parts)
        self._count.set_text(said)
        set_status(self._count, "" if self._trouble is None else "warn")
        self._count.setToolTip("\n".join([said, *tips]))
        self._show_news()

    def _show_news(self) -> None:
        count = 0 if self._is_following else self._model.end - self._seen
        self.news.setVisible(count > 0)
        if count:
            text = self.tr("1 new line") if count == 1 else self.tr("{count} new lines")
            self.news.setText(text.format(count=f"{count:,}"))

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
        self.finder.point_at(row)

    def _show_place(self, place: int | None) -> None:
        if place is None:
            self.missed.emit()
            return
        row = self._model.row_of(place)
        if row < 0 or self._model.place(row) != place:
            self.levels.all_on()
            row = self._model.row_of(place)
        self._show_row(row)
        self.lines.setFocus()

    # What happens

    def _toggle(self) -> None:
        self.set_following(following=not self._is_following)

    def _on_rows(self) -> None:
        self.lines.fit_width()
        if self._is_following:
            self.lines.show_end()

    def _on_going(self, _parent: QModelIndex, first: int, last: int) -> None:
        """Old lines go: whoever reads goes on reading the same line."""
        if not self._is_following:
            bar = self.lines.verticalScrollBar()
            bar.setValue(max(bar.value() - (last - first + 1), 0))

    def _on_resized(self) -> None:
        if self._is_following:
            self.lines.show_end()

    def _on_moved(self) -> None:
        """Scrolling up pauses, back at the end follows again."""
        if self.lines.is_at_end != self._is_following:
            self.set_following(following=self.lines.is_at_end)
        self.finder.point_at(self.lines.currentIndex().row())

    def _on_levels(self, levels: frozenset[LogLevel]) -> None:
        self._model.show_levels(levels)
        self._show_count()

    def _on_time(self, way: ShownTime) -> None:
        self._model.show_time(way)
        self.lines.fit_heights()

    def _on_typed(self) -> None:
        self.finder.point_at(-1)

    def _on_found(self) -> None:
        """Go to the newest match once, when a search has one."""
        search = self._model.search
        if search.is_active and not search.is_behind and search.places and self._is_unplaced():
            self._show_row(self._model.match_before(self._model.rowCount()))

    def _is_unplaced(self) -> bool:
        return self.finder.current < 0

    def _on_enlarged(self, on: bool) -> None:
        self.enlarged.emit(on)

    def _on_copy(self, *, with_time: bool | None = None) -> None:
        self.lines.copy(with_time=with_time)
        self.copied.emit()
