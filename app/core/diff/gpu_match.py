"""Which GPU of one side is which of the other: by UUID across time, by order across hosts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.core.hardware.fingerprint import Fingerprint, Gpu
from app.core.hardware.tools.smi_columns import bus_key

Place = tuple[int, Gpu]
"""A GPU with its place in the fingerprint's list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuPair:
    """Two GPUs that are held against each other, with their places in the lists."""

    a: Gpu
    b: Gpu
    place_a: int
    place_b: int
    replaced: bool = False
    """Same slot of one host, another card."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuMatch:
    """How the GPUs of two sides stand to each other."""

    pairs: tuple[GpuPair, ...]
    only_a: tuple[Gpu, ...] = ()
    only_b: tuple[Gpu, ...] = ()
    same_host: bool = False


def is_same_host(a: Fingerprint, b: Fingerprint) -> bool:
    """Tell whether both are one machine: the same entry, or a GPU in common."""
    if a.host_id is not None and a.host_id == b.host_id:
        return True
    return bool(_uuids(a.gpus) & _uuids(b.gpus))


def match_gpus(a: Fingerprint, b: Fingerprint) -> GpuMatch:
    """Pair the GPUs of two fingerprints."""
    if not is_same_host(a, b):
        return _by_order(a.gpus, b.gpus)
    first, second = list(enumerate(a.gpus)), list(enumerate(b.gpus))
    pairs = _take_pairs(first, second, lambda gpu: gpu.uuid)
    pairs += _take_pairs(first, second, _slot)
    return GpuMatch(
        pairs=tuple(sorted(pairs, key=lambda pair: (pair.a.index, pair.b.index))),
        only_a=tuple(gpu for _, gpu in first),
        only_b=tuple(gpu for _, gpu in second),
        same_host=True,
    )


def _take_pairs(
    first: list[Place], second: list[Place], key: Callable[[Gpu], str | None]
) -> list[GpuPair]:
    """Take the GPUs of equal key out of both lists, in their order where a key comes twice."""
    pairs = []
    for place in tuple(first):
        wanted = key(place[1])
        other = next((o for o in second if wanted is not None and key(o[1]) == wanted), None)
        if other is None:
            continue
        first.remove(place)
        second.remove(other)
        pairs.append(_pair(place, other))
    return pairs


def _pair(first: Place, second: Place) -> GpuPair:
    (place_a, gpu_a), (place_b, gpu_b) = first, second
    known = gpu_a.uuid is not None and gpu_b.uuid is not None
    return GpuPair(
        a=gpu_a,
        b=gpu_b,
        place_a=place_a,
        place_b=place_b,
        replaced=known and gpu_a.uuid != gpu_b.uuid,
    )


def _by_order(a: Sequence[Gpu], b: Sequence[Gpu]) -> GpuMatch:
    """Pair by the driver's order, which is that of the bus; surplus GPUs are only counted."""
    first = sorted(enumerate(a), key=lambda place: place[1].index)
    second = sorted(enumerate(b), key=lambda place: place[1].index)
    pairs = zip(first, second, strict=False)
    return GpuMatch(
        pairs=tuple(
            GpuPair(a=gpu_a, b=gpu_b, place_a=place_a, place_b=place_b)
            for (place_a, gpu_a), (place_b, gpu_b) in pairs
        )
    )


def _slot(gpu: Gpu) -> str:
    """Return where a GPU sits; where no address is known, its index stands for it."""
    return str(bus_key(gpu.bus_id)) if gpu.bus_id else f"index {gpu.index}"


def _uuids(gpus: Sequence[Gpu]) -> set[str]:
    return {gpu.uuid for gpu in gpus if gpu.uuid}
