"""A scripted container engine and the HTTP of what runs in it; time is the test's own clock."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from app.core.deployment.spec import ContainerSpec
from app.core.errors import DockerError, ErrorCode, HostError
from app.io.containers import ContainerInfo, EngineVersion, ImageInfo, LogChunk, PullProgress

GOOD_TEXT = "Red is found in poppies, blue in the sky, green in the grass."


@dataclass(slots=True, kw_only=True)
class Script:
    """How a container behaves once it is started."""

    lines: tuple[tuple[float, str], ...] = ()
    """Seconds after the start, and what is printed then."""
    ready_after_s: float | None = 1.0
    exits_after_s: float | None = None
    exit_code: int = 1
    oom_killed: bool = False
    answer: str = GOOD_TEXT
    status: int = 200
    body: bytes | None = None
    events: tuple[bytes, ...] | None = None


@dataclass(slots=True, kw_only=True)
class FakeContainer:
    """One container and its past."""

    info: ContainerInfo
    spec: ContainerSpec | None = None
    script: Script = field(default_factory=Script)
    started_s: float | None = None
    printed: list[LogChunk] = field(default_factory=list)
    healthy: bool | None = None
    """Overrides the script."""


class FakeContainerEngine:
    """Implements `app.io.containers.ContainerEngine`."""

    def __init__(self, clock, *, script: Script | None = None) -> None:
        self.clock = clock
        self.script = script or Script()
        self.images: dict[str, ImageInfo] = {}
        self.registry: dict[str, ImageInfo] = {}
        self.boxes: dict[str, FakeContainer] = {}
        self.calls: list[str] = []
        self.secrets: dict[str, str] = {}
        self.runtimes: tuple[str, ...] = ("runc",)
        self.system_time = ""
        self.ahead_s: float | None = None
        """By how much the host's clock is ahead of the desk's; it is told only when set."""
        self.is_lost = False
        self._failures: dict[str, deque[Exception]] = {}
        self._holds: dict[str, asyncio.Event] = {}
        self._number = 0
        self._streams = 0

    # Scripting

    def cut_streams(self) -> None:
        """End every followed log, as a connection that is made anew does."""
        self._streams += 1

    def fail(self, call: str, *errors: Exception) -> None:
        """Let the next calls of that name raise."""
        self._failures.setdefault(call, deque()).extend(errors)

    def hold(self, call: str) -> Callable[[], None]:
        """Let calls of that name wait until the returned function is called."""
        self._holds[call] = asyncio.Event()
        return self._holds[call].set

    def add_image(self, reference: str, *, digests=(), registry=False) -> ImageInfo:
        info = ImageInfo(
            id=f"sha256:{abs(hash(reference)):064x}"[:71],
            tags=(reference,),
            repo_digests=tuple(digests),
            size_bytes=1000,
        )
        (self.registry if registry else self.images)[reference] = info
        return info

    def put(self, info: ContainerInfo, script: Script | None = None) -> FakeContainer:
        """Place a container as if it had been there before."""
        box = FakeContainer(info=info, script=script or Script(ready_after_s=0))
        if info.status == "running":
            box.started_s = self.clock.monotonic_s()
        self.boxes[info.id] = box
        return box

    def only(self) -> FakeContainer:
        assert len(self.boxes) == 1, list(self.boxes)
        return next(iter(self.boxes.values()))

    def crash(self, *, restarting: bool, exit_code: int = 1, line: str = "") -> None:
        """End the process of the only container."""
        box = self.only()
        if line:
            box.printed.append(self._chunk(line))
        count = box.info.restart_count + (1 if restarting else 0)
        box.info = replace(
            box.info,
            status="restarting" if restarting else "exited",
            exit_code=exit_code,
            restart_count=count,
        )
        box.started_s = None
        if restarting:
            self._run(box)

    # The protocol

    async def version(self) -> EngineVersion:
        await self._called("version")
        return EngineVersion(
            name="docker", version="26.1.5", api_version="1.45", min_api_version="1.24",
            os="linux", architecture="x86_64", rootless=False, runtimes=self.runtimes,
            cdi_devices=(), root_dir="/var/lib/docker",
            system_time=self.system_time if self.ahead_s is None else self._stamp(0),
        )  # fmt: skip

    async def containers(self, *, ours_only: bool = True) -> tuple[ContainerInfo, ...]:
        await self._called("containers")
        infos = [self._now(box) for box in self.boxes.values()]
        return tuple(i for i in infos if not ours_only or "io.pitwall.schema" in i.labels)

    async def inspect(self, container: str) -> ContainerInfo:
        await self._called("inspect")
        return self._now(self._box(container))

    async def raw_inspect(self, container: str) -> Mapping[str, object]:
        return {"Id": container}

    async def image(self, reference: str) -> ImageInfo | None:
        await self._called("image")
        by_id = {info.id: info for info in self.images.values()}
        return self.images.get(reference) or by_id.get(reference)

    async def pull(self, reference: str) -> AsyncIterator[PullProgress]:
        await self._called("pull")
        for done in (0, 500, 1000):
            yield PullProgress(status="Downloading", done_bytes=done, total_bytes=1000)
            await self._wait("pulling")
        if reference not in self.registry:
            raise DockerError(ErrorCode.PULL_FAILED, cause="manifest unknown", remedy="Check it.")
        self.images[reference] = self.registry[reference]

    async def tag(self, image: str, name: str) -> None:
        await self._called("tag")
        if "@" not in name:
            self.images[name] = self.images[image]

    async def create(
        self, spec: ContainerSpec, *, image_id: str, secrets: Mapping[str, str]
    ) -> str:
        await self._called("create")
        self._number += 1
        container = f"c{self._number:02d}"
        self.secrets = dict(secrets)
        environment = [f"{k}={v}" for k, v in {**spec.environment, **secrets}.items()]
        self.boxes[container] = FakeContainer(
            spec=spec,
            script=self.script,
            info=ContainerInfo(
                id=container,
                name=spec.name,
                image=spec.image,
                image_id=image_id,
                status="created",
                labels=dict(spec.labels),
                restart_policy=spec.restart_policy,
                environment=tuple(environment),
                created_at=self._stamp(0),
                host_ports={spec.container_port: spec.host_port},
            ),
        )
        await self._wait("created")
        return container

    async def start(self, container: str) -> None:
        await self._called("start")
        box = self._box(container)
        box.info = replace(box.info, restart_count=0)
        self._run(box)

    async def stop(self, container: str, *, grace_s: float = 10) -> None:
        del grace_s
        await self._called("stop")
        box = self._box(container)
        box.info = replace(box.info, status="exited", exit_code=0)
        box.started_s = None

    async def remove(self, container: str, *, force: bool = False) -> None:
        del force
        await self._called("remove")
        self.boxes.pop(container, None)

    async def set_restart_policy(self, container: str, policy: str) -> None:
        await self._called("set_restart_policy")
        box = self._box(container)
        box.info = replace(box.info, restart_policy=policy)

    async def logs(
        self, container: str, *, follow: bool, tail: int | None = None, since: str | None = None
    ) -> AsyncIterator[LogChunk]:
        await self._called("logs")
        box, streams = self._box(container), self._streams
        lines = [c for c in self._printed(box) if since is None or c.at >= since]
        for chunk in lines if tail is None else lines[len(lines) - tail :]:
            yield chunk
        given = len(self._printed(box))
        while follow:
            await self._wait("logs")
            if self.is_lost or container not in self.boxes or self._streams != streams:
                return
            lines = self._printed(box)
            for chunk in lines[given:]:
                yield chunk
            given = len(lines)
            if self._now(box).status in {"exited", "created"}:
                return
            await self.clock.sleep(0.1)

    async def close(self) -> None:
        return

    # Inside

    async def _called(self, name: str) -> None:
        self.calls.append(name)
        if self.is_lost:
            raise lost()
        await self._wait(name)
        if self._failures.get(name):
            raise self._failures[name].popleft()

    async def _wait(self, name: str) -> None:
        if name in self._holds:
            await self._holds[name].wait()

    def _box(self, container: str) -> FakeContainer:
        for box in self.boxes.values():
            if container in {box.info.id, box.info.name}:
                return box
        raise DockerError(
            ErrorCode.CONTAINER_NOT_FOUND, cause=f"No container {container}.", remedy="Look."
        )

    def _run(self, box: FakeContainer) -> None:
        box.started_s = self.clock.monotonic_s()
        box.info = replace(
            box.info, status="running", exit_code=None, started_at=self._stamp(0), oom_killed=False
        )

    def _age(self, box: FakeContainer) -> float:
        return -1.0 if box.started_s is None else self.clock.monotonic_s() - box.started_s

    def _now(self, box: FakeContainer) -> ContainerInfo:
        script = box.script
        if (
            box.info.status == "running"
            and script.exits_after_s is not None
            and self._age(box) >= script.exits_after_s
        ):
            box.info = replace(
                box.info, status="exited", exit_code=script.exit_code, oom_killed=script.oom_killed
            )
        return box.info

    def _printed(self, box: FakeContainer) -> list[LogChunk]:
        age = self._age(box)
        known = {chunk.text for chunk in box.printed}
        for after_s, text in box.script.lines:
            if after_s <= age and text not in known:
                box.printed.append(self._chunk(text, after_s - age))
        return box.printed

    def _chunk(self, text: str, offset_s: float = 0.0) -> LogChunk:
        return LogChunk(at=self._stamp(offset_s), stream="stderr", text=text)

    def _stamp(self, offset_s: float) -> str:
        at = datetime.fromtimestamp(self.clock.now_s() + offset_s + (self.ahead_s or 0), UTC)
        return at.strftime("%Y-%m-%dT%H:%M:%S.%f000Z")

    # HTTP of what runs

    def is_healthy(self, port: int) -> bool:
        box = self.by_port(port)
        if box is None or self._now(box).status != "running":
            return False
        if box.healthy is not None:
            return box.healthy
        ready = box.script.ready_after_s
        return ready is not None and self._age(box) >= ready

    def by_port(self, port: int) -> FakeContainer | None:
        found = [box for box in self.boxes.values() if port in box.info.host_ports.values()]
        running = [box for box in found if box.info.status == "running"]
        return next(iter(running or found), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class FakeResponse:
    status: int
    body: bytes = b""


class FakeHttp:
    """HTTP to one port of the fake host."""

    def __init__(self, engine: FakeContainerEngine, port: int, api_key: str | None) -> None:
        self.engine = engine
        self.port = port
        self.api_key = api_key
        self.asked: list[tuple[str, Mapping[str, object]]] = []

    async def get(self, path: str, *, timeout_s: float) -> FakeResponse:
        del path, timeout_s
        if self.engine.is_lost:
            raise lost()
        if not self.engine.is_healthy(self.port):
            raise HostError(ErrorCode.CHANNEL_REFUSED, cause="Refused.", remedy="Wait.")
        return FakeResponse(status=200)

    async def post_json(
        self, path: str, body: Mapping[str, object], *, timeout_s: float
    ) -> FakeResponse:
        del timeout_s
        self.asked.append((path, body))
        if self.engine.is_lost:
            raise lost()
        await self.engine._wait("post")
        script = self._script()
        if script.body is not None:
            return FakeResponse(status=script.status, body=script.body)
        message = {"message": {"role": "assistant", "content": script.answer}}
        document = {
            "choices": [{"index": 0, "finish_reason": "stop", **message}],
            "usage": {"completion_tokens": 12},
        }
        return FakeResponse(status=script.status, body=json.dumps(document).encode())

    async def stream_json(
        self, path: str, body: Mapping[str, object], *, idle_timeout_s: float
    ) -> AsyncIterator[bytes]:
        del path, body, idle_timeout_s
        script = self._script()
        if script.events is not None:
            for event in script.events:
                yield event
            return
        for word in script.answer.split(" "):
            delta = {"choices": [{"delta": {"content": word + " "}, "finish_reason": None}]}
            yield json.dumps(delta).encode()
        yield b'{"choices": [], "usage": {"completion_tokens": 13}}'
        yield b"[DONE]"

    def _script(self) -> Script:
        box = self.engine.by_port(self.port)
        assert box is not None
        return box.script


def lost() -> HostError:
    return HostError(ErrorCode.CONNECTION_LOST, cause="The connection was lost.", remedy="Wait.")
