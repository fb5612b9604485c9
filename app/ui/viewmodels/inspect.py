"""The Inspect page without widgets: open, paste, think of a host, and what follows from it."""

import asyncio
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, Signal

from app.core.causes import Cause
from app.core.diagnosis.finding import Diagnosis, Verdict
from app.core.errors import DataFileError, ErrorInfo
from app.core.events import HostSnapshot
from app.core.inspect.kinds import InspectKind
from app.services.collector import collector_text
from app.services.inspecting import Look
from app.ui.bridge import CoreBridge
from app.ui.viewmodels.base import ViewModel
from app.ui.viewmodels.findings import FindingsPanel, present_findings
from app.ui.viewmodels.inspect_texts import LOGS, LookView, present_look

if TYPE_CHECKING:
    from app.bootstrap import Application


@dataclass(frozen=True, slots=True, kw_only=True)
class InspectState:
    """What the page shows now."""

    look: Look | None = None
    diagnosis: Diagnosis | None = None
    is_looking: bool = False
    error: ErrorInfo | None = None


class InspectViewModel(ViewModel):
    """Look at one thing after another; only the newest counts."""

    changed = Signal(object)
    """The `InspectState`."""
    host_made = Signal(object, str)
    """The `HostSnapshot` of a new record, and what was to be done with it."""

    def __init__(
        self, app: "Application", bridge: CoreBridge, parent: QObject | None = None
    ) -> None:
        super().__init__(bridge, parent)
        self._app = app
        self.state = InspectState()

    @property
    def causes(self) -> Mapping[str, Cause]:
        """What explains findings; nothing when the data file is broken."""
        try:
            return self._app.data.causes
        except DataFileError:
            return {}

    @property
    def view(self) -> LookView | None:
        """What was found, in the language in force."""
        look = self.state.look
        if look is None:
            return None
        if self.state.diagnosis is not None and look.kind is InspectKind.UNKNOWN:
            look = replace(look, kind=InspectKind.ENGINE_LOG, warnings=())  # it says why it failed
        return present_look(look, self.causes)

    @property
    def findings(self) -> FindingsPanel | None:
        """What a log's diagnosis says, in the language in force."""
        diagnosis, look = self.state.diagnosis, self.state.look
        if diagnosis is None or look is None:
            return None
        command = "" if look.path is None else shlex.join(("pitwall", "diagnose", str(look.path)))
        return present_findings(diagnosis, command=command)

    def open_path(self, path: Path) -> None:
        """Look at a file, a folder or an archive."""
        self._begin()
        self.run(self._app.inspecting.path(path), self._on_look, self._on_error, self._on_cancel)

    def open_text(self, text: str) -> None:
        """Look at a paste."""
        name = QCoreApplication.translate("Inspect", "Paste")
        self._begin()
        self.run(
            self._app.inspecting.text(text, name), self._on_look, self._on_error, self._on_cancel
        )

    def think_of(self, text: str) -> None:
        """Make a host from the catalogue."""
        self._begin()
        self.run(self._what_if(text), self._on_look, self._on_error, self._on_cancel)

    def use_as_host(self, then: str = "") -> None:
        """Keep what was sent as a host of its own; ``then`` is handed on with it."""
        look = self.state.look
        if look is None or look.fingerprint is None:
            return
        fingerprint = look.fingerprint
        name = fingerprint.machine.hostname or fingerprint.host_name or Path(look.name).stem
        self.run(
            self._app.hosts.add_record(fingerprint, name),
            on_result=lambda made: self._on_host(made, then),
        )

    def diagnose(self) -> None:
        """Explain the log, all of it."""
        look = self.state.look
        if look is None:
            return
        service = self._app.diagnosis
        work = service.text(look.text) if look.path is None else service.file(look.path)
        self.run(work, on_result=self._on_diagnosis)

    def collector(self) -> bytes:
        """Return the script for hosts that we may not enter."""
        return collector_text().encode()

    def clear(self) -> None:
        """Show nothing."""
        self.cancel_all()
        self._set(InspectState())

    # Inside

    async def _what_if(self, text: str) -> Look:
        # On a thread of its own: the first use reads the catalogue.
        fingerprint = await asyncio.to_thread(self._app.imports.what_if, text)
        return Look(
            name=" ".join(text.split()),
            kind=InspectKind.FINGERPRINT,
            result={},
            warnings=fingerprint.warnings,
            fingerprint=fingerprint,
        )

    def _begin(self) -> None:
        self.cancel_all()
        self._set(replace(self.state, is_looking=True, error=None))

    def _on_look(self, look: Look) -> None:
        self._set(InspectState(look=look))
        if look.kind in LOGS and look.text.strip():
            self.diagnose()

    def _on_error(self, error: ErrorInfo) -> None:
        self._set(replace(self.state, is_looking=False, error=error))

    def _on_cancel(self) -> None:
        if not self.is_busy:
            self._set(replace(self.state, is_looking=False))

    def _on_diagnosis(self, diagnosis: Diagnosis) -> None:
        look = self.state.look
        nothing = diagnosis.verdict is Verdict.NOTHING_FOUND
        if look is None or (nothing and look.kind is not InspectKind.ENGINE_LOG):
            return  # that it is not known is said already
        self._set(replace(self.state, diagnosis=diagnosis))

    def _on_host(self, made: HostSnapshot, then: str) -> None:
        self.host_made.emit(made, then)

    def _set(self, state: InspectState) -> None:
        self.state = state
        self.changed.emit(state)
