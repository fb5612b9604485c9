"""What was predicted of a start, small enough to be kept with the deployment."""

from dataclasses import dataclass
from typing import Final

from app.core.models.architecture import ModelInfo
from app.core.models.memory import MemoryEstimate

QUANTITIES: Final = (
    "weights_bytes_per_gpu",
    "activation_bytes",
    "cuda_graph_bytes",
    "non_torch_bytes",
    "kv_cache_bytes_per_gpu",
    "kv_tokens",
    "usable_bytes_per_gpu",
    "total_bytes_per_gpu",
)
"""Fields of `MemoryEstimate` that an engine may report, in the order in which they are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Predicted:
    """One quantity as it was predicted."""

    quantity: str
    value: float
    """Bytes, or tokens for ``kv_tokens``."""
    band: float | None = None
    """Relative: 0.01 means ±1 %; ``None`` when no band was stated."""
    correction: float = 0.0
    """What earlier starts of this installation added; ``value`` holds it already."""

    @property
    def uncorrected(self) -> float:
        """What the memory model alone said."""
        return self.value - self.correction


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """The memory picture that a deployment was made with, and for what."""

    engine: str
    engine_version: str
    gpu: str
    """Name of the GPU, or ``CPU``."""
    gpu_count: int
    on_cpu: bool
    family: str
    """Architecture of the model, for example ``Qwen2ForCausalLM``."""
    quantities: tuple[Predicted, ...]
    model: str = ""
    """Name of the model as it is planned with; empty in predictions of older Pitwalls."""

    def of(self, quantity: str) -> Predicted | None:
        """Return one quantity."""
        return next((p for p in self.quantities if p.quantity == quantity), None)


def predict(
    estimate: MemoryEstimate, *, engine: str, version: str, gpu: str, model: ModelInfo
) -> Prediction:
    """Return what there is to compare with; a device whose memory is not known predicts none."""
    known = estimate.total_bytes_per_gpu > 0
    return Prediction(
        engine=engine,
        engine_version=version,
        gpu="CPU" if estimate.on_cpu else gpu,
        gpu_count=estimate.gpu_count,
        on_cpu=estimate.on_cpu,
        family=model.architecture.name,
        model=model.name,
        quantities=tuple(_predicted(estimate, name) for name in QUANTITIES) if known else (),
    )


def _predicted(estimate: MemoryEstimate, quantity: str) -> Predicted:
    return Predicted(
        quantity=quantity,
        value=float(getattr(estimate, quantity)),
        band=estimate.error_band.get(quantity),
        correction=float(estimate.corrections.get(quantity, 0)),
    )
