"""Step 3: what the plan may use: GPUs, engine, port; what it has to take along."""

from functools import partial

from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QVBoxLayout,
    QWidget,
)

from app.core.hardware.fingerprint import Fingerprint
from app.ui.icons import IconSet
from app.ui.theme import Theme, space
from app.ui.viewmodels.plan import PlanViewModel
from app.ui.viewmodels.plan_state import PlanState
from app.ui.viewmodels.plan_texts import host_line, present_gpus
from app.ui.viewmodels.topology import present_groups
from app.ui.widgets.buttons import push_button
from app.ui.widgets.form import Field
from app.ui.widgets.plan_extras import AdaptersField, FlagsField
from app.ui.widgets.plan_goal import show_text, text_field
from app.ui.widgets.text import ElidedLabel, label


class LimitsPanel(QWidget):
    """GPUs to use, one engine or any, a fixed port or any, adapters and flags of one's own."""

    def __init__(self, view_model: PlanViewModel, theme: Theme, icons: IconSet) -> None:
        super().__init__()
        self._vm = view_model
        self._icons = icons
        self._shown: Fingerprint | None = None
        self._shown_engines: tuple[str, ...] = ()
        self._question = label("section")
        self._host = label("muted", wrap=True)
        self._gpus_title = label("section")
        self._gpus_note = ElidedLabel(role="muted")
        self.boxes: dict[str, QCheckBox] = {}
        self.cpu_only = QCheckBox()
        self.cpu_only.clicked.connect(lambda on: self._vm.choose_cpu(only=on))
        self._gpus = QWidget()
        self._grid = QGridLayout(self._gpus)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setVerticalSpacing(6)
        self._groups = QHBoxLayout()
        self._groups.setSpacing(space(1))
        self._groups.addStretch(1)
        self.engine = QComboBox()
        self.engine.activated.connect(self._on_engine)
        self._engine_field = Field(self.engine)
        self.port_field = text_field(view_model, "port")
        self.adapters = AdaptersField(view_model, icons)
        self.flags = FlagsField(view_model, theme, icons)
        others = QHBoxLayout()
        others.setSpacing(space(3))
        others.addWidget(self._engine_field, 1)
        others.addWidget(self.port_field, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, space(2), 0)
        layout.setSpacing(space(2))
        gpus = QHBoxLayout()
        gpus.setSpacing(space(3))
        gpus.addWidget(self._gpus_title)
        gpus.addWidget(self._gpus_note, 1)
        layout.addWidget(self._question)
        layout.addWidget(self._host)
        layout.addLayout(gpus)
        layout.addWidget(self._gpus)
        layout.addLayout(self._groups)
        layout.addWidget(self.cpu_only)
        layout.addLayout(others)
        layout.addWidget(self.adapters)
        layout.addWidget(self.flags)
        layout.addStretch(1)
        self.retranslate()

    def retranslate(self) -> None:
        """Set every text again."""
        self._question.setText(self.tr("What may the plan use?"))
        self._gpus_title.setText(self.tr("GPUs"))
        self._gpus_note.set_text(self.tr("None ticked: Pitwall takes the freest that fit."))
        self.cpu_only.setText(self.tr("&Leave the GPUs alone: use the CPU only"))
        self._engine_field.set_words(self.tr("&Engine"), self.tr("Step 4 says why not the others."))
        self.port_field.set_words(
            self.tr("&Port on the host"), self.tr("Empty: the next free one, on loopback only.")
        )
        self.adapters.retranslate()
        self.flags.retranslate()
        self._shown = None
        self._shown_engines = ()
        self.show_state(self._vm.state)

    def show_state(self, state: PlanState) -> None:
        """Show what is known."""
        found = state.fingerprint
        if found is not self._shown:
            self._shown = found
            self._show_host(found)
        for uuid, box in self.boxes.items():
            box.setChecked(uuid in state.inputs.gpu_uuids)
            box.setEnabled(not state.inputs.cpu_only)
        self.cpu_only.setChecked(state.inputs.cpu_only)
        self._show_engines(state)
        self.adapters.show_state(state)
        self.flags.show_state(state)
        show_text(self.port_field, state.inputs.port, state.field_errors.get("port", ""))

    def _show_host(self, found: Fingerprint | None) -> None:
        for layout in (self._grid, self._groups):
            while layout.count():
                item = layout.takeAt(0)
                widget = item.widget() if item is not None else None
                if widget is not None:
                    widget.deleteLater()
        self.boxes = {}
        if found is None:
            self._host.setText(self.tr("The host's fingerprint is taken with the first plan."))
            return
        self._host.setText(self.tr("The host has {what}.").format(what=host_line(found)))
        choices = present_gpus(found)
        self._gpus_title.setVisible(bool(choices))
        self._gpus_note.setVisible(bool(choices))
        self.cpu_only.setVisible(bool(choices))
        rows = len(choices) if len(choices) <= 4 else (len(choices) + 1) // 2
        for number, choice in enumerate(choices):
            box = QCheckBox(f"{choice.title} · {choice.note}")
            box.clicked.connect(self._on_gpus)
            self.boxes[choice.uuid] = box
            self._grid.addWidget(box, number % rows, number // rows)
        self._show_groups(found)

    def _show_groups(self, found: Fingerprint) -> None:
        uuids = {gpu.index: gpu.uuid for gpu in found.gpus if gpu.uuid is not None}
        for group in present_groups(found):
            chosen = tuple(uuids[index] for index in group.indices if index in uuids)
            button = push_button(
                self._icons, kind="chip", on_click=partial(self._vm.choose_gpus, chosen)
            )
            button.setText(group.words)
            button.setToolTip(group.why)
            button.setAccessibleDescription(group.why)
            self._groups.addWidget(button)
        self._groups.addStretch(1)

    def _show_engines(self, state: PlanState) -> None:
        names = {
            engine: data.engine.name
            for engine, data in state.engines.items()
            if data.engine.plannable
        }
        if tuple(names) != self._shown_engines or not self.engine.count():
            self._shown_engines = tuple(names)
            self.engine.clear()
            self.engine.addItem(self.tr("Any that fits"), None)
            for engine, name in sorted(names.items(), key=lambda item: item[1].casefold()):
                self.engine.addItem(name, engine)
        row = self.engine.findData(state.inputs.engine)
        self.engine.setCurrentIndex(max(row, 0))

    def _on_gpus(self) -> None:
        ticked = tuple(uuid for uuid, box in self.boxes.items() if box.isChecked())
        self._vm.choose_gpus(ticked)

    def _on_engine(self, row: int) -> None:
        chosen = self.engine.itemData(row)
        self._vm.choose_engine(None if chosen is None else str(chosen))
