"""Whether an engine's version runs a model on other hardware: planning's hard limits, no host.

Only what hardware decides is judged: generation, CPU architecture, driver, quantization, types.
Where a version has no image for GPUs that is known, nothing is said about its hardware.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from app.core.engines.images import HostTraits, ImageChoice, ImageProblem, choose_image
from app.core.engines.spec import Device, EngineData, PlanField
from app.core.models.architecture import ModelFormat, ModelInfo
from app.core.models.hardware_table import Candidate, Suitability
from app.core.models.request import EstimateOptions
from app.core.planning.conditions import Constraint, Facts, first_refusal
from app.core.planning.engine_facts import (
    engine_facts,
    float16_facts,
    image_facts,
    quantization_facts,
    unstable_rule,
)
from app.core.planning.type_limits import (
    kv_dtype_lacks,
    lacks_bfloat16,
    method_lacks,
    plain_method,
)
from app.core.texts import Reason
from app.core.versions import in_span

Sentence = Callable[[str, Mapping[str, object]], Reason]
"""Gives the sentence of a code, filled with values."""

_AUTO = "auto"


@dataclass(frozen=True)
class HardwareJudge:
    """Judges candidates for one model, engine, version and options."""

    engine: EngineData
    version: str
    model: ModelInfo
    options: EstimateOptions
    constraints: Iterable[Constraint]
    sentence: Sentence
    """Needed for types and methods that were chosen outright, and only then."""

    def __call__(self, candidate: Candidate) -> Suitability:
        """Say whether the engine runs there, and in which type."""
        traits = HostTraits(
            device=Device.NVIDIA,
            architecture=candidate.architecture,
            driver=candidate.driver,
            capabilities=(candidate.device.compute_cap,),
            is_data_centre=candidate.is_data_centre,
        )
        facts, rule = self._looked_up(traits)
        facts = {**facts, "gpu_name": candidate.device.name}
        if rule is not None:
            return Suitability(refused=rule.reason(facts))
        for code, values in self._own(traits.capabilities):
            return Suitability(refused=self.sentence(code, {**facts, **values}))
        instead = facts.get("float16_instead")
        is_free = instead and self.options.dtype == _AUTO
        return Suitability(dtype=str(instead) if is_free else "")

    @cached_property
    def _looked_up(self) -> Callable[[HostTraits], tuple[Facts, Constraint | None]]:
        """Products share generations: each is judged once."""
        return cache(self._look_up)

    def _look_up(self, traits: HostTraits) -> tuple[Facts, Constraint | None]:
        file = self.engine.engine
        (capability,) = traits.capabilities
        facts: Facts = {
            **engine_facts(file, self.model),
            "model": self.model.name,
            "model_format": self.model.format.value,
            "model_method": self.model.quantization.method,
            "version": self.version,
            **quantization_facts(file, self.version, self.model, capability),
            **float16_facts(file, self.version, self.model, capability),
        }
        if self.model.format is ModelFormat.UNKNOWN:
            facts["format_ok"] = None  # a config alone does not say how the weights are stored
        choice = choose_image(file, traits, version=self.version)
        if isinstance(choice, ImageChoice) or choice.problem > ImageProblem.NO_GPU:
            facts |= image_facts(choice)
        return facts, first_refusal(self.constraints, file.id, facts)

    def _own(
        self, capabilities: tuple[str | None, ...]
    ) -> Iterator[tuple[str, Mapping[str, object]]]:
        """Yield the codes, with values, of chosen types and methods that do not work there."""
        file, options, version = self.engine.engine, self.options, self.version
        dtype, kv_dtype = options.dtype, options.kv_dtype
        if dtype == "bfloat16" and lacks_bfloat16(capabilities):
            yield "own_flag_bfloat16", {"flag": self._words(PlanField.DTYPE, dtype)}
        taken = "float16" if dtype == "half" else dtype
        if unstable_rule(file, version, self.model, taken) is not None:
            yield "own_flag_unstable", {"flag": self._words(PlanField.DTYPE, dtype)}
        is_listed = kv_dtype in {rule.dtype for rule in file.kv_dtype} and None not in capabilities
        if is_listed and (problem := kv_dtype_lacks(file, version, kv_dtype, capabilities)):
            flag = self._words(PlanField.KV_DTYPE, kv_dtype)
            yield "own_flag_cache", {"flag": flag, "problem": problem}
        method = plain_method(options.quantization)
        if least := method_lacks(file, version, method, capabilities):
            flag = self._words(PlanField.QUANTIZATION, options.quantization or "")
            yield "own_flag_method", {"flag": flag, "least": least}

    def _words(self, field: PlanField, value: str) -> str:
        """Return the flag that sets a field, with its value."""
        scheme = self.engine.engine.version_scheme
        for rule in self.engine.flags.flag:
            alive = in_span(self.version, rule.since, rule.until, scheme)
            if rule.plan_field is field and alive:
                return f"{rule.name} {rule.values.get(value, value)}"
        return value
