"""Recurrent layers of a GGUF model, told by its metadata and by the names of its tensors.

Source: llama.cpp src/llama-arch.cpp and src/llama-hparams.cpp, n_embd_r and n_embd_s (checked
2026-11-30).
"""

import re
from collections.abc import Iterable
from typing import Final

from app.core.models.architecture import RecurrentKind, RecurrentLayers
from app.core.models.gguf_header import GgufTensor

_MIXER: Final = re.compile(r"blk\.(\d+)\.(?:ssm_|shortconv\.)")
_CACHE: Final = re.compile(r"blk\.(\d+)\.attn_(?:k|kv_a_mqa)\.weight")


def read_gguf_recurrent(
    tensors: Iterable[GgufTensor],
    *,
    hidden: int,
    state: int | None,
    inner: int | None,
    kernel: int | None,
    groups: int | None,
) -> tuple[RecurrentLayers | None, int | None]:
    """Return the recurrent layers, and beside them the layers that keep a KV cache.

    Args:
        tensors: All tensors of the model.
        hidden: Width of the model.
        state: ``ssm.state_size``.
        inner: ``ssm.inner_size``.
        kernel: ``ssm.conv_kernel`` or ``shortconv.l_cache``.
        groups: ``ssm.group_count``; none for Mamba 1.
    """
    mixers: dict[int, int] = {}
    cached = set()
    for tensor in tensors:
        if (match := _MIXER.match(tensor.name)) is not None:
            number = int(match[1])
            mixers[number] = mixers.get(number, 0) + _elements(tensor)
        elif (match := _CACHE.match(tensor.name)) is not None:
            cached.add(int(match[1]))
    if not mixers or kernel is None:
        return None, None
    conv_width = hidden if inner is None else inner + 2 * (groups or 0) * (state or 0)
    return (
        RecurrentLayers(
            kind=_kind(inner, groups),
            layers=len(mixers),
            parameters=max(mixers.values()),
            state_elements=(inner or 0) * (state or 0),
            conv_elements=conv_width * max(0, kernel - 1),
            state_dtype="float32",
        ),
        len(cached),
    )


def _kind(inner: int | None, groups: int | None) -> RecurrentKind:
    if inner is None:
        return RecurrentKind.SHORT_CONV
    return RecurrentKind.MAMBA2 if groups else RecurrentKind.MAMBA1


def _elements(tensor: GgufTensor) -> int:
    return tensor.size_bytes // tensor.type.size_bytes * tensor.type.block
