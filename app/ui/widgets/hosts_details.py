"""Details of a host for the inspector: how it stands, what went wrong, a card per GPU."""

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.core.events import HostSnapshot
from app.core.hardware.fingerprint import Fingerprint, Gpu
from app.ui.icons import IconSet
from app.ui.messages import cause_text, remedy_text
from app.ui.models.fingerprint import gpu_bar
from app.ui.theme import Theme, space
from app.ui.viewmodels.fingerprint_facts import Fact
from app.ui.viewmodels.host_texts import address_text, local_time_text, present_state
from app.ui.widgets.bars import MemoryBar
from app.ui.widgets.facts import FactList
from app.ui.widgets.state import StateLabel
from app.ui.widgets.text import label, set_status


class HostDetails(QWidget):
    """State, error, facts and GPUs of one host."""

    def __init__(
        self,
        icons: IconSet,
        theme: Theme,
        snapshot: HostSnapshot,
        fingerprint: Fingerprint | None,
    ) -> None:
        super().__init__()
        self._theme = theme
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, space(2), 0)
        layout.setSpacing(space(3))
        state = present_state(snapshot)
        shown = StateLabel(icons)
        shown.set_state(state.icon, state.word, state.status)
        layout.addWidget(shown, 0, Qt.AlignmentFlag.AlignLeft)
        if snapshot.error is not None:
            layout.addWidget(self._error(snapshot))
        layout.addWidget(FactList(theme, self._facts(snapshot, fingerprint)))
        for gpu in fingerprint.gpus if fingerprint is not None else ():
            layout.addWidget(self._gpu(gpu))
        layout.addStretch(1)

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
        reason = self.tr("no fingerprint yet")
        taken = local_time_text(fingerprint.taken_at) if fingerprint else None
        driver = snapshot.summary.driver_version if snapshot.summary else None
        engine = snapshot.summary.container_text if snapshot.summary else None
        missing = self.tr("none found") if snapshot.summary else reason
        return (
            Fact(label=self.tr("Address"), value=address_text(snapshot)),
            Fact(label=self.tr("Driver"), value=driver, reason=missing),
            Fact(label=self.tr("Container engine"), value=engine or None, reason=missing),
            Fact(label=self.tr("Fingerprint"), value=taken, reason=reason),
        )

    def _gpu(self, gpu: Gpu) -> QFrame:
        card = QFrame()
        card.setProperty("role", "card")
        head = QHBoxLayout()
        name = label("body", f"GPU{gpu.index}")
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
