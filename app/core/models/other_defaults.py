"""What an engine without own measurements chooses by itself: fraction, prefill budget, requests.

Source: SGLang server_args.py and arg_groups/memory_hook.py at the versions named in
``resources/memory/other_engines.toml``; other engines have one default for all GPUs.
"""

from dataclasses import dataclass

from app.core.models.architecture import Architecture
from app.core.models.calibration import EngineFraction, EngineTier, OtherEngines
from app.core.models.request import Device, EstimateOptions
from app.core.versions import in_loose_span


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The settings of one start, asked for or the engine's own."""

    fraction: float
    fraction_text: str
    fraction_source: str
    prefill_tokens: int
    max_num_seqs: int


def chosen(
    entry: EngineFraction,
    data: OtherEngines,
    *,
    version: str,
    arch: Architecture,
    device: Device,
    options: EstimateOptions,
) -> Chosen:
    """Return what is asked for, else what this version chooses on this GPU."""
    tier = _tier(entry, data, version, device, options.tensor_parallel_size)
    prefill = options.prefill_tokens or (tier or entry).prefill_tokens
    sequences = options.max_num_seqs or (tier or entry).max_num_seqs
    source = f"{(tier or entry).source}, {(tier or entry).checked}"
    fraction, text = entry.fraction, f"{entry.fraction:g}"
    if options.memory_fraction is not None:
        fraction, text, source = (
            options.memory_fraction,
            f"{options.memory_fraction:g}",
            "asked for",
        )
    elif tier is not None:
        fraction, text = _own_fraction(
            tier, arch, device, options, prefill=prefill, sequences=sequences
        )
    if entry.fraction_factor != 1.0:
        fraction, text = fraction * entry.fraction_factor, f"{text} × {entry.fraction_factor:g}"
    return Chosen(
        fraction=min(1.0, max(0.0, fraction)),
        fraction_text=text,
        fraction_source=source,
        prefill_tokens=prefill,
        max_num_seqs=sequences,
    )


def _tier(
    entry: EngineFraction, data: OtherEngines, version: str, device: Device, tp: int
) -> EngineTier | None:
    memory = device.memory_total_mib
    for tier in data.tier:
        if tier.engine != entry.engine or not in_loose_span(version, tier.since, tier.until):
            continue
        if tier.below_mib is not None and (memory is None or memory >= tier.below_mib):
            continue
        if tp >= tier.tensor_parallel_min:
            return tier
    return None


def _own_fraction(
    tier: EngineTier,
    arch: Architecture,
    device: Device,
    options: EstimateOptions,
    *,
    prefill: int,
    sequences: int,
) -> tuple[float, str]:
    """Return the fraction and how it comes about.

    Example (H100 with 81,559 MiB, SGLang 0.5.23): 14,024 MiB are kept free, 0.828 is left.
    """
    if tier.fraction is not None or not device.memory_total_mib:
        found = tier.fraction if tier.fraction is not None else 0.88
        return found, f"{found:g}"
    gpus = options.tensor_parallel_size * options.pipeline_parallel_size
    latent = arch.kv_lora_rank is not None
    reserved = (
        tier.reserved_mib
        + tier.reserved_per_gpu_mib * gpus
        + tier.reserved_per_prefill_token_mib * max(prefill, 2048)
        + (0.0 if options.enforce_eager else tier.reserved_per_sequence_mib * sequences)
        + (tier.reserved_graphs_latent_mib if latent else tier.reserved_graphs_mib)
    )
    reserved = max(reserved, tier.reserved_least_mib)
    total = device.memory_total_mib
    fraction = round((total - reserved) / total, 3)
    return fraction, f"({total} − {reserved:.0f}) MiB / {total} MiB = {fraction:g}"
