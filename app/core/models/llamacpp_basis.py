"""Each number of llama.cpp's memory picture with its formula, inputs and source."""

from collections.abc import Iterable
from dataclasses import dataclass

from app.core.models.architecture import Architecture
from app.core.models.basis import formula_basis, given, per_token_basis
from app.core.models.calibration import ContextDefault, LlamaCppCalibration
from app.core.models.kv import KvLayout
from app.core.models.llamacpp_buffers import LlamaBatch
from app.core.models.memory import Basis
from app.core.models.request import Device
from app.core.units import MIB
from app.core.versions import in_loose_span

_CACHE = "llama.cpp src/llama-kv-cache.cpp"


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightsText:
    """How the weights of one GPU come about."""

    formula: str
    source: str
    gpus: int
    ram: int
    """Bytes left in main memory."""


def default_context(
    defaults: Iterable[ContextDefault],
    engine: str,
    version: str,
    device: Device,
    max_context: int | None,
) -> int:
    """Return the context that is taken when none is asked for."""
    memory = (device.memory_total_mib or 0) * device.count / 1024
    for entry in defaults:
        if entry.engine != engine or not in_loose_span(version, entry.since, entry.until):
            continue
        if entry.below_gib is None or memory < entry.below_gib:
            return min(entry.tokens, max_context or entry.tokens)
    return max_context or 4096


def llamacpp_basis(
    arch: Architecture,
    layout: KvLayout,
    batch: LlamaBatch,
    data: LlamaCppCalibration,
    *,
    engine: str,
    kv_dtype: str,
    weights: WeightsText,
    compute_text: str,
    context_bytes: int,
    used_bytes: int,
    room: int,
) -> tuple[Basis, ...]:
    """Return where each number comes from; bytes are those of one GPU."""
    measured = f"{data.source}, {data.checked}, {data.samples} samples"
    window = f"; {layout.sliding_layers} layers hold {layout.window}" if layout.window else ""
    asked = "options, else the engine's own"
    cache = given({"slots": batch.slots}, "", asked)
    cache += given({"context": batch.context}, "tokens", asked)
    return (
        formula_basis(
            f"{engine}.weights",
            "weights_bytes_per_gpu",
            weights.formula,
            given({"layers": arch.layers, "gpus": weights.gpus}, "", weights.source)
            + given({"in_main_memory": weights.ram}, "B", weights.source),
            source=weights.source,
        ),
        per_token_basis(
            arch, layout, engine=engine, source=f"architecture; {_CACHE}", kv_dtype=kv_dtype
        ),
        formula_basis(
            f"{engine}.kv_cache",
            "kv_cache_bytes_per_gpu",
            f"{batch.slots} slots × {batch.context} tokens × bytes per token{window}",
            cache,
            source=_CACHE,
        ),
        formula_basis(
            f"{engine}.kv_tokens",
            "kv_tokens",
            f"{batch.slots} slots × {batch.context} tokens",
            cache,
            source=_CACHE,
        ),
        formula_basis(
            f"{engine}.compute",
            "activation_bytes",
            compute_text,
            given({"batch": batch.tokens, "context": batch.context}, "tokens", asked),
            source=measured,
            method="calibrated",
        ),
        formula_basis(
            f"{engine}.context",
            "non_torch_bytes",
            f"{context_bytes // MIB} MiB CUDA context",
            given({"context": context_bytes // MIB}, "MiB", measured),
            source=measured,
            method="calibrated",
        ),
        formula_basis(
            f"{engine}.usable",
            "usable_bytes_per_gpu",
            "total − memory in use",
            given({"in_use": used_bytes}, "B", "driver"),
            source=f"{engine}: no fraction",
        ),
        formula_basis(
            f"{engine}.concurrency",
            "max_concurrency",
            "slots, where they fit; else room beside weights and buffers / KV cache of a slot",
            cache + given({"room": room}, "B", "this estimate"),
            source=_CACHE,
        ),
    )
