"""Step 5: the exact container, its explanations, its name, and how to take it away."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.core.planning.plan import Plan
from app.ui.icons import IconSet
from app.ui.theme import Theme, space
from app.ui.viewmodels.plan import PlanViewModel
from app.ui.viewmodels.plan_command import present_command
from app.ui.viewmodels.plan_state import PlanState
from app.ui.viewmodels.plan_texts import why
from app.ui.widgets.buttons import name_button, push_button
from app.ui.widgets.form import Field
from app.ui.widgets.icon_label import IconLabel
from app.ui.widgets.plan_command import ExplainedBlock
from app.ui.widgets.plan_goal import show_text
from app.ui.widgets.text import ElidedLabel, label


class ContainerPanel(QWidget):
    """Name, command, copy and save."""

    copy_docker = Signal()
    copy_compose = Signal()
    copy_pitwall = Signal()

    def __init__(self, view_model: PlanViewModel, theme: Theme, icons: IconSet) -> None:
        super().__init__()
        self._vm = view_model
        self._icons = icons
        self._shown: tuple[Plan, str] | None = None
        self._question = label("section")
        self._note = ElidedLabel(role="muted")
        self.name = QLineEdit()
        self.name_field = Field(self.name)
        # After the field's own connection, which takes the last error away.
        self.name.textEdited.connect(view_model.set_name)
        self.command = ExplainedBlock(theme)
        self.command.setMinimumHeight(self.command.fontMetrics().height() * 6)
        self._advice = QVBoxLayout()
        self._advice.setSpacing(space(1))
        self._docker, self._compose, self._pitwall = (
            push_button(icons, kind="chip", icon=icon, on_click=wanted.emit)
            for icon, wanted in (
                ("copy", self.copy_docker),
                ("copy", self.copy_compose),
                ("terminal-2", self.copy_pitwall),
            )
        )
        self._copy = label("muted")
        row = QHBoxLayout()
        row.setSpacing(space(2))
        row.addWidget(self._copy)
        for button in (self._docker, self._compose, self._pitwall):
            row.addWidget(button)
        row.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, space(2), 0)
        layout.setSpacing(space(2))
        head = QHBoxLayout()
        head.setSpacing(space(3))
        head.addWidget(self._question)
        head.addWidget(self._note, 1)
        layout.addLayout(head)
        layout.addWidget(self.name_field)
        layout.addLayout(self._advice)
        layout.addLayout(row)
        layout.addWidget(self.command, 1)
        self.retranslate()

    def retranslate(self) -> None:
        """Set every text again."""
        self._question.setText(self.tr("What exactly is started?"))
        self._note.set_text(self.tr("Point at a line to see what it does; click for its source."))
        self.name_field.set_words(
            self.tr("&Name"), self.tr("Names the deployment and the profile.")
        )
        self.command.setAccessibleName(self.tr("Container as docker run"))
        self._copy.setText(self.tr("Copy as"))
        words = (
            (self._docker, "docker run", self.tr("Copy as docker run")),
            (self._compose, "compose", self.tr("Copy as compose")),
            (self._pitwall, "pitwall", self.tr("Copy as pitwall command")),
        )
        for button, name, told in words:
            button.setText(name)
            name_button(button, told)
        self._shown = None
        self.show_state(self._vm.state)

    def show_state(self, state: PlanState) -> None:
        """Show what is known."""
        show_text(self.name_field, state.name, state.field_errors.get("name", ""))
        can_copy = state.plan is not None and "name" not in state.field_errors
        for button in (self._docker, self._compose, self._pitwall):
            button.setEnabled(can_copy)
        if state.plan is None:
            self._shown = None
            self.command.set_lines(())
            return
        before = self._shown
        if before is not None and state.plan is before[0] and state.docker_run == before[1]:
            return
        self._shown = (state.plan, state.docker_run)
        engine = state.engines.get(state.plan.engine)
        self.command.set_lines(present_command(state.docker_run, state.plan, engine))
        if before is None or state.plan is not before[0]:
            self._show_advice(state.plan)

    def _show_advice(self, plan: Plan) -> None:
        while self._advice.count():
            item = self._advice.takeAt(0)
            widget = item.widget() if item is not None else None
            if widget is not None:
                widget.deleteLater()
        for advice in map(why, plan.advice):
            box = QWidget()
            row = QHBoxLayout(box)
            row.setContentsMargins(0, 0, 0, 0)
            row.setSpacing(space(2))
            picture = IconLabel(self._icons)
            picture.set("alert-triangle", "status.warn")
            text = label("body", advice.text, wrap=True)
            text.setToolTip(advice.source)
            row.addWidget(picture)
            row.addWidget(text, 1)
            self._advice.addWidget(box)
