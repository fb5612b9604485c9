"""What the host's CDI specification calls its GPUs: by UUID, or only by index.

Source: NVIDIA container toolkit, ``nvidia-ctk cdi generate --device-name-strategy``: index, uuid
or both; gathered 2026-11-29.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from app.core.hardware.fingerprint import Gpu

KIND: Final = "nvidia.com/gpu="


def cdi_names(gpus: Iterable[Gpu], devices: Sequence[str]) -> tuple[str, ...]:
    """Return the CDI name of each GPU; the UUID's, unless the host only knows the index.

    Args:
        gpus: The GPUs to hand over.
        devices: Every name that the host's specification defines.
    """
    known = frozenset(devices)
    names = []
    for gpu in gpus:
        by_uuid, by_index = f"{KIND}{gpu.uuid}", f"{KIND}{gpu.index}"
        only_index = by_uuid not in known and by_index in known
        names.append(by_index if only_index or gpu.uuid is None else by_uuid)
    return tuple(names)
