"""Watch connected hosts for slow trouble: heat, memory errors, full caches, lost GPUs, creep.

Begins when a host connects and ends with its connection. One query of the GPUs every half minute,
one scrape of each serving engine every quarter; clock, kernel log and processes every five
minutes: together well below a hundredth of a core on the host. `alerts` may be called from every
thread.
"""

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from app.core.causes import Cause
from app.core.checks.spec import Checklist
from app.core.diagnosis.comparisons import FactValue
from app.core.engines.spec import EngineData
from app.core.errors import AppError
from app.core.events import (
    AlertChanged,
    DeploymentRemoved,
    DeploymentSnapshot,
    Event,
    HostKind,
    HostSnapshot,
)
from app.core.hardware.fingerprint import Gpu
from app.core.hardware.tools.kernel_log import XidEvent
from app.core.ids import HostId
from app.core.logs.line import LogLine
from app.core.slow.alerts import Alert, AlertBook, AlertKey, of_deployment
from app.core.slow.explain import Judged, judge
from app.core.slow.facts import host_facts, plan_facts
from app.core.slow.signs import SignReader
from app.core.slow.spec import SlowRules, Use
from app.core.slow.tracks import EngineTrack, GpuTrack, MemoryTrack
from app.io.transport.base import Transport
from app.services.bus import EventBus
from app.services.clock import Clock
from app.services.host_looks import HostLooker
from app.services.host_presence import HostPresence
from app.services.slow import ANSWERING, Deployments, EngineScrapes, own_gpus, planned
from app.services.streams import ended

_log = logging.getLogger(__name__)

EVERY_S: Final = 15.0
GPU_EVERY: Final = 2
LOG_EVERY: Final = 4
RARELY_EVERY: Final = 20
"""Counted in looks."""
FIRST_LINES: Final = 4000
"""Back to the start of most engines: what they chose is said there."""
NEW_LINES: Final = 400


class Hosts(Protocol):
    """The part of the hosts service that is used here."""

    def find(self, name_or_id: str) -> HostSnapshot:
        """Return a host."""

    def transport(self, host_id: HostId) -> Transport:
        """Return the live connection or raise NOT_CONNECTED."""


