"""Document of ``pitwall collector``."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectorDocument:
    """The script, for programs that hand it on."""

    schema: Literal["pitwall.collector/1"] = "pitwall.collector/1"
    script: str
    line_count: int
