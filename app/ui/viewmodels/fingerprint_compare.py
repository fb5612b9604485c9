"""“Compare”: the page's host, or one of its deployments, against another one, date or file."""

from collections.abc import Coroutine
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QCoreApplication, QObject, Signal, Slot

from app.core.deployment.record import DeploymentRecord
from app.core.diff.difference import Comparison
from app.core.diff.text import comparison_text
from app.core.errors import ErrorInfo
from app.core.events import (
    DeploymentChanged,
    DeploymentRemoved,
    FingerprintTaken,
    HostRemoved,
)
from app.core.hardware.fingerprint import Fingerprint
from app.core.ids import HostId
from app.services.user_files import read_file, save_file
from app.ui.bridge import CoreBridge
from app.ui.viewmodels.base import ViewModel
from app.ui.viewmodels.fingerprint_compare_texts import short_time

if TYPE_CHECKING:
    from app.bootstrap import Application
    from app.services.diff import FingerprintEntry, Subject

translate = QCoreApplication.translate

HOST: Final = "host"
STORED: Final = "stored"
DEPLOYMENT: Final = "deployment"
FILE: Final = "file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One thing that can be compared."""

    kind: str
    key: str
    """Host id, entry of the history, ``HOST/NAME`` or path."""
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareState:
    """Everything the tab shows."""

    whats: tuple[Choice, ...] = ()
    """The page's host and its deployments."""
    what: Choice | None = None
    others: tuple[Choice, ...] = ()
    other: Choice | None = None
    only_behaviour: bool = False
    is_busy: bool = False
    comparison: Comparison | None = None


