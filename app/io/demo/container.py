"""One container of the demo host: its record, its log, and the simulated engine inside."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Final

from app.core.deployment.spec import ContainerSpec
from app.io.containers import ContainerInfo, LogChunk
from app.io.demo.engine import SimulatedEngine
from app.io.demo.pace import Pace, stamp
from app.io.demo.visitors import Visitors

LOG_LIMIT: Final = 20_000
"""Lines kept per container, like the log rotation of a real one."""


@dataclass(slots=True, kw_only=True)
class DemoContainer:
    """What the simulated engine of containers knows of one of them."""

    id: str
    spec: ContainerSpec
    image_id: str
    secrets: dict[str, str] = field(repr=False)
    created_at: str
    status: str = "created"
    exit_code: int | None = None
    error: str = ""
    started_at: str = ""
    finished_at: str = ""
    restart_policy: str = "no"
    host_port: int = 0
    """0 while it is not running with a published port."""
    engine: SimulatedEngine | None = None
    visitors: Visitors | None = None
    lines: list[LogChunk] = field(default_factory=list)
    dropped: int = 0
    """Lines that were rotated away."""
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    """Set at the next change, then replaced by a fresh one."""

    @property
    def is_running(self) -> bool:
        """True between start and exit."""
        return self.status == "running"

    def info(self) -> ContainerInfo:
        """Describe it as a container engine would."""
        spec = self.spec
        return ContainerInfo(
            id=self.id,
            name=spec.name,
            image=spec.image,
            image_id=self.image_id,
            status=self.status,
            labels=spec.labels,
            exit_code=self.exit_code,
            error=self.error,
            restart_policy=self.restart_policy,
            created_at=self.created_at,
            started_at=self.started_at,
            finished_at=self.finished_at,
            host_ports={spec.container_port: self.host_port} if self.host_port else {},
            command=spec.command,
            environment=tuple(
                f"{name}={value}" for name, value in {**spec.environment, **self.secrets}.items()
            ),
        )

    def write(self, text: str, *, clock: Pace) -> None:
        """Add a line to its log and wake whoever follows."""
        self.lines.append(LogChunk(at=stamp(clock.now_s()), stream="stdout", text=text))
        if len(self.lines) > LOG_LIMIT:
            excess = len(self.lines) - LOG_LIMIT
            del self.lines[:excess]
            self.dropped += excess
        self.wake()

    def wake(self) -> None:
        """Let followers look again."""
        self.changed.set()
        self.changed = asyncio.Event()

    async def follow(
        self, *, follow: bool, tail: int | None, since: str | None
    ) -> AsyncGenerator[LogChunk, None]:
        """Yield lines; with ``follow`` until the container has ended."""
        seen = self.dropped + (max(0, len(self.lines) - tail) if tail is not None else 0)
        while True:
            changed, is_running = self.changed, self.is_running
            seen = max(seen, self.dropped)
            new = self.lines[seen - self.dropped :]
            seen += len(new)
            for line in new:
                if since is None or line.at >= since:
                    yield line
            if not follow or not is_running:
                return
            await changed.wait()
