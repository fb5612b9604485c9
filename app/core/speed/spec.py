"""Shape of ``speed/roofline.toml``: what was measured of engines, and the loads asked about."""

from dataclasses import dataclass
from typing import ClassVar

_STRICT: dict[str, str] = {"extra": "forbid"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Bands:
    """How far a figure may lie from what is expected, as factors: 1.5 is from ÷ 1.5 to × 1.5."""

    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT
    ttft: float
    itl: float
    throughput: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSpeed:
    """Constants of one engine, fitted to runs on one GPU."""

    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT
    engine: str
    gpu: str
    """Lower-case word that the measured GPU's name contains."""
    series: tuple[str, ...]
    """Version ranges that were measured, for example ``0.26``."""
    bandwidth_share: float
    """Of the GPU's memory bandwidth while decoding."""
    compute_share: float
    """Of the GPU's dense tensor throughput while reading prompts."""
    step_s: float
    """Seconds that the engine needs between two steps, however small the model."""
    eager_layer_s: float
    """Seconds per layer and step without CUDA graphs."""
    reduce_s: float
    """Seconds of one all-reduce between GPUs beside its bytes; two for each layer."""
    request_s: float
    """Seconds from sending a request to its first token beside reading the prompt."""
    eager_steps: float
    """Steps without CUDA graphs that a first token takes beside ``request_s``."""
    prefill_tokens: int
    """Prompt tokens in one step, where a plan does not say."""
    bands: Bands
    samples: int
    """Loads that the constants were fitted to."""
    concurrency_max: int
    """Most requests at once among loads whose answers had the length asked for."""
    tensor_parallel_max: int
    beyond_factor: float
    """What throughput may fall short by, further, with more requests at once."""
    outside_factor: float
    """What bands are widened by on other GPUs or versions."""
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkSpeed:
    """PCI Express, per generation."""

    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT
    generation: int
    lane_gbps: float
    """GB/s of one lane in one direction, after encoding."""
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalLoad:
    """The load a goal is judged by, where none is given."""

    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT
    goal: str
    prompt_tokens: int
    output_tokens: int
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedData:
    """``speed/roofline.toml``."""

    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT
    schema_version: int
    engine: tuple[EngineSpeed, ...]
    pcie: tuple[LinkSpeed, ...]
    load: tuple[GoalLoad, ...]

    def of(self, engine: str) -> EngineSpeed | None:
        """Return what was measured of an engine."""
        return next((entry for entry in self.engine if entry.engine == engine), None)
