"""Hosts of an SSH configuration as rows to choose from, without widgets."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication, QObject, Signal

from app.core.ssh_hosts import Remark, RemarkCode, SshHostEntry
from app.services.host_import import ImportChoice, ImportPreview
from app.ui.bridge import CoreBridge
from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.viewmodels.base import ViewModel

if TYPE_CHECKING:
    from app.bootstrap import Application

_REMARKS: Final = {
    RemarkCode.PROXY_JUMP: QT_TRANSLATE_NOOP(
        "HostsImport", "Reached through {value}, which Pitwall cannot do yet"
    ),
    RemarkCode.PROXY_COMMAND: QT_TRANSLATE_NOOP(
        "HostsImport", "Reached by a command ({value}), which Pitwall cannot do yet"
    ),
    RemarkCode.HOST_KEY_ALIAS: QT_TRANSLATE_NOOP(
        "HostsImport", "Its key is known as {value}; it will be shown once more"
    ),
    RemarkCode.CERTIFICATE: QT_TRANSLATE_NOOP(
        "HostsImport", "A certificate is used only when it lies beside its key"
    ),
    RemarkCode.HARDWARE_KEY: QT_TRANSLATE_NOOP("HostsImport", "Keys on hardware are not used"),
    RemarkCode.IDENTITY_AGENT: QT_TRANSLATE_NOOP(
        "HostsImport", "Its own agent is not asked, the session's is"
    ),
    RemarkCode.SEVERAL_KEYS: QT_TRANSLATE_NOOP(
        "HostsImport", "Of its keys only {value} is taken over"
    ),
    RemarkCode.KEY_MISSING: QT_TRANSLATE_NOOP("HostsImport", "Its key {value} is not there"),
    RemarkCode.MATCH_EXEC: QT_TRANSLATE_NOOP("HostsImport", "A “Match exec” was passed over"),
    RemarkCode.MATCH_UNKNOWN: QT_TRANSLATE_NOOP(
        "HostsImport", "A “Match” was passed over that Pitwall does not know"
    ),
    RemarkCode.SSH_SILENT: QT_TRANSLATE_NOOP(
        "HostsImport", "“ssh -G” did not answer; Pitwall read the file itself"
    ),
    RemarkCode.BAD_PORT: QT_TRANSLATE_NOOP("HostsImport", "Its port cannot be used ({value})"),
    RemarkCode.FILE_SKIPPED: QT_TRANSLATE_NOOP(
        "HostsImport", "{value} is included and cannot be read"
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRow:
    """One name of the configuration as the dialog lists it."""

    entry: SshHostEntry
    texts: tuple[str, ...]
    """Name, address, user, port, key, jump host, what is worth knowing."""
    is_wanted: bool
    needs_care: bool


def present_choice(choice: ImportChoice) -> ImportRow:
    """Return what the dialog shows of a name."""
    entry = choice.entry
    remarks = [remark_text(remark) for remark in entry.remarks]
    if choice.known_as:
        known = QCoreApplication.translate("HostsImport", "Is on the list as {name}")
        remarks.insert(0, known.format(name=choice.known_as))
    return ImportRow(
        entry=entry,
        texts=(
            entry.alias,
            entry.host,
            entry.user or "–",
            str(entry.port),
            ", ".join(entry.identity_files) or "–",
            entry.proxy or "–",
            "; ".join(remarks),
        ),
        is_wanted=choice.is_wanted,
        needs_care=bool(remarks),
    )


def remark_text(remark: Remark) -> str:
    """Return a remark in words."""
    text = QCoreApplication.translate("HostsImport", _REMARKS[remark.code])
    return text.format(value=remark.value)


class ImportViewModel(ViewModel):
    """Read a configuration, then add what was chosen."""

    loaded = Signal(object)
    """The `ImportPreview`."""
    added = Signal(object)
    """The `HostSnapshot` of each host that was added."""

    def __init__(
        self, app: "Application", bridge: CoreBridge, parent: QObject | None = None
    ) -> None:
        super().__init__(bridge, parent)
        self._app = app

    def load(self, file: Path | None, *, run_commands: bool) -> None:
        """Read a configuration; ``None`` is the user's own. The newest question counts."""
        self.cancel_all()
        work = self._app.host_imports.preview(file, run_commands=run_commands)
        self.run(work, on_result=self._on_preview)

    def take(self, entries: Sequence[SshHostEntry], group: str) -> None:
        """Add hosts."""
        work = self._app.host_imports.take(tuple(entries), group=group.strip())
        self.run(work, on_result=self.added.emit)

    def _on_preview(self, preview: ImportPreview) -> None:
        self.loaded.emit(preview)
