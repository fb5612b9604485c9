"""The keyring's state as a card for the settings, and the tick that has a secret remembered."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QCheckBox, QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.services.host_secrets import KeyringState
from app.ui.icons import IconSet
from app.ui.theme import space
from app.ui.viewmodels.hosts_keyring import KeyringViewModel, keyring_advice, present_keyring
from app.ui.widgets.buttons import push_button
from app.ui.widgets.state import StateLabel
from app.ui.widgets.text import label


class KeyringCard(QFrame):
    """Where secrets are kept, and looking again after unlocking."""

    def __init__(self, icons: IconSet, view_model: KeyringViewModel) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.view_model = view_model
        self._state: KeyringState | None = None
        self._title = label("section")
        self.state = StateLabel(icons)
        self.advice = label("muted", wrap=True)
        self.again = push_button(
            icons, icon="refresh", on_click=lambda: view_model.look(again=True)
        )
        row = QHBoxLayout()
        row.addWidget(self.state)
        row.addStretch(1)
        row.addWidget(self.again)
        column = QVBoxLayout(self)
        column.setContentsMargins(space(4), space(3), space(4), space(4))
        column.setSpacing(space(2))
        column.addWidget(self._title)
        column.addLayout(row)
        column.addWidget(self.advice)
        view_model.known.connect(self._show)
        self.retranslate()

    def retranslate(self) -> None:
        """Set every text again."""
        self._title.setText(self.tr("Passwords and passphrases"))
        self.again.setText(self.tr("Look again"))
        if self._state is None:
            self.state.set_state("loader-2", self.tr("Looking for the system's keyring"), "unknown")
            self.advice.setText(
                self.tr("API keys of deployments are made by Pitwall and stay in memory.")
            )
        else:
            self._show(self._state)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()

    def _show(self, state: KeyringState) -> None:
        self._state = state
        view = present_keyring(state)
        self.state.set_state(view.icon, view.word, view.status)
        self.state.setToolTip(state.details)
        self.again.setVisible(not state.is_usable)
        keys = self.tr("API keys of deployments are made by Pitwall and stay in memory.")
        self.advice.setText(f"{keyring_advice(state)} {keys}")


class RememberBox(QWidget):
    """“Remember in the system keyring”, or why that cannot be."""

    def __init__(self, icons: IconSet) -> None:
        super().__init__()
        self.box = QCheckBox(self.tr("&Remember in the system's keyring"))
        self._why = StateLabel(icons)
        self._why.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(space(1))
        layout.addWidget(self.box)
        layout.addWidget(self._why, 0, Qt.AlignmentFlag.AlignLeft)

    @property
    def is_wanted(self) -> bool:
        """Whether the secret shall outlive Pitwall."""
        return self.box.isEnabled() and self.box.isChecked()

    def show_state(self, state: KeyringState) -> None:
        """Say how the keyring stands; a locked one may be unlocked when it is asked."""
        can_try = state.is_usable or state.reason == "locked"
        self.box.setEnabled(can_try)
        self.box.setToolTip(keyring_advice(state))
        self._why.setVisible(not state.is_usable)
        view = present_keyring(state)
        self._why.set_state(view.icon, view.word, view.status)
