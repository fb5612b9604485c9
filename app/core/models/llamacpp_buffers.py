"""llama.cpp's KV cache and compute buffer: what its own start prints as “buffer size”.

The compute buffer is the largest of the moments of one physical batch. On a CPU one hidden row
more is alive than on a GPU; a GPU copies what it cannot use in place: a quantized KV cache as
f16, and experts that lie in main memory while a prompt runs.
Source: own starts, see ``resources/memory/llamacpp.toml``; llama.cpp ggml/src/ggml-cuda/fattn.cu.
"""

from dataclasses import dataclass
from typing import Final

from app.core.models.architecture import Architecture
from app.core.models.calibration import LlamaCppCalibration
from app.core.models.kv import KvLayout, split_kv_dtype
from app.core.units import MIB

_PLAIN: Final = frozenset({"f16", "bf16", "f32"})
_FLOAT: Final = 4
_HALF: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class LlamaBatch:
    """What one physical batch meets."""

    tokens: int
    context: int
    """Of one slot."""
    slots: int
    on_gpu: bool
    kv_dtype: str
    expert_tensor_bytes: int = 0
    """The largest tensor of experts in main memory; 0 when all are where they are used."""


def padded(context: int, padding: int) -> int:
    """Round a context up to what the engine allocates."""
    return -(-context // padding) * padding


def held_tokens(layout_window: int, batch_tokens: int, context: int, padding: int) -> int:
    """Return how many tokens a sliding-window layer keeps of one slot."""
    return min(context, padded(layout_window + batch_tokens, padding))


def kv_total(layout: KvLayout, *, batch: LlamaBatch, data: LlamaCppCalibration) -> int:
    """Return the KV cache of all slots: whole layers in full, sliding ones their window only."""
    held = batch.context
    if layout.window is not None:
        held = held_tokens(layout.window, batch.tokens, batch.context, data.context_padding)
    states = layout.state_layers * layout.state_bytes
    return (layout.sequence_bytes(batch.context, held) + states) * batch.slots


def compute_buffer(
    arch: Architecture, data: LlamaCppCalibration, batch: LlamaBatch
) -> tuple[int, str]:
    """Return the scratch of one physical batch, with flash attention, and how it is made up.

    Example: an 8B Llama, 512 tokens, 4,096 of context: llama-server says 120.01 MiB on a CPU and
    112.01 MiB on a GPU.
    """
    scratch, text = max(_moments(arch, data, batch), key=lambda moment: moment[0])
    mask = data.mask_bytes * batch.context
    if arch.sliding_window and arch.sliding_layers:
        mask += data.mask_bytes * held_tokens(
            arch.sliding_window, batch.tokens, batch.context, data.context_padding
        )
    size = scratch + batch.tokens * mask + data.compute_constant_mib * MIB
    return size, f"{text} + {batch.tokens} × {mask} B mask + {data.compute_constant_mib} MiB"


def _moments(
    arch: Architecture, data: LlamaCppCalibration, batch: LlamaBatch
) -> list[tuple[int, str]]:
    hidden, queries = arch.hidden_size, arch.heads * arch.head_dim
    used = (arch.experts_per_token or 1) if arch.experts is not None else 0
    sparse = used * (arch.moe_intermediate_size or 0)
    inner = max(arch.intermediate_size or 0, sparse)
    copies = data.gpu_hidden_copies if batch.on_gpu else data.compute_hidden_copies
    base = copies * hidden + queries
    found = [_moment(batch, data.compute_inner_copies * inner + base)]
    if not batch.on_gpu:
        return found
    if used:
        # What the chosen experts say, before and after it is weighted.
        found.append(_moment(batch, (2 * used + 1) * hidden + base))
    if batch.expert_tensor_bytes:
        values = used * hidden + sparse + base
        found.append(_moment(batch, values, batch.expert_tensor_bytes, "experts copied"))
    if any(half not in _PLAIN for half in split_kv_dtype(batch.kv_dtype)):
        value_dim = arch.v_head_dim or arch.head_dim
        per_token = arch.kv_heads * (arch.head_dim + value_dim) * _HALF
        copy = per_token * batch.context * batch.slots
        found.append(_moment(batch, copies * hidden + 2 * queries, copy, "one layer's cache, f16"))
    return found


def _moment(batch: LlamaBatch, values: int, copied: int = 0, what: str = "") -> tuple[int, str]:
    text = f"{batch.tokens} tokens × {values} values × {_FLOAT} B"
    if copied:
        text += f" + {copied} B ({what})"
    return batch.tokens * values * _FLOAT + copied, text
