"""What both ways of sizing share: the case, wanted context and concurrency, dtypes, the answer.

`size_shards` (tensor-parallel engines), `size_layers` (llama.cpp) and `size_main_memory` do the
searching; what they have in common is here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from app.core.engines.images import ImageChoice, choose_image
from app.core.engines.parameters import ChosenFlag, Parameters
from app.core.engines.spec import Device, EngineData, PlanField
from app.core.errors import PlanError
from app.core.models.architecture import ModelInfo
from app.core.models.kv import element_bytes, split_kv_dtype
from app.core.models.memory import Limit, MemoryEstimate
from app.core.models.quantized_size import load_dtype
from app.core.models.request import Device as MemoryDevice
from app.core.models.request import EstimateOptions
from app.core.planning.conditions import Facts
from app.core.planning.host_view import GpuChoice, HostView
from app.core.planning.own_flags import OwnFlags
from app.core.planning.plan import Goal
from app.core.planning.pooled import pooled_device
from app.core.planning.type_limits import kv_dtype_lacks, lacks_bfloat16
from app.core.planning.wording import Wording
from app.core.texts import Reason
from app.core.units import GIB, MIB
from app.core.versions import in_span

_SMALLEST_CONTEXT = 2048
_FALLBACK_CONTEXT = 8192
_CONTEXT_STEP = 1024
_LONG_STEP = 4096
_SHORT_CONTEXT = 32768
"""Up to here contexts are looked for in steps of 1024, above in coarser ones."""
_FALLBACK_CONCURRENCY = 8
_DTYPES: Final = {"half": "float16", "float": "float32"}
"""Other names of types."""


class Estimator(Protocol):
    """The memory model with its calibration already bound."""

    def __call__(
        self,
        *,
        model: ModelInfo,
        engine: str,
        version: str,
        device: MemoryDevice,
        options: EstimateOptions,
    ) -> MemoryEstimate:
        """Return the memory picture."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One engine version on one host for one goal."""

    engine: EngineData
    image: ImageChoice
    model: ModelInfo
    host: HostView
    goal: Goal
    facts: Facts
    wording: Wording
    estimator: Estimator
    own: OwnFlags = field(default_factory=OwnFlags)
    """The user's own flags: what they set is not chosen any more."""

    @property
    def on_cpu(self) -> bool:
        """Whether the image computes on the CPU."""
        return self.image.rule.device is Device.CPU

    @property
    def may_mix(self) -> bool:
        """Whether there are unlike GPUs, and the image runs on all of them."""
        if not self.host.unlike:
            return False
        traits = self.host.with_unlike().traits()
        answer = choose_image(self.engine.engine, traits, version=self.image.version)
        return isinstance(answer, ImageChoice)

    def has_flag(self, field: PlanField) -> bool:
        """Whether this version takes the value at all."""
        scheme = self.engine.engine.version_scheme
        return any(
            rule.plan_field is field and in_span(self.image.version, rule.since, rule.until, scheme)
            for rule in self.engine.flags.flag
        )

    def is_total(self, field: PlanField) -> bool:
        """Whether this engine takes the value for all requests together."""
        return any(
            rule.plan_field is field and rule.times is not None for rule in self.engine.flags.flag
        )

    def estimate(self, choice: GpuChoice | None, options: EstimateOptions) -> MemoryEstimate:
        """Return the memory picture of this case, with what only the user's own flags set."""
        own = self.own
        options = replace(
            options,
            quantization=own.text(PlanField.QUANTIZATION),
            block_size=own.whole(PlanField.BLOCK_SIZE),
            enforce_eager=options.enforce_eager or own.yes(PlanField.ENFORCE_EAGER) is True,
            kv_cache_bytes=options.kv_cache_bytes or own.whole(PlanField.KV_CACHE_BYTES),
        )
        return self.estimator(
            model=self.model,
            engine=self.engine.engine.id,
            version=self.image.version,
            device=self.device(choice),
            options=options,
        )

    def device(self, choice: GpuChoice | None) -> MemoryDevice:
        """Return the device; for an engine without a fraction a limit counts as used memory."""
        device, cap = self.host.memory_device(choice), self.goal.memory_bytes_per_gpu
        if choice is None or not self.engine.engine.layer_split:
            return device
        device = pooled_device(device, choice, self.model)
        total = device.memory_total_mib
        if cap is None or total is None:
            return device
        most = cap // MIB * (choice.count if choice.is_unlike else 1)
        return replace(device, memory_used_mib=max(device.memory_used_mib, total - most))

    def reason(self, code: str, parameter: str, **values: object) -> Reason:
        """Return the sentence of a code, filled with facts and values."""
        return self.wording.reason(code, {**self.facts, **values}, parameter=parameter)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sized:
    """Parameters that fit, with their reasons."""

    parameters: Parameters
    estimate: MemoryEstimate
    choice: GpuChoice | None
    reasons: Mapping[str, Reason]
    """By plan field."""
    facts: Facts
    extra: tuple[ChosenFlag, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NotSized:
    """Nothing fits; a sentence's code and its values."""

    code: str
    values: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Context and concurrency to start from."""

    context: int
    concurrency: int
    context_reason: Reason
    concurrency_reason: Reason
    context_pinned: bool
    concurrency_pinned: bool

    def contexts(self) -> tuple[int, ...]:
        """Return the contexts to try, largest first; a pinned one is the only one."""
        sizes = [self.context]
        while not self.context_pinned and sizes[-1] // 2 >= _SMALLEST_CONTEXT:
            sizes.append(sizes[-1] // 2)
        return tuple(sizes)

    def longer(self, context: int) -> range:
        """Return the contexts between one that fits and the next larger of `contexts`."""
        following = next((size for size in self.contexts()[::-1] if size > context), context)
        step = _CONTEXT_STEP if following <= _SHORT_CONTEXT else _LONG_STEP
        return range(context // step * step + step, following, step)

    def concurrencies(self) -> tuple[int, ...]:
        """Return the numbers of requests to try, largest first."""
        sizes = [self.concurrency]
        while not self.concurrency_pinned and sizes[-1] > 1:
            sizes.append(sizes[-1] // 2)
        return tuple(sizes)


def wanted(case: Case) -> Wanted | NotSized:
    """Decide which context and concurrency to aim for: the user's own flags come first."""
    goal, limit = case.goal, case.model.architecture.max_context
    if goal.context_tokens is not None and limit is not None and goal.context_tokens > limit:
        return NotSized(
            code="context_beyond_model",
            values={"context_tokens": goal.context_tokens, "model_max_context": limit},
        )
    context, why_context = _wanted_context(case)
    concurrency, why_concurrency = _wanted_concurrency(case)
    aim = Wanted(
        context=context,
        concurrency=concurrency,
        context_reason=why_context,
        concurrency_reason=why_concurrency,
        context_pinned=goal.context_tokens is not None,
        concurrency_pinned=goal.concurrency is not None,
    )
    return _with_own_values(case, aim)


def _with_own_values(case: Case, aim: Wanted) -> Wanted:
    context = _own_context(case)
    requests = case.own.whole(PlanField.CONCURRENCY)
    if requests:
        aim = replace(aim, concurrency=requests, concurrency_pinned=True)
    if not context:
        return aim
    if not requests and case.is_total(PlanField.CONTEXT_TOKENS):
        return _with_own_total(aim, context)
    return replace(aim, context=context, context_pinned=True)


def _own_context(case: Case) -> int | None:
    """Return the context that the user's own flags set; llama.cpp's 0 means the model's own."""
    context = case.own.whole(PlanField.CONTEXT_TOKENS)
    limit = case.model.architecture.max_context
    if context != 0 or limit is None or not case.is_total(PlanField.CONTEXT_TOKENS):
        return context
    return limit // (case.own.whole(PlanField.CONCURRENCY) or 1)


def _with_own_total(aim: Wanted, total: int) -> Wanted:
    """Divide one context for all requests among as many as still get what was aimed for."""
    requests = aim.concurrency
    if not aim.concurrency_pinned:
        requests = min(requests, max(1, total // aim.context))
    return replace(
        aim,
        context=max(1, total // requests),
        concurrency=requests,
        context_pinned=True,
        concurrency_pinned=True,
    )


def sized_facts(
    parameters: Parameters, estimate: MemoryEstimate, choice: GpuChoice | None
) -> Facts:
    """Return the facts that every way of sizing knows once it has values."""
    return {
        "context_tokens": parameters.context_tokens,
        "concurrency": parameters.concurrency,
        "tensor_parallel_size": parameters.tensor_parallel_size,
        "pipeline_parallel_size": parameters.pipeline_parallel_size,
        "gpus_used": choice.count if choice else 0,
        "one_island": choice.is_one_island if choice else None,
        "max_concurrency": round(estimate.max_concurrency, 1),
        "fits": None if estimate.fits == "unknown" else True,
        "partly_on_cpu": False,
        "kv_dtype": parameters.kv_dtype,
        "dtype": parameters.dtype,
    }


def too_large(case: Case, estimate: MemoryEstimate, *, gpus: int, context: int) -> NotSized:
    """Return the refusal with what is needed, what there is and what is lacking."""
    room = estimate.kv_tokens // _CONTEXT_STEP * _CONTEXT_STEP
    is_context = any(said.startswith(Limit.CONTEXT_TOO_LONG) for said in estimate.limits)
    code = "does_not_fit_context" if is_context and 0 < room < context else "does_not_fit"
    return NotSized(
        code="does_not_fit_ram" if case.on_cpu else code,
        values={
            "needed_gib": gib(estimate.usable_bytes_per_gpu + estimate.missing_bytes),
            "available_gib": gib(estimate.usable_bytes_per_gpu),
            "missing_gib": gib(estimate.missing_bytes),
            "missing_bytes": estimate.missing_bytes,
            "gpus_used": gpus,
            "context_tokens": context,
            "fitting_tokens": room,
        },
    )


def fewer_reason(case: Case, aim: Wanted, concurrency: int, code: str) -> Reason:
    """Return the sentence for the requests at once, by ``code`` when they had to be fewer."""
    if concurrency == aim.concurrency:
        return aim.concurrency_reason
    return case.reason(code, "concurrency", value=concurrency, wanted=aim.concurrency)


def context_reason(case: Case, aim: Wanted, context: int) -> Reason:
    """Return the sentence for the context that was taken."""
    if context == aim.context:
        return aim.context_reason
    return case.reason("context_reduced", "context_tokens", value=context, wanted=aim.context)


def _wanted_context(case: Case) -> tuple[int, Reason]:
    asked, limit = case.goal.context_tokens, case.model.architecture.max_context
    if asked is not None:
        return asked, case.reason("context_asked", "context_tokens", value=asked)
    found = case.wording.number("context_tokens", case.facts)
    value, reason = found or (
        _FALLBACK_CONTEXT,
        case.reason("context_fallback", "context_tokens", value=_FALLBACK_CONTEXT),
    )
    output = case.goal.output_tokens
    if output is not None and output + _SMALLEST_CONTEXT > value:
        value = output + _SMALLEST_CONTEXT
        reason = case.reason("context_for_output", "context_tokens", value=value, output=output)
    if limit is not None and limit < value:
        return limit, case.reason("context_model_limit", "context_tokens", value=limit)
    return value, reason


def _wanted_concurrency(case: Case) -> tuple[int, Reason]:
    asked = case.goal.concurrency
    if asked is not None:
        return asked, case.reason("concurrency_asked", "concurrency", value=asked)
    return case.wording.number("concurrency", case.facts) or (
        _FALLBACK_CONCURRENCY,
        case.reason("concurrency_fallback", "concurrency", value=_FALLBACK_CONCURRENCY),
    )


def kv_dtype(case: Case) -> tuple[str, Reason]:
    """Choose the KV cache's type: the engine's own unless a rule wants another that works here."""
    if (own := case.own.text(PlanField.KV_DTYPE)) is not None:
        return own if has_known_size(own) else "auto", case.reason("kv_auto", "kv_dtype")
    found = case.wording.default("kv_dtype", case.facts)
    if found is not None and isinstance(found[0], str) and not kv_dtype_problem(case, found[0]):
        return found[0], found[1]
    return "auto", case.reason("kv_auto", "kv_dtype")


def has_known_size(dtype: str) -> bool:
    """Tell whether the memory model knows how large a type of the KV cache is."""
    try:
        return all(element_bytes(half) > 0 for half in split_kv_dtype(dtype))
    except PlanError:
        return False


def weight_dtype(case: Case) -> tuple[str, Reason]:
    """Choose the weights' type: float16 where the GPU has no bfloat16, bfloat16 on a CPU."""
    if (own := case.own.text(PlanField.DTYPE)) is not None:
        return _DTYPES.get(own, own), case.reason("dtype_auto", "dtype")
    too_old = lacks_bfloat16([gpu.compute_cap for gpu in case.host.gpus])
    if instead := case.facts.get("float16_instead"):
        reason = case.reason("dtype_not_float16", "dtype", value=instead)
        return str(instead), replace(reason, source=str(case.facts["float16_source"]))
    if too_old and not case.on_cpu and case.model.dtype != "float16":
        return "float16", case.reason("dtype_float16", "dtype")
    found = case.wording.default("dtype", case.facts)
    return (str(found[0]), found[1]) if found is not None else ("auto", _kept_dtype(case))


def _kept_dtype(case: Case) -> Reason:
    """Return the sentence for a type that is left to the engine."""
    model, capabilities = case.model, [gpu.compute_cap for gpu in case.host.gpus]
    kept = load_dtype("auto", model.dtype, min(capabilities, default=None, key=str))
    if model.quantization.method != "none":
        code = "dtype_quantized"
    elif kept != model.dtype:
        code = "dtype_halved"
    else:
        code = "dtype_auto"
    return case.reason(code, "dtype", model_dtype=model.dtype, kept=kept)


def gib(size: float) -> str:
    """Return bytes as GiB with one decimal."""
    return f"{size / GIB:.1f}"


def kv_dtype_problem(case: Case, dtype: str) -> str:
    """Return what a type of the KV cache lacks here; empty when it works."""
    capabilities = [gpu.compute_cap for gpu in case.host.gpus]
    return kv_dtype_lacks(
        case.engine.engine, case.image.version, dtype, capabilities, on_cpu=case.on_cpu
    )
