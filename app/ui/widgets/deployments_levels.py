"""The buttons that show and hide the levels of a log."""

from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPushButton,
    QWidget,
)

from app.core.logs.line import LogLevel
from app.ui.icons import IconSet
from app.ui.viewmodels.deployments_lines import LogModel
from app.ui.widgets.buttons import push_button

_GROUPS: Final = {
    "error": ("E", frozenset({LogLevel.ERROR, LogLevel.FATAL})),
    "warn": ("W", frozenset({LogLevel.WARNING})),
    "info": ("I", frozenset({LogLevel.INFO})),
    "debug": ("D", frozenset({LogLevel.DEBUG})),
    "none": ("–", frozenset({LogLevel.UNKNOWN})),
}
"""What the level buttons choose, with the letter that stands before such lines."""


class LevelButtons(QWidget):
    """One button per level with its count; a level that is off is not shown."""

    chosen = Signal(object)
    """The levels that are on."""

    def __init__(self, icons: IconSet, model: LogModel) -> None:
        super().__init__()
        self._model = model
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        self.buttons: dict[str, QPushButton] = {}
        for name in _GROUPS:
            button = push_button(icons, kind="chip")
            button.setCheckable(True)
            button.setChecked(True)
            button.setProperty("tight", "true")
            button.setProperty("filter", "true")
            button.toggled.connect(self._on_toggled)
            self.buttons[name] = button
            row.addWidget(button)
        model.counted.connect(self.show_counts)
        self.show_counts()

    def all_on(self) -> None:
        """Show every level again."""
        for button in self.buttons.values():
            button.setChecked(True)

    def show_counts(self) -> None:
        """Write how many lines of each level there are."""
        words = {
            "error": self.tr("Errors: {count}"),
            "warn": self.tr("Warnings: {count}"),
            "info": self.tr("Info: {count}"),
            "debug": self.tr("Debug: {count}"),
            "none": self.tr("Lines without a level: {count}"),
        }
        for name, (letter, levels) in _GROUPS.items():
            count = self._model.count(levels)
            button = self.buttons[name]
            text = f"{letter} {_short(count)}"
            if text == button.text() and button.toolTip():
                continue
            button.setText(text)
            said = words[name].format(count=f"{count:,}")
            button.setAccessibleName(said)
            button.setToolTip(said)
            button.setVisible(count > 0 or not button.isChecked() or name in {"error", "warn"})

    def _on_toggled(self) -> None:
        on = [levels for name, (_, levels) in _GROUPS.items() if self.buttons[name].isChecked()]
        self.chosen.emit(frozenset[LogLevel]().union(*on))


def _short(count: int) -> str:
    """Return a count that stays narrow; the tool tip has it in full."""
    if count < 10_000:
        return f"{count:,}"
    return f"{count // 1000:,}k"
