"""Where the time of a deployment's requests goes: a short look at engine, GPUs, host and client.

Nothing is changed on the host. One short request of Pitwall's own shows what a client sees.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final, Protocol

from app.core.causes import Cause
from app.core.deployment.answers import ChatAnswer
from app.core.deployment.spec import DeploymentSpec
from app.core.engines.spec import EngineData
from app.core.errors import AppError
from app.core.events import DeploymentSnapshot, DeploymentState
from app.core.hardware.fingerprint import Gpu
from app.core.ids import HostId
from app.core.slow.explain import Seen, SlowReport, explain
from app.core.slow.facts import ClientTiming, HostLoad, Planned
from app.core.slow.readings import EngineReading, read_engine
from app.core.slow.spec import Figure, SlowRules
from app.io.prometheus import read_prometheus
from app.io.transport.base import Transport
from app.services.activities import Activities
from app.services.clock import Clock
from app.services.deploying.measuring import PROMPT, TOKENS
from app.services.deploying.requests import EngineRequests
from app.services.engine_access import Http, UrlFactory
from app.services.host_looks import HostLooker

_log = logging.getLogger(__name__)

WINDOW_S: Final = 10.0
STEP_S: Final = 2.0
SCRAPE_S: Final = 3.0
PROBE_S: Final = 30.0

ANSWERING: Final = frozenset({DeploymentState.SERVING, DeploymentState.DEGRADED})


class Hosts(Protocol):
    """The part of the hosts service that is used here."""

    def transport(self, host_id: HostId) -> Transport:
        """Return the live connection or raise NOT_CONNECTED."""


class Records(Protocol):
    """What is on record of deployments."""

    def spec(self, host_id: HostId, name: str) -> DeploymentSpec | None:
        """Return what a deployment was created from."""


class Deployments(Protocol):
    """The part of the deployments service that is used here."""

    @property
    def records(self) -> Records:
        """What is on record."""

    def snapshot(self, host_id: HostId | None = None) -> tuple[DeploymentSnapshot, ...]:
        """Return the deployments of a host."""

    def http(self, host_id: HostId, name: str) -> Http:
        """Return a client for a deployment's engine."""

    async def chat(
        self, host_id: HostId, name: str, prompt: str, *, max_tokens: int = 64
    ) -> ChatAnswer:
        """Send one prompt."""

    async def api_key(self, host_id: HostId, name: str) -> str | None:
        """Return the key that clients must send."""


class EngineScrapes:
    """Reads the figures of engines by their data."""

    def __init__(
        self,
        deployments: Deployments,
        engines: Mapping[str, EngineData],
        rules: Callable[[], SlowRules],
        clock: Clock,
    ) -> None:
        self._deployments = deployments
        self._engines = engines
        self._rules = rules
        self._clock = clock

    async def read(self, snapshot: DeploymentSnapshot) -> EngineReading | None:
        """Return one look; ``None`` when the engine has no metrics or does not answer."""
        sources = [s for s in self._rules().figures if s.engine == snapshot.engine]
        if not sources:
            return None
        data = self._engines.get(snapshot.engine)
        server = data.engine.server if data is not None else None
        path = (server.metrics_path if server is not None else "") or "/metrics"
        try:
            http = self._deployments.http(snapshot.host_id, snapshot.name)
            answer = await http.get(path, timeout_s=SCRAPE_S)
        except AppError as exc:
            _log.debug("%s was not scraped: %s", snapshot.name, exc)
            return None
        if answer.status != 200:
            return None
        text = answer.body.decode("utf-8", "replace")
        samples = read_prometheus(text, {source.name for source in sources})
        return read_engine(self._clock.monotonic_s(), samples, sources)


def planned(spec: DeploymentSpec | None) -> Planned:
    """Return what is known of a plan."""
    if spec is None:
        return Planned()
    return Planned(gpu_count=len(spec.container.gpu_uuids))


def own_gpus(spec: DeploymentSpec | None, gpus: tuple[Gpu, ...] | None) -> tuple[Gpu, ...] | None:
    """Return the GPUs that a deployment was given; ``None`` when that is not known."""
    if spec is None or gpus is None:
        return None
    wanted = set(spec.container.gpu_uuids)
    return tuple(gpu for gpu in gpus if gpu.uuid in wanted)


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowParts:
    """Everything from outside."""

    hosts: Hosts
    deployments: Callable[[], Deployments]
    engines: Mapping[str, EngineData]
    rules: Callable[[], SlowRules]
    causes: Callable[[], Mapping[str, Cause]]
    url: UrlFactory
    clock: Clock
    activities: Activities


@dataclass(slots=True)
class _Gathered:
    readings: list[EngineReading] = field(default_factory=list)
    gpus: list[Gpu] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    """How the request of our own reaches the engine."""

    http: Http
    ask: Callable[[], Awaitable[ChatAnswer]]


