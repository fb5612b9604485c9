"""The Deployments page without widgets: what runs, what can be done with it, its log, a chat."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal, Slot

from app.core.deployment.state import WORKING
from app.core.diagnosis.finding import Finding
from app.core.engines.spec import EngineData
from app.core.errors import ErrorCode, ErrorInfo
from app.core.events import (
    AlertChanged,
    DeploymentChanged,
    DeploymentRemoved,
    DeploymentSnapshot,
    DeploymentState,
    HostRemoved,
    HostSnapshot,
    HostState,
)
from app.core.ids import HostId
from app.ui.bridge import CoreBridge
from app.ui.viewmodels.base import ViewModel, error_info
from app.ui.viewmodels.deployments_conversation import Conversation
from app.ui.viewmodels.deployments_follow import FollowedLog
from app.ui.viewmodels.deployments_lines import LogModel
from app.ui.viewmodels.deployments_texts import (
    ChatView,
    DeploymentCard,
    DeploymentDetail,
    present_card,
    present_detail,
)
from app.ui.viewmodels.deployments_told import what_ended
from app.ui.viewmodels.deployments_use import curl_text

if TYPE_CHECKING:
    from app.bootstrap import Application

translate = QCoreApplication.translate

_CLOCK_MS: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class DeploymentsState:
    """Everything the page shows, but for the log."""

    cards: tuple[DeploymentCard, ...] = ()
    selected: str | None = None
    """``HOST/NAME``"""
    detail: DeploymentDetail | None = None
    chat: ChatView = field(default_factory=ChatView)
    log_error: ErrorInfo | None = None
    looked_at: frozenset[HostId] = frozenset()
    """Connected hosts that told what runs on them."""


class DeploymentsViewModel(ViewModel):
    """Follow all deployments; act on the chosen one."""

    changed = Signal(object)
    """The new `DeploymentsState`."""
    log_saved = Signal(object)
    tunnel_opened = Signal(str)
    told = Signal(str)
    """What was done, in words for the status line."""
    text_ready = Signal(str)
    """Something asked for that belongs on the clipboard."""

    def __init__(
        self, app: "Application", bridge: CoreBridge, parent: QObject | None = None
    ) -> None:
        super().__init__(bridge, parent)
        self._app = app
        self._state = DeploymentsState()
        self._snapshots: dict[tuple[HostId, str], DeploymentSnapshot] = {}
        self._engines: Mapping[str, EngineData] = {}
        self._wanted: tuple[HostId | None, str] | None = None
        self._asked: set[HostId] = set()
        self._followed = FollowedLog(app, bridge, self)
        self._followed.told.connect(self._present)
        self._followed.broke.connect(self._on_log)
        self._conversation = Conversation(app, bridge, self)
        self._conversation.changed.connect(self._on_chat)
        self._clock = QTimer(self)
        self._clock.setInterval(_CLOCK_MS)
        self._clock.timeout.connect(self._present)
        bridge.event_arrived.connect(self._on_event)
        self.run(self._read_engines(), on_result=self._on_engines)
        self.reload()

    @property
    def state(self) -> DeploymentsState:
        """What is shown now."""
        return self._state

    @property
    def log(self) -> LogModel:
        """Lines of the chosen deployment's log."""
        return self._followed.model

    @property
    def snapshot(self) -> DeploymentSnapshot | None:
        """The chosen deployment."""
        for snapshot in self._snapshots.values():
            if snapshot.ref == self._state.selected:
                return snapshot
        return None

    # Looking

    def reload(self) -> None:
        """Take what the service knows."""
        self._snapshots = {(s.host_id, s.name): s for s in self._app.deployments.snapshot()}
        self._present()

    def refresh(self, host: HostSnapshot | None) -> None:
        """Ask a host what runs there."""
        if host is not None and host.state is HostState.CONNECTED:
            host_id = host.settings.id
            self._asked.add(host_id)
            self.run(
                self._app.deployments.refresh(host_id), on_result=lambda _: self._looked(host_id)
            )

    def follow_host(self, host: HostSnapshot | None) -> None:
        """Take news of the host in the host bar; one that has just come is asked."""
        if host is None:
            return
        if host.state is HostState.CONNECTED and host.settings.id not in self._asked:
            self.refresh(host)
        elif host.state is not HostState.CONNECTED:
            self._asked.discard(host.settings.id)
            self._change(looked_at=self._state.looked_at - {host.settings.id})

    def select(self, ref: str | None) -> None:
        """Choose a deployment by ``HOST/NAME``."""
        if ref == self._state.selected:
            return
        self._wanted = None
        self._change(selected=ref, chat=ChatView(), log_error=None)
        self._present()

    def select_name(self, host_id: HostId | None, name: str) -> None:
        """Choose a deployment of a host, now or as soon as it appears."""
        for snapshot in self._snapshots.values():
            if snapshot.name == name and host_id in {None, snapshot.host_id}:
                self.select(snapshot.ref)
                return
        self._wanted = (host_id, name)

    def set_visible(self, *, visible: bool) -> None:
        """Let the clock and the log run only while somebody looks."""
        if visible:
            self._clock.start()
            self._followed.wake()
            self.reload()
        else:
            self._clock.stop()

    def finding(self, cause: str) -> Finding | None:
        """Return a finding that is shown of the chosen deployment."""
        chosen = self.snapshot
        known = chosen.findings if chosen is not None else ()
        live = self._followed.diagnosis
        more = live.findings if live is not None else ()
        return next((found for found in (*known, *more) if found.cause == cause), None)

    # Doing

    def start(self) -> None:
        """Start the chosen deployment again."""
        self._act(self._app.deployments.start)

    def stop(self) -> None:
        """Stop it."""
        self._act(self._app.deployments.stop)

    def restart(self) -> None:
        """Stop and start it."""
        self._act(self._app.deployments.restart)

    def roll_back(self) -> None:
        """Put the earlier revision in force again."""
        self._act(self._app.deployments.rollback)

    def remove(self) -> None:
        """Remove it with all its containers."""
        self._act(self._app.deployments.remove)

    def remove_older(self) -> None:
        """Remove what earlier revisions left on the host."""
        self._act(self._app.deployments.remove_older)

    def open_tunnel(self) -> None:
        """Make it reachable on this computer's loopback."""
        chosen = self.snapshot
        if chosen is not None:
            self.run(
                self._app.deployments.open_tunnel(chosen.host_id, chosen.name),
                on_result=lambda port: self.tunnel_opened.emit(f"http://127.0.0.1:{port}"),
            )

    def close_tunnel(self) -> None:
        """End that."""
        chosen = self.snapshot
        if chosen is not None:
            self.run(self._app.deployments.close_tunnel(chosen.host_id, chosen.name))

    def copy_key(self) -> None:
        """Fetch the key that clients send; it arrives as `text_ready` and is not shown."""
        chosen = self.snapshot
        if chosen is not None:
            self.run(
                self._app.deployments.api_key(chosen.host_id, chosen.name), on_result=self._on_key
            )

    def copy_curl(self) -> None:
        """Make a command that asks through the tunnel; it arrives as `text_ready`."""
        chosen = self.snapshot
        if chosen is not None and chosen.tunnel_port:
            self.run(
                self._app.deployments.api_key(chosen.host_id, chosen.name),
                on_result=lambda key: self.text_ready.emit(curl_text(chosen, key)),
            )

    def say(self, prompt: str, max_tokens: int = 64) -> None:
        """Send one prompt; the answer comes whole, with its times."""
        chosen = self.snapshot
        if chosen is not None and prompt.strip() and not self._state.chat.is_waiting:
            self._conversation.say(chosen, prompt.strip(), max_tokens)

    def cancel_chat(self) -> bool:
        """Wait no longer for an answer; True when one was waited for."""
        return self._conversation.cancel()

    def read_whole_log(self) -> None:
        """Read the log from its start, not only its newest lines."""
        chosen = self.snapshot
        if chosen is not None:
            self._followed.read_whole(chosen)

    def save_log(self, path: Path) -> None:
        """Write the whole log to a file."""
        chosen = self.snapshot
        if chosen is not None:
            self.run(
                self._app.deployments.records.save_log(chosen.host_id, chosen.name, path),
                on_result=self.log_saved.emit,
            )

    def dispose(self) -> None:
        """Let go."""
        self._followed.dispose()
        self._conversation.dispose()
        self._clock.stop()
        super().dispose()

    # Inside

    def _act(self, act: Callable[[HostId, str], Coroutine[Any, Any, Any]]) -> None:
        """Do something with the chosen deployment."""
        chosen = self.snapshot
        if chosen is not None:
            self._send(act(chosen.host_id, chosen.name))

    def _send(self, work: Coroutine[Any, Any, Any]) -> None:
        """Run what must go on although the window closes; its failure shows in the snapshot."""
        self.bridge.call(work, self._on_sent)

    def _looked(self, host_id: HostId) -> None:
        self._state = replace(self._state, looked_at=self._state.looked_at | {host_id})
        self.reload()

    def _on_key(self, key: str | None) -> None:
        if key:
            self.text_ready.emit(key)
        else:
            self.told.emit(translate("Deployments", "It answers without a key"))

    def _tell(self, before: DeploymentSnapshot | None, after: DeploymentSnapshot | None) -> None:
        """Say in words what ended; what begins is seen."""
        if before is None:
            return
        is_up = after is not None and after.state is DeploymentState.SERVING
        if is_up and before.state in WORKING:
            # An earlier revision may lie on the host now.
            self.run(self._app.deployments.refresh(before.host_id))
        elif text := what_ended(before, after, is_connected=self._is_connected(before.host_id)):
            self.told.emit(text)

    def _is_connected(self, host_id: HostId) -> bool:
        hosts = self._app.hosts.snapshot()
        return any(h.settings.id == host_id and h.state is HostState.CONNECTED for h in hosts)

    def _on_sent(self, future: "Future[Any]") -> None:
        if self._disposed or future.cancelled():
            return
        failure = future.exception()
        if failure is None:
            return
        error = error_info(failure)
        chosen = self.snapshot
        is_shown = chosen is not None and chosen.error is not None
        if error.code is not ErrorCode.CANCELLED and not is_shown:
            self.failed.emit(error)

    async def _read_engines(self) -> Mapping[str, EngineData]:
        return await asyncio.to_thread(lambda: dict(self._app.engines))

    def _on_engines(self, engines: Mapping[str, EngineData]) -> None:
        self._engines = engines
        self._present()

    def _change(self, **changes: Any) -> None:  # noqa: ANN401 - as dataclasses.replace takes them
        self._state = replace(self._state, **changes)
        self.changed.emit(self._state)

    @Slot()
    def _present(self) -> None:
        now_s = self._app.clock.now_s()
        known = sorted(self._snapshots.values(), key=lambda s: (s.host_name, s.name))
        self._choose_wanted(known)
        refs = [snapshot.ref for snapshot in known]
        selected = self._state.selected if self._state.selected in refs else None
        if selected is None and refs:
            selected = refs[0]
        if selected != self._state.selected:
            self._state = replace(self._state, selected=selected, chat=ChatView(), log_error=None)
        chosen = self.snapshot
        self._change(
            cards=tuple(present_card(s, now_s, self._engines.get(s.engine)) for s in known),
            detail=None if chosen is None else self._detail(chosen, now_s),
        )
        self._followed.follow(chosen)

    def _detail(self, chosen: DeploymentSnapshot, now_s: float) -> DeploymentDetail:
        service = self._app.deployments
        return present_detail(
            chosen,
            now_s=now_s,
            remaining_s=service.remaining_s(chosen.host_id, chosen.name),
            actuals=service.actuals(chosen.host_id, chosen.name),
            engine=self._engines.get(chosen.engine),
            live=self._followed.diagnosis,
            alerts=self._app.watching.alerts_of(chosen.host_id, chosen.name),
        )

    def _choose_wanted(self, known: list[DeploymentSnapshot]) -> None:
        if self._wanted is None:
            return
        host_id, name = self._wanted
        for snapshot in known:
            if snapshot.name == name and host_id in {None, snapshot.host_id}:
                self._wanted = None
                self._state = replace(self._state, selected=snapshot.ref, chat=ChatView())
                return

    # Answers and events

    @Slot(object)
    def _on_log(self, error: ErrorInfo | None) -> None:
        if error != self._state.log_error:
            self._change(log_error=error)

    @Slot(str, object)
    def _on_chat(self, ref: str, chat: ChatView) -> None:
        if ref == self._state.selected:
            self._change(chat=chat)

    @Slot(object)
    def _on_event(self, event: object) -> None:
        match event:
            case AlertChanged(alert=alert) if alert.key.deployment:
                self._present()
            case DeploymentChanged(snapshot=snapshot):
                known = self._snapshots.get((snapshot.host_id, snapshot.name))
                if known is None or known.revision <= snapshot.revision:
                    self._snapshots[snapshot.host_id, snapshot.name] = snapshot
                    self._present()
                    self._tell(known, snapshot)
            case DeploymentRemoved(host_id=host_id, name=name):
                gone = self._snapshots.pop((host_id, name), None)
                if gone is not None:
                    self._present()
                    self._tell(gone, None)
            case HostRemoved(host_id=host_id):
                self._snapshots = {
                    key: value for key, value in self._snapshots.items() if key[0] != host_id
                }
                self._present()
            case _:
                pass
