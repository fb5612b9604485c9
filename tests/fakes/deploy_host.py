"""A host to deploy to, a journal in memory, and the service over both."""

import asyncio
from dataclasses import replace

from fakes.containers import FakeContainerEngine, FakeHttp, Script
from fakes.diagnosis import small_diagnoser
from fixtures.time import FakeClock

from app.core.deployment.spec import ContainerSpec, DeploymentSpec, Mount
from app.core.errors import ErrorCode, HostError
from app.core.events import HostChanged, HostKind, HostSettings, HostSnapshot, HostState
from app.core.ids import HostId
from app.core.labels import DeploymentLabels
from app.io.containers import ContainerInfo
from app.io.datafiles import data_root, read_data
from app.io.transport.base import CommandResult, FileEntry
from app.services.activities import Activities
from app.services.bus import EventBus
from app.services.deploying.journal import DeployJournal
from app.services.deploying.parts import DeployParts
from app.services.deployments import DeploymentService

HOST = HostId("11111111-1111-1111-1111-111111111111")
IMAGE = "ghcr.io/ggml-org/llama.cpp:server-b10434"
MODEL = "/srv/models/small.gguf"
MODEL_INSIDE = "/models/small.gguf"
LINES = (
    (0.1, "0.00.004.964 I cmn  common_param: common_params_print_info: verbosity = 3"),
    (0.2, "0.00.007.464 I srv    load_model: loading model 'small.gguf'"),
    (0.6, "0.00.293.502 I srv    load_model: initializing, n_slots = 2, n_ctx_slot = 1024"),
    (0.8, "0.00.300.444 I srv  llama_server: model loaded"),
    (0.9, "0.00.303.430 I srv  llama_server: listening on http://0.0.0.0:8080"),
)


class FakeTransport:
    """The part of a transport that deploying uses."""

    def __init__(self) -> None:
        self.kind = HostKind.SSH
        self.is_alive = True
        self.latency_s = 0.01
        self.folders = {"/srv/models": ("small.gguf",), "/srv": ("models",)}
        self.denied: set[str] = set()
        self.files: set[str] = set()
        self.listening: set[int] = set()
        self.outputs: dict[str, str] = {}

    async def run(self, argv, *, stdin=b"", timeout_s, output_limit_bytes=0):
        del stdin, timeout_s, output_limit_bytes
        if argv[0] not in self.outputs:
            raise HostError(ErrorCode.TOOL_MISSING, cause="No such tool.", remedy="Install it.")
        return CommandResult(exit_code=0, stdout=self.outputs[argv[0]].encode(), stderr=b"")

    async def list_folder(self, path, *, timeout_s=10):
        del timeout_s
        if path in self.denied:
            raise HostError(ErrorCode.PERMISSION_DENIED, cause="Denied.", remedy="Ask.")
        if path not in self.folders:
            raise HostError(ErrorCode.NOT_FOUND, cause="Nothing there.", remedy="Look.")
        return tuple(
            FileEntry(name=name, is_dir=False, size_bytes=1) for name in self.folders[path]
        )

    async def read_file(self, path, *, offset=0, length=None, timeout_s=20):
        del offset, length, timeout_s
        if path not in self.files:
            raise HostError(ErrorCode.NOT_FOUND, cause="Nothing there.", remedy="Look.")
        return b"G"

    def open_tcp(self, address, port, *, timeout_s):
        del address, timeout_s
        if port not in self.listening:
            raise HostError(ErrorCode.CHANNEL_REFUSED, cause="Refused.", remedy="Wait.")
        return self

    def close(self):
        return

    async def blocking(self, work, *, timeout_s):
        del timeout_s
        return work()


class FakeHosts:
    """One host, connected."""

    def __init__(self, engine: FakeContainerEngine) -> None:
        self.engine = engine
        self.link = FakeTransport()
        self.connected = True
        self.facts = None

    def find(self, name_or_id):
        del name_or_id
        settings = HostSettings(id=HOST, name="box", kind=HostKind.SSH)
        return HostSnapshot(revision=1, settings=settings, state=HostState.CONNECTED)

    def transport(self, host_id):
        del host_id
        self._check()
        return self.link

    async def container_engine(self, host_id):
        del host_id
        self._check()
        return self.engine

    async def fingerprint(self, host_id):
        del host_id
        return self.facts

    def _check(self):
        if not self.connected:
            raise HostError(ErrorCode.NOT_CONNECTED, cause="Not connected.", remedy="Connect.")


