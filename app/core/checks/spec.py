"""What a check is and what came of it; the checks themselves are data in ``resources/checks``."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from app.core.texts import Text


class CheckState(StrEnum):
    """What came of a check, worst first."""

    FAIL = "fail"
    WARN = "warn"
    UNKNOWN = "unknown"
    """Not read, or not readable: never taken for a pass."""
    PASS = "pass"  # noqa: S105 - a verdict
    NOT_APPLICABLE = "not_applicable"


SEVERITY: Final[Mapping[CheckState, int]] = {state: rank for rank, state in enumerate(CheckState)}
"""Worst is 0."""


class Requirement(StrEnum):
    """What a host must have for a check to say anything."""

    GPU = "gpu"
    SEVERAL_GPUS = "several_gpus"
    LINUX_DRIVER = "linux_driver"
    """NVIDIA's own kernel module: neither WSL2 nor Jetson."""
    CONTAINERS = "containers"


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """One step that cures it."""

    text: Text
    command: str = ""
    """To be copied and run by the host's administrator; empty where no command does it."""
    when: tuple[str, ...] = ()
    """Sentences of the check for which it is the cure; empty for all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckData:
    """One check as data."""

    id: str
    category: str
    title: Text
    why: Text
    said: Mapping[str, Text]
    """What is said for each outcome; ``{name}`` places are filled by the judge."""
    source: str
    checked: str
    remedy: tuple[Remedy, ...] = ()
    verify: tuple[str, ...] = ()
    """Read-only commands that show whether it is cured."""
    requires: tuple[Requirement, ...] = ()
    applies_to: Text | None = None
    """Where it applies, when not everywhere."""
    needs_root: bool = False
    """Without root the host tells little or nothing: the result is then unknown."""
    thresholds: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Category:
    """A group of checks."""

    id: str
    title: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class XidData:
    """One error code of NVIDIA's driver."""

    codes: tuple[int, ...]
    meaning: Text
    action: Text
    severity: CheckState | None = None
    """``fail``, ``warn`` or nothing for what only informs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverBranch:
    """One branch of NVIDIA's driver."""

    branch: int
    kind: str
    state: CheckState
    note: Text
    ends: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CudaFloor:
    """The driver with which all programs of one CUDA major version run."""

    major: int
    driver: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StackData:
    """Shape of ``resources/checks/stack.toml``: drivers, CUDA versions, error codes."""

    schema_version: int
    source: str
    checked: str
    xid_source: str
    branch: tuple[DriverBranch, ...]
    floor: tuple[CudaFloor, ...]
    xid: tuple[XidData, ...]

    def xid_of(self, code: int) -> XidData | None:
        """Return what a code means."""
        return next((entry for entry in self.xid if code in entry.codes), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckFile:
    """Shape of ``resources/checks/<category>.toml``."""

    schema_version: int
    category: Category
    check: tuple[CheckData, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonFile:
    """Shape of ``resources/checks/reasons.toml``: why something was not judged."""

    schema_version: int
    reason: Mapping[str, Text]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checklist:
    """All data of the checks, in the order in which they are shown."""

    categories: tuple[Category, ...]
    checks: tuple[CheckData, ...]
    reasons: Mapping[str, Text]
    stack: StackData


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckContext:
    """What a plan knows and a host does not; everything may be missing."""

    image_cuda: str | None = None
    """CUDA version of the engine's image, such as ``13.0``."""
    image_bytes: int | None = None
    """Unpacked."""
    model_bytes: int | None = None
    model_folder: str | None = None
    largest_shard_bytes: int | None = None
    tensor_parallel_size: int | None = None
    gpu_indices: tuple[int, ...] = ()
    gpu_memory_needed_mib: int | None = None
    """On each GPU."""
    shm_bytes: int | None = None
    shares_host_ipc: bool = False
    port: int | None = None
    port_reached: bool | None = None
    """Whether the desktop reached the port without a tunnel."""
    image_is_local: bool | None = None
    model_is_local: bool | None = None
    uses_rdma: bool = False
    cuda_works: bool | None = None
    """What a run inside the engine's image said."""
    cuda_words: str = ""
    """Its error, or the GPUs it saw."""
    model_read_bytes_s: float | None = None
    """Measured by such a run."""
    earlier_replays: Mapping[int, int] = field(default_factory=lambda: MappingProxyType({}))
    """PCIe replay counters of an earlier fingerprint by GPU index."""
    earlier_nvlink_errors: Mapping[int, int] = field(default_factory=lambda: MappingProxyType({}))
    minutes_since_earlier: float | None = None
    known_processes: tuple[int, ...] = ()
    """Process ids that belong to our own deployments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """What came of one check."""

    id: str
    category: str
    state: CheckState
    title: Text
    said: Text
    """What was found, in a sentence."""
    evidence: tuple[str, ...]
    """Values as they were read, each with its section."""
    why: Text
    remedy: tuple[Remedy, ...]
    verify: tuple[str, ...]
    needs_root: bool
    """True when it stayed unknown because root was missing."""
    reason: str = ""
    """Why it is unknown or not applicable: a key of `Checklist.reasons`."""
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport:
    """All results, in the checklist's order."""

    results: tuple[CheckResult, ...]
    taken_at: str
    categories: tuple[Category, ...]

    @property
    def counts(self) -> Mapping[CheckState, int]:
        """How many there are of each state; every state has its number."""
        return MappingProxyType(
            {state: sum(r.state is state for r in self.results) for state in CheckState}
        )

    def worst_first(self) -> tuple[CheckResult, ...]:
        """Return the results as somebody reads them: failures on top, the order kept within."""
        return tuple(sorted(self.results, key=lambda result: SEVERITY[result.state]))
