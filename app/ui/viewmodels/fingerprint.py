"""The Fingerprint page without widgets: facts in groups, each with its source or its reason."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication, QObject, Signal, Slot

from app.core.causes import Cause
from app.core.errors import DataFileError
from app.core.events import FingerprintTaken
from app.core.hardware.fingerprint import Fingerprint
from app.core.ids import HostId
from app.ui.bridge import CoreBridge
from app.ui.viewmodels.base import ViewModel
from app.ui.viewmodels.fingerprint_facts import (
    Fact,
    container_facts,
    disk_facts,
    driver_facts,
    gpu_facts,
    machine_facts,
    process_facts,
    processor_facts,
    topology_facts,
)
from app.ui.viewmodels.fingerprint_warnings import warning_facts
from app.ui.viewmodels.host_texts import local_time_text

if TYPE_CHECKING:
    from app.bootstrap import Application

CONTEXT: Final = "Fingerprint"
NO_CAUSES: Final[Mapping[str, Cause]] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class FactGroup:
    """One entry of the list on the left."""

    id: str
    title: str
    icon: str
    facts: tuple[Fact, ...]

    @property
    def unknown_count(self) -> int:
        """How many of its facts are unknown."""
        return sum(fact.value is None for fact in self.facts)


@dataclass(frozen=True, slots=True, kw_only=True)
class FingerprintView:
    """Everything the page shows."""

    note: str
    simulated: bool
    groups: tuple[FactGroup, ...]


def present_fingerprint(
    fingerprint: Fingerprint, causes: Mapping[str, Cause] = NO_CAUSES
) -> FingerprintView:
    """Return the page's contents; ``causes`` explain the findings."""
    return FingerprintView(
        note=_note(fingerprint),
        simulated=fingerprint.simulated,
        groups=tuple(_groups(fingerprint, causes)),
    )


def _note(fingerprint: Fingerprint) -> str:
    text = QCoreApplication.translate("Fingerprint", "{host} · taken {time}")
    return text.format(
        host=fingerprint.host_name or fingerprint.machine.hostname or "?",
        time=local_time_text(fingerprint.taken_at),
    )


_GroupMaker = Callable[[Fingerprint], tuple[Fact, ...]]


def _groups(fingerprint: Fingerprint, causes: Mapping[str, Cause]) -> list[FactGroup]:
    translate = QCoreApplication.translate
    findings = partial(warning_facts, causes=causes)
    makers: tuple[tuple[str, str, str, _GroupMaker], ...] = (
        ("warnings", translate("Fingerprint", "Findings"), "alert-triangle", findings),
        ("gpus", translate("Fingerprint", "GPUs"), "cpu", gpu_facts),
        ("driver", translate("Fingerprint", "Driver and CUDA"), "bolt", driver_facts),
        ("links", translate("Fingerprint", "Links and NUMA"), "topology-star-3", topology_facts),
        ("machine", translate("Fingerprint", "Machine"), "server", machine_facts),
        ("processors", translate("Fingerprint", "Processors, memory"), "gauge", processor_facts),
        ("disks", translate("Fingerprint", "Disks"), "database", disk_facts),
        ("containers", translate("Fingerprint", "Container engine"), "stack-2", container_facts),
        ("processes", translate("Fingerprint", "GPU processes"), "activity", process_facts),
    )
    groups = [
        FactGroup(id=group_id, title=title, icon=icon, facts=make(fingerprint))
        for group_id, title, icon, make in makers
    ]
    return [group for group in groups if group.facts or group.id == "gpus"]


class FingerprintViewModel(ViewModel):
    """Load, take, save and open fingerprints."""

    loaded = Signal(object)
    """``Fingerprint | None``: what the page shows now."""
    saved = Signal(object)
    """The `Path` that was written."""

    def __init__(
        self, app: "Application", bridge: CoreBridge, parent: QObject | None = None
    ) -> None:
        super().__init__(bridge, parent)
        self._app = app
        self._host: HostId | None = None
        self._from_file: Path | None = None
        self.fingerprint: Fingerprint | None = None
        bridge.event_arrived.connect(self._on_event)

    @property
    def causes(self) -> Mapping[str, Cause]:
        """What explains the findings; nothing when there are none or the data file is broken."""
        if self.fingerprint is None or not self.fingerprint.warnings:
            return NO_CAUSES
        try:
            return self._app.data.causes
        except DataFileError:  # the facts are worth showing without
            return NO_CAUSES

    @property
    def from_file(self) -> Path | None:
        """The file that is shown instead of a host's own fingerprint."""
        return self._from_file

    def show_host(self, host_id: HostId | None) -> None:
        """Show a host's newest fingerprint."""
        if host_id == self._host and self._from_file is None and self.fingerprint is not None:
            return
        self._host, self._from_file = host_id, None
        self.reload()

    def reload(self) -> None:
        """Ask for the newest fingerprint again."""
        if self._host is None:
            self._set(None)
            return
        host_id = self._host
        self.run(
            self._app.hosts.fingerprint(host_id),
            on_result=lambda found: self._on_loaded(host_id, found),
        )

    def take(self) -> None:
        """Ask the host what it is; the new fingerprint arrives as an event."""
        if self._host is not None:
            self._from_file = None
            self.run(self._app.hosts.take_fingerprint(self._host))

    def save(self, path: Path) -> None:
        """Write the host's newest fingerprint as JSON, raw sections included."""
        if self._host is not None:
            self.run(
                self._app.hosts.export_fingerprint(self._host, path), on_result=self.saved.emit
            )

    def open_file(self, path: Path) -> None:
        """Show a fingerprint from a file."""
        self.run(self._read(path), on_result=lambda found: self._on_opened(path, found))

    async def _read(self, path: Path) -> Fingerprint:
        return await self._app.imports.from_path(path)

    def _on_opened(self, path: Path, found: Fingerprint) -> None:
        self._from_file = path
        self._set(found)

    def _on_loaded(self, host_id: HostId, found: Fingerprint | None) -> None:
        if host_id == self._host and self._from_file is None:
            self._set(found)

    def _set(self, fingerprint: Fingerprint | None) -> None:
        self.fingerprint = fingerprint
        self.loaded.emit(fingerprint)

    @Slot(object)
    def _on_event(self, event: object) -> None:
        if isinstance(event, FingerprintTaken) and event.host_id == self._host:
            self._from_file = None
            self.reload()
