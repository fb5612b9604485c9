"""The questions that connecting a host can raise: a new key, a changed key, a password."""

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QCheckBox, QFormLayout, QLineEdit, QWidget

from app.core.errors import ErrorCode, ErrorInfo
from app.core.events import HostSnapshot
from app.ui.icons import IconSet
from app.ui.messages import cause_text, remedy_text
from app.ui.theme import Theme, space
from app.ui.viewmodels.connect import ConnectViewModel
from app.ui.viewmodels.host_texts import address_text
from app.ui.widgets.dialog import FormDialog
from app.ui.widgets.form import Field
from app.ui.widgets.hosts_keyring import RememberBox
from app.ui.widgets.text import label


class KeyDialog(FormDialog):
    """First contact: show the key's fingerprint and ask."""

    def __init__(
        self,
        icons: IconSet,
        theme: Theme,
        parent: QWidget | None,
        snapshot: HostSnapshot,
        error: ErrorInfo,
    ) -> None:
        super().__init__(icons, parent)
        self.sha256 = error.params.get("sha256", "")
        self.set_picture("key", "accent")
        self.set_words(
            self.tr("First contact with {host}").format(host=snapshot.settings.name),
            self.tr("Accept and connect"),
            self.tr("Cancel"),
        )
        intro = self.tr(
            "This host was never seen before. Compare its key with what the host's administrator "
            "tells you; accept it only when both are the same. Nothing secret was sent yet."
        )
        self.body.addWidget(label("body", intro, wrap=True))
        rows = (
            (self.tr("Address"), address_text(snapshot), False),
            (self.tr("Key type"), error.params.get("key_type", ""), False),
            (self.tr("SHA-256"), self.sha256, True),
        )
        self.body.addWidget(_facts(theme, rows))
        # Accepting must be a deliberate act: one has to go to the button first.
        self.prefer_cancel()


class KeyChangedDialog(FormDialog):
    """A changed or revoked key: explain; accepting takes a confirmation from outside."""

    def __init__(
        self,
        icons: IconSet,
        theme: Theme,
        parent: QWidget | None,
        snapshot: HostSnapshot,
        error: ErrorInfo,
    ) -> None:
        super().__init__(icons, parent, kind="danger")
        self.set_picture("shield-x", "status.error")
        revoked = error.code is ErrorCode.HOST_KEY_REVOKED
        name = snapshot.settings.name
        title = (
            self.tr("The key of {host} is revoked")
            if revoked
            else self.tr("The key of {host} has changed")
        )
        self.sha256 = error.params.get("sha256", "")
        self.set_words(title.format(host=name), self.tr("Accept the new key"), self.tr("Close"))
        self.body.addWidget(label("body", cause_text(error), wrap=True))
        rows = tuple(
            (words, error.params[key], True)
            for words, key in (
                (self.tr("Known so far"), "previous"),
                (self.tr("Shown now"), "sha256"),
            )
            if error.params.get(key)
        )
        if rows:
            self.body.addWidget(_facts(theme, rows))
        self.body.addWidget(label("muted", remedy_text(error), wrap=True))
        self.confirmed = QCheckBox(self.tr("The administrator has confirmed the new fingerprint"))
        self.confirmed.toggled.connect(self.accept_button.setEnabled)
        self.body.addWidget(self.confirmed)
        can_accept = not revoked and bool(self.sha256)
        self.confirmed.setVisible(can_accept)
        self.accept_button.setVisible(can_accept)
        self.accept_button.setEnabled(False)
        self.prefer_cancel()


