"""Details of a host for the inspector: how it stands, what it can do, what runs, notes, GPUs."""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.core.events import HostSnapshot
from app.core.hardware.fingerprint import Fingerprint, Gpu
from app.ui.icons import IconSet
from app.ui.messages import cause_text, remedy_text
from app.ui.models.fingerprint import gpu_bar
from app.ui.theme import Theme, space
from app.ui.viewmodels.fingerprint_facts import Fact
from app.ui.viewmodels.host_texts import address_text, local_time_text, present_state
from app.ui.viewmodels.hosts_rows import RunningRow
from app.ui.widgets.bars import MemoryBar
from app.ui.widgets.facts import FactList
from app.ui.widgets.hosts_menu import ActRow, HostAct
from app.ui.widgets.hosts_notes import NotesEdit
from app.ui.widgets.hosts_running import RunningList
from app.ui.widgets.state import StateLabel
from app.ui.widgets.text import label, set_status


class HostDetails(QWidget):
    """State, error, actions, what runs there, notes, facts and GPUs of one host."""

    notes_changed = Signal(str)
    deployment_opened = Signal(str)

    def __init__(
        self,
        icons: IconSet,
        theme: Theme,
        snapshot: HostSnapshot,
        fingerprint: Fingerprint | None,
    ) -> None:
        super().__init__()
        self._theme = theme
        self._icons = icons
        self.host_id = snapshot.settings.id
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, space(2), 0)
        layout.setSpacing(space(3))
        self._state = StateLabel(icons)
        self.acts = ActRow(icons)
        self._trouble: QFrame | None = None
        self._error_place = QVBoxLayout()
        self.running = RunningList(icons)
        self.running.opened.connect(self.deployment_opened)
        self.notes = NotesEdit(snapshot.settings.notes)
        self.notes.committed.connect(self.notes_changed)
        self.notes.setAccessibleName(self.tr("Notes"))
        self.notes.setPlaceholderText(self.tr("Who uses it, where it stands, what to mind"))
        layout.addWidget(self._state, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addWidget(self.acts)
        layout.addLayout(self._error_place)
        layout.addWidget(self._section(self.tr("Runs here"), self.running))
        layout.addWidget(self._section(self.tr("Notes"), self.notes))
        facts = FactList(theme, self._facts(snapshot, fingerprint))
        layout.addWidget(facts)
        for part in (facts, self.running):  # the details scroll; nothing is squeezed
            part.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        for gpu in fingerprint.gpus if fingerprint is not None else ():
            layout.addWidget(self._gpu(gpu))
        layout.addStretch(1)
        self.set_host(snapshot, (), ())

    def set_host(
        self, snapshot: HostSnapshot, running: Sequence[RunningRow], acts: Sequence[HostAct]
    ) -> None:
        """Follow what changes while it is looked at; the facts are those of one moment."""
        state = present_state(snapshot)
        self._state.set_state(state.icon, state.word, state.status)
        if self._trouble is not None:
            self._trouble.hide()
            self._trouble.deleteLater()
            self._trouble = None
        if snapshot.error is not None:
            self._trouble = self._error(snapshot)
            self._error_place.addWidget(self._trouble)
        self.running.set_rows(running)
        self.notes.set_text(snapshot.settings.notes)
        self.acts.set_acts(acts)

    def _section(self, title: str, content: QWidget) -> QWidget:
        box = QWidget()
        column = QVBoxLayout(box)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(space(1))
        column.addWidget(label("section", title))
        column.addWidget(content)
        return box

    def _error(self, snapshot: HostSnapshot) -> QFrame:
        box = QFrame()
        box.setProperty("role", "banner")
        set_status(box, "error")
        column = QVBoxLayout(box)
        column.setContentsMargins(space(3), space(2), space(3), space(2))
        if snapshot.error is not None:
            column.addWidget(label("body", cause_text(snapshot.error), wrap=True))
            column.addWidget(label("muted", remedy_text(snapshot.error), wrap=True))
        return box

    def _facts(self, snapshot: HostSnapshot, fingerprint: Fingerprint | None) -> tuple[Fact, ...]:
        reason, group = self.tr("no fingerprint yet"), snapshot.settings.group
        kept = self.tr("in the system's keyring") if snapshot.settings.keeps_secrets else ""
        taken = local_time_text(fingerprint.taken_at) if fingerprint else None
        driver = snapshot.summary.driver_version if snapshot.summary else None
        engine = snapshot.summary.container_text if snapshot.summary else None
        missing = self.tr("none found") if snapshot.summary else reason
        return (
            Fact(label=self.tr("Address"), value=address_text(snapshot)),
            *((Fact(label=self.tr("Group"), value=group),) if group else ()),
            *((Fact(label=self.tr("Secrets"), value=kept),) if kept else ()),
            Fact(label=self.tr("Driver"), value=driver, reason=missing),
            Fact(label=self.tr("Container engine"), value=engine or None, reason=missing),
            Fact(label=self.tr("Fingerprint"), value=taken, reason=reason),
        )

    def _gpu(self, gpu: Gpu) -> QFrame:
        card = QFrame()
        card.setProperty("role", "card")
        head = QHBoxLayout()
        name = label("body", f"GPU {gpu.index}")
        head.addWidget(name)
        head.addWidget(label("muted", (gpu.name or "?").removeprefix("NVIDIA ")), 1)
        if gpu.utilization_percent is not None:
            head.addWidget(label("muted", f"{gpu.utilization_percent} %"))
        bar = MemoryBar(self._theme)
        level = gpu_bar(gpu)
        bar.set_bar(replace(level, text=f"{level.text} GiB"))
        column = QVBoxLayout(card)
        column.setContentsMargins(space(3), space(2), space(3), space(2))
        column.setSpacing(space(1))
        column.addLayout(head)
        column.addWidget(bar)
        return card
