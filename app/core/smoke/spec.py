"""Shape of ``resources/smoke/programs.toml``: how an image is asked, and when a figure is low."""

from dataclasses import dataclass
from enum import StrEnum


class SmokeKind(StrEnum):
    """How an image can be asked."""

    TORCH = "torch"
    """The image has Python and torch: everything is measured."""
    LIST_DEVICES = "list_devices"
    """The engine only lists the devices it sees."""


class SmokeQuantity(StrEnum):
    """What is measured, in GB/s."""

    DEVICE_MEMORY = "device_memory"
    """Copy within a GPU, bytes read and written."""
    HOST_TO_DEVICE = "host_to_device"
    """From pinned memory of the host."""
    DEVICE_TO_HOST = "device_to_host"
    GPU_TO_GPU = "gpu_to_gpu"
    """One direction."""
    ALL_REDUCE = "all_reduce"
    """Bus rate of a 256 MiB all-reduce: what each GPU's links carry in one direction."""
    DISK_READ = "disk_read"


@dataclass(frozen=True, slots=True, kw_only=True)
class SmokeProgram:
    """How the images of some engines are asked."""

    kind: SmokeKind
    engines: tuple[str, ...]
    source: str
    checked: str
    entrypoint: tuple[str, ...] = ()
    """Empty keeps the image's own."""
    command: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SmokeLimit:
    """From which share of the claimed figure on a measurement is worth a look."""

    quantity: SmokeQuantity
    warn_below: float
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SmokeData:
    """The whole file."""

    schema_version: int
    program: tuple[SmokeProgram, ...]
    limit: tuple[SmokeLimit, ...] = ()

    def program_of(self, engine: str) -> SmokeProgram | None:
        """Return how an engine's image is asked; ``None`` when it cannot be."""
        return next((p for p in self.program if engine in p.engines), None)

    def warn_below(self, quantity: SmokeQuantity) -> float | None:
        """Return the least share of the claim that is no surprise."""
        return next((x.warn_below for x in self.limit if x.quantity is quantity), None)