class MemoryJournal:
    """Journal and small values, in memory."""

    def __init__(self) -> None:
        self.log: list[tuple] = []
        self.kept: list = []
        self.values: dict[str, str] = {}
        self.broken: Exception | None = None

    async def begin(self, entry):
        self._check()
        self.kept.insert(0, entry)
        self.log.append(("begin", entry.operation))

    async def step(self, entry_id, step):
        del entry_id
        self._check()
        self.log.append(("step", step.step))

    async def finish(self, entry_id, *, at, outcome, error=None):
        self._check()
        self.log.append(("finish", outcome, error.code if error else None))
        self.kept = [
            replace(e, finished_at=at, outcome=outcome, error=error) if e.id == entry_id else e
            for e in self.kept
        ]

    async def entries(self, host_id, name=None, *, limit=100):
        del limit
        self._check()
        return tuple(e for e in self.kept if e.host_id == host_id and name in {None, e.name})

    async def get(self, key):
        self._check()
        return self.values.get(key)

    async def put(self, key, value, *, now):
        del now
        self._check()
        self.values[key] = value

    def _check(self):
        if self.broken is not None:
            raise self.broken


class KeptStarts:
    """Keeps what starts took."""

    def __init__(self) -> None:
        self.records: list = []

    async def record(self, record) -> None:
        self.records.append(record)


class KeptRuns:
    """Keeps what was measured."""

    def __init__(self) -> None:
        self.runs: list = []
        self.broken: Exception | None = None

    async def record(self, run) -> None:
        if self.broken is not None:
            raise self.broken
        self.runs.append(run)


class HeldKeys:
    """Holds API keys in memory."""

    def __init__(self) -> None:
        self.held: dict[tuple, str] = {}

    async def recall(self, host_id, name):
        return self.held.get((host_id, name))

    async def keep(self, host_id, name, key):
        self.held[host_id, name] = key

    async def forget(self, host_id, name):
        self.held.pop((host_id, name), None)


class FakeTunnel:
    def __init__(self, remote_port: int, local_port: int) -> None:
        self.remote_port = remote_port
        self.local_port = local_port or 40000 + remote_port % 1000
        self.closed = False

    async def close(self) -> None:
        self.closed = True


