"""What a launch text says: which engine and version, which flags, in which container."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from app.core.clinic.origin import EMPTY, Span, Word
from app.core.clinic.shell_commands import Problem


class LaunchKind(StrEnum):
    """Forms in which a launch is written; values are kinds of `pitwall inspect`."""

    DOCKER_RUN = "docker-run"
    COMPOSE = "compose"
    KUBERNETES = "kubernetes"
    SYSTEMD = "systemd-unit"
    SCRIPT = "launch-script"
    DOCKER_INSPECT = "docker-inspect"
    NGINX = "nginx"


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One setting around the engine: an option of docker run, a key of a compose file."""

    value: str
    """``true`` for a switch."""
    span: Span
    """The value, or the whole option where it has none."""
    whole: Span
    is_resolved: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Container:
    """What stands around an engine, under docker run's names of options."""

    image: Word | None = None
    entrypoint: tuple[Word, ...] | None = None
    options: Mapping[str, tuple[Option, ...]] = field(default_factory=lambda: MappingProxyType({}))
    unknown: tuple[Word, ...] = ()
    """Options that docker run does not have."""

    def first(self, name: str) -> Option | None:
        """Return the option that counts; docker lets the last one win."""
        found = self.options.get(name, ())
        return found[-1] if found else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """An environment variable that the engine sees."""

    name: str
    value: str
    span: Span
    """The value."""
    whole: Span
    is_resolved: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """A launch as it stands in the text, before the engine's data say what it means."""

    kind: LaunchKind
    name: str = ""
    """Of a service or container in a file that has several."""
    words: tuple[Word, ...] = ()
    """The command: program and arguments, or what follows the image's own entry point."""
    container: Container | None = None
    variables: tuple[Variable, ...] = ()
    outside: tuple[Variable, ...] = ()
    """Set for the command that makes the container, and not handed into it."""
    settings: Mapping[str, Option] = field(default_factory=lambda: MappingProxyType({}))
    """Keys of a systemd unit, as ``Service.Restart``."""
    problems: tuple[Problem, ...] = ()
    span: Span = EMPTY


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedFlag:
    """One flag with its words' places."""

    name: str
    value: str | None
    name_word: Word
    values: tuple[Word, ...] = ()
    is_joined: bool = False
    """Written as ``--flag=value``."""

    @property
    def span(self) -> Span:
        """The flag with its value."""
        last = self.values[-1].span if self.values else self.name_word.span
        begin = self.name_word.span.begin
        return Span(begin=begin, end=max(last.end, self.name_word.span.end))

    @property
    def value_span(self) -> Span:
        """The value; the flag itself where it has none."""
        if not self.values:
            return self.name_word.span
        return Span(begin=self.values[0].span.begin, end=self.values[-1].span.end)

    @property
    def is_resolved(self) -> bool:
        """Whether the value is in the paste."""
        return self.name_word.is_resolved and all(word.is_resolved for word in self.values)