class SlowService:
    """Answers where the time goes."""

    def __init__(self, parts: SlowParts) -> None:
        self._parts = parts

    async def explain(
        self,
        snapshot: DeploymentSnapshot,
        *,
        window_s: float = WINDOW_S,
        ask: bool = True,
        through: str = "",
    ) -> SlowReport:
        """Look at a deployment for a while and say where the time of its requests goes.

        Args:
            snapshot: Which one.
            window_s: For how long.
            ask: Send one short request of our own at the end, to see what a client sees.
            through: Base URL to send it to from this desk, the way that clients take; empty: over
                the host's own connection, past any proxy.

        Raises:
            HostError: NOT_CONNECTED.
            UserInputError: INVALID_INPUT for a URL that cannot be used.
            DataFileError: DATA_FILE_BROKEN.
        """
        parts = self._parts
        rules, causes = await asyncio.to_thread(lambda: (parts.rules(), parts.causes()))
        transport = parts.hosts.transport(snapshot.host_id)
        if snapshot.state not in ANSWERING:
            return explain(Seen(engine=snapshot.engine), rules, causes)
        deployments = parts.deployments()
        scrapes = EngineScrapes(deployments, parts.engines, parts.rules, parts.clock)
        spec = deployments.records.spec(snapshot.host_id, snapshot.name)
        looker, seen = HostLooker(), _Gathered()
        async with parts.activities.run("slow", snapshot.ref) as activity:
            began_s = parts.clock.monotonic_s()
            while True:
                await self._look(snapshot, scrapes, transport, looker, spec, seen)
                passed_s = parts.clock.monotonic_s() - began_s
                activity.report(min(passed_s / window_s, 1.0) if window_s > 0 else None)
                if passed_s >= window_s:
                    break
                await parts.clock.sleep(min(STEP_S, window_s - passed_s))
            client = None
            if ask:
                async with self._way(snapshot, through) as way:
                    client = await self._probe(snapshot, way, scrapes, seen)
            host = await self._host(transport, looker)
        return explain(
            Seen(
                engine=snapshot.engine,
                readings=tuple(seen.readings),
                gpus=tuple(seen.gpus),
                host=host,
                client=client,
                planned=planned(spec),
            ),
            rules,
            causes,
        )

    async def _look(  # noqa: PLR0917 - one look at everything
        self,
        snapshot: DeploymentSnapshot,
        scrapes: EngineScrapes,
        transport: Transport,
        looker: HostLooker,
        spec: DeploymentSpec | None,
        seen: _Gathered,
    ) -> None:
        reading, gpus = await asyncio.gather(scrapes.read(snapshot), looker.gpus(transport))
        if reading is not None:
            seen.readings.append(reading)
        seen.gpus.extend(own_gpus(spec, gpus) or ())

    async def _host(self, transport: Transport, looker: HostLooker) -> HostLoad:
        answer = await looker.host(transport)
        return answer.load_at(self._parts.clock.now_s()) if answer is not None else HostLoad()

    @asynccontextmanager
    async def _way(self, snapshot: DeploymentSnapshot, through: str) -> AsyncIterator[_Way]:
        """Yield how the request of our own goes."""
        deployments, where = self._parts.deployments(), (snapshot.host_id, snapshot.name)
        if not through:
            yield _Way(
                http=deployments.http(*where),
                ask=lambda: deployments.chat(*where, PROMPT, max_tokens=TOKENS),
            )
            return
        http = self._parts.url(through, api_key=await deployments.api_key(*where))
        requests = EngineRequests(
            http, engine=snapshot.engine, model=snapshot.model_name, clock=self._parts.clock
        )
        try:
            yield _Way(http=http, ask=lambda: requests.chat(PROMPT, max_tokens=TOKENS))
        finally:
            await http.close()

    async def _probe(
        self, snapshot: DeploymentSnapshot, way: _Way, scrapes: EngineScrapes, seen: _Gathered
    ) -> ClientTiming | None:
        """Ask as a client does; the server's own count of that request stands beside it."""
        try:
            async with asyncio.timeout(PROBE_S):
                connect_s = await self._connect(snapshot, way.http)
                answer = await way.ask()
        except (AppError, TimeoutError) as exc:
            _log.info("%s did not answer a request of Pitwall's own: %s", snapshot.ref, exc)
            return None
        after = await scrapes.read(snapshot)
        before = seen.readings[-1] if seen.readings else None
        if after is not None:
            seen.readings.append(after)
        return ClientTiming(
            ttft_s=answer.ttft_s,
            total_s=answer.total_s,
            tokens=answer.tokens,
            connect_s=connect_s,
            server_ttft_s=_own_ttft(before, after),
        )

    async def _connect(self, snapshot: DeploymentSnapshot, way: Http) -> float:
        """Return how long a short request on a new connection takes: the quickest of three.

        The first one may wait for something else on this desk.
        """
        data = self._parts.engines.get(snapshot.engine)
        server = data.engine.server if data is not None else None
        path = server.health_path if server is not None else "/health"
        took: list[float] = []
        for _ in range(3):
            began_s = self._parts.clock.monotonic_s()
            await way.get(path, timeout_s=SCRAPE_S)
            took.append(self._parts.clock.monotonic_s() - began_s)
        return min(took)


def _own_ttft(before: EngineReading | None, after: EngineReading | None) -> float | None:
    """Only when the server counted this one request alone is its figure that request's."""
    if before is None or after is None:
        return None
    needed = (Figure.TTFT_S, Figure.TTFT_COUNT)
    if any(f not in r.values for f in needed for r in (before, after)):
        return None
    count = after.values[Figure.TTFT_COUNT] - before.values[Figure.TTFT_COUNT]
    return after.values[Figure.TTFT_S] - before.values[Figure.TTFT_S] if count == 1 else None
