"""Find in a log: text or expression, next and previous, and a place by its time."""

from datetime import UTC

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QToolButton, QWidget

from app.core.logs.moments import moment_of
from app.ui.icons import IconSet
from app.ui.keys import shown
from app.ui.theme import letters, space
from app.ui.viewmodels.deployments_lines import LogModel, ShownTime
from app.ui.viewmodels.deployments_search import Query
from app.ui.widgets.buttons import ClearableLine, IconToolButton, icon_button, name_button
from app.ui.widgets.dialog import shortcut
from app.ui.widgets.text import ElidedLabel, set_status, set_style_property


class FindBar(QWidget):
    """A row of inputs below the log's tools; Esc closes it."""

    row_wanted = Signal(int)
    closed = Signal()

    def __init__(self, icons: IconSet, model: LogModel) -> None:
        super().__init__()
        self._model = model
        self.current = -1
        """Row from which next and previous count."""
        self.search = ClearableLine(icons)
        self.search.setMinimumWidth(letters(self.font(), 12))
        self.search.textChanged.connect(self._on_search)
        self.search.returnPressed.connect(self.next)
        self.with_case = _word_button("Aa", self._on_search)
        self.is_regex = _word_button(".*", self._on_search)
        self.previous_button = icon_button(icons, "chevron-up", on_click=self.previous)
        self.next_button = icon_button(icons, "chevron-down", on_click=self.next)
        self.found = ElidedLabel(role="caption")
        self.time = QLineEdit()
        self.time.setFixedWidth(letters(self.font(), 16))
        self.time.returnPressed.connect(self._on_time)
        self.time.textEdited.connect(lambda _text: self._tell_time(""))
        self._close = icon_button(icons, "x", on_click=self.closed.emit)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(space(1))
        row.addWidget(self.search, 3)
        for tool in (self.with_case, self.is_regex, self.previous_button, self.next_button):
            row.addWidget(tool)
        row.addWidget(self.found, 2)
        row.addWidget(self.time)
        row.addWidget(self._close)
        model.search.changed.connect(self.show_found)
        escape = shortcut(self, "Esc", self.closed.emit)
        escape.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self.retranslate()

    def retranslate(self) -> None:
        """Set every text again."""
        self.search.setPlaceholderText(self.tr("Search"))
        self.search.setAccessibleName(self.tr("Search the log"))
        self.search.name_cross(self.tr("Clear"))
        name_button(self.with_case, self.tr("Match capital and small letters"))
        name_button(self.is_regex, self.tr("Regular expression"))
        name_button(self.previous_button, self.tr("Match before"), shown("Shift+F3"))
        name_button(self.next_button, self.tr("Next match"), shown("F3"))
        self.time.setPlaceholderText(self.tr("14:03 or -10m"))
        self.time.setAccessibleName(self.tr("Go to a time"))
        self._tell_time("")
        name_button(self._close, self.tr("Close the search"), shown("Esc"))
        self.show_found()

    def changeEvent(self, event: QEvent) -> None:
        """Follow a change of language."""
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def point_at(self, row: int) -> None:
        """Take the row from which next and previous count."""
        self.current = row
        self.show_found()

    def next(self) -> None:
        """Go to the next match."""
        self._go(self._model.match_after(self.current))

    def previous(self) -> None:
        """Go to the match before."""
        self._go(self._model.match_before(max(self.current, 0)))

    def stop(self) -> None:
        """Search nothing."""
        self.search.clear()
        self.time.clear()
        self._tell_time("")

    def _go(self, row: int) -> None:
        if row >= 0:
            self.row_wanted.emit(row)

    def _on_search(self) -> None:
        self._model.search.search(
            Query(
                text=self.search.text(),
                is_regex=self.is_regex.isChecked(),
                with_case=self.with_case.isChecked(),
                levels=self._model.levels,
            )
        )

    def show_found(self) -> None:
        """Say how many matches there are, or why none can be looked for."""
        search = self._model.search
        for button in (self.previous_button, self.next_button):
            button.setEnabled(self._model.matches > 0)
        set_style_property(self.search, "invalid", "true" if search.problem else "false")
        set_status(self.found, "warn" if search.problem or search.is_too_hard else "")
        self.found.set_text(self._found_text())

    def _found_text(self) -> str:
        search, count = self._model.search, f"{self._model.matches:,}"
        if search.problem:
            return self.tr("Not an expression: {problem}").format(problem=search.problem)
        if search.is_too_hard:
            text = self.tr("Too slow an expression, stopped; found: {count}")
            return text.format(count=count)
        if not search.is_active:
            return ""
        number = self._model.match_number(self.current)
        text = self.tr("{number} of {count}") if number else self.tr("found: {count}")
        said = text.format(number=f"{number:,}", count=count)
        return said + " …" if search.is_behind else said

    def _on_time(self) -> None:
        newest_s = self._model.newest_s
        if newest_s is None:
            self._tell_time(self.tr("These lines have no time stamps"))
            return
        zone = UTC if self._model.shown_time is ShownTime.UTC else None
        at_s = moment_of(self.time.text(), newest_s=newest_s, zone=zone)
        if at_s is None:
            self._tell_time(self.tr("Type 14:03, -10m or 2026-11-30T14:03"))
            return
        self._tell_time("")
        self._go(self._model.row_at(at_s))

    def _tell_time(self, problem: str) -> None:
        set_style_property(self.time, "invalid", "true" if problem else "false")
        tip = self.tr("A time of day, minutes back such as -10m, or a date and time; then Enter")
        self.time.setToolTip(problem or tip)
        if problem:
            set_status(self.found, "warn")
            self.found.set_text(problem)
        else:
            self.show_found()


def _word_button(words: str, act: object) -> QToolButton:
    button = IconToolButton()
    button.setText(words)
    button.setCheckable(True)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.toggled.connect(act)
    return button
