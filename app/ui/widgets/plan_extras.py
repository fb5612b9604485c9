"""What a user adds to a plan: LoRA adapters of the host, and flags of the engine's own."""

import re
from functools import partial
from typing import Final

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QScrollArea, QVBoxLayout, QWidget

from app.core.models.lora import LoraAdapter
from app.ui.icons import STATUS_ICONS, IconSet
from app.ui.messages import cause_text, remedy_text
from app.ui.theme import Theme, space
from app.ui.viewmodels.plan import PlanViewModel
from app.ui.viewmodels.plan_flags import FlagLine, present_flags
from app.ui.viewmodels.plan_state import PlanState
from app.ui.viewmodels.plan_texts import adapter_facts
from app.ui.widgets.buttons import icon_button, name_button, push_button
from app.ui.widgets.form import Field
from app.ui.widgets.icon_label import IconLabel
from app.ui.widgets.plan_goal import show_text, text_field
from app.ui.widgets.text import ElidedLabel, label

_FLAG: Final = re.compile(r"(?<![\w-])--?[a-zA-Z][\w-]*")


class AdaptersField(QWidget):
    """A folder to add, and the adapters that were added."""

    def __init__(self, view_model: PlanViewModel, icons: IconSet) -> None:
        super().__init__()
        self._vm = view_model
        self._icons = icons
        self._shown: tuple[LoraAdapter, ...] = ()
        self.path = QLineEdit()
        self.path.returnPressed.connect(self._add)
        self.path.textEdited.connect(view_model.forget_adapter_error)
        self.add_button = push_button(icons, icon="plus", on_click=self._add)
        row = QWidget()
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(space(2))
        line.addWidget(self.path, 1)
        line.addWidget(self.add_button)
        self.field = Field(row)
        self.field.focus_on(self.path)
        self._list = QVBoxLayout()
        self._list.setSpacing(0)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(space(1))
        layout.addWidget(self.field)
        layout.addLayout(self._list)

    def retranslate(self) -> None:
        """Set every text again."""
        self.field.set_words(
            self.tr("LoRA &adapters"),
            self.tr("A folder or GGUF adapter on the host; NAME=FOLDER gives it another name."),
        )
        self.add_button.setText(self.tr("Add"))
        self._shown = ()

    def show_state(self, state: PlanState) -> None:
        """Show what was added, and why the last one was not."""
        self.add_button.setEnabled(state.is_connected)
        if state.adapter_error is not None:
            words = f"{cause_text(state.adapter_error)} {remedy_text(state.adapter_error)}"
            if words != self.field.error:
                self.field.set_error(words)
        elif self.field.error:
            self.field.clear_error()
        adapters = state.inputs.adapters
        if adapters != self._shown:
            if len(adapters) > len(self._shown):
                self.path.clear()
            self._shown = adapters
            self._fill()

    def _fill(self) -> None:
        _clear(self._list)
        for adapter in self._shown:
            self._list.addWidget(self._row(adapter))

    def _row(self, adapter: LoraAdapter) -> QWidget:
        box = QWidget()
        row = QHBoxLayout(box)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(space(2))
        row.addWidget(label("body", adapter.name))
        facts = ElidedLabel(adapter_facts(adapter), role="muted", mode=Qt.TextElideMode.ElideMiddle)
        row.addWidget(facts, 1)
        remove = icon_button(
            self._icons, "x", on_click=partial(self._vm.remove_adapter, adapter.name)
        )
        name_button(remove, self.tr("Remove {name}").format(name=adapter.name))
        row.addWidget(remove)
        return box

    def _add(self) -> None:
        self._vm.add_adapter(self.path.text())


class FlagsField(QWidget):
    """Flags as on a command line, with what the engine's version makes of them."""

    def __init__(self, view_model: PlanViewModel, theme: Theme, icons: IconSet) -> None:
        super().__init__()
        self._vm = view_model
        self._icons = icons
        self.lines: tuple[FlagLine, ...] = ()
        self.field = text_field(view_model, "own_flags")
        self.field.editor.setFont(theme.font("mono"))
        self._list = QVBoxLayout()
        self._list.setSpacing(space(1))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(space(1))
        layout.addWidget(self.field)
        layout.addLayout(self._list)

    def retranslate(self) -> None:
        """Set every text again."""
        self.field.set_words(
            self.tr("Engine &flags of your own"),
            self.tr("As on the command line; they take the place of planned ones."),
        )
        self.lines = ()

    def show_state(self, state: PlanState) -> None:
        """Show the words, and what is to be said of them."""
        inputs = state.inputs
        show_text(self.field, inputs.own_flags, state.field_errors.get("own_flags", ""))
        lines = present_flags(state.flag_report, state.plan, state.engines)
        if not inputs.own_flags.strip():
            lines = ()
        if lines != self.lines:
            self.lines = lines
            _clear(self._list)
            for line in lines:
                self._list.addWidget(self._row(line))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Scroll to what is said: it may stand below the edge of a small window."""
        super().resizeEvent(event)
        if self.lines and self.field.editor.hasFocus():
            QTimer.singleShot(0, self, self._bring_into_sight)

    def _bring_into_sight(self) -> None:
        parent = self.parentWidget()
        while parent is not None and not isinstance(parent, QScrollArea):
            parent = parent.parentWidget()
        if parent is not None:
            parent.ensureWidgetVisible(self, 0, 0)

    def _row(self, line: FlagLine) -> QWidget:
        box = QWidget()
        row = QHBoxLayout(box)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(space(2))
        picture = IconLabel(self._icons)
        picture.set(STATUS_ICONS[line.status], f"status.{line.status}")
        text = label("body", _FLAG.sub(_whole, line.text), wrap=True)
        text.setAccessibleName(line.text)
        # Not to be selected: a copied flag would carry its joiners; the button writes it clean.
        row.addWidget(picture, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(text, 1)
        if line.suggestion.startswith("-"):
            write = push_button(
                self._icons,
                kind="chip",
                on_click=partial(self._vm.replace_flag, line.flag, line.suggestion),
            )
            write.setText(self.tr("Write {flag}").format(flag=line.suggestion))
            row.addWidget(write, 0, Qt.AlignmentFlag.AlignTop)
        return box


def _whole(flag: re.Match[str]) -> str:
    """Join a flag's parts: a line may not end at one of its hyphens."""
    return flag[0].replace("-", "-\N{WORD JOINER}")


def _clear(layout: QVBoxLayout) -> None:
    while layout.count():
        item = layout.takeAt(0)
        widget = item.widget() if item is not None else None
        if widget is not None:
            widget.hide()
            widget.deleteLater()
