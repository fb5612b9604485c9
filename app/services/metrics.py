"""Live metrics as a service: what to watch, series to draw, and why something is not there.

`keys`, `series`, `exposure` and `reason` may be called from every thread.
"""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from app.core.engines.spec import EngineData
from app.core.events import (
    DeploymentRemoved,
    DeploymentSnapshot,
    Event,
    HostRemoved,
    MetricsSampled,
)
from app.core.ids import HostId
from app.core.metrics.rings import Series
from app.core.metrics.vocabulary import Exposure, Metric, SeriesKey
from app.core.texts import Text
from app.io.transport.base import Transport
from app.services.bus import EventBus
from app.services.clock import Clock
from app.services.engine_access import Http
from app.services.rings import Rings
from app.services.sampling_engine import EngineSampler
from app.services.sampling_gpu import GpuSampler

_log = logging.getLogger(__name__)

NO_GPU_TOOL: Final = Text(
    en="There is no NVIDIA GPU tool on this host.", zh_CN="此主机上没有 NVIDIA GPU 工具。"
)
GPU_TOOL_FAILS: Final = Text(
    en="nvidia-smi on this host fails or prints nothing usable; a new fingerprint says why.",
    zh_CN="此主机上的 nvidia-smi 失败或没有可用的输出；重新采集指纹可以看到原因。",
)
NOT_IN_ANSWER: Final = Text(
    en="The engine's answer has no such metric.", zh_CN="引擎的返回中没有此指标。"
)


class Hosts(Protocol):
    """The part of the hosts service that is used here."""

    def transport(self, host_id: HostId) -> Transport:
        """Return the live connection or raise NOT_CONNECTED."""


class Deployments(Protocol):
    """The part of the deployments service that is used here."""

    def snapshot(self, host_id: HostId | None = None) -> tuple[DeploymentSnapshot, ...]:
        """Return the deployments of a host."""

    def http(self, host_id: HostId, name: str) -> Http:
        """Return a client for a deployment's engine."""


@dataclass(slots=True)
class _Watch:
    gpu: GpuSampler
    engine: EngineSampler
    tasks: tuple[asyncio.Task[None], ...]
    watchers: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricParts:
    """Everything from outside."""

    hosts: Hosts
    deployments: Deployments
    engines: Mapping[str, EngineData]
    bus: EventBus
    clock: Clock
    rings: Rings = field(default_factory=Rings)


class MetricsService:
    """Samples the hosts that somebody watches, one sample a second, one day kept."""

    def __init__(self, parts: MetricParts) -> None:
        self._parts = parts
        self._rings = parts.rings
        self._watches: dict[HostId, _Watch] = {}
        self._detach = parts.bus.subscribe(self._on_event)

    async def close(self) -> None:
        """End all sampling."""
        self._detach()
        for host_id in tuple(self._watches):
            await self._end(host_id)

    async def watch(self, host_id: HostId) -> None:
        """Begin to sample a host; each call needs one `unwatch`."""
        watch = self._watches.get(host_id)
        if watch is not None:
            watch.watchers += 1
            return
        parts = self._parts
        gpu = GpuSampler(
            host_id,
            transport=lambda: parts.hosts.transport(host_id),
            rings=self._rings,
            clock=parts.clock,
            sampled=lambda at_s: self._tell(host_id, None, at_s),
        )
        engine = EngineSampler(
            host_id,
            deployments=parts.deployments.snapshot,
            http=parts.deployments.http,
            engines=parts.engines,
            rings=self._rings,
            clock=parts.clock,
            sampled=lambda name, at_s: self._tell(host_id, name, at_s),
        )
        tasks = (
            asyncio.create_task(gpu.run(), name=f"gpu samples {host_id}"),
            asyncio.create_task(engine.run(), name=f"engine samples {host_id}"),
        )
        self._watches[host_id] = _Watch(gpu=gpu, engine=engine, tasks=tasks)

    async def unwatch(self, host_id: HostId) -> None:
        """End sampling when nobody else watches; the samples stay for a return."""
        watch = self._watches.get(host_id)
        if watch is None:
            return
        watch.watchers -= 1
        if watch.watchers <= 0:
            await self._end(host_id)

    def keys(self, host_id: HostId, deployment: str | None = None) -> tuple[SeriesKey, ...]:
        """Return the series there are: the host's GPUs, and those of one or all deployments."""
        return tuple(
            key
            for key in self._rings.keys(host_id)
            if deployment is None or key.deployment in {None, deployment}
        )

    def series(self, key: SeriesKey, since_s: float | None = None) -> Series:
        """Return a copy of one series from a time on, empty when there is none."""
        return self._rings.copy(key, since_s)

    def exposure(self, host_id: HostId, deployment: str | None, metric: Metric) -> Exposure:
        """Tell whether a metric can be had."""
        watch = self._watches.get(host_id)
        if watch is None:
            return Exposure.NOT_YET
        if metric.value.startswith("gpu."):
            return watch.gpu.exposure
        return watch.engine.exposure(deployment or "", metric)

    def reason(self, host_id: HostId, deployment: str | None, metric: Metric) -> Text | None:
        """Return why a metric is not there; ``None`` when it is, or when it may still come."""
        exposure = self.exposure(host_id, deployment, metric)
        if exposure is Exposure.UNREACHABLE and metric.value.startswith("gpu."):
            return GPU_TOOL_FAILS
        if exposure is not Exposure.NOT_EXPOSED:
            return None
        if metric.value.startswith("gpu."):
            return NO_GPU_TOOL
        return self._watches[host_id].engine.reason(deployment or "", metric) or NOT_IN_ANSWER

    def _tell(self, host_id: HostId, deployment: str | None, at_s: float) -> None:
        self._parts.bus.publish(MetricsSampled(host_id=host_id, deployment=deployment, at_s=at_s))

    def _on_event(self, event: Event) -> None:
        """What is gone needs no memory."""
        if isinstance(event, DeploymentRemoved):
            watch = self._watches.get(event.host_id)
            if watch is not None:
                watch.engine.forget(event.name)
            self._rings.drop(event.host_id, event.name)
        elif isinstance(event, HostRemoved):
            watch = self._watches.pop(event.host_id, None)
            for task in watch.tasks if watch else ():
                task.get_loop().call_soon_threadsafe(task.cancel)
            self._rings.drop(event.host_id)

    async def _end(self, host_id: HostId) -> None:
        watch = self._watches.pop(host_id)
        for task in watch.tasks:
            task.cancel()
        results = await asyncio.gather(*watch.tasks, return_exceptions=True)
        for result in results:
            if isinstance(result, Exception):
                _log.error("Sampling of %s had failed", host_id, exc_info=result)