class SecretDialog(FormDialog):
    """Ask for a password or a key's passphrase; it is remembered only when that is ticked."""

    def __init__(
        self,
        icons: IconSet,
        parent: QWidget | None,
        snapshot: HostSnapshot,
        error: ErrorInfo,
        *,
        passphrase: bool,
    ) -> None:
        super().__init__(icons, parent)
        self.set_picture("lock", "accent")
        self._input = QLineEdit()
        self._input.setEchoMode(QLineEdit.EchoMode.Password)
        self._field = Field(self._input)
        title = self.tr("Passphrase for {host}") if passphrase else self.tr("Password for {host}")
        self.set_words(
            title.format(host=snapshot.settings.name), self.tr("Connect"), self.tr("Cancel")
        )
        key_file = error.params.get("key_file") or snapshot.settings.key_file
        what = key_file if passphrase else address_text(snapshot)
        self.body.addWidget(label("muted", what or address_text(snapshot), wrap=True))
        self._field.set_words(
            self.tr("&Passphrase") if passphrase else self.tr("&Password"),
            self.tr("Kept in memory until Pitwall closes; never written into a file."),
        )
        self.body.addWidget(self._field)
        self.remember = RememberBox(icons)
        self.remember.box.setChecked(snapshot.settings.keeps_secrets)
        self.body.addWidget(self.remember)
        if error.code is ErrorCode.AUTH_FAILED:
            self._field.set_error(
                self.tr("It does not open the key. Try again.")
                if passphrase
                else self.tr("The host refused the last one. Try again.")
            )
        self._input.setFocus()

    @property
    def secret(self) -> str:
        """What was typed."""
        return self._input.text()

    def submit(self) -> None:
        """Take it unless it is empty."""
        if not self.secret:
            self._field.set_error(self.tr("Enter it to go on."))
            return
        self.accept()


class ConnectDialogs(QObject):
    """Open the right dialog for each question of a `ConnectViewModel`."""

    def __init__(
        self, view_model: ConnectViewModel, icons: IconSet, theme: Theme, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._view_model = view_model
        self._icons = icons
        self._theme = theme
        self._window = parent
        view_model.key_unknown.connect(self._ask_key)
        view_model.key_changed.connect(self._explain_change)
        view_model.password_needed.connect(self._ask_password)
        view_model.passphrase_needed.connect(self._ask_passphrase)

    def _ask_key(self, snapshot: HostSnapshot, error: ErrorInfo) -> None:
        dialog = KeyDialog(self._icons, self._theme, self._window, snapshot, error)
        dialog.accepted.connect(lambda: self._view_model.accept_key(snapshot, dialog.sha256))
        dialog.open()

    def _explain_change(self, snapshot: HostSnapshot, error: ErrorInfo) -> None:
        dialog = KeyChangedDialog(self._icons, self._theme, self._window, snapshot, error)
        dialog.accepted.connect(lambda: self._view_model.accept_key(snapshot, dialog.sha256))
        dialog.open()

    def _ask_password(self, snapshot: HostSnapshot, error: ErrorInfo) -> None:
        dialog = self._secret_dialog(snapshot, error, passphrase=False)
        dialog.accepted.connect(
            lambda: self._view_model.connect_host(
                snapshot, password=dialog.secret, remember=dialog.remember.is_wanted
            )
        )
        dialog.open()

    def _ask_passphrase(self, snapshot: HostSnapshot, error: ErrorInfo) -> None:
        dialog = self._secret_dialog(snapshot, error, passphrase=True)
        dialog.accepted.connect(
            lambda: self._view_model.answer_passphrase(
                snapshot, error, dialog.secret, remember=dialog.remember.is_wanted
            )
        )
        dialog.rejected.connect(lambda: self._view_model.refuse_passphrase(error))
        dialog.open()

    def _secret_dialog(
        self, snapshot: HostSnapshot, error: ErrorInfo, *, passphrase: bool
    ) -> SecretDialog:
        dialog = SecretDialog(self._icons, self._window, snapshot, error, passphrase=passphrase)
        self._view_model.keyring_known.connect(dialog.remember.show_state)
        self._view_model.look_at_keyring()
        return dialog


def _facts(theme: Theme, rows: tuple[tuple[str, str, bool], ...]) -> QWidget:
    """Return label–value rows; the third part says whether the value is in mono."""
    box = QWidget()
    form = QFormLayout(box)
    form.setContentsMargins(0, space(1), 0, space(1))
    form.setSpacing(space(2))
    for name, value, mono in rows:
        shown = label("body", value)
        if mono:
            shown.setFont(theme.font("mono"))
        shown.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        shown.setAccessibleName(f"{name}: {value}")
        form.addRow(label("muted", name), shown)
    return box
