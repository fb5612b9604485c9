"""How a host's state reads, in every place that shows it."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from PySide6.QtCore import QCoreApplication

from app.core.errors import ErrorCode
from app.core.events import HostKind, HostSnapshot, HostState
from app.ui.i18n import QT_TRANSLATE_NOOP

CONTEXT: Final = "HostTexts"


@dataclass(frozen=True, slots=True, kw_only=True)
class StateView:
    """Icon, word and status colour of a state."""

    icon: str
    word: str
    status: str


_STATES: Final = {
    HostState.DISCONNECTED: (
        "circle-dashed",
        QT_TRANSLATE_NOOP("HostTexts", "Not connected"),
        "unknown",
    ),
    HostState.CONNECTING: ("loader-2", QT_TRANSLATE_NOOP("HostTexts", "Connecting"), "accent"),
    HostState.CONNECTED: ("circle-check", QT_TRANSLATE_NOOP("HostTexts", "Connected"), "ok"),
    HostState.LOST: ("plug-x", QT_TRANSLATE_NOOP("HostTexts", "Connection lost"), "warn"),
    HostState.FAILED: ("alert-circle", QT_TRANSLATE_NOOP("HostTexts", "Failed"), "error"),
}

_KINDS: Final = {
    HostKind.LOCAL: QT_TRANSLATE_NOOP("HostTexts", "This computer"),
    HostKind.SSH: QT_TRANSLATE_NOOP("HostTexts", "SSH"),
    HostKind.DEMO: QT_TRANSLATE_NOOP("HostTexts", "Demo"),
    HostKind.IMPORTED: QT_TRANSLATE_NOOP("HostTexts", "Record"),
}


_WAITING: Final = {
    ErrorCode.HOST_KEY_UNKNOWN: (
        "shield-check",
        QT_TRANSLATE_NOOP("HostTexts", "Key not accepted yet"),
    ),
    ErrorCode.PASSWORD_NEEDED: ("key", QT_TRANSLATE_NOOP("HostTexts", "Password needed")),
}
"""Nothing failed: a person has not answered yet, or has not wanted to."""


def present_state(snapshot: HostSnapshot) -> StateView:
    """Return how the connection's state reads; a record has none."""
    if snapshot.is_record:
        return StateView(icon="file-text", word=kind_text(HostKind.IMPORTED), status="unknown")
    if snapshot.state is HostState.FAILED and snapshot.error is not None:
        waiting = _WAITING.get(snapshot.error.code)
        if waiting is not None:
            words = QCoreApplication.translate("HostTexts", waiting[1])
            return StateView(icon=waiting[0], word=words, status="warn")
    icon, word, status = _STATES[snapshot.state]
    return StateView(icon=icon, word=QCoreApplication.translate(CONTEXT, word), status=status)


def kind_text(kind: HostKind) -> str:
    """Return the word for how a host is reached."""
    return QCoreApplication.translate(CONTEXT, _KINDS[kind])


def address_text(snapshot: HostSnapshot) -> str:
    """Return where the host is: ``user@address:port``, or its kind."""
    settings = snapshot.settings
    if settings.kind is not HostKind.SSH:
        return kind_text(settings.kind)
    user = f"{settings.user}@" if settings.user else ""
    port = f":{settings.port}" if settings.port != 22 else ""
    return f"{user}{settings.address}{port}"


def latency_text(latency_s: float | None) -> str:
    """Return a round trip in milliseconds; empty when it was not measured yet."""
    if latency_s is None:
        return ""
    milliseconds = latency_s * 1000
    return f"{milliseconds:.1f} ms" if milliseconds < 10 else f"{milliseconds:.0f} ms"


def seen_text(snapshot: HostSnapshot, now_s: float) -> str:
    """Return when a host was last seen: one that is connected is seen now."""
    if snapshot.state is HostState.CONNECTED:
        return QCoreApplication.translate("HostTexts", "now")
    return ago_text(snapshot.last_seen_at, now_s)


def ago_text(at: str | None, now_s: float) -> str:
    """Return how long ago a UTC time was: “3 min ago”; “never” without one."""
    if at is None:
        return QCoreApplication.translate("HostTexts", "never")
    moment = _moment(at)
    if moment is None:
        return at
    seconds = now_s - moment.timestamp()
    if seconds < 60:
        return QCoreApplication.translate("HostTexts", "just now")
    if seconds < 3600:
        text = QCoreApplication.translate("HostTexts", "{count} min ago")
        return text.format(count=int(seconds // 60))
    if seconds < 86400:
        text = QCoreApplication.translate("HostTexts", "{count} h ago")
        return text.format(count=int(seconds // 3600))
    return moment.astimezone().strftime("%Y-%m-%d")


def local_time_text(at: str | None) -> str:
    """Return a UTC time in this computer's zone, to the second; as it is when it cannot be read."""
    if at is None:
        return ""
    moment = _moment(at)
    return moment.astimezone().strftime("%Y-%m-%d %H:%M:%S") if moment else at


def _moment(at: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
