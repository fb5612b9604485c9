"""What each value of a plan could be instead: from where to where, which choices, which not."""

from dataclasses import dataclass
from typing import Final

from app.core.engines.spec import FractionMeaning, PlanField
from app.core.planning.plan import ParameterRange, RefusedValue
from app.core.planning.shares import default_fraction, meaning_of
from app.core.planning.sizing import Case, Sized, kv_dtype_problem
from app.core.planning.splits import refused_sizes
from app.core.versions import capability_at_least, in_span

_SMALLEST_CONTEXT: Final = 1024
_SMALLEST_PREFILL: Final = 512
_LARGEST_PREFILL: Final = 16_384
"""vLLM's own largest default; more costs memory for activations and no longer gains."""


def parameter_ranges(case: Case, sized: Sized) -> tuple[ParameterRange, ...]:
    """Return the ranges of the values that a plan shows, in their order."""
    made = _Ranges(case=case, sized=sized)
    found = (
        made.tensor(), made.stages(), made.layers(), made.experts(), made.context(),
        made.concurrency(), made.fraction(), made.kv(), made.dtype(), made.prefill(),
        made.prefix(), made.draft(),
    )  # fmt: skip
    return tuple(entry for entry in found if entry is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ranges:
    case: Case
    sized: Sized

    def tensor(self) -> ParameterRange | None:
        if self.case.engine.engine.layer_split or self.sized.choice is None:
            return None
        refused = refused_sizes(self.case)
        count = 1 if self.case.host.uses_mig else len(self.case.host.gpus)
        return ParameterRange(
            parameter="tensor_parallel_size",
            choices=tuple(str(n) for n in range(1, count + 1) if n not in refused),
            refused=tuple(
                RefusedValue(
                    value=str(size),
                    reason=self.case.reason(
                        "tp_refused", "tensor_parallel_size", value=size, problem=why
                    ),
                )
                for size, why in refused.items()
            ),
        )

    def stages(self) -> ParameterRange | None:
        if self.sized.parameters.pipeline_parallel_size == 1 or self.case.engine.engine.layer_split:
            return None
        high = len(self.case.host.gpus) // self.sized.parameters.tensor_parallel_size
        return ParameterRange(parameter="pipeline_parallel_size", low=1, high=high)

    def context(self) -> ParameterRange | None:
        estimate, limit = self.sized.estimate, self.case.model.architecture.max_context
        fits = estimate.kv_tokens if estimate.fits is True else None
        if self.case.engine.engine.layer_split:
            fits = None
        known = [value for value in (fits, limit) if value]
        return ParameterRange(
            parameter="context_tokens", low=_SMALLEST_CONTEXT, high=min(known) if known else None
        )

    def concurrency(self) -> ParameterRange | None:
        high = max(self.sized.estimate.max_concurrency, self.sized.parameters.concurrency)
        return ParameterRange(parameter="concurrency", low=1, high=float(int(high)))

    def fraction(self) -> ParameterRange | None:
        estimate = self.sized.estimate
        if (
            self.sized.choice is None
            or self.case.engine.engine.layer_split
            or not estimate.total_bytes_per_gpu
        ):
            return None
        if (
            meaning_of(self.case) is not FractionMeaning.OF_TOTAL
            or default_fraction(self.case) is None
        ):
            return ParameterRange(parameter="memory_fraction", low=0.01, high=0.99)
        held = (
            estimate.weights_bytes_per_gpu
            + estimate.activation_bytes
            + estimate.non_torch_bytes
            + estimate.cuda_graph_bytes
        )
        one = self.sized.parameters.context_tokens * estimate.kv_bytes_per_token_per_gpu
        low = (held + one) / estimate.total_bytes_per_gpu
        return ParameterRange(
            parameter="memory_fraction", low=round(min(low + 0.005, 0.99), 2), high=0.98
        )

    def kv(self) -> ParameterRange | None:
        engine = self.case.engine.engine
        names = dict.fromkeys(
            rule.dtype
            for rule in engine.kv_dtype
            if in_span(self.case.image.version, rule.since, rule.until, engine.version_scheme)
        )
        refused = {name: why for name in names if (why := kv_dtype_problem(self.case, name))}
        return ParameterRange(
            parameter="kv_dtype",
            choices=tuple(name for name in names if name not in refused),
            refused=tuple(
                RefusedValue(
                    value=name,
                    reason=self.case.reason("kv_refused", "kv_dtype", value=name, problem=why),
                )
                for name, why in refused.items()
            ),
        )

    def dtype(self) -> ParameterRange | None:
        if not self.case.has_flag(PlanField.DTYPE) or self.case.engine.engine.layer_split:
            return None
        old = any(
            capability_at_least(gpu.compute_cap, "8.0") is False for gpu in self.case.host.gpus
        )
        if self.case.on_cpu or not old:
            return ParameterRange(parameter="dtype", choices=("auto", "bfloat16", "float16"))
        reason = self.case.reason("dtype_refused", "dtype", value="bfloat16")
        refused = [RefusedValue(value="bfloat16", reason=reason)]
        if self.case.facts.get("float16_unstable"):
            reason = self.case.reason("dtype_unstable", "dtype", value="float16")
            refused.append(RefusedValue(value="float16", reason=reason))
        taken = {entry.value for entry in refused}
        return ParameterRange(
            parameter="dtype",
            choices=tuple(name for name in ("float16", "float32") if name not in taken),
            refused=tuple(refused),
        )

    def prefill(self) -> ParameterRange | None:
        if self.sized.parameters.prefill_tokens is None:
            return None
        low = max(_SMALLEST_PREFILL, self.sized.parameters.concurrency)
        return ParameterRange(parameter="prefill_tokens", low=low, high=max(low, _LARGEST_PREFILL))

    def prefix(self) -> ParameterRange | None:
        if not self.case.has_flag(PlanField.PREFIX_CACHING):
            return None
        return ParameterRange(parameter="prefix_caching", choices=("on", "off"))

    def draft(self) -> ParameterRange | None:
        """Offer the model's own draft layers wherever it has them."""
        if not self.case.facts.get("mtp_layers") or not self.case.has_flag(PlanField.SPECULATIVE):
            return None
        return ParameterRange(parameter="speculative", choices=("off", "mtp"))

    def layers(self) -> ParameterRange | None:
        if self.sized.parameters.gpu_layers is None:
            return None
        return ParameterRange(
            parameter="gpu_layers", low=0, high=self.case.model.architecture.layers + 1
        )

    def experts(self) -> ParameterRange | None:
        if self.sized.parameters.cpu_moe_layers is None:
            return None
        least = self.sized.facts.get("least_experts")
        low = self.sized.parameters.cpu_moe_layers if least is None else int(least)
        return ParameterRange(
            parameter="cpu_moe_layers", low=low, high=self.case.model.architecture.layers
        )
