"""The shape of ``[[build]]`` in ``engine.toml``: an engine that is built before it is served."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Final

from app.core.texts import Text

_STRICT: Final[Mapping[str, str]] = MappingProxyType({"extra": "forbid"})


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildFamily:
    """Models that one conversion script reads."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    folder: str
    """Stands for ``{family}`` in the words of the conversion."""
    model_types: tuple[str, ...]
    """As in ``config.json``."""
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildLimit:
    """Something that is fixed when the engine is built."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    flag: str
    """The flag that fixes it, as it stands in the words of a step."""
    meaning: Text
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildRule:
    """How an engine is built, and then served, in a range of versions.

    Words may hold ``{family}``, ``{model}``, ``{checkpoint}``, ``{engine}``, ``{dtype}`` and names
    of fields of `Parameters`; a word whose field is not set is left out with the flag before it.
    """

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    since: str = ""
    until: str = ""
    volume: str
    """Named volume that carries checkpoint and engine from one step to the other."""
    target: str
    """Where both steps see it."""
    convert: tuple[str, ...]
    build: tuple[str, ...]
    serve: tuple[str, ...]
    family: tuple[BuildFamily, ...] = ()
    limit: tuple[BuildLimit, ...] = ()
    note: Text
    source: str
    checked: str
