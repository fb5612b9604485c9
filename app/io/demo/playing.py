"""Play what is inside a container of the demo host: its start, its engine, its end.

A container that was started earlier, maybe by another Pitwall, is taken up where it would be now.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from app.io.demo.container import DemoContainer
from app.io.demo.engine import SimulatedEngine
from app.io.demo.engine_log import (
    StartLine,
    kv_failure,
    memory_failure,
    model_failure,
    start_lines,
    written,
)
from app.io.demo.gpus import DemoGpus
from app.io.demo.models import DemoModel
from app.io.demo.pace import Pace, stamp
from app.io.demo.serving import Serving, read_serving
from app.io.demo.visitors import Visitors

LOAD_WHEN_BUSY: Final = 0.35
"""Load of one running request; more of them bring it near 1."""
LOAD_EVERY_S: Final = 0.5

OnExit = Callable[[DemoContainer], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoPace:
    """How the simulation behaves."""

    speed: float = 1.0
    """Starts go this many times faster."""
    visitors: bool = True


class Player:
    """Plays containers; ``on_exit`` is told of those that end by themselves."""

    def __init__(
        self,
        *,
        models: Sequence[DemoModel],
        gpus: DemoGpus,
        clock: Pace,
        pace: DemoPace,
        on_exit: OnExit,
    ) -> None:
        self._models = tuple(models)
        self._gpus = gpus
        self._clock = clock
        self._pace = pace
        self._on_exit = on_exit
        self._runs: dict[str, asyncio.Task[None]] = {}

    async def play(self, container: DemoContainer) -> None:
        """Begin, or take up, a container whose status is running."""
        serving = read_serving(container.spec, self._models)
        failure = self._failure(container, serving)
        began_s = epoch_s(container.started_at)
        past, coming = split_start(
            failure or start_lines(serving.figures),
            elapsed_s=self._clock.now_s() - began_s,
            speed=self._pace.speed,
        )
        for after_s, line in past:
            level = "ERROR" if failure and line is failure[-1] else "INFO"
            at_s = began_s + after_s
            container.write(written(line, at_s, level=level), at_s=at_s)
        if failure is None:
            held = max((line.memory_share for _, line in past), default=0.0)
            await self._serve(container, serving, coming, held=held)
        else:
            self._runs[container.id] = asyncio.create_task(self._fail(container, coming))

    async def end(self, container: DemoContainer, *, exit_code: int) -> None:
        """End a container and everything inside; ports and memory are free afterwards."""
        container.status, container.exit_code = "exited", exit_code
        container.finished_at = stamp(self._clock.now_s())
        container.host_port = 0
        run = self._runs.pop(container.id, None)
        if run is not None:
            run.cancel()
            await asyncio.gather(run, return_exceptions=True)
        visitors, container.visitors = container.visitors, None
        if visitors is not None:
            await visitors.stop()
        engine, container.engine = container.engine, None
        if engine is not None:
            await engine.stop()
        self._gpus.clear_use(container.id)
        container.wake()

    def _failure(self, container: DemoContainer, serving: Serving) -> tuple[StartLine, ...] | None:
        """Return what a start that must fail prints; ``None`` when it succeeds."""
        lines = tuple(start_lines(serving.figures))
        if serving.model is None:
            return (lines[0], model_failure(serving.model_path))
        free_mib = min(map(self._gpus.free_mib, container.spec.gpu_uuids), default=None)
        if free_mib is not None and free_mib / 1024 < serving.figures.requested_gib:
            return (*lines[:4], memory_failure(serving.figures, free_mib / 1024))
        if serving.figures.kv_tokens < serving.figures.max_model_len:
            return (*lines, kv_failure(serving.figures))
        return None

    async def _serve(
        self,
        container: DemoContainer,
        serving: Serving,
        phases: Iterable[StartLine],
        *,
        held: float,
    ) -> None:
        model = serving.model

        def hold(part: float) -> None:
            self._set_use(container, round(serving.memory_mib * part), load=0.0)

        if held:
            hold(held)
        engine = SimulatedEngine(
            clock=self._clock,
            model=serving.served_name,
            ttft_s=model.ttft_s if model else 0.08,
            itl_s=model.itl_s if model else 0.01,
            start_phases=phases,
            speed=self._pace.speed,
            kv_tokens=serving.figures.kv_tokens,
            max_model_len=serving.figures.max_model_len,
            max_running=serving.max_running,
            version=serving.figures.version,
            api_key=container.secrets.get("VLLM_API_KEY"),
            log=lambda text: container.write(text, at_s=self._clock.now_s()),
            on_memory=hold,
        )
        container.engine = engine
        await engine.start()
        self._runs[container.id] = asyncio.create_task(self._look_after(container, serving))

    async def _look_after(self, container: DemoContainer, serving: Serving) -> None:
        """Move the GPUs with the engine's load; let visitors come once it serves."""
        engine = container.engine
        if engine is None:
            return
        await engine.ready.wait()
        if self._pace.visitors:
            container.visitors = Visitors(engine.generator, clock=self._clock)
            container.visitors.start()
        while True:
            load = load_of(engine.metrics.running)
            self._set_use(container, serving.memory_mib, load=load)
            await self._clock.sleep(LOAD_EVERY_S)

    async def _fail(self, container: DemoContainer, lines: Sequence[StartLine]) -> None:
        for line in lines:
            await self._clock.sleep(line.wait_s / self._pace.speed)
            level = "ERROR" if line is lines[-1] else "INFO"
            now_s = self._clock.now_s()
            container.write(written(line, now_s, level=level), at_s=now_s)
        self._runs.pop(container.id, None)
        await self.end(container, exit_code=1)
        await self._on_exit(container)

    def _set_use(self, container: DemoContainer, memory_mib: int, *, load: float) -> None:
        for uuid in container.spec.gpu_uuids:
            self._gpus.set_use(uuid, container.id, memory_mib=memory_mib, load=load)


def split_start(
    lines: Iterable[StartLine], *, elapsed_s: float, speed: float
) -> tuple[list[tuple[float, StartLine]], list[StartLine]]:
    """Split a start into lines that were printed by now (with their time) and those to come."""
    past: list[tuple[float, StartLine]] = []
    coming: list[StartLine] = []
    due_s = 0.0
    for line in lines:
        due_s += line.wait_s / speed
        if due_s <= elapsed_s:
            past.append((due_s, line))
        elif not coming:
            coming.append(replace(line, wait_s=(due_s - elapsed_s) * speed))
        else:
            coming.append(line)
    return past, coming


def load_of(running: int) -> float:
    """Return the load of a GPU with so many requests: 0 idle, towards 1 with many."""
    if running == 0:
        return 0.0
    return min(1.0, LOAD_WHEN_BUSY + (1 - LOAD_WHEN_BUSY) * (1 - 0.8**running))


def epoch_s(text: str) -> float:
    """Return the epoch time of a stamp (`app.io.demo.pace.stamp`)."""
    return datetime.fromisoformat(f"{text[:26]}+00:00").timestamp()
