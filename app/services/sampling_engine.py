"""Engine metrics of a host's deployments: one scrape a second each, translated by data."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from app.core.engines.spec import EngineData, MetricsFile
from app.core.errors import AppError
from app.core.events import DeploymentSnapshot, DeploymentState
from app.core.ids import HostId
from app.core.metrics.vocabulary import ENGINE_METRICS, Exposure, Metric, SeriesKey
from app.core.readings.translate import EngineTranslator
from app.core.texts import Text
from app.io.prometheus import read_prometheus
from app.services.clock import Clock
from app.services.engine_access import Http
from app.services.rings import Rings

_log = logging.getLogger(__name__)

EVERY_S: Final = 1.0
SCRAPE_S: Final = 3.0
DEFAULT_PATH: Final = "/metrics"

_ANSWERING: Final = frozenset({DeploymentState.SERVING, DeploymentState.DEGRADED})


class EngineSampler:
    """Scrapes the deployments of one host until cancelled."""

    def __init__(
        self,
        host_id: HostId,
        *,
        deployments: Callable[[HostId], Iterable[DeploymentSnapshot]],
        http: Callable[[HostId, str], Http],
        engines: Mapping[str, EngineData],
        rings: Rings,
        clock: Clock,
        sampled: Callable[[str, float], None],
    ) -> None:
        self._host_id = host_id
        self._deployments = deployments
        self._http = http
        self._engines = engines
        self._rings = rings
        self._clock = clock
        self._sampled = sampled
        self._translators: dict[str, EngineTranslator] = {}

    async def run(self) -> None:
        """Scrape once a second; a slow engine delays only itself."""
        running: dict[str, asyncio.Task[None]] = {}
        try:
            while True:
                self._begin_scrapes(running)
                await self._clock.sleep(EVERY_S)
        finally:
            for task in running.values():
                task.cancel()
            await asyncio.gather(*running.values(), return_exceptions=True)

    def exposure(self, deployment: str, metric: Metric) -> Exposure:
        """Tell whether a deployment's engine gives a metric."""
        translator = self._translators.get(deployment)
        return translator.exposure(metric) if translator else Exposure.NOT_YET

    def reason(self, deployment: str, metric: Metric) -> Text | None:
        """Return why it does not."""
        translator = self._translators.get(deployment)
        return translator.reason(metric) if translator else None

    def forget(self, deployment: str) -> None:
        """Drop what is remembered of a deployment that is gone."""
        self._translators.pop(deployment, None)

    def _begin_scrapes(self, running: dict[str, asyncio.Task[None]]) -> None:
        for name in [name for name, task in running.items() if task.done()]:
            running.pop(name).result()
        for snapshot in self._deployments(self._host_id):
            name = snapshot.name
            self._translators.setdefault(name, self._new_translator(snapshot.engine))
            if snapshot.state not in _ANSWERING:
                self._miss(name)
            elif name not in running:
                running[name] = asyncio.create_task(self._scrape(snapshot), name=f"scrape {name}")

    def _new_translator(self, engine: str) -> EngineTranslator:
        data = self._engines.get(engine)
        return EngineTranslator(data.metrics if data else MetricsFile())

    async def _scrape(self, snapshot: DeploymentSnapshot) -> None:
        name, path = snapshot.name, self._path(snapshot.engine)
        if not path:  # this engine has no metrics: asking would only fill its log
            return
        try:
            http = self._http(self._host_id, name)
            answer = await http.get(path, timeout_s=SCRAPE_S)
        except AppError as exc:
            _log.debug("%s was not scraped: %s", name, exc)
            self._miss(name)
            return
        if answer.status != 200:
            self._miss(name)
            return
        at_s = self._clock.now_s()
        translator = self._translators.get(name)
        if translator is None:  # removed meanwhile
            return
        samples = read_prometheus(answer.body.decode("utf-8", "replace"), translator.names)
        for metric, value in translator.read(at_s, samples).items():
            self._rings.append(self._key(name, metric), at_s, value)
        self._sampled(name, at_s)

    def _miss(self, name: str) -> None:
        translator = self._translators.get(name)
        if translator is None:
            return
        translator.missed()
        at_s = self._clock.now_s()
        for metric in ENGINE_METRICS:
            self._rings.gap(self._key(name, metric), at_s)

    def _path(self, engine: str) -> str:
        data = self._engines.get(engine)
        server = data.engine.server if data else None
        return server.metrics_path if server else DEFAULT_PATH

    def _key(self, name: str, metric: Metric) -> SeriesKey:
        return SeriesKey(metric=metric, host_id=self._host_id, deployment=name)
