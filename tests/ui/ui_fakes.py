"""An application with real services and a scripted outside: hosts answer as the test says."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from app.bootstrap import Application, build
from app.core.errors import AppError, ErrorCode, HostError
from app.core.events import HostKind, HostSettings
from app.core.hardware.assemble import assemble_fingerprint
from app.core.hardware.fingerprint import (
    Fingerprint,
    FingerprintSummary,
    Gpu,
    HostSource,
    Link,
    LinkKind,
    Nic,
    NumaNode,
    Topology,
    UnknownReason,
)
from app.core.hardware.recording import sections_from_recording
from app.core.hardware.sections import RawSection
from app.core.hardware.summary import summarize
from app.core.ids import HostId
from app.io.credentials import Credentials, KeyringState
from app.io.datafiles import data_root
from app.io.store.hosts import HostStore
from app.services.host_parts import HostParts
from app.services.hosts import HostService


class FakeTransport:
    """A connection that is there until the test loses it."""

    def __init__(self, settings: HostSettings) -> None:
        self.kind = settings.kind
        self.settings = settings
        self.is_alive = True
        self.latency_s: float | None = 0.003

    async def close(self) -> None:
        self.is_alive = False


class FakeKeyring:
    """A keyring of the system, which may be locked."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}
        self.error: Exception | None = None

    def get_password(self, _service: str, username: str) -> str | None:
        self._check()
        return self.kept.get(username)

    def set_password(self, _service: str, username: str, password: str) -> None:
        self._check()
        self.kept[username] = password

    def delete_password(self, _service: str, username: str) -> None:
        self._check()
        del self.kept[username]

    def _check(self) -> None:
        if self.error is not None:
            raise self.error


@dataclass
class Outside:
    """What the scripted hosts answer."""

    fingerprints: dict[str, Fingerprint] = field(default_factory=dict)
    """Host name → what its probe finds; other hosts are the recorded two H200."""
    refusals: dict[str, list[AppError]] = field(default_factory=dict)
    """Host name → errors of the next attempts to connect."""
    accepted_keys: list[str] = field(default_factory=list)
    passwords: list[str | None] = field(default_factory=list)
    keyring: FakeKeyring | None = None
    """The system's keyring; ``None`` is none."""
    connect_gates: dict[str, asyncio.Event] = field(default_factory=dict)
    """Host name → connecting waits for it."""
    probe_gate: asyncio.Event | None = None
    """When set, probes wait for it."""

    async def connect(
        self, settings: HostSettings, *, password: str | None, passphrase: str | None
    ) -> FakeTransport:
        self.passwords.append(password or passphrase)
        if settings.name in self.connect_gates:
            await self.connect_gates[settings.name].wait()
        waiting = self.refusals.get(settings.name, [])
        if waiting:
            raise waiting.pop(0)
        return FakeTransport(settings)

    def accept_key(self, _settings: HostSettings, sha256: str) -> None:
        self.accepted_keys.append(sha256)

    async def connect_containers(self, _transport: object, _settings: HostSettings) -> object:
        raise HostError(ErrorCode.NOT_CONNECTED, cause="No engine in this test.", remedy="")

    async def probe(self, _transport: object) -> tuple[RawSection, ...]:
        if self.probe_gate is not None:
            await self.probe_gate.wait()
        return ()

    def assemble(self, _sections: Sequence[RawSection], **facts: object) -> Fingerprint:
        name = str(facts["host_name"])
        base = self.fingerprints.get(name) or recorded_fingerprint()
        return replace(base, **facts)  # type: ignore[arg-type]

    def find_keyring(self) -> FakeKeyring | KeyringState:
        return self.keyring or KeyringState(is_usable=False, reason="no-backend")

    def parts(self, secrets: Credentials) -> HostParts:
        return HostParts(
            connect=self.connect,  # type: ignore[arg-type]
            accept_key=self.accept_key,
            connect_containers=self.connect_containers,  # type: ignore[arg-type]
            probe=self.probe,  # type: ignore[arg-type]
            assemble=self.assemble,
            summarize=summarize,
            secrets=secrets,
        )


