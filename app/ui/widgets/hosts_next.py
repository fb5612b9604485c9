"""The next step with the chosen host: one line above the table."""

from collections.abc import Callable, Sequence
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from app.core.events import DeploymentSnapshot, HostSnapshot
from app.core.ids import HostId
from app.ui.icons import IconSet
from app.ui.theme import space
from app.ui.viewmodels.hosts_next import NextStep, present_next
from app.ui.widgets.buttons import push_button
from app.ui.widgets.icon_label import IconLabel
from app.ui.widgets.text import ElidedLabel

_READY: Final = ("circle-check", "status.ok")
_LACKS: Final = ("alert-triangle", "status.warn")


class NextStrip(QFrame):
    """Says what can be done now and goes there; hidden while there is nothing to say."""

    def __init__(
        self, icons: IconSet, go: Callable[[NextStep], None], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setProperty("role", "banner")
        self._go = go
        self._step: NextStep | None = None
        self._expected: HostId | None = None
        self._sign = IconLabel(icons)
        self._words = ElidedLabel()
        self.button = push_button(icons, icon="route", kind="primary", on_click=self._on_click)
        row = QHBoxLayout(self)
        row.setContentsMargins(space(3), space(2), space(2), space(2))
        row.setSpacing(space(2))
        row.addWidget(self._sign)
        row.addWidget(self._words, 1)
        row.addWidget(self.button)
        self.hide()

    @property
    def step(self) -> NextStep | None:
        """What it says; ``None`` while it is hidden."""
        return self._step

    def expect(self, host_id: HostId) -> None:
        """A host was just added: Enter shall go on with it once it is ready."""
        self._expected = host_id

    def follow(
        self,
        host: HostSnapshot | None,
        deployments: Sequence[DeploymentSnapshot] | None,
        *,
        may_take_focus: bool,
    ) -> None:
        """Say what comes next with this host, or nothing."""
        step = self._step = present_next(host, deployments)
        if step is not None:
            self._sign.set(*(_LACKS if step.lacks else _READY))
            self._words.set_text(step.words)
            self.button.setText(step.verb)
        self.setVisible(step is not None)
        if step is not None and host is not None and host.settings.id == self._expected:
            self._expected = None
            if may_take_focus:
                self.button.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_click(self) -> None:
        if self._step is not None:
            self._go(self._step)
