"""How an engine's allocator rounds weights, and what weights quantized while loading leave unused.

PyTorch's caching allocator hands out whole blocks: large ones are rounded up to 2 MiB, and a rest
of at most 1 MiB is not split off. vLLM forbids splitting blocks from 20 MiB while it loads, so a
freed block that is up to 20 MiB too large is taken whole.
Source: PyTorch c10/cuda/CUDACachingAllocator.cpp, vLLM v1/worker/gpu_worker.py (0.26.0).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from app.core.units import MIB

_REST_KEPT: Final = MIB
"""A smaller rest stays with its block (kSmallSize)."""
_WHOLE_FROM: Final = 20 * MIB
"""Blocks from here are not split (max_split_size_mb), and fit what is at most so much smaller."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocation:
    """How an engine rounds what it allocates; zeros mean not at all."""

    unit_bytes: int = 0
    from_bytes: int = 0
    zero_point_copies: int = 1
    """How often the zero points of AWQ weights lie there once a kernel has repacked them."""
    repacked_bytes: int = 0
    """What repacking a tensor of AWQ weights leaves unused beside it."""

    def rounded(self, size: int) -> int:
        """Return what a tensor of ``size`` bytes really takes.

        Example:
            >>> weights = Allocation(unit_bytes=2 * MIB, from_bytes=10 * MIB)
            >>> weights.rounded(31 * MIB) // MIB, weights.rounded(10 * MIB + 1) // MIB
            (32, 10)
        """
        if not self.unit_bytes or size < self.from_bytes:
            return size
        block = -(-size // self.unit_bytes) * self.unit_bytes
        return size if size < _WHOLE_FROM and block - size > _REST_KEPT else block


@dataclass(frozen=True, slots=True, kw_only=True)
class Requantized:
    """One kind of tensor that is loaded in one size and kept in another, in every layer."""

    layers: int
    loaded_bytes: int
    kept_bytes: int


@dataclass(slots=True)
class _Pool:
    """Large blocks that were freed and not given back to the device."""

    unit: int
    free: list[int] = field(default_factory=list)

    def take(self, size: int) -> int:
        fitting = [block for block in self.free if size <= block < size + _WHOLE_FROM]
        if not fitting:
            return -(-size // self.unit) * self.unit
        self.free.remove(min(fitting))
        return min(fitting)


def unused_by_requantizing(kinds: Sequence[Requantized], allocation: Allocation) -> int:
    """Return the bytes by which kept tensors lie in blocks that are too large for them.

    Layer after layer a tensor is loaded, its quantized copy made, and the original freed; a copy
    may land in the freed block of an earlier tensor. Arguments hold the kinds in loading order.
    """
    if not allocation.unit_bytes:
        return 0
    pool, unused = _Pool(unit=allocation.unit_bytes), 0
    for kind in _in_loading_order(kinds):
        loaded = pool.take(kind.loaded_bytes) if kind.loaded_bytes >= _WHOLE_FROM else 0
        if kind.kept_bytes >= _WHOLE_FROM:
            unused += pool.take(kind.kept_bytes) - allocation.rounded(kind.kept_bytes)
        if loaded:
            pool.free.append(loaded)
    return unused


def _in_loading_order(kinds: Sequence[Requantized]) -> Iterator[Requantized]:
    for layer in range(max((kind.layers for kind in kinds), default=0)):
        yield from (kind for kind in kinds if layer < kind.layers)
