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

from app.core.engines.mounts import is_split_gguf
from app.core.hardware.fingerprint import Fingerprint, GpuAccess, HostSource
from app.core.models.architecture import ModelFormat, ModelInfo
from app.core.planning.conditions import Facts
from app.core.planning.engine_facts import assumed_format
from app.core.planning.host_view import HostView
from app.core.planning.plan import Goal
from app.core.versions import capability_key

_CARDS_MOST: Final = 16
_BOARD: Final = 8
"""Cards in one server at most, and the size of a usual NVLink board."""


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


def _draft_layers(model: ModelInfo) -> int:
    """Return how many layers of the checkpoint guess tokens ahead (multi-token prediction)."""
    for part in (model.raw_config, model.raw_config.get("text_config")):
        for key in ("num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_modules"):
            value = part.get(key) if isinstance(part, Mapping) else None
            if isinstance(value, int) and not isinstance(value, bool) and value > 0:
                return value
    return 0


def _lowest_capability(host: HostView) -> int | None:
    keys = [key for gpu in host.gpus if (key := capability_key(gpu.compute_cap)) is not None]
    return min((major * 10 + minor for major, minor in keys), default=None)