class CompareViewModel(ViewModel):
    """Choose two sides, compare them, give out the text."""

    changed = Signal(object)
    """The newest `CompareState`."""
    saved = Signal(object)
    """The `Path` that was written."""

    def __init__(
        self, app: "Application", bridge: CoreBridge, parent: QObject | None = None
    ) -> None:
        super().__init__(bridge, parent)
        self._app = app
        self._fingerprint: Fingerprint | None = None
        self._history: tuple[FingerprintEntry, ...] = ()
        self._files: tuple[Choice, ...] = ()
        self._record: DeploymentRecord | None = None
        self._wanted = ""
        """The deployment that is to be compared once it is listed."""
        self._comparing: Future[Any] | None = None
        self.state = CompareState()
        bridge.event_arrived.connect(self._on_event)

    # What is shown

    def show(self, fingerprint: Fingerprint | None) -> None:
        """Compare from this fingerprint on; what was chosen before stays where it still fits."""
        if fingerprint is self._fingerprint:
            return
        other_host = _host_id(fingerprint) != _host_id(self._fingerprint)
        self._fingerprint = fingerprint
        if other_host:
            self._history = ()
            self._set(what=None, other=None, comparison=None)
        self._list()
        self._ask_history()
        self._compare()

    def choose_what(self, choice: Choice) -> None:
        """Compare the host, or one of its deployments."""
        kinds = {choice.kind, self.state.what.kind if self.state.what else choice.kind}
        self._set(what=choice)
        if len(kinds) > 1:  # hosts are compared with hosts, deployments with deployments
            self._set(other=None, comparison=None)
        self._list()
        self._compare()

    def choose_other(self, choice: Choice | None) -> None:
        """Compare with this."""
        self._set(other=choice)
        self._compare()

    def open_file(self, path: Path) -> None:
        """Compare with a saved fingerprint or deployment record."""
        choice = Choice(kind=FILE, key=str(path), label=path.name)
        self._files = (*(c for c in self._files if c.key != choice.key), choice)
        self._list()
        self.choose_other(choice)

    def choose_deployment(self, ref: str) -> None:
        """Compare the deployment ``HOST/NAME``, as another page asks for, once it is listed."""
        self._wanted = ref
        self._take_wanted()

    def sides(self) -> tuple[str, ...]:
        """Return both sides as the command line names them; empty while one is missing."""
        what, other = self.state.what, self.state.other
        if what is None or other is None:
            return ()
        names = (self._side(what), self._side(other))
        return names if all(names) else ()

    def _side(self, choice: Choice) -> str:
        if choice.kind in {DEPLOYMENT, FILE}:
            return choice.key
        if choice.kind == HOST:
            names = {s.settings.id: s.settings.name for s in self._app.hosts.snapshot()}
            return names.get(HostId(choice.key), "")
        at = next((e.taken_at for e in self._history if str(e.id) == choice.key), "")
        host = self._fingerprint.host_name if self._fingerprint is not None else None
        return f"{host}@{at}" if host and at else ""

    def set_only_behaviour(self, only: bool) -> None:
        """Leave out what does not change behaviour."""
        self._set(only_behaviour=only)

    def relist(self) -> None:
        """List again what can be chosen."""
        self._list()

    def again(self) -> bool:
        """Compare once more, with fresh values; False when nothing is chosen."""
        if self.state.other is None:
            return False
        self._compare()
        return True

    # What is given out

    def text(self, language: str) -> str:
        """Return the comparison as text in ``en``, ``zh_CN`` or both."""
        comparison = self.state.comparison
        if comparison is None:
            return ""
        languages = ("en", "zh_CN") if language == "both" else (language,)
        only = self.state.only_behaviour
        texts = (comparison_text(comparison, one, only_behaviour=only) for one in languages)
        return "\n\n----\n\n".join(texts)

    def save(self, path: Path) -> None:
        """Write the text in both languages."""
        content = f"{self.text('both')}\n".encode()
        self.run(save_file(path, content), on_result=self.saved.emit)

    @property
    def can_save_record(self) -> bool:
        """True when the left side is a deployment that was read."""
        return self._record is not None

    def save_record(self, path: Path) -> None:
        """Write what the left deployment is, to compare with it where it cannot be reached."""
        if self._record is not None:
            self.run(self._app.diffs.save_record(path, self._record), on_result=self.saved.emit)

    # Inside

    def _set(self, **changes: Any) -> None:  # noqa: ANN401 - fields of the state
        self.state = replace(self.state, **changes)
        self.changed.emit(self.state)

    def _list(self) -> None:
        whats = self._whats()
        what = _same(self.state.what, whats) or (whats[0] if whats else None)
        others = self._others(what)
        other = _same(self.state.other, others)
        if (whats, what, others, other) != (
            self.state.whats,
            self.state.what,
            self.state.others,
            self.state.other,
        ):
            gone = self.state.other is not None and other is None
            self._set(whats=whats, what=what, others=others, other=other)
            if gone:  # what it was compared with is no longer there
                self._compare()
        self._take_wanted()

    def _take_wanted(self) -> None:
        for choice in self.state.whats:
            if choice.kind == DEPLOYMENT and choice.key == self._wanted:
                self._wanted = ""
                self.choose_what(choice)

    def _whats(self) -> tuple[Choice, ...]:
        fingerprint = self._fingerprint
        if fingerprint is None:
            return ()
        label = translate("Fingerprint", "This host: {name}").format(
            name=fingerprint.host_name or fingerprint.machine.hostname or "–"
        )
        host = Choice(kind=HOST, key=fingerprint.host_id or "", label=label)
        return (host, *self._deployments(HostId(fingerprint.host_id or "")))

    def _others(self, what: Choice | None) -> tuple[Choice, ...]:
        if what is None:
            return ()
        if what.kind == DEPLOYMENT:
            found = [c for c in self._deployments(None) if c.key != what.key]
            return (*found, *self._files)
        hosts = [
            Choice(kind=HOST, key=snapshot.settings.id, label=snapshot.settings.name)
            for snapshot in self._app.hosts.snapshot()
            if snapshot.summary is not None and snapshot.settings.id != what.key
        ]
        return (*self._dates(), *hosts, *self._files)

    def _dates(self) -> tuple[Choice, ...]:
        shown_at = self._fingerprint.taken_at if self._fingerprint is not None else ""
        label = translate("Fingerprint", "Earlier: {time}")
        return tuple(
            Choice(kind=STORED, key=str(e.id), label=label.format(time=short_time(e.taken_at)))
            for e in self._history
            if e.taken_at < shown_at
        )

    def _deployments(self, host_id: HostId | None) -> tuple[Choice, ...]:
        found = self._app.deployments.snapshot(host_id) if host_id != "" else ()
        label = translate("Fingerprint", "Deployment: {name}")
        return tuple(
            Choice(kind=DEPLOYMENT, key=d.ref, label=label.format(name=d.ref))
            for d in found
            if d.container_id is not None
        )

    def _ask_history(self) -> None:
        fingerprint = self._fingerprint
        if fingerprint is None or fingerprint.host_id is None:
            return
        host_id = HostId(fingerprint.host_id)
        if host_id not in {snapshot.settings.id for snapshot in self._app.hosts.snapshot()}:
            return  # a file from another desk
        self.run(
            self._app.diffs.history(host_id),
            on_result=lambda found: self._on_history(host_id, found),
        )

    def _on_history(self, host_id: HostId, found: "tuple[FingerprintEntry, ...]") -> None:
        if _host_id(self._fingerprint) == host_id:
            self._history = found
            self._list()

    def _compare(self) -> None:
        if self._comparing is not None:
            self._comparing.cancel()
            self._comparing = None
        what, other = self.state.what, self.state.other
        if what is None or other is None or self._fingerprint is None:
            self._set(comparison=None, is_busy=False)
            return
        self._set(is_busy=True)
        work = self._work(what, other, self._fingerprint)
        future = self.run(work, on_error=self._on_error, on_result=self._on_made)
        self._comparing = future

    def _work(
        self, what: Choice, other: Choice, fingerprint: Fingerprint
    ) -> Coroutine[Any, Any, "tuple[Comparison, Subject]"]:
        async def work() -> "tuple[Comparison, Subject]":
            is_host = what.kind == HOST
            first: Subject = fingerprint if is_host else await self._get(what)
            second = await self._get(other)
            return await self._app.diffs.compare(first, second), first

        return work()

    async def _get(self, choice: Choice) -> "Subject":
        diffs = self._app.diffs
        if choice.kind == DEPLOYMENT:
            return await diffs.record(self._app.deployments.find(choice.key))
        if choice.kind == FILE:
            path = Path(choice.key)
            return await diffs.from_text(await read_file(path), path.name)
        if choice.kind == STORED:
            return await diffs.stored(int(choice.key))
        return await diffs.fingerprint_at(HostId(choice.key))

    def _on_made(self, made: "tuple[Comparison, Subject]") -> None:
        self._comparing = None
        comparison, first = made
        self._record = first if isinstance(first, DeploymentRecord) else None
        self._set(comparison=comparison, is_busy=False)

    def _on_error(self, error: ErrorInfo) -> None:
        self._comparing = None
        self._set(comparison=None, is_busy=False)
        self.failed.emit(error)

    def cancel(self) -> bool:
        """Give up the comparison that runs; True when one ran."""
        if self._comparing is None:
            return False
        self._comparing.cancel()
        self._comparing = None
        self._set(is_busy=False, other=None, comparison=None)
        return True

    @Slot(object)
    def _on_event(self, event: object) -> None:
        if isinstance(
            event, DeploymentChanged | DeploymentRemoved | FingerprintTaken | HostRemoved
        ):
            self._list()


def _host_id(fingerprint: Fingerprint | None) -> str | None:
    return fingerprint.host_id if fingerprint is not None else None


def _same(choice: Choice | None, choices: tuple[Choice, ...]) -> Choice | None:
    """Return the choice of the same thing in a new list."""
    if choice is None:
        return None
    return next((c for c in choices if (c.kind, c.key) == (choice.kind, choice.key)), None)
