"""GPU samples of a host: one ``nvidia-smi -lms 1000`` that keeps printing.

A stream that ends, or falls silent because the driver hangs, is started again with growing pauses;
a host without the tool says so.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from app.core.errors import AppError, ErrorCode
from app.core.hardware.tools.smi import SAMPLE_COLUMNS, GpuSample, parse_sample_line
from app.core.ids import HostId
from app.core.metrics.vocabulary import Exposure, Metric, SeriesKey
from app.io.transport.base import Transport
from app.services.clock import Clock
from app.services.rings import Rings

_log = logging.getLogger(__name__)

COMMAND: Final = (
    "nvidia-smi",
    f"--query-gpu={','.join(SAMPLE_COLUMNS)}",
    "--format=csv,noheader,nounits",
    "-lms",
    "1000",
)
BACK_OFF_S: Final = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
STEADY_S: Final = 10.0
"""A stream that lasted this long starts the back-off anew."""
SILENCE_S: Final = 30.0
"""The first line may take a while without persistence mode; then there is one a second."""
ASK_FOR_TOOL_S: Final = 10.0
NO_TOOL_AGAIN_S: Final = 60.0

GPU_METRICS: Final = (
    Metric.GPU_MEMORY_USED_MIB,
    Metric.GPU_UTILIZATION_PERCENT,
    Metric.GPU_POWER_W,
    Metric.GPU_TEMPERATURE_C,
)


class GpuSampler:
    """Samples the GPUs of one host until cancelled."""

    def __init__(
        self,
        host_id: HostId,
        *,
        transport: Callable[[], Transport],
        rings: Rings,
        clock: Clock,
        sampled: Callable[[float], None],
        silence_s: float = SILENCE_S,
    ) -> None:
        self._host_id = host_id
        self._transport = transport
        self._rings = rings
        self._clock = clock
        self._sampled = sampled
        self._silence_s = silence_s
        self._known: set[int] = set()
        self._tick: set[int] = set()
        self.exposure = Exposure.NOT_YET
        self.has_tool: bool | None = None
        """``None`` until it was asked."""

    async def run(self) -> None:
        """Keep a stream open; every end is followed by a new try."""
        attempt = 0
        while True:
            began_s = self._clock.monotonic_s()
            await self._try()
            lasted_s = self._clock.monotonic_s() - began_s
            attempt = 0 if lasted_s >= STEADY_S else attempt + 1
            self._mark_gap()
            await self._clock.sleep(self._pause_s(attempt))

    async def _try(self) -> None:
        try:
            transport = self._transport()
            self.has_tool = await self._ask_for_tool(transport)
            if self.has_tool:
                await self._stream(transport)
        except AppError as exc:
            _log.info("GPU samples ended: %s", exc)
        except TimeoutError:
            _log.info("nvidia-smi printed nothing for %g s", self._silence_s)
        if self.exposure is not Exposure.NOT_EXPOSED:
            self.exposure = Exposure.UNREACHABLE

    async def _ask_for_tool(self, transport: Transport) -> bool:
        """Tell whether there is a tool to ask; its absence is no error of the host."""
        try:
            await transport.run(["nvidia-smi", "-L"], timeout_s=ASK_FOR_TOOL_S)
        except AppError as exc:
            if exc.code is not ErrorCode.TOOL_MISSING:
                raise
            self.exposure = Exposure.NOT_EXPOSED
            return False
        if self.exposure is Exposure.NOT_EXPOSED:
            self.exposure = Exposure.NOT_YET
        return True

    async def _stream(self, transport: Transport) -> None:
        clock = asyncio.get_running_loop().time
        async with (
            transport.stream_lines(COMMAND) as lines,
            asyncio.timeout(self._silence_s) as patience,
        ):
            async for line in lines:
                patience.reschedule(clock() + self._silence_s)
                sample = parse_sample_line(line)
                if sample is not None:
                    self._take(sample)

    def _take(self, sample: GpuSample) -> None:
        at_s = self._clock.now_s()
        self.exposure = Exposure.EXPOSED
        values = (
            sample.memory_used_mib,
            sample.utilization_percent,
            sample.power_w,
            sample.temperature_c,
        )
        for metric, value in zip(GPU_METRICS, values, strict=True):
            self._rings.append(self._key(metric, sample.index), at_s, value)
        self._known.add(sample.index)
        self._tick.add(sample.index)
        if self._tick >= self._known:
            self._tick.clear()
            self._sampled(at_s)

    def _key(self, metric: Metric, index: int) -> SeriesKey:
        return SeriesKey(metric=metric, host_id=self._host_id, gpu_index=index)

    def _mark_gap(self) -> None:
        at_s = self._clock.now_s()
        self._tick.clear()
        for index in self._known:
            for metric in GPU_METRICS:
                self._rings.gap(self._key(metric, index), at_s)

    def _pause_s(self, attempt: int) -> float:
        if self.has_tool is False:
            return NO_TOOL_AGAIN_S
        return BACK_OFF_S[min(max(attempt - 1, 0), len(BACK_OFF_S) - 1)]
