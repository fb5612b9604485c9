"""The shape of ``resources/clinic/*.toml``: how launches are written, and what is said of them.

A rule compares facts (`app.core.clinic.facts` names them); an unknown fact never holds, so that
nothing is said of what the paste does not tell.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import ClassVar, Final

from app.core.clinic.launch import LaunchKind
from app.core.texts import Text

_STRICT: Final[Mapping[str, str]] = MappingProxyType({"extra": "forbid"})


class Severity(StrEnum):
    """What happens when the text is used as it stands."""

    REJECT = "reject"
    """It does not start, or what it says is refused."""
    IGNORED = "ignored"
    MISUNDERSTOOD = "misunderstood"
    """It is taken, and means something else than was meant."""
    RISK = "risk"
    """It works today; later it harms."""
    HINT = "hint"


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A command line that starts an engine."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    engine: str
    words: tuple[str, ...]
    """The first is compared without its folder; ``-m`` with what follows is a Python module."""
    model_positional: bool = False
    exists: bool = True
    """False for programs that only circulate."""
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageName:
    """A repository whose images hold an engine."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    engine: str
    repository: str
    """Regular expression, searched in the reference without tag and digest."""
    tag: str = ""
    """Regular expression with a group ``version``; empty when tags do not tell the version."""
    serves: bool = True
    """False when the image starts nothing by itself: the command has to name the program."""
    program: tuple[str, ...] = ()
    """What its entry point is, where it stayed the same; else the engine's own file says it."""
    bind_address: str = ""
    """Where the server listens in this image, when that differs from the engine's default."""
    port: int | None = None
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """How an engine reads its command line, and what it does when nothing is said."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    engine: str
    underscores: bool = False
    """Whether ``--a_b`` is read as ``--a-b``."""
    prefixes: bool = False
    """Whether an unambiguous beginning of a flag is taken for it."""
    complete: bool = False
    """Whether all flags of the examined versions are on record."""
    bind_address: str
    port: int
    port_env: str = ""
    host_env: str = ""
    key_env: str = ""
    env_prefix: str = ""
    """Beginning of the engine's own variables."""
    variables_complete: bool = False
    """Whether the flag table names every variable with that beginning."""
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VariableRule:
    """A variable that circulates, or that a version does not read any more."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    engine: str
    name: str
    since: str = ""
    until: str = ""
    exists: bool = True
    instead: str = ""
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """A correction that needs no thought; at most one of the fields is set."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    replace: str | None = None
    """Instead of the place itself; facts fill ``{places}``; empty takes it out."""
    drop: bool = False
    """Take out the whole setting: the flag with its value, the line of a list."""
    add: str = ""
    """Words added to the end of the engine's command."""
    add_option: str = ""
    """Words added before the image of a docker run line."""
    add_key: str = ""
    """A line added to a compose service."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClinicRule:
    """What is said when facts come together."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    id: str
    severity: Severity
    engines: tuple[str, ...] = ()
    """Only for these; empty means all."""
    kinds: tuple[LaunchKind, ...] = ()
    since: str = ""
    """Of the engine; both bounds are versions that behave so."""
    until: str = ""
    when: tuple[str, ...]
    """Comparisons; all must hold."""
    unless: tuple[str, ...] = ()
    """None of these may hold."""
    at: tuple[str, ...] = ()
    """Facts whose place is shown, the first that has one; else the launch's first line."""
    text: Text
    instead: Text | None = None
    """What to write."""
    fix: Fix | None = None
    supersedes: tuple[str, ...] = ()
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """What is said of something that code finds: a flag's problem, a broken line."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    id: str
    severity: Severity
    text: Text
    instead: Text | None = None
    supersedes: tuple[str, ...] = ()
    """Remarks on the same launch that this one explains."""
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClinicFile:
    """One file."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT
    schema_version: int = 1
    program: tuple[Program, ...] = ()
    image: tuple[ImageName, ...] = ()
    grammar: tuple[Grammar, ...] = ()
    docker_values: tuple[str, ...] = ()
    """Options of ``docker run`` that take a value."""
    docker_switches: tuple[str, ...] = ()
    docker_shorts: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Short form → option."""
    variable: tuple[VariableRule, ...] = ()
    common: tuple[str, ...] = ()
    """Variables that are read below every engine."""
    said: tuple[Saying, ...] = ()
    rule: tuple[ClinicRule, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClinicData:
    """All files together."""

    programs: tuple[Program, ...] = ()
    images: tuple[ImageName, ...] = ()
    grammars: Mapping[str, Grammar] = field(default_factory=lambda: MappingProxyType({}))
    docker_values: frozenset[str] = frozenset()
    docker_switches: frozenset[str] = frozenset()
    docker_shorts: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    variables: tuple[VariableRule, ...] = ()
    common: frozenset[str] = frozenset()
    said: Mapping[str, Saying] = field(default_factory=lambda: MappingProxyType({}))
    rules: tuple[ClinicRule, ...] = ()


def gather(files: Iterable[ClinicFile]) -> ClinicData:
    """Put the files together."""
    read = tuple(files)
    shorts = {short: name for file in read for short, name in file.docker_shorts.items()}
    longest = sorted((p for file in read for p in file.program), key=lambda p: -len(p.words))
    return ClinicData(
        programs=tuple(longest),
        images=tuple(item for file in read for item in file.image),
        grammars=MappingProxyType({g.engine: g for file in read for g in file.grammar}),
        docker_values=frozenset(name for file in read for name in file.docker_values),
        docker_switches=frozenset(name for file in read for name in file.docker_switches),
        common=frozenset(name for file in read for name in file.common),
        docker_shorts=MappingProxyType(shorts),
        variables=tuple(item for file in read for item in file.variable),
        said=MappingProxyType({item.id: item for file in read for item in file.said}),
        rules=tuple(item for file in read for item in file.rule),
    )
