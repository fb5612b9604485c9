"""Document of ``pitwall inspect``."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from app.core.documents.clinic import LaunchResult


@dataclass(frozen=True, slots=True, kw_only=True)
class InspectDocument:
    """What a paste is and what it says; ``result`` has the kind's own keys (DESIGN, section 4)."""

    schema: Literal["pitwall.inspect/1"] = "pitwall.inspect/1"
    kind: str
    result: LaunchResult | Mapping[str, object]
    """The first for texts that launch an engine; what ``docker-inspect`` adds is in ``clinic``."""
    warnings: tuple[str, ...] = ()
