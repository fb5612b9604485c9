"""The vocabulary of planning: goal in, ranked plans with reasons out."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from app.core.deployment.spec import ContainerSpec
from app.core.engines.parameters import ChosenFlag, Parameters
from app.core.models.lora import LoraAdapter
from app.core.models.memory import MemoryEstimate
from app.core.speed.estimate import SpeedEstimate
from app.core.texts import Reason, Text

__all__ = [
    "ChosenFlag",
    "Goal",
    "GoalKind",
    "ParameterRange",
    "Parameters",
    "PathStep",
    "Plan",
    "PlanResult",
    "Reason",
    "RefusedValue",
    "Rejection",
    "Text",
    "TreeNode",
    "TuningStep",
]


class GoalKind(StrEnum):
    """What matters most."""

    LATENCY = "latency"
    THROUGHPUT = "throughput"
    LONG_CONTEXT = "long-context"
    MULTI_STEP = "multi-step"
    MEMORY = "memory"
    QUALITY = "quality"


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """What the user wants; ``None`` means "you choose"."""

    kind: GoalKind = GoalKind.THROUGHPUT
    ttft_s: float | None = None
    itl_s: float | None = None
    concurrency: int | None = None
    context_tokens: int | None = None
    output_tokens: int | None = None
    """How long answers get; the context has to hold them beside the prompt."""
    structured: bool = False
    """Answers have to follow a grammar or a JSON schema."""
    for_others: bool = False
    """The model is offered to others, so that its licence matters."""
    memory_bytes_per_gpu: int | None = None
    """Take no more of each GPU than this, for example beside another model."""
    engine: str | None = None
    engine_version: str | None = None
    gpu_uuids: tuple[str, ...] = ()
    """GPUs the user chose (topology); empty means any."""
    cpu_only: bool = False
    """Leave the GPUs alone, for example because containers cannot be given any."""
    port: int = 0
    """Host port; 0 means the next free one."""
    offline: bool = True
    """True when the host must not be expected to reach a registry."""
    adapters: tuple[LoraAdapter, ...] = ()
    """LoRA adapters that shall be served beside the model."""
    own_flags: tuple[str, ...] = ()
    """Engine flags of the user's own, as words; they replace planned ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedValue:
    """A value that a parameter cannot take here, and why."""

    value: str
    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterRange:
    """What a parameter could be here instead; values are engine-neutral, as text."""

    parameter: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    """Every value that works, where they can be listed."""
    refused: tuple[RefusedValue, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TuningStep:
    """One thing of the tuning plan: a load, a figure, a round or the rule when to stop."""

    kind: str
    """``load``, ``figure``, ``round``, ``method`` or ``stop``."""
    id: str
    text: Text
    parameters: tuple[str, ...] = ()
    """What a round changes, one at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One complete proposal: everything needed to show, save and deploy it."""

    engine: str
    version: str
    image: str
    score: float
    parameters: Parameters
    flags: tuple[ChosenFlag, ...]
    argv: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    container: ContainerSpec
    estimate: MemoryEstimate
    reasons: tuple[Reason, ...]
    advice: tuple[Reason, ...] = ()
    """Warnings the user should read before deploying."""
    ranges: tuple[ParameterRange, ...] = ()
    """What each value could be instead."""
    speed: SpeedEstimate | None = None
    """How fast it may be; ``None`` where it was not asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """An engine that cannot serve here, and why."""

    engine: str
    version: str
    code: str
    text: Text
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PathStep:
    """One question of the tree that was answered on the way."""

    node: str
    question: Text
    answer: Text
    branch: str
    """Id of the branch taken."""
    reason: Reason | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeNode:
    """One node of the drawn tree."""

    id: str
    parent: str | None
    label: Text
    kind: str
    """``question``, ``engine``, ``parameter``, ``value`` (another one of it) or ``leaf``."""
    state: str
    """``lit`` (on the path), ``refused`` or ``open``."""
    reason: Reason | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanResult:
    """What planning answers: never empty-handed, refusals have their reasons."""

    goal: Goal
    ranked: tuple[Plan, ...]
    rejected: tuple[Rejection, ...]
    path: tuple[PathStep, ...]
    tree: tuple[TreeNode, ...]
    tuning: tuple[TuningStep, ...] = ()
    """How to find better values by measuring."""
