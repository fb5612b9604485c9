"""Document of ``pitwall inspect``."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class InspectDocument:
    """What a paste is and what it says; ``result`` has the kind's own keys (DESIGN, section 4)."""

    schema: Literal["pitwall.inspect/1"] = "pitwall.inspect/1"
    kind: str
    result: Mapping[str, object]
    warnings: tuple[str, ...] = ()
