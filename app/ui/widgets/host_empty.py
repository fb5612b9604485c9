"""The empty frame of every page that needs a host: why nothing is there, and the next step."""

from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QPushButton, QWidget

from app.core.events import HostSnapshot
from app.core.ids import HostId
from app.ui.icons import IconSet
from app.ui.viewmodels.host_empty import EmptyView
from app.ui.widgets.buttons import push_button
from app.ui.widgets.empty import EmptyState


class HostShell(Protocol):
    """What the steps ask of the window."""

    @property
    def current_host(self) -> HostSnapshot | None:
        """The host in the host bar."""

    def connect_host(self, host_id: HostId) -> None:
        """Connect, asking for the host key or a password as needed."""

    def open_page(self, page_id: str) -> None:
        """Show a page."""


class HostEmpty(EmptyState):
    """Show an `EmptyView`; of the steps only the one that it offers is there."""

    def __init__(
        self, icons: IconSet, icon: str, shell: HostShell, parent: QWidget | None = None
    ) -> None:
        super().__init__(icons, icon, parent)
        self._icons = icons
        self._shell = shell
        self.steps: dict[str, QPushButton] = {}
        self.add_step("hosts", "server", lambda: shell.open_page("hosts"))
        self.add_step("connect", "plug", self._connect)
        self.retranslate()

    def add_step(self, step: str, icon: str, act: Callable[[], object]) -> QPushButton:
        """Add a step; the page names it."""
        button = push_button(self._icons, icon=icon, kind="primary", on_click=act)
        button.hide()
        self.steps[step] = button
        self.add_button(button)
        return button

    def retranslate(self) -> None:
        """Set the texts of the common steps again."""
        self.steps["hosts"].setText(self.tr("Open Hosts"))
        self.steps["connect"].setText(self.tr("Connect"))

    def show_view(self, view: EmptyView) -> None:
        """Show why the page is empty."""
        self.set_texts(view.title, view.text)
        for step, button in self.steps.items():
            button.setVisible(step == view.offer)

    def changeEvent(self, event: QEvent) -> None:
        """Follow a change of language."""
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def _connect(self) -> None:
        host = self._shell.current_host
        if host is not None:
            self._shell.connect_host(host.settings.id)
