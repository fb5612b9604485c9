"""How the system's keyring stands, in words; and what it was asked to do."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication, QObject, Signal

from app.services.host_secrets import KeyringState
from app.ui.bridge import CoreBridge
from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.viewmodels.base import ViewModel
from app.ui.viewmodels.host_texts import StateView

if TYPE_CHECKING:
    from app.bootstrap import Application

_WORDS: Final[Mapping[str, tuple[str, str, str]]] = {
    "": (
        "shield-check",
        QT_TRANSLATE_NOOP("Keyring", "The system's keyring is ready"),
        "ok",
    ),
    "no-backend": (
        "circle-off",
        QT_TRANSLATE_NOOP("Keyring", "No system keyring runs here"),
        "warn",
    ),
    "not-guarded": (
        "shield-x",
        QT_TRANSLATE_NOOP("Keyring", "The keyring that is set up stores in plain text: refused"),
        "error",
    ),
    "locked": (
        "lock",
        QT_TRANSLATE_NOOP("Keyring", "The system's keyring is locked; nobody unlocked it"),
        "warn",
    ),
    "failed": (
        "alert-circle",
        QT_TRANSLATE_NOOP("Keyring", "The system's keyring did not answer as it should"),
        "error",
    ),
}
_WHAT_NOW: Final[Mapping[str, str]] = {
    "": QT_TRANSLATE_NOOP(
        "Keyring",
        "Passwords and passphrases go there only when you tick “Remember”; otherwise they stay in "
        "memory until Pitwall closes.",
    ),
    "no-backend": QT_TRANSLATE_NOOP(
        "Keyring",
        "Passwords and passphrases stay in memory until Pitwall closes. To have them remembered, "
        "start GNOME Keyring, KWallet or another Secret Service.",
    ),
    "not-guarded": QT_TRANSLATE_NOOP(
        "Keyring",
        "Passwords and passphrases stay in memory until Pitwall closes. Choose the desktop's own "
        "keyring in the settings of “keyring”.",
    ),
    "locked": QT_TRANSLATE_NOOP(
        "Keyring",
        "Passwords and passphrases stay in memory until Pitwall closes. Unlock the keyring, then "
        "look again.",
    ),
    "failed": QT_TRANSLATE_NOOP(
        "Keyring",
        "Passwords and passphrases stay in memory until Pitwall closes. See whether the keyring "
        "runs, then look again.",
    ),
}


def present_keyring(state: KeyringState) -> StateView:
    """Return the keyring's state as icon, word and colour."""
    icon, word, status = _WORDS.get(state.reason, _WORDS["failed"])
    return StateView(icon=icon, word=QCoreApplication.translate("Keyring", word), status=status)


def keyring_advice(state: KeyringState) -> str:
    """Return where secrets are kept in this state, and what changes that."""
    text = _WHAT_NOW.get(state.reason, _WHAT_NOW["failed"])
    return QCoreApplication.translate("Keyring", text)


class KeyringViewModel(ViewModel):
    """Look at the keyring."""

    known = Signal(object)
    """The `KeyringState`."""

    def __init__(
        self, app: "Application", bridge: CoreBridge, parent: QObject | None = None
    ) -> None:
        super().__init__(bridge, parent)
        self._app = app

    def look(self, *, again: bool = False) -> None:
        """Find out how the keyring stands; ``again`` asks one that was locked."""
        credentials = self._app.credentials
        work = credentials.look_again() if again else credentials.keyring_state()
        self.run(work, on_result=self.known.emit)