class Desk:
    """The service with everything around it scripted."""

    def __init__(self, *, script: Script | None = None, engines=None, journal=None) -> None:
        self.clock = FakeClock()
        self.engine = FakeContainerEngine(self.clock, script=script or Script(lines=LINES))
        self.engine.add_image(IMAGE)
        self.hosts = FakeHosts(self.engine)
        self.journal = journal or MemoryJournal()
        self.starts = KeptStarts()
        self.runs = KeptRuns()
        self.keys = HeldKeys()
        self.bus = EventBus()
        self.events: list = []
        self.bus.subscribe(self.events.append)
        self.tunnels: list[FakeTunnel] = []
        self.https: list[FakeHttp] = []
        self.activities = Activities(self.bus)
        self.mirrors: dict[str, str] = {}
        self.service = DeploymentService(
            DeployParts(
                hosts=self.hosts,
                engines=engines if engines is not None else load_engine_data(),
                http=self._http,
                open_tunnel=self._tunnel,
                journal=DeployJournal(self.journal, self.journal, self.clock),
                starts=self.starts,
                runs=self.runs,
                resolve=self._resolve,
                bus=self.bus,
                clock=self.clock,
                activities=self.activities,
                diagnoser=small_diagnoser(),
                keys=self.keys,
                new_secret=lambda: "made-up-key",
                mirrors=lambda: self.mirrors,
            )
        )

    async def run(self, work, *, limit_s: float = 5000.0):
        """Await ``work`` while the clock moves on."""
        task = asyncio.ensure_future(work)
        waited = 0.0
        while not task.done() and waited < limit_s:
            await self.clock.advance(0.25)
            waited += 0.25
        assert task.done(), "the work did not end"
        return task.result()

    async def until(self, condition, *, limit_s: float = 5000.0) -> None:
        """Let the clock move on until ``condition`` holds."""
        await self.clock.advance(0)
        waited = 0.0
        while not condition():
            assert waited < limit_s, "it never came to that"
            await self.clock.advance(0.25)
            waited += 0.25

    def states(self) -> list[str]:
        """Return the states that were published, without repeats."""
        states: list[str] = []
        for event in self.events:
            snapshot = getattr(event, "snapshot", None)
            state = getattr(snapshot, "state", None)
            if hasattr(snapshot, "deployment_revision") and (not states or states[-1] != state):
                states.append(state)
        return [str(state) for state in states]

    def snapshot(self, name="chat"):
        return self.service.find(f"box/{name}")

    def say_host(self, state: HostState) -> None:
        """Publish that the host is in a state, as the hosts service does."""
        self.hosts.connected = state is HostState.CONNECTED
        self.engine.is_lost = not self.hosts.connected
        self.bus.publish(HostChanged(snapshot=replace(self.hosts.find(HOST), state=state)))

    def _http(self, transport, port, *, api_key=None):
        del transport
        self.https.append(FakeHttp(self.engine, port, api_key))
        return self.https[-1]

    async def _tunnel(self, transport, remote_port, *, local_port=0):
        del transport
        self.tunnels.append(FakeTunnel(remote_port, local_port))
        return self.tunnels[-1]

    async def _resolve(self, profile, host_id, *, name, model_path, revision):
        del profile, host_id, model_path
        return spec(name=name or "chat", revision=revision(name or "chat"))


def load_engine_data():
    """Return llama.cpp's real data, as far as it is needed here."""
    from app.core.engines.spec import EngineData, EngineFile, Server, StartupFile
    from app.core.texts import Text

    server = Server(
        container_port=8080, health_path="/health", metrics_path="/metrics",
        api_key_env="LLAMA_API_KEY", stop_timeout_s=10, ready_timeout_s=600, source="test",
        checked="2026-01-01",
    )  # fmt: skip
    engine = EngineFile(
        schema_version=1, id="llamacpp", name="llama.cpp", summary=Text(en="x", zh_CN="x"),
        server=server, source="test", checked="2026-01-01",
    )  # fmt: skip
    startup = read_data(StartupFile, data_root(), "engines/llamacpp/startup.toml")
    return {"llamacpp": EngineData(engine=engine, startup=startup)}


def spec(*, name="chat", revision=1, port=18080, **changes) -> DeploymentSpec:
    labels = DeploymentLabels(
        deployment=name,
        revision=revision,
        engine="llamacpp",
        engine_version="b10434",
        model="small",
        port=port,
        plan_digest="d1",
    )
    container = ContainerSpec(
        name=f"pitwall-{name}-r{revision}",
        image=IMAGE,
        command=("-m", MODEL_INSIDE),
        mounts=(Mount(source=MODEL, target=MODEL_INSIDE),),
        container_port=8080,
        host_port=port,
        labels=labels.to_labels(),
    )
    made = DeploymentSpec(
        host_id=HOST,
        name=name,
        revision=revision,
        engine="llamacpp",
        engine_version="b10434",
        model_name="small",
        model_path=MODEL_INSIDE,
        image=IMAGE,
        image_id="",
        container=container,
        plan_digest="d1",
    )
    inner = {k: changes.pop(k) for k in tuple(changes) if hasattr(container, k)}
    return replace(made, container=replace(container, **inner), **changes)


def info(*, name="chat", revision=1, status="running", policy="unless-stopped", **changes):
    """Return a container of ours as another desk would have left it."""
    made = spec(name=name, revision=revision).container
    return replace(
        ContainerInfo(
            id=f"old-{name}-{revision}",
            name=made.name,
            image=IMAGE,
            image_id="sha256:1",
            status=status,
            labels=dict(made.labels),
            restart_policy=policy,
            host_ports={8080: 18080},
            started_at="2030-01-01T00:00:00.000000000Z",
        ),
        **changes,
    )
