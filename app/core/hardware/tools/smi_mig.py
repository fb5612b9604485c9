"""Read ``nvidia-smi mig``: profiles a GPU offers (``-lgip``) and instances it has (``-lgi``)."""

import re
from dataclasses import dataclass

from app.core.hardware.tools.paste import clean_paste

_PROFILE = re.compile(
    r"^\s*\|\s*([0-9]{1,3})\s+MIG\s+(\S+)\s+([0-9]{1,3})\s+([0-9]{1,3})\s*/\s*([0-9]{1,3})\s+"
    r"([0-9]+(?:\.[0-9]+)?)\b"
)
_INSTANCE = re.compile(
    r"^\s*\|\s*([0-9]{1,3})\s+MIG\s+(\S+)\s+([0-9]{1,3})\s+([0-9]{1,3})\s+([0-9]{1,3}):([0-9]{1,3})"
)
TITLE = re.compile(r"\b(?:GPU instance profiles|GPU instances|Compute instances):", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class MigProfile:
    """A size into which a GPU can be cut."""

    gpu: int
    name: str
    profile_id: int
    free: int
    total: int
    memory_gib: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MigInstance:
    """An instance that exists."""

    gpu: int
    profile: str
    profile_id: int
    instance_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MigListing:
    """Either listing; the other one is empty."""

    profiles: tuple[MigProfile, ...] = ()
    instances: tuple[MigInstance, ...] = ()


def read_mig(text: str) -> MigListing | None:
    """Read either table, ``None`` when there is none."""
    clean = clean_paste(text)
    if TITLE.search(clean) is None:
        return None
    profiles: list[MigProfile] = []
    instances: list[MigInstance] = []
    for line in clean.splitlines():
        profile, instance = _PROFILE.match(line), _INSTANCE.match(line)
        if profile is not None:
            profiles.append(
                MigProfile(
                    gpu=int(profile[1]),
                    name=profile[2],
                    profile_id=int(profile[3]),
                    free=int(profile[4]),
                    total=int(profile[5]),
                    memory_gib=float(profile[6]),
                )
            )
        elif instance is not None:
            instances.append(
                MigInstance(
                    gpu=int(instance[1]),
                    profile=instance[2],
                    profile_id=int(instance[3]),
                    instance_id=int(instance[4]),
                )
            )
    return MigListing(profiles=tuple(profiles), instances=tuple(instances))
