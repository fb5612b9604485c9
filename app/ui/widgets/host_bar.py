"""The bar on top: which host, what it is, how it is, and the two things done most often."""

from typing import Final

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QToolButton, QWidget

from app.core.events import HostSnapshot
from app.ui.icons import IconSet
from app.ui.theme import letters, space
from app.ui.viewmodels.host_texts import present_state
from app.ui.viewmodels.shell import HostBarView
from app.ui.widgets.buttons import IconToolButton, push_button
from app.ui.widgets.state import StateLabel
from app.ui.widgets.text import ElidedLabel, label

_NAME_LETTERS: Final = 28
_MENU_LETTERS: Final = 48


class HostBar(QFrame):
    """Show the chosen host and switch to another."""

    host_chosen = Signal(str)
    hosts_page_wanted = Signal()
    connect_clicked = Signal()
    disconnect_clicked = Signal()
    fingerprint_clicked = Signal()

    def __init__(self, icons: IconSet, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._hosts: tuple[HostSnapshot, ...] = ()
        self.setProperty("role", "hostbar")
        self._menu = QMenu(self)
        self._menu.aboutToShow.connect(self._fill_menu)
        self._full_name = ""
        self._name = IconToolButton()
        self._name.setProperty("kind", "host")
        self._name.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._name.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the arrow stands behind
        self._name.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._name.setMenu(self._menu)
        self._name.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        icons.set_icon(self._name, "chevron-down", "muted")
        self._badge = label("badge")
        self._note = ElidedLabel(role="muted")
        self._state = StateLabel(icons)
        self._connect = push_button(
            icons, icon="plug", kind="quiet", on_click=self.connect_clicked.emit
        )
        self._disconnect = push_button(
            icons, icon="plug-x", kind="quiet", on_click=self.disconnect_clicked.emit
        )
        self._fingerprint = push_button(
            icons, icon="fingerprint", kind="quiet", on_click=self.fingerprint_clicked.emit
        )
        layout = QHBoxLayout(self)
        layout.setContentsMargins(space(2), space(1), space(3), space(1))
        layout.setSpacing(space(3))
        layout.addWidget(self._name)
        layout.addWidget(self._badge, 0, Qt.AlignmentFlag.AlignVCenter)
        layout.addWidget(self._note, 1)
        layout.addWidget(self._state)
        for button in (self._fingerprint, self._connect, self._disconnect):
            layout.addWidget(button)
        self.setFixedHeight(round(self.fontMetrics().height() * 2.6))
        self.retranslate()

    def set_view(self, view: HostBarView) -> None:
        """Show a host."""
        self._full_name = view.name
        self._name.setText(self._shortened(view.name, _NAME_LETTERS))
        self._name.setAccessibleName(view.name)
        self._name_tip()
        self._badge.setVisible(view.simulated)
        self._note.set_text(view.note)
        self._state.setVisible(bool(view.state.word))
        self._state.set_state(view.state.icon, view.state.word, view.state.status)
        self._connect.setVisible(view.can_connect or bool(view.no_connection_because))
        self._connect.setEnabled(view.can_connect)
        self._connect.setToolTip(view.no_connection_because)
        self._disconnect.setVisible(view.can_disconnect)
        self._fingerprint.setVisible(bool(view.state.word))
        self._fingerprint.setEnabled(view.can_fingerprint)

    def set_hosts(self, hosts: tuple[HostSnapshot, ...]) -> None:
        """Remember the hosts for the menu behind the name."""
        self._hosts = hosts

    def _shortened(self, name: str, count: int) -> str:
        """Return a name that does not push the others away; ``&`` stands for itself."""
        metrics = self._name.fontMetrics()
        width = letters(self._name.font(), count)
        return metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, width).replace("&", "&&")

    def _name_tip(self) -> None:
        words = self.tr("Choose a host")
        is_cut = self._name.text().replace("&&", "&") != self._full_name
        self._name.setToolTip(f"{self._full_name}\n{words}" if is_cut else words)

    def _fill_menu(self) -> None:
        self._menu.clear()
        for snapshot in self._hosts:
            state = present_state(snapshot)
            token = "accent" if state.status == "accent" else f"status.{state.status}"
            action = self._menu.addAction(
                self._icons.icon(state.icon, token),
                f"{self._shortened(snapshot.settings.name, _MENU_LETTERS)}  ·  {state.word}",
            )
            action.setData(snapshot.settings.id)
            action.triggered.connect(
                lambda _=False, host_id=snapshot.settings.id: self.host_chosen.emit(host_id)
            )
        if self._hosts:
            self._menu.addSeparator()
        more = self._menu.addAction(self._icons.icon("server"), self.tr("Manage hosts"))
        more.triggered.connect(self.hosts_page_wanted)

    def retranslate(self) -> None:
        """Set every text again."""
        self._badge.setText(self.tr("Simulated"))
        self._badge.setToolTip(
            self.tr("Recorded hardware and a simulated engine: nothing here is measured live.")
        )
        self._name_tip()
        self._connect.setText(self.tr("Connect"))
        self._disconnect.setText(self.tr("Disconnect"))
        self._fingerprint.setText(self.tr("Take fingerprint"))
        self._fill_menu()

    def changeEvent(self, event: QEvent) -> None:
        """Follow a change of language."""
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)
