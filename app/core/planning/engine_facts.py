"""What an engine's version does with a model on GPUs of one generation; `facts` says the rest.

Planning for a host and sizing over products judge by the same facts.
"""

from typing import Final

from app.core.engines.images import ImageChoice, ImageRefusal
from app.core.engines.spec import EngineFile, QuantizationRule, UnstableDtype
from app.core.models.architecture import ModelFormat, ModelInfo
from app.core.planning.conditions import Facts
from app.core.versions import capability_at_least, in_span

_ANY_TYPE: Final = frozenset({"none", "bitsandbytes", "gguf"})
"""Methods whose kernels compute in float32 too; the others take 16-bit types alone.

Source: vLLM 0.33.0, get_supported_act_dtypes of each method.
"""


def engine_facts(engine: EngineFile, model: ModelInfo) -> Facts:
    """Return what the engine is, and whether it reads the model's format."""
    return {
        "engine": engine.id,
        "engine_name": engine.name,
        "status": engine.status.value,
        "plannable": engine.plannable,
        "formats": ", ".join(engine.formats),
        "format_ok": assumed_format(model).value in engine.formats,
    }


def assumed_format(model: ModelInfo) -> ModelFormat:
    """Return the model's format; only safetensors folders have a ``config.json`` to be read."""
    if model.format is ModelFormat.UNKNOWN:
        return ModelFormat.SAFETENSORS
    return model.format


def image_facts(choice: ImageChoice | ImageRefusal) -> Facts:
    """Return which image was chosen, or why none was."""
    if isinstance(choice, ImageChoice):
        return {
            "version": choice.version,
            "image_problem": "",
            "image": choice.reference,
            "image_cuda": choice.rule.cuda,
            "by_compatibility": choice.by_compatibility,
        }
    return {
        "version": choice.version,
        "image_problem": choice.problem.name.lower(),
        "image_wanted": choice.wanted,
        "image_found": choice.found,
    }


def quantization_facts(
    engine: EngineFile, version: str, model: ModelInfo, capability: str | None
) -> Facts:
    """Return whether the engine runs the model's quantization on this GPU generation.

    A method that other versions have is refused; one that no version lists is unknown.
    """
    method = model.quantization.method
    rules = [
        rule
        for rule in engine.quantization
        if rule.method == method and in_span(version, rule.since, rule.until, engine.version_scheme)
    ]
    if not rules:
        # Nothing is listed for the engine at all, or not this method: not known.
        ended = method in {rule.method for rule in engine.quantization}
        return {"quantization_ok": False if ended else None, "quantization_ended": ended}
    rule = rules[0]
    enough = (
        True if not rule.min_capability else capability_at_least(capability, rule.min_capability)
    )
    return {
        "quantization_ok": enough,
        "quantization_min": rule.min_capability or None,
        "quantization_native": _native(rule, capability),
        "quantization_unconfirmed": capability in rule.unconfirmed_on,
    }


def float16_facts(
    engine: EngineFile, version: str, model: ModelInfo, capability: str | None
) -> Facts:
    """Return whether a GPU without bfloat16 would make the model unstable, and what is left."""
    rule = unstable_rule(engine, version, model, "float16")
    is_old = capability_at_least(capability, "8.0") is False
    unstable = rule is not None and is_old
    loads_wider = model.quantization.method in _ANY_TYPE
    instead = rule.instead if rule is not None and unstable and loads_wider else ""
    return {
        "model_type": model.architecture.model_type,
        "float16_unstable": unstable,
        "float16_instead": instead,
        "float16_source": rule.source if rule is not None else "",
    }


def unstable_rule(
    engine: EngineFile, version: str, model: ModelInfo, dtype: str
) -> UnstableDtype | None:
    """Return what is known of this model in a type of weights."""
    for rule in engine.unstable_dtype:
        alive = in_span(version, rule.since, rule.until, engine.version_scheme)
        if alive and rule.dtype == dtype and model.architecture.model_type in rule.model_types:
            return rule
    return None


def cpu_quantization_facts(engine: EngineFile, model: ModelInfo) -> Facts:
    """Return whether the engine's CPU image is known to run the model's quantization.

    An engine of which no methods are listed is not judged.
    """
    method = model.quantization.method
    if not engine.quantization:
        return {"quantization_on_cpu": None}
    known = any(rule.method == method and rule.on_cpu for rule in engine.quantization)
    return {"quantization_on_cpu": known}


def _native(rule: QuantizationRule, capability: str | None) -> bool | None:
    if not rule.native_capability:
        return None
    return capability_at_least(capability, rule.native_capability)
