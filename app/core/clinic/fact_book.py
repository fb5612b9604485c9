"""Facts by name, each with the place where the paste says it, for the rules.

Names: ``flag.max-model-len`` (without dashes, under the name on record), ``env.HF_TOKEN``,
``option.ipc``, ``unit.Restart``, ``ngx.proxy_buffering``; and what follows from them, such as
``bind`` (``loopback`` or ``wide``), ``world``, ``shm_mib``. What the paste does not tell is
``None``, and no rule holds for it.
"""

import re
from dataclasses import dataclass, field
from typing import Final

from app.core.clinic.origin import Span
from app.core.diagnosis.comparisons import FactValue

_SIZE: Final = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgtKMGT]?)(?:i?[bB])?")
_FACTORS: Final = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


@dataclass(slots=True)
class Facts:
    """Values and places by name."""

    values: dict[str, FactValue] = field(default_factory=dict)
    places: dict[str, Span] = field(default_factory=dict)
    wholes: dict[str, Span] = field(default_factory=dict)
    """What is taken out when a setting is dropped."""

    def set(
        self, name: str, value: FactValue, place: Span | None = None, whole: Span | None = None
    ) -> None:
        """Note a fact."""
        self.values[name] = value
        if place is not None:
            self.places[name] = place
            self.wholes[name] = whole or place


def size_bytes(text: str) -> float | None:
    """Return ``16g`` in bytes as docker reads it; ``None`` for what is no size."""
    found = _SIZE.fullmatch(text.strip())
    return float(found[1]) * _FACTORS[found[2].lower()] if found else None
