"""What a smoke run found: CUDA's own answer, and measured figures beside claimed ones."""

from dataclasses import dataclass
from enum import StrEnum

from app.core.smoke.spec import SmokeKind, SmokeQuantity


class SmokeVerdict(StrEnum):
    """What the run says as a whole."""

    WORKS = "works"
    LOW = "low"
    """CUDA works, but something is clearly slower than claimed."""
    FAILS = "fails"
    """CUDA does not work in this image on this host, or a GPU computes wrongly."""
    NO_GPU = "no_gpu"
    """No GPU was handed over, so CUDA was not asked."""
    UNKNOWN = "unknown"
    """The image could not be asked, or the run did not end."""


class FigureState(StrEnum):
    """How a measured figure compares."""

    AS_CLAIMED = "as_claimed"
    LOW = "low"
    NO_CLAIM = "no_claim"
    """Nothing to compare with."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class SmokeDevice:
    """A GPU as CUDA sees it inside the container."""

    index: int
    """CUDA's index in the container."""
    gpu: int | None
    """The host's index, where it could be matched."""
    name: str
    compute_cap: str = ""
    total_bytes: int | None = None
    free_bytes: int | None = None
    computes: bool | None = None
    """A small product came out right; ``None`` when not tried."""
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What should be there, in GB/s, and who says so."""

    gbps: float
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SmokeFigure:
    """One measurement."""

    quantity: SmokeQuantity
    gpus: tuple[int, ...] = ()
    """Host indices where matched, else CUDA's."""
    gbps: float | None = None
    claim: Claim | None = None
    state: FigureState
    direct: bool | None = None
    """GPU to GPU without a detour over the host's memory."""
    error: str = ""

    @property
    def share(self) -> float | None:
        """Measured over claimed."""
        if self.gbps is None or self.claim is None or self.claim.gbps <= 0:
            return None
        return self.gbps / self.claim.gbps


@dataclass(frozen=True, slots=True, kw_only=True)
class SmokeReport:
    """Everything a run found."""

    host_name: str
    taken_at: str
    engine: str
    image: str
    kind: SmokeKind
    command: str
    """The exact ``docker run`` line."""
    verdict: SmokeVerdict
    torch: str = ""
    cuda: str = ""
    devices: tuple[SmokeDevice, ...] = ()
    figures: tuple[SmokeFigure, ...] = ()
    errors: tuple[str, ...] = ()
    """What CUDA or the image said instead of working."""
    duration_s: float = 0.0
    complete: bool = True
    """False when the run ended before it said that it was done."""
    simulated: bool = False