def build_application(home: Path, outside: Outside) -> Application:
    """Return an application below ``home`` whose hosts are ``outside``."""
    application = build(home=home)
    application.credentials.close()
    application.credentials = Credentials(find=outside.find_keyring)
    application.hosts = HostService(
        parts=outside.parts(application.credentials),
        store=HostStore(application.database),
        bus=application.bus,
        clock=application.clock,
        activities=application.activities,
    )
    return application


@lru_cache(maxsize=2)
def recorded_fingerprint(state: str = "busy") -> Fingerprint:
    """Return our recording of a machine with two H200."""
    folder = data_root() / "resources" / "demo" / "h200-x2" / state
    files = {file.name: file.read_text("utf-8", "replace") for file in folder.iterdir()}
    return assemble_fingerprint(
        sections_from_recording(files),
        source=HostSource.RECORDED,
        taken_at="2026-07-01T08:00:00Z",
        host_name="demo",
        simulated=True,
    )


def big_fingerprint(gpus: int = 16, nics: int = 10) -> Fingerprint:
    """Return a made-up host: islands of eight by NVLink, two NUMA nodes, many NICs."""
    made = tuple(_gpu(index, gpus) for index in range(gpus))
    names = [f"GPU{i}" for i in range(gpus)] + [f"NIC{i}" for i in range(nics)]
    links = [_link(a, b, gpus, nics) for i, a in enumerate(names) for b in names[i + 1 :]]
    return Fingerprint(
        source=HostSource.RECORDED,
        simulated=True,
        taken_at="2026-07-01T08:00:00Z",
        parser_version="test",
        host_name="big",
        driver_version="580.159",
        cuda_version="13.0",
        gpus=made,
        topology=Topology(
            links=tuple(links),
            nics=tuple(Nic(name=f"NIC{i}", device=f"mlx5_{i}") for i in range(nics)),
            numa_nodes=(
                NumaNode(id=0, cpus="0-55,112-167", memory_mib=1_031_000),
                NumaNode(id=1, cpus="56-111,168-223", memory_mib=1_032_000),
            ),
            gpu_numa_affinity={f"GPU{i}": "0" if i < gpus // 2 else "1" for i in range(gpus)},
            nvlink_islands=tuple(
                tuple(range(first, min(first + 8, gpus))) for first in range(0, gpus, 8)
            ),
            complete=True,
        ),
        unknown={"gpus.0.memory_reserved_mib": UnknownReason.NOT_REPORTED},
    )


def _gpu(index: int, count: int) -> Gpu:
    return Gpu(
        index=index,
        name="NVIDIA H200",
        uuid=f"GPU-{index:08d}-0000-0000-0000-000000000000",
        bus_id=f"00000000:{index:02X}:00.0",
        compute_cap="9.0",
        memory_total_mib=143_771,
        memory_used_mib=index * 143_771 // max(count, 1),
        utilization_percent=index * 6 % 101,
        power_w=120.0 + index,
        temperature_c=40 + index,
        numa_node=0 if index < count // 2 else 1,
    )


def _link(a: str, b: str, gpus: int, nics: int) -> Link:
    if a.startswith("GPU") and b.startswith("GPU") and int(a[3:]) // 8 == int(b[3:]) // 8:
        return Link(a=a, b=b, kind=LinkKind.NVLINK, nvlink_count=18, bandwidth_gbps=900.0)
    left, right = (int(n[3:]) >= (gpus if n.startswith("GPU") else nics) // 2 for n in (a, b))
    kind = LinkKind.SYS if left is not right else LinkKind.NODE
    if kind is LinkKind.NODE and a[3:] == b[3:]:
        kind = LinkKind.PIX
    return Link(a=a, b=b, kind=kind)


def ssh_settings(name: str = "h200-a", **changes: object) -> HostSettings:
    """Return the settings of an SSH host."""
    base = HostSettings(id=HostId(""), name=name, kind=HostKind.SSH, address="10.0.0.7", user="ops")
    return replace(base, **changes)  # type: ignore[arg-type]


def summary_of(fingerprint: Fingerprint) -> FingerprintSummary:
    """Return what a list shows of a fingerprint."""
    return summarize(fingerprint)
