"""The facts that rules may speak about, by name. ``None`` means unknown.

Goal: ``goal, goal_ttft_s, goal_itl_s, goal_concurrency, goal_context, goal_output,
goal_structured, goal_for_others, goal_memory_limit, goal_engine, offline``; each flag of the
user's own is ``flag.--its-name`` with its value, or true.
Host: ``device, gpu_count, gpus_known, gpus_unknown, gpu_name, capability (90 for 9.0), driver,
architecture, gpu_access, container, container_reachable, island_size, mig_count, uses_mig,
off_fabric, unlike_count, is_geforce, source, beyond_one_host, simulated, is_live, cores``.
Model: ``model, model_format, format_assumed, gguf_split, model_method, model_max_context,
model_dtype, heads, kv_heads, experts, is_latent, has_window, has_chat_template, mtp_layers,
is_encoder, is_multimodal``.
Candidate: ``engine, engine_name, status, plannable, version, format_ok, formats, image_problem,
image_wanted, image_found, quantization_ok, quantization_min, quantization_native,
quantization_on_cpu, model_type, float16_unstable, float16_instead``.
Sizes, once known: ``context_tokens, concurrency, tensor_parallel_size, pipeline_parallel_size,
gpus_used, one_island, unlike_used, copies, kv_heads_repeated, fits, max_concurrency,
partly_on_cpu, experts_on_cpu, context_all_on_gpu, kv_dtype, dtype, by_compatibility``.
"""

from collections.abc import Mapping
from typing import Final

from app.core.engines.images import ImageChoice, ImageRefusal
from app.core.engines.mounts import is_split_gguf
from app.core.engines.spec import EngineFile, QuantizationRule, UnstableDtype
from app.core.hardware.fingerprint import Fingerprint, GpuAccess, HostSource
from app.core.models.architecture import ModelFormat, ModelInfo
from app.core.planning.host_view import HostView
from app.core.planning.plan import Goal
from app.core.planning.rules import Value
from app.core.versions import capability_at_least, capability_key, in_span

Facts = dict[str, Value]

_CARDS_MOST: Final = 16
_BOARD: Final = 8
"""Cards in one server at most, and the size of a usual NVLink board."""

_ANY_TYPE: Final = frozenset({"none", "bitsandbytes", "gguf"})
"""Methods whose kernels compute in float32 too; the others take 16-bit types alone.

Source: vLLM 0.33.0, get_supported_act_dtypes of each method.
"""


def goal_facts(goal: Goal) -> Facts:
    """Return what the user wants."""
    return {
        "goal": goal.kind.value,
        "goal_ttft_s": goal.ttft_s,
        "goal_itl_s": goal.itl_s,
        "goal_concurrency": goal.concurrency,
        "goal_context": goal.context_tokens,
        "goal_engine": goal.engine,
        "goal_version": goal.engine_version,
        "offline": goal.offline,
        "goal_output": goal.output_tokens,
        "goal_structured": goal.structured,
        "goal_for_others": goal.for_others,
        "goal_memory_limit": goal.memory_bytes_per_gpu is not None,
    }


def host_facts(host: HostView, fingerprint: Fingerprint) -> Facts:
    """Return what the host is."""
    first = host.gpus[0] if host.gpus else None
    access = host.gpu_access
    return {
        "device": host.device.value,
        "gpu_count": len(host.gpus),
        "gpus_known": "gpus" not in fingerprint.unknown,
        "gpus_unknown": fingerprint.unknown.get("gpus", ""),
        "gpu_name": first.name if first else None,
        "capability": _lowest_capability(host),
        "driver": host.driver,
        "architecture": host.architecture,
        "gpu_access": None if access is GpuAccess.UNKNOWN else access.value,
        "container": host.container_name,
        "container_reachable": host.container_reachable,
        "island_size": max((len(island) for island in host.islands), default=0),
        "mig_count": host.mig_count,
        "uses_mig": host.uses_mig,
        "off_fabric": len(host.off_fabric),
        "off_fabric_list": ", ".join(str(index) for index in host.off_fabric),
        "unlike_count": len(host.unlike),
        "is_geforce": first is not None and "GeForce" in (first.name or ""),
        "source": fingerprint.source.value,
        "beyond_one_host": fingerprint.source is HostSource.CATALOGUE and _beyond_host(host),
        "simulated": fingerprint.simulated,
        "is_live": fingerprint.source in (HostSource.LOCAL, HostSource.SSH)
        and not fingerprint.simulated,
        "cores": host.cores,
        "has_container": host.container_name is not None,
    }


def _beyond_host(host: HostView) -> bool:
    """Tell whether a described host has more GPUs than are built into one.

    Field opinion: servers hold up to 16 cards; NVLink boards are as large as their islands.
    """
    largest = max((len(island) for island in host.islands), default=0)
    return len(host.gpus) > _CARDS_MOST or (len(host.gpus) > largest >= _BOARD)


def model_facts(model: ModelInfo) -> Facts:
    """Return what the model is; a bare ``config.json`` is taken for safetensors, and marked."""
    return {
        "model": model.name,
        "model_format": assumed_format(model).value,
        "format_assumed": model.format is ModelFormat.UNKNOWN,
        "gguf_split": is_split_gguf(model),
        "model_method": model.quantization.method,
        "model_max_context": model.architecture.max_context,
        "model_dtype": model.dtype,
        "heads": model.architecture.heads,
        "kv_heads": model.architecture.kv_heads,
        "experts": model.architecture.experts or 0,
        "is_latent": model.architecture.kv_lora_rank is not None,
        "has_window": model.architecture.sliding_window is not None,
        "has_chat_template": model.has_chat_template,
        "mtp_layers": _draft_layers(model),
        "is_encoder": model.architecture.is_encoder,
        "is_multimodal": model.architecture.is_multimodal,
    }


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


def _draft_layers(model: ModelInfo) -> int:
    """Return how many layers of the checkpoint guess tokens ahead (multi-token prediction)."""
    for part in (model.raw_config, model.raw_config.get("text_config")):
        for key in ("num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_modules"):
            value = part.get(key) if isinstance(part, Mapping) else None
            if isinstance(value, int) and not isinstance(value, bool) and value > 0:
                return value
    return 0


def _native(rule: QuantizationRule, capability: str | None) -> bool | None:
    if not rule.native_capability:
        return None
    return capability_at_least(capability, rule.native_capability)


def _lowest_capability(host: HostView) -> int | None:
    keys = [key for gpu in host.gpus if (key := capability_key(gpu.compute_cap)) is not None]
    return min((major * 10 + minor for major, minor in keys), default=None)
