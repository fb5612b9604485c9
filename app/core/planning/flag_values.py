"""From an engine's flags back to engine-neutral values, so that a profile can be estimated."""

from collections.abc import Container, Iterable, Mapping
from typing import Final

from app.core.deployment.profile_flag import ProfileFlag
from app.core.engines.flags import find_flag
from app.core.engines.spec import EngineData, FlagRule, PlanField
from app.core.models.request import EstimateOptions

_NOT_DEALT: Final = frozenset({"false", "0", "1"})
_USUAL_CACHE: Final = "f16"
"""What llama.cpp stores keys or values in when no flag says otherwise."""


def neutral_values(
    engine: EngineData, version: str, flags: Iterable[ProfileFlag]
) -> Mapping[PlanField, str]:
    """Return the plan fields that flags carry, in the planner's own spelling.

    What an engine takes for all requests together counts per request; keys and values of a cache
    in two types are written as ``K/V``. Flags that only follow a field say nothing about it.
    """
    found: dict[PlanField, str] = {}
    totals: list[tuple[PlanField, PlanField]] = []
    halves: dict[PlanField, dict[int, str]] = {}
    own = {known.dtype for known in engine.engine.kv_dtype}
    for flag in flags:
        rule = find_flag(engine.flags, flag.name, engine.engine, version)
        if rule is None or rule.plan_field is None or rule.follows:
            continue
        found[rule.plan_field] = _neutral(rule, flag, own)
        if rule.part is not None:
            halves.setdefault(rule.plan_field, {})[rule.part] = found[rule.plan_field]
        if rule.times is not None:
            totals.append((rule.plan_field, rule.times))
    for total, parts in totals:
        whole, count = whole_of(found[total]), whole_of(found.get(parts, "1"))
        if whole is not None and count:
            found[total] = str(whole // count)
    return {**found, **{name: _joined(parts) for name, parts in halves.items()}}


def _joined(halves: Mapping[int, str]) -> str:
    """Return keys and values as one word when they are alike; a missing one is the engine's own."""
    keys, values = (halves.get(part, _USUAL_CACHE) for part in (0, 1))
    return keys if keys == values else f"{keys}/{values}"


def estimate_options(values: Mapping[PlanField, str], layers: int = 0) -> EstimateOptions:
    """Return the options of a memory estimate; words such as ``auto`` keep the default.

    ``layers`` (with the output) are what a split of layers over GPUs is dealt out of.
    """
    fraction = values.get(PlanField.MEMORY_FRACTION)
    return EstimateOptions(
        tensor_parallel_size=_count(values, PlanField.TENSOR_PARALLEL_SIZE) or 1,
        pipeline_parallel_size=_count(values, PlanField.PIPELINE_PARALLEL_SIZE) or 1,
        expert_parallel=values.get(PlanField.EXPERT_PARALLEL_SIZE, "0") not in _NOT_DEALT,
        context_tokens=_count(values, PlanField.CONTEXT_TOKENS),
        concurrency=_count(values, PlanField.CONCURRENCY),
        memory_fraction=float(fraction) if fraction else None,
        kv_dtype=values.get(PlanField.KV_DTYPE, "auto"),
        dtype=values.get(PlanField.DTYPE, "auto"),
        gpu_layers=whole_of(values.get(PlanField.GPU_LAYERS, "")),
        tensor_split=layer_runs(values.get(PlanField.TENSOR_SPLIT, ""), layers),
        cpu_moe_layers=_count(values, PlanField.CPU_MOE_LAYERS) or 0,
        prefill_tokens=_count(values, PlanField.PREFILL_TOKENS),
        max_num_seqs=_count(values, PlanField.CONCURRENCY),
        enforce_eager=values.get(PlanField.ENFORCE_EAGER) == "true",
        kv_cache_bytes=_count(values, PlanField.KV_CACHE_BYTES),
        quantization=values.get(PlanField.QUANTIZATION),
        block_size=_count(values, PlanField.BLOCK_SIZE),
    )


def layer_runs(parts: str, layers: int) -> tuple[int, ...]:
    """Return the layers of each GPU by the parts of a split (``3,1``), as llama.cpp deals them out.

    Example:
        >>> layer_runs("3,1", 29), layer_runs("20,17", 37)
        ((22, 7), (20, 17))
    """
    try:
        shares = [float(word) for word in parts.replace("/", ",").split(",") if word.strip()]
    except ValueError:
        return ()
    if not layers or not sum(shares):
        return ()
    ends = [sum(shares[: at + 1]) / sum(shares) for at in range(len(shares))]
    owners = [next(n for n, end in enumerate(ends) if end > at / layers) for at in range(layers)]
    return tuple(owners.count(at) for at in range(len(shares)))


def _neutral(rule: FlagRule, flag: ProfileFlag, own: Container[str]) -> str:
    if flag.value is None:
        return "false" if flag.name == rule.negation else "true"
    if rule.plan_field is PlanField.KV_DTYPE and flag.value in own:
        return flag.value
    neutral = next((ours for ours, theirs in rule.values.items() if theirs == flag.value), None)
    whole = whole_of(flag.value) if rule.offset else None
    return neutral or (flag.value if whole is None else str(whole - rule.offset))


def _count(values: Mapping[PlanField, str], field: PlanField) -> int | None:
    number = whole_of(values.get(field, ""))
    return number if number is not None and number > 0 else None


def whole_of(text: str) -> int | None:
    """Read ``4096``, ``32k`` (32,000) or ``32K`` (32,768); ``None`` for anything else."""
    units = {"k": 1000, "m": 1000**2, "g": 1000**3, "K": 1024, "M": 1024**2, "G": 1024**3}
    number, unit = (text[:-1], units[text[-1]]) if text[-1:] in units else (text, 1)
    return int(number) * unit if number.isdigit() else None