class Watched(Deployments, Protocol):
    """The part of the deployments service that is used here."""

    def logs(
        self, host_id: HostId, name: str, *, follow: bool = False, tail: int | None = None
    ) -> AsyncIterator[LogLine]:
        """Yield cleaned lines of a deployment's log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchParts:
    """Everything from outside."""

    hosts: Hosts
    deployments: Watched
    engines: Mapping[str, EngineData]
    rules: Callable[[], SlowRules]
    causes: Callable[[], Mapping[str, Cause]]
    checklist: Callable[[], Checklist]
    """For what Xid codes mean."""
    bus: EventBus
    clock: Clock


@dataclass(slots=True)
class _EngineMemory:
    container_id: str | None
    track: EngineTrack
    signs: SignReader
    has_read: bool = False


@dataclass(slots=True)
class _HostMemory:
    """What is remembered of a host; it outlives a lost connection."""

    looker: HostLooker = field(default_factory=HostLooker)
    gpus: dict[str, GpuTrack] = field(default_factory=dict)
    gone: dict[str, int] = field(default_factory=dict)
    engines: dict[str, _EngineMemory] = field(default_factory=dict)
    processes: MemoryTrack = field(default_factory=MemoryTrack)
    kernel_lines: set[str] | None = None
    """``None`` before the first look: what is in the log by then is no news."""
    newest: tuple[Gpu, ...] | None = None
    looks: int = 0


class WatchService:
    """Holds the alerts of all hosts."""

    def __init__(self, parts: WatchParts) -> None:
        self._parts = parts
        self._scrapes = EngineScrapes(parts.deployments, parts.engines, parts.rules, parts.clock)
        self._lock = threading.Lock()
        self._book = AlertBook()
        self._memories: dict[HostId, _HostMemory] = {}
        self._tasks: dict[HostId, asyncio.Task[None]] = {}
        self._presence = HostPresence(
            parts.bus, came=self._came, went=self._went, removed=self._removed
        )
        self._detach = parts.bus.subscribe(self._on_event)

    async def close(self) -> None:
        """End all watching."""
        self._detach()
        await self._presence.close()
        for host_id in tuple(self._tasks):
            await self._went(host_id)

    def alerts(self, host_id: HostId | None = None) -> tuple[Alert, ...]:
        """Return the alerts of a host, or all: those that hold first, then the newest."""
        with self._lock:
            found = self._book.all()
        return tuple(a for a in found if host_id in {None, a.key.host_id})

    def alerts_of(self, host_id: HostId, name: str) -> tuple[Alert, ...]:
        """Return the alerts of a deployment that hold."""
        return of_deployment(self.alerts(host_id), host_id, name)

    async def look(self, host_id: HostId) -> None:
        """Look once at everything that is due; the watch calls it again and again.

        Raises:
            HostError: NOT_CONNECTED, CONNECTION_LOST.
            DataFileError: DATA_FILE_BROKEN.
        """
        transport = self._parts.hosts.transport(host_id)
        memory = self._memories.setdefault(host_id, _HostMemory())
        number, memory.looks = memory.looks, memory.looks + 1
        if number % GPU_EVERY == 0:
            await self._look_at_gpus(host_id, transport, memory)
        for snapshot in self._parts.deployments.snapshot(host_id):
            if snapshot.state not in ANSWERING:
                continue
            try:
                await self._look_at_engine(snapshot, memory, reads_log=number % LOG_EVERY == 0)
            except AppError as exc:
                # One that cannot be asked keeps nobody from the others.
                _log.debug("%s was not looked at: %s", snapshot.ref, exc)
        if number % RARELY_EVERY == 0:
            await self._look_rarely(host_id, transport, memory)
        with self._lock:
            over = self._book.quiet_down(self._parts.clock.now_s())
        self._tell(over)

    # Coming and going

    async def _came(self, host_id: HostId) -> None:
        if host_id not in self._tasks:
            self._tasks[host_id] = asyncio.create_task(
                self._watch(host_id), name=f"watch {host_id}"
            )

    async def _went(self, host_id: HostId) -> None:
        task = self._tasks.pop(host_id, None)
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _removed(self, host_id: HostId) -> None:
        await self._went(host_id)
        self._memories.pop(host_id, None)
        with self._lock:
            self._book.drop(host_id)

    def _on_event(self, event: Event) -> None:
        if isinstance(event, DeploymentRemoved):
            with self._lock:
                self._book.drop(event.host_id, event.name)

    async def _watch(self, host_id: HostId) -> None:
        """Go on through every trouble but the end of the connection."""
        await asyncio.to_thread(lambda: (self._parts.rules(), self._parts.causes()))
        while True:
            await self._parts.clock.sleep(EVERY_S)
            try:
                await self.look(host_id)
            except AppError as exc:
                _log.info("A look at %s ended: %s", host_id, exc)

    # Looking

    async def _look_at_gpus(
        self, host_id: HostId, transport: Transport, memory: _HostMemory
    ) -> None:
        memory.newest = gpus = await memory.looker.gpus(transport)
        if gpus is None:
            return
        at_s = self._parts.clock.monotonic_s()
        for gpu in gpus:
            name = gpu.uuid or str(gpu.index)
            memory.gone.pop(name, None)
            facts = memory.gpus.setdefault(name, GpuTrack()).look(at_s, gpu)
            self._judge(host_id, facts, part=f"GPU {gpu.index}")
        if not all(gpu.uuid for gpu in gpus):
            return  # a row without identity may be any of them: none is said to be gone
        for name in memory.gpus.keys() - {gpu.uuid for gpu in gpus}:
            memory.gone[name] = memory.gone.get(name, 0) + 1
            lost: dict[str, FactValue] = {"gpu": name, "gpu_gone_looks": memory.gone[name]}
            self._judge(host_id, lost, part=f"GPU {name}")

    async def _look_at_engine(
        self, snapshot: DeploymentSnapshot, memory: _HostMemory, *, reads_log: bool
    ) -> None:
        spec = self._parts.deployments.records.spec(snapshot.host_id, snapshot.name)
        rules = self._parts.rules()
        known = memory.engines.get(snapshot.name)
        if known is None or known.container_id != snapshot.container_id:
            known = memory.engines[snapshot.name] = _EngineMemory(
                container_id=snapshot.container_id,
                track=EngineTrack(snapshot.engine),
                signs=SignReader(rules.signs, snapshot.engine, self._parts.causes()),
            )
        plan = plan_facts(planned(spec))
        reading = await self._scrapes.read(snapshot)
        if reading is not None:
            facts = known.track.look(reading, own_gpus(spec, memory.newest), rules)
            self._judge(snapshot.host_id, plan | facts, deployment=snapshot.name)
        if reads_log:
            await self._read_log(snapshot, known, plan)

    async def _read_log(
        self, snapshot: DeploymentSnapshot, known: _EngineMemory, facts: Mapping[str, FactValue]
    ) -> None:
        tail = NEW_LINES if known.has_read else FIRST_LINES
        lines: list[LogLine] = []
        log = self._parts.deployments.logs(snapshot.host_id, snapshot.name, tail=tail)
        async with ended(log) as arriving:
            async for line in arriving:
                lines.append(line)  # noqa: PERF401 - the stream has to be closed
        known.has_read = True
        for sign, judged in known.signs.read(lines, facts):
            key = AlertKey(host_id=snapshot.host_id, rule=sign.id, deployment=snapshot.name)
            self._see(key, judged, again=True)

    async def _look_rarely(
        self, host_id: HostId, transport: Transport, memory: _HostMemory
    ) -> None:
        answer = await memory.looker.host(transport)
        if answer is not None:
            load = answer.load_at(self._parts.clock.now_s())
            self._judge(host_id, host_facts(load))
            self._note_kernel(host_id, memory, {x.line: x for x in answer.xids})
        for gpu in await memory.looker.remapped(transport):
            facts: dict[str, FactValue] = {
                "gpu": gpu.uuid,
                "remapped_rows_pending": gpu.remapped_rows_pending,
                "remapped_rows_failure": gpu.remapped_rows_failure,
            }
            self._judge(host_id, facts, part=f"GPU {gpu.uuid}")
        await self._look_at_processes(host_id, transport, memory)

    def _note_kernel(
        self, host_id: HostId, memory: _HostMemory, events: Mapping[str, XidEvent]
    ) -> None:
        known, memory.kernel_lines = memory.kernel_lines, set(events)
        if known is None:
            return
        for line in events.keys() - known:
            event = events[line]
            entry = None if event.is_switch else self._parts.checklist().stack.xid_of(event.code)
            if entry is None or entry.severity is None:
                continue
            facts: dict[str, FactValue] = {
                "xid": event.code,
                "xid_severity": entry.severity.value,
                "xid_line": line,
                "xid_meaning": entry.meaning.en,
                "xid_meaning_zh": entry.meaning.zh_CN,
                "xid_action": entry.action.en,
                "xid_action_zh": entry.action.zh_CN,
            }
            self._judge(host_id, facts, part=f"Xid {event.code}", again=True)

    async def _look_at_processes(
        self, host_id: HostId, transport: Transport, memory: _HostMemory
    ) -> None:
        totals = {gpu.uuid: gpu.memory_total_mib for gpu in memory.newest or ()}
        at_s = self._parts.clock.monotonic_s()
        seen = []
        for process in await memory.looker.processes(transport):
            if process.memory_used_mib is None:
                continue
            key = f"{process.gpu_uuid} {process.pid}"
            seen.append(key)
            total = totals.get(process.gpu_uuid)
            facts = memory.processes.look(at_s, key, process.memory_used_mib, total)
            about: dict[str, FactValue] = {"gpu_process": True, "pid": process.pid}
            self._judge(host_id, about | facts, part=f"pid {process.pid}")
        memory.processes.keep_only(seen)

    # Judging

    def _judge(
        self,
        host_id: HostId,
        facts: Mapping[str, FactValue],
        *,
        deployment: str = "",
        part: str = "",
        again: bool = False,
    ) -> None:
        rules = self._parts.rules().of(Use.WATCH)
        for judged in judge(facts, rules, self._parts.causes()):
            key = AlertKey(
                host_id=host_id, rule=judged.finding.rule, deployment=deployment, part=part
            )
            self._see(key, judged, again=again)

    def _see(self, key: AlertKey, judged: Judged, *, again: bool) -> None:
        host = self._parts.hosts.find(key.host_id).settings
        with self._lock:
            alert = self._book.see(
                key,
                judged,
                self._parts.clock.now_s(),
                host_name=host.name,
                simulated=host.kind is HostKind.DEMO,
                again=again,
            )
        if alert is not None:
            self._tell((alert,))

    def _tell(self, alerts: Iterable[Alert]) -> None:
        for alert in alerts:
            self._parts.bus.publish(AlertChanged(alert=alert))
