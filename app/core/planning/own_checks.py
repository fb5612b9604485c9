"""What keeps an engine from starting (or from being reached) with the user's own flags.

Each check names the flag. What cannot be known is not refused.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from app.core.deployment.spec import Mount
from app.core.engines.flags import FlagProblem, check_flags
from app.core.engines.mounts import place_model
from app.core.engines.parameters import ChosenFlag, Parameters
from app.core.engines.render import host_flags
from app.core.engines.served import listens_everywhere, port_of, split_address
from app.core.engines.spec import FlagType, FractionMeaning, PlanField
from app.core.models.memory import MemoryEstimate
from app.core.planning.engine_facts import unstable_rule
from app.core.planning.shares import meaning_of
from app.core.planning.sizing import Case, gib, has_known_size, kv_dtype_problem
from app.core.planning.type_limits import lacks_bfloat16, method_lacks, plain_method
from app.core.texts import Reason
from app.core.versions import in_span

_SECRET: Final = re.compile(r"(^|_)(TOKEN|API_?KEY|SECRET|PASSWORD)$")
_GPUS: Final = frozenset({"CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"})
"""Variables by which Pitwall itself gives GPUs."""

_STRETCHING: Final = ("rope", "hf-overrides", "json-model-override", "LONG")
"""Flags and variables with these words may make a model's context longer than it says."""

_FILE: Final = re.compile(r"\.\w{2,11}$")
"""How the name of a file ends; a path of a URL does not."""

_WRITTEN_BEFORE: Final = frozenset({"awq", "gptq", "gguf", "compressed-tensors"})
"""Methods of which an engine finds nothing in a checkpoint that was not written in them."""


def own_refusal(case: Case) -> Reason | None:
    """Return the first reason why nothing can be started; ``None`` when all seems well."""
    return next((reason for check in _CHECKS if (reason := check(case)) is not None), None)


def own_advice(
    case: Case, mounts: tuple[Mount, ...], estimate: MemoryEstimate
) -> tuple[Reason, ...]:
    """Return what is worth knowing of flags that are taken as they are."""
    return (
        *_paths(case, mounts),
        *_goal(case),
        *_health(case),
        *_uncounted(case),
        *_share(case, estimate),
    )


def contradicted(case: Case, planned: tuple[ChosenFlag, ...]) -> Mapping[str, Reason]:
    """Return planned flags that the user's own contradict: they are left out, and that is said."""
    names = [flag.name for flag in planned if flag.name not in case.own.replaced]
    engine, version = case.engine, case.image.version
    findings = check_flags(case.own.given, engine.flags, engine.engine, version, planned=names)
    found = {}
    for finding in findings:
        if finding.problem is not FlagProblem.CONFLICT:
            continue
        pair = (finding.flag, finding.suggestion)
        for name, own in (pair, pair[::-1]):
            if name in names:
                found[name] = case.reason("own_flag_conflict", "", flag=own, planned=name)
    return found


def own_limit_problem(case: Case, parameters: Parameters) -> Reason | None:
    """Return why a flag that has to follow another one does not: TGI's prompt and total."""
    for flag, rule in zip(case.own.given, case.own.rules, strict=True):
        if rule is None or not rule.follows or not rule.offset or not (flag.value or "").isdigit():
            continue
        most = parameters.context_tokens + rule.offset
        if rule.plan_field is PlanField.CONTEXT_TOKENS and int(flag.value or 0) > most:
            return case.reason(
                "own_flag_beyond", "", flags=f"{flag.name} {flag.value}", most=most,
                total=parameters.context_tokens,
            )  # fmt: skip
    return None


def _variables(case: Case) -> Reason | None:
    for name in case.own.variables:
        if name in _GPUS:
            return case.reason("own_flag_gpus", "", flag=name)
        if _SECRET.search(name):
            return case.reason("own_flag_secret", "", flag=name)
    return None


def _model(case: Case) -> Reason | None:
    """The model is mounted by Pitwall: another path is not in the container."""
    planned = {
        flag.value
        for flag in host_flags(case.engine, case.image.version, case.model)
        if flag.reason.parameter == PlanField.MODEL
    }
    known = {*planned, place_model(case.model).path, case.model.path, case.model.name}
    for wanted in (PlanField.MODEL, PlanField.API_KEY):
        value = case.own.values.get(wanted)
        if value is not None and value not in known:
            return case.reason("own_flag_set_by_pitwall", "", flag=case.own.words(wanted))
    return None


def _address(case: Case) -> Reason | None:
    value = case.own.values.get(PlanField.HOST)
    if value is None or listens_everywhere(value):
        return None
    address = split_address(value)[0]
    return case.reason("own_flag_address", "", flag=case.own.words(PlanField.HOST), address=address)


def _dtype(case: Case) -> Reason | None:
    dtype = case.own.text(PlanField.DTYPE)
    taken = "float16" if dtype == "half" else dtype or ""
    unstable = unstable_rule(case.engine.engine, case.image.version, case.model, taken)
    if unstable is not None and not case.on_cpu:
        reason = case.reason("own_flag_unstable", "", flag=case.own.words(PlanField.DTYPE))
        return replace(reason, source=f"{unstable.source} ({unstable.checked})")
    old = lacks_bfloat16([gpu.compute_cap for gpu in case.host.gpus])
    if case.on_cpu or dtype != "bfloat16" or not old:
        return None
    return case.reason("own_flag_bfloat16", "", flag=case.own.words(PlanField.DTYPE))


def _cache(case: Case) -> Reason | None:
    dtype = case.own.text(PlanField.KV_DTYPE)
    listed = {rule.dtype for rule in case.engine.engine.kv_dtype}
    if dtype not in listed or not (problem := kv_dtype_problem(case, dtype)):
        return None
    flag = case.own.words(PlanField.KV_DTYPE)
    return case.reason("own_flag_cache", "", flag=flag, problem=problem)


