"""How an engine is given LoRA adapters: a table in its data, by version."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from app.core.texts import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class AdapterFlag:
    """One flag; ``{items}``, ``{rank}`` and ``{count}`` as value stand for the adapters'."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = MappingProxyType({"extra": "forbid"})
    name: str
    value: str = ""
    """Empty for a switch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdapterRule:
    """How a span of versions takes adapters."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = MappingProxyType({"extra": "forbid"})
    since: str = ""
    until: str = ""
    flag: tuple[AdapterFlag, ...]
    item: str = "{name}={path}"
    """How one adapter is written."""
    separator: str = ""
    """Between several in one word; empty: one word each."""
    gguf: bool = False
    """Whether adapters are GGUF files; otherwise folders with ``adapter_config.json``."""
    most: int = 0
    """How many can be given; 0 means any number."""
    ranks: tuple[int, ...] = ()
    """Ranks it sets room aside for; empty means any."""
    spare: int = 0
    """Slots beside one for each adapter."""
    all_modules: bool = False
    """Room is set aside in all linear layers, not only in those the adapters target."""
    why: Text
    source: str
    checked: str
