"""The vocabulary of planning: goal in, ranked plans with reasons out."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from app.core.deployment.spec import ContainerSpec
from app.core.models.memory import MemoryEstimate


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
    engine: str | None = None
    engine_version: str | None = None
    gpu_uuids: tuple[str, ...] = ()
    """GPUs the user chose (topology); empty means any."""
    port: int = 0
    """Host port; 0 means the next free one."""
    offline: bool = True
    """True when the host must not be expected to reach a registry."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A sentence in both languages."""

    en: str
    zh_CN: str  # noqa: N815 - the language's own code


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why a value was chosen or an engine refused, from which fact."""

    code: str
    text: Text
    source: str
    """Document, version and date the fact comes from; ``field opinion`` is said so."""
    parameter: str = ""
    """The plan field or flag it speaks of; empty for the engine as a whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenFlag:
    """One engine flag with its value and the reason for it."""

    name: str
    """The flag as this version writes it, for example ``--ctx-size``."""
    value: str | None
    """``None`` for a switch."""
    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """Engine-neutral values of a plan."""

    context_tokens: int
    concurrency: int
    tensor_parallel_size: int = 1
    pipeline_parallel_size: int = 1
    gpu_indices: tuple[int, ...] = ()
    gpu_uuids: tuple[str, ...] = ()
    memory_fraction: float | None = None
    kv_dtype: str = "auto"
    dtype: str = "auto"
    gpu_layers: int | None = None
    """llama.cpp: layers on GPU; ``None`` for engines without the notion."""
    threads: int | None = None
    prefill_tokens: int | None = None
    prefix_caching: bool | None = None


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
    """``question``, ``engine``, ``parameter`` or ``leaf``."""
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