def _quantization(case: Case) -> Reason | None:
    asked = plain_method(case.own.text(PlanField.QUANTIZATION))
    flag, has = case.own.words(PlanField.QUANTIZATION), case.model.quantization.method
    method = asked.removesuffix("-marlin")
    if method in _WRITTEN_BEFORE and method != plain_method(has):
        return case.reason("own_flag_other_method", "", flag=flag, method=has)
    if _has_ended(case, asked):
        return case.reason("own_flag_method_ended", "", flag=flag)
    capabilities = [gpu.compute_cap for gpu in case.host.gpus]
    least = method_lacks(case.engine.engine, case.image.version, asked, capabilities)
    if case.on_cpu or not least:
        return None
    return case.reason("own_flag_method", "", flag=flag, least=least)


def _has_ended(case: Case, method: str) -> bool:
    """Tell whether other versions know a method and this one does not."""
    file, version = case.engine.engine, case.image.version
    known = [rule for rule in file.quantization if plain_method(rule.method) == method]
    return bool(known) and not any(
        in_span(version, rule.since, rule.until, file.version_scheme) for rule in known
    )


def _whole_memory(case: Case) -> Reason | None:
    """A share of all the memory is never free: the engine's own context lies in it."""
    share = case.own.share(PlanField.MEMORY_FRACTION)
    if share is None or share < 1 or meaning_of(case) is not FractionMeaning.OF_TOTAL:
        return None
    return case.reason("own_flag_whole", "", flag=case.own.words(PlanField.MEMORY_FRACTION))


def _experts(case: Case) -> Reason | None:
    wanted = case.own.text(PlanField.EXPERT_PARALLEL_SIZE)
    if wanted in (None, "false", "0", "1") or case.model.architecture.experts:
        return None
    return case.reason(
        "own_flag_no_experts", "", flag=case.own.words(PlanField.EXPERT_PARALLEL_SIZE)
    )


def _context(case: Case) -> Reason | None:
    asked, limit = case.own.whole(PlanField.CONTEXT_TOKENS), case.model.architecture.max_context
    if case.engine.engine.layer_split or not asked or limit is None or asked <= limit:
        return None
    if any(word in case.own.all_words for word in _STRETCHING):
        return None
    flag = case.own.words(PlanField.CONTEXT_TOKENS)
    return case.reason("own_flag_context", "", flag=flag, limit=limit)


def _paths(case: Case, mounts: tuple[Mount, ...]) -> Iterator[Reason]:
    """A path of the host is not one of the container."""
    targets = tuple(mount.target for mount in mounts)
    for flag, rule in zip(case.own.given, case.own.rules, strict=True):
        named = "lora" in flag.name or (rule is not None and rule.type is FlagType.PATH)
        paths = [word.rpartition("=")[2] for word in re.split(r"[ ,]", flag.value or "")]
        outside = [
            path
            for path in paths
            if path.startswith("/") and not path.startswith(targets)
            if named or _FILE.search(path)
        ]
        if outside:
            code = "own_flag_adapter" if "lora" in flag.name else "own_flag_path"
            told = f"{flag.name} {' '.join(outside)}"
            yield case.reason(code, "", flag=told, folders=", ".join(targets))


def _goal(case: Case) -> Iterator[Reason]:
    """Say which wish of the goal gives way to a flag."""
    wishes = {
        PlanField.CONTEXT_TOKENS: case.goal.context_tokens,
        PlanField.CONCURRENCY: case.goal.concurrency,
    }
    for wanted, wish in wishes.items():
        own = case.own.whole(wanted)
        if wish is not None and own is not None and own != wish:
            flag = case.own.words(wanted)
            yield case.reason("own_flag_over_goal", wanted.value, flag=flag, wish=wish)


def _health(case: Case) -> Iterator[Reason]:
    """Say that the image's own health check asks another port."""
    server = case.engine.engine.server
    port = port_of(case.engine, case.own.given)
    fixed = server.image_healthcheck_port if server is not None else None
    if port is not None and fixed is not None and port != fixed:
        yield case.reason(
            "own_flag_health", "", flag=case.own.words(PlanField.PORT), port=port, fixed=fixed
        )


def _uncounted(case: Case) -> Iterator[Reason]:
    """Say that a type of the KV cache is one whose size is not known."""
    dtype = case.own.text(PlanField.KV_DTYPE)
    if dtype is not None and not has_known_size(dtype):
        yield case.reason("own_flag_uncounted", "kv_dtype", flag=case.own.words(PlanField.KV_DTYPE))


def _share(case: Case, estimate: MemoryEstimate) -> Iterator[Reason]:
    """Say that a share of what loading leaves free leaves too little beside it."""
    share = case.own.share(PlanField.MEMORY_FRACTION)
    if share is None or meaning_of(case) is not FractionMeaning.OF_FREE_AFTER_LOAD:
        return
    free = estimate.total_bytes_per_gpu - estimate.weights_bytes_per_gpu
    left, needed = (1 - share) * free, estimate.activation_bytes
    if estimate.total_bytes_per_gpu and left < needed:
        yield case.reason(
            "own_flag_share_high",
            "memory_fraction",
            flag=case.own.words(PlanField.MEMORY_FRACTION),
            left_gib=gib(left),
            needed_gib=gib(needed),
        )


_CHECKS: Final[tuple[Callable[[Case], Reason | None], ...]] = (
    _variables, _model, _address, _dtype, _cache, _quantization, _experts, _context, _whole_memory,
)  # fmt: skip
