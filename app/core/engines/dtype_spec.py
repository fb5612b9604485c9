"""Which models a type of weights makes unstable, and what an engine does about it."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar


@dataclass(frozen=True, slots=True, kw_only=True)
class UnstableDtype:
    """Models whose values overflow a type: answers come out empty or as nonsense."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = MappingProxyType({"extra": "forbid"})
    dtype: str
    model_types: tuple[str, ...]
    """As ``model_type`` of ``config.json`` says."""
    refused: bool
    """Whether these versions end at the start with it; otherwise they serve nonsense."""
    instead: str = ""
    """A type that works on GPUs without bfloat16; empty when the engine takes none there."""
    since: str = ""
    until: str = ""
    source: str
    checked: str
