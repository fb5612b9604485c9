"""The arithmetic of the memory picture: a line a number, each opens to how it came about."""

from typing import Final

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QHideEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.core.models.memory import MemoryEstimate
from app.ui.icons import IconSet
from app.ui.theme import Theme, space
from app.ui.viewmodels.plan_arithmetic import Arithmetic, arithmetic_text, present_arithmetic
from app.ui.widgets.buttons import push_button
from app.ui.widgets.icon_label import IconLabel
from app.ui.widgets.text import label

_SELECTABLE: Final = (
    Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
)


class NumberButton(QPushButton):
    """A number's line: an arrow, its name, its value."""

    def __init__(self, theme: Theme, icons: IconSet) -> None:
        super().__init__()
        self.setAutoDefault(True)
        self.setCheckable(True)
        self.setProperty("kind", "quiet")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._arrow = IconLabel(icons)
        self._name = label("body")
        self._value = label("body")
        self._value.setFont(theme.font("figure"))
        row = self._row = QHBoxLayout(self)
        row.setContentsMargins(space(1), space(1), space(1), space(1))
        row.setSpacing(space(2))
        row.addWidget(self._arrow)
        row.addWidget(self._name, 1)
        row.addWidget(self._value)
        for part in (self._arrow, self._name, self._value):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.toggled.connect(lambda _on: self._turn())
        self._turn()

    def set_texts(self, name: str, value: str, description: str) -> None:
        """Set what the number is."""
        self._name.setText(name)
        self._value.setText(value)
        self.setAccessibleName(f"{name}: {value}")
        self.setAccessibleDescription(description)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        """Take the size of the texts."""
        return self._row.sizeHint()

    def minimumSizeHint(self) -> QSize:
        """As `sizeHint`."""
        return self._row.minimumSize()

    def _turn(self) -> None:
        self._arrow.set("chevron-down" if self.isChecked() else "chevron-right", "muted")


class NumberRow(QWidget):
    """A number that opens to its formula, inputs, band and source."""

    def __init__(self, theme: Theme, icons: IconSet) -> None:
        super().__init__()
        self._theme = theme
        self.button = NumberButton(theme, icons)
        self.details = QWidget()
        self._column = QVBoxLayout(self.details)
        self._column.setContentsMargins(space(5), 0, space(2), space(2))
        self._column.setSpacing(space(1))
        self.details.hide()
        self.button.toggled.connect(self.details.setVisible)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.button)
        layout.addWidget(self.details)

    def show_entry(self, entry: Arithmetic) -> None:
        """Show a number."""
        self.button.set_texts(entry.title, entry.value, entry.formula)
        while self._column.count():
            item = self._column.takeAt(0)
            widget = item.widget() if item is not None else None
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        if entry.formula:
            formula = _text("body", entry.formula)
            formula.setFont(self._theme.font("mono"))
            self._column.addWidget(formula)
        if entry.inputs:
            self._column.addWidget(_inputs(entry, self._theme))
        how = " · ".join(part for part in (entry.method, entry.band) if part)
        for role, text in (("muted", how), ("caption", entry.source)):
            if text:
                self._column.addWidget(_text(role, text))


class ArithmeticPanel(QWidget):
    """Every number of a memory picture, for the window's details."""

    copied = Signal()
    left = Signal()
    """It was closed while it had the keyboard."""

    def __init__(self, theme: Theme, icons: IconSet, estimate: MemoryEstimate) -> None:
        super().__init__()
        self._theme = theme
        self._icons = icons
        self._estimate = estimate
        self.entries: tuple[Arithmetic, ...] = ()
        self.rows: dict[str, NumberRow] = {}
        self._intro = label("muted", wrap=True)
        self.copy = push_button(icons, icon="copy", on_click=self._copy)
        head = QHBoxLayout()
        head.addWidget(self.copy)
        head.addStretch(1)
        self._list = QVBoxLayout()
        self._list.setSpacing(0)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, space(2), 0)
        layout.setSpacing(space(2))
        layout.addWidget(self._intro)
        layout.addLayout(head)
        layout.addLayout(self._list)
        layout.addStretch(1)
        self.retranslate()

    def show_estimate(self, estimate: MemoryEstimate) -> None:
        """Show another picture's numbers; what is open stays open."""
        if estimate != self._estimate:
            self._estimate = estimate
            self._fill()

    def open(self, quantity: str) -> None:
        """Open one number and close the others."""
        for name, row in self.rows.items():
            row.button.setChecked(name == quantity)
        if quantity in self.rows:
            self.rows[quantity].button.setFocus(Qt.FocusReason.OtherFocusReason)

    def retranslate(self) -> None:
        """Set every text again."""
        self._intro.setText(
            self.tr("Per GPU. Each number opens to its formula, what went into it, and its source.")
        )
        self.copy.setText(self.tr("Copy all of it"))
        self._fill()

    def hideEvent(self, event: QHideEvent) -> None:
        """Say when the keyboard needs another place."""
        focused = self.focusWidget()
        if not event.spontaneous() and focused is not None:
            self.left.emit()
        super().hideEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Follow a change of language."""
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def _fill(self) -> None:
        self.entries = present_arithmetic(self._estimate)
        wanted = [entry.quantity for entry in self.entries]
        for name in [name for name in self.rows if name not in wanted]:
            row = self.rows.pop(name)
            row.hide()
            row.deleteLater()
        for place, entry in enumerate(self.entries):
            if entry.quantity not in self.rows:
                self.rows[entry.quantity] = NumberRow(self._theme, self._icons)
                self._list.insertWidget(place, self.rows[entry.quantity])
            self.rows[entry.quantity].show_entry(entry)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(arithmetic_text(self.entries))
        self.copied.emit()


def _inputs(entry: Arithmetic, theme: Theme) -> QWidget:
    box = QWidget()
    grid = QGridLayout(box)
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(space(3))
    grid.setVerticalSpacing(2)
    grid.setColumnStretch(0, 1)
    for number, one in enumerate(entry.inputs):
        name = _text("body", one.name)
        value = _text("body", one.value)
        value.setFont(theme.font("figure"))
        value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
        grid.addWidget(name, 2 * number, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(value, 2 * number, 1)
        if one.source:
            grid.addWidget(_text("caption", one.source), 2 * number + 1, 0, 1, 2)
    return box


def _text(role: str, text: str) -> QLabel:
    made = label(role, text, wrap=True)
    made.setTextInteractionFlags(_SELECTABLE)
    return made
