"""LoRA adapters of a goal: can an engine serve them, by which flags, with how much memory.

How an engine takes adapters stands in its data (``[[adapter]]``); an engine without such a rule
for the version is refused, and a rule that does not fit says which part of it.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Protocol

from app.core.deployment.spec import Mount
from app.core.engines.adapters import AdapterRule
from app.core.engines.parameters import WORD_SEPARATOR, ChosenFlag
from app.core.engines.spec import EngineFile
from app.core.models.architecture import ModelInfo
from app.core.models.lora import LoraAdapter, base_differs, with_adapters
from app.core.planning.conditions import Facts
from app.core.texts import Reason
from app.core.versions import in_span

_TARGET = "/adapters"
_USUAL_RANK = 16


class AdapterProblem(StrEnum):
    """Why an engine cannot serve the adapters that are asked for."""

    NONE = "none"
    NO_WAY = "no_way"
    FORMAT = "format"
    COUNT = "count"
    RANK = "rank"
    DORA = "dora"
    MODULES = "modules"


class Placed(Protocol):
    """An adapter's name and where it lies on the host."""

    @property
    def name(self) -> str:
        """What clients call it."""

    @property
    def path(self) -> str:
        """Folder or GGUF file on the host."""


def rule_of(engine: EngineFile, version: str) -> AdapterRule | None:
    """Return how this version takes adapters; ``None`` when nobody knows a way."""
    for rule in engine.adapter:
        if in_span(version, rule.since, rule.until, engine.version_scheme):
            return rule
    return None


def adapter_facts(
    engine: EngineFile, version: str, adapters: Sequence[LoraAdapter], model: ModelInfo
) -> Facts:
    """Return what rules want to know of the goal's adapters."""
    problem = _problem(rule_of(engine, version), adapters) if adapters else AdapterProblem.NONE
    other = [adapter.name for adapter in adapters if base_differs(adapter, model)]
    return {
        "adapters": len(adapters),
        "adapter_problem": problem.value,
        "adapter_rank": rank_of(adapters),
        "adapter_other_base": ", ".join(other),
    }


def _problem(rule: AdapterRule | None, adapters: Sequence[LoraAdapter]) -> AdapterProblem:
    if rule is None:
        return AdapterProblem.NO_WAY
    peft = not rule.gguf
    problems = {
        AdapterProblem.FORMAT: any(one.is_gguf != rule.gguf for one in adapters),
        AdapterProblem.COUNT: bool(rule.most) and len(adapters) > rule.most,
        AdapterProblem.RANK: bool(rule.ranks) and rank_of(adapters) > max(rule.ranks, default=0),
        AdapterProblem.DORA: peft and any(one.uses_dora for one in adapters),
        AdapterProblem.MODULES: peft and any(one.extra_modules for one in adapters),
    }
    return next((problem for problem, holds in problems.items() if holds), AdapterProblem.NONE)


def rank_of(adapters: Sequence[LoraAdapter]) -> int:
    """Return the largest rank of several adapters."""
    return max((adapter.rank or _USUAL_RANK for adapter in adapters), default=0)


def adapter_flags(
    engine: EngineFile, version: str, adapters: Sequence[LoraAdapter]
) -> tuple[ChosenFlag, ...]:
    """Return the flags by which this version is given the adapters."""
    rule = rule_of(engine, version)
    if rule is None or not adapters:
        return ()
    reason = Reason(
        code="adapters", text=rule.why, source=f"{rule.source} ({rule.checked})",
        parameter="adapters",
    )  # fmt: skip
    items = [rule.item.format(name=one.name, path=inside(one)) for one in adapters]
    values = {
        "{items}": (rule.separator or WORD_SEPARATOR).join(items),
        "{rank}": str(served_rank(rule, adapters)),
        "{count}": str(len(adapters) + rule.spare),
    }
    return tuple(
        ChosenFlag(name=flag.name, value=values.get(flag.value, flag.value) or None, reason=reason)
        for flag in rule.flag
    )


def served_rank(rule: AdapterRule, adapters: Sequence[LoraAdapter]) -> int:
    """Return the rank the engine is told: the next one that it takes."""
    wanted = rank_of(adapters)
    return next((rank for rank in sorted(rule.ranks) if rank >= wanted), wanted)


def model_with_adapters(
    engine: EngineFile, version: str, adapters: Sequence[LoraAdapter], model: ModelInfo
) -> ModelInfo:
    """Return the model with the memory this engine sets aside for the adapters."""
    rule = rule_of(engine, version)
    if rule is None or not adapters:
        return model
    targets = [] if rule.all_modules else [m for one in adapters for m in one.target_modules]
    return with_adapters(
        model,
        rank=served_rank(rule, adapters),
        slots=len(adapters) + rule.spare,
        modules=tuple(dict.fromkeys(targets)),
    )


def adapter_mounts(adapters: Sequence[Placed]) -> tuple[Mount, ...]:
    """Return the adapters' places in the container, read-only."""
    return tuple(Mount(source=one.path, target=inside(one)) for one in adapters)


def items_of(name: str, value: str | None, engine: EngineFile) -> str | None:
    """Return a flag's value as read from a command, its adapters as words of their own again."""
    several = any(
        flag.name == name and flag.value == "{items}" and not rule.separator
        for rule in engine.adapter
        for flag in rule.flag
    )
    return value.replace(" ", WORD_SEPARATOR) if several and value is not None else value


def adapters_in(mounts: Sequence[Mount]) -> Mapping[str, str]:
    """Return where each adapter lies on the host, from a container's mounts."""
    base = f"{_TARGET}/"
    found = [mount for mount in mounts if mount.target.startswith(base)]
    return {one.target.removeprefix(base).removesuffix(".gguf"): one.source for one in found}


def inside(adapter: Placed) -> str:
    """Return where an adapter is inside the container."""
    ending = ".gguf" if adapter.path.lower().endswith(".gguf") else ""
    return f"{_TARGET}/{adapter.name}{ending}"
