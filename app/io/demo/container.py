"""One container of the demo host: its record, its log, and the simulated engine inside."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Final

from app.core.deployment.spec import ContainerSpec
from app.io.containers import ContainerInfo, LogChunk
from app.io.demo.engine import SimulatedEngine
from app.io.demo.memory import RememberedContainer
from app.io.demo.pace import stamp
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

    @classmethod
    def recall(cls, told: RememberedContainer, *, secrets: dict[str, str]) -> "DemoContainer":
        """Make a container from what was remembered; nothing is played yet."""
        return cls(
            id=told.id,
            spec=told.spec,
            image_id=told.image_id,
            secrets=secrets,
            created_at=told.created_at,
            status=told.status,
            exit_code=told.exit_code,
            started_at=told.started_at,
            finished_at=told.finished_at,
            restart_policy=told.restart_policy,
            host_port=told.host_port,
        )

    def take_over(self, told: RememberedContainer) -> None:
        """Bring the record up to what was remembered."""
        self.status, self.exit_code = told.status, told.exit_code
        self.started_at, self.finished_at = told.started_at, told.finished_at
        self.restart_policy, self.host_port = told.restart_policy, told.host_port

    def remembered(self) -> RememberedContainer:
        """Return what is kept between sessions; secrets and the log are not."""
        return RememberedContainer(
            id=self.id,
            spec=self.spec,
            image_id=self.image_id,
            created_at=self.created_at,
            status=self.status,
            exit_code=self.exit_code,
            started_at=self.started_at,
            finished_at=self.finished_at,
            restart_policy=self.restart_policy,
            host_port=self.host_port,
        )

    def write(self, text: str, *, at_s: float) -> None:
        """Add a line to its log and wake whoever follows."""
        self.lines.append(LogChunk(at=stamp(at_s), stream="stdout", text=text))
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
