"""Read the words of ``docker run`` (podman, nerdctl): options, image, command."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from app.core.clinic.launch import Container, LaunchKind, Option, Start, Variable
from app.core.clinic.origin import Span, Word
from app.core.clinic.shell_commands import Command
from app.core.clinic.spec import ClinicData

_TOOLS: Final = frozenset({"docker", "podman", "nerdctl", "nvidia-docker", "docker.exe"})
_VERBS: Final = frozenset({"run", "create"})
_OF_TOOLS: Final = (
    "DOCKER_",
    "BUILDKIT_",
    "COMPOSE_",
    "CONTAINER",
    "XDG_",
    "PATH",
    "HOME",
    "SUDO_",
)
"""Variables that docker, podman or the shell read themselves."""
_SAME: Final = {"net": "network", "net-alias": "network-alias", "dns-opt": "dns-option"}


def find_docker_run(words: Sequence[Word]) -> int | None:
    """Return where the options of a ``docker run`` begin; ``None`` when it is none."""
    for place, word in enumerate(words[:12]):
        if word.text.rpartition("/")[2] not in _TOOLS:
            continue
        rest = [w.text for w in words[place + 1 : place + 8]]
        for step, verb in enumerate(rest):
            if verb in _VERBS:
                return place + step + 2
    return None


def read_docker_run(command: Command, begin: int, data: ClinicData) -> Start:
    """Read everything after ``docker run``."""
    reader = _Options(command.words, begin, data)
    reader.read()
    words = command.words
    image = words[reader.position] if reader.position < len(words) else None
    entrypoint = reader.found.get("entrypoint")
    container = Container(
        image=image,
        entrypoint=tuple(reader.words["entrypoint"][-1:]) if entrypoint else None,
        options={name: tuple(options) for name, options in reader.found.items() if options},
        unknown=tuple(reader.unknown),
    )
    return Start(
        kind=LaunchKind.DOCKER_RUN,
        name=reader.found["name"][-1].value if "name" in reader.found else "",
        words=words[reader.position + 1 :],
        container=container,
        variables=_variables(reader, command),
        outside=_outside(reader, command),
        problems=command.problems,
        span=Span(begin=words[0].span.begin, end=words[-1].span.end),
    )


def _variables(reader: "_Options", command: Command) -> tuple[Variable, ...]:
    """Read ``-e NAME=value``; ``-e NAME`` takes the value of the shell that runs docker."""
    around = {a.name: a.value for a in (*command.exported, *command.assignments)}
    return tuple(
        replace(variable_of(word, around.get(word.text)), whole=option.whole)
        for word, option in zip(reader.words["env"], reader.found["env"], strict=False)
    )


def _outside(reader: "_Options", command: Command) -> tuple[Variable, ...]:
    """Return ``NAME=value docker run …`` without an ``-e NAME``: the container never sees it."""
    handed = {word.text.partition("=")[0] for word in reader.words["env"]}
    return tuple(
        Variable(name=a.name, value=a.value.text, span=a.whole, whole=a.whole)
        for a in command.assignments
        if a.name not in handed and not a.name.startswith(_OF_TOOLS)
    )


def variable_of(word: Word, outside: Word | None = None) -> Variable:
    """Read ``NAME=value``."""
    name, equals, value = word.text.partition("=")
    if not equals:
        given = outside.text if outside is not None and outside.is_resolved else ""
        return Variable(name=name, value=given, span=word.span, whole=word.span, is_resolved=False)
    part = word.part(len(name) + 1)
    return Variable(
        name=name,
        value=value,
        span=part.span if value else word.span,
        whole=word.span,
        is_resolved=word.is_resolved,
    )


class _Options:
    def __init__(self, words: Sequence[Word], begin: int, data: ClinicData) -> None:
        self._all = words
        self._data = data
        self.position = begin
        self.found: dict[str, list[Option]] = defaultdict(list)
        self.words: dict[str, list[Word]] = defaultdict(list)
        self.unknown: list[Word] = []

    def read(self) -> None:
        while self.position < len(self._all):
            word = self._all[self.position]
            if not word.is_resolved and word.text.startswith("$") and not self._is_last():
                self.position += 1  # a variable full of options that the paste does not have
            elif not word.text.startswith("-") or word.text == "-":
                return
            elif word.text.startswith("--"):
                self._long(word)
            else:
                self._short(word)

    def _is_last(self) -> bool:
        """Tell whether no option follows, so that this word is the image."""
        following = self._all[self.position + 1 : self.position + 2]
        return not following or not following[0].text.startswith("-")

    def _long(self, word: Word) -> None:
        name, equals, _ = word.text[2:].partition("=")
        self.position += 1
        if equals:
            self._add(name, word.part(len(name) + 3), word)
        elif name in self._data.docker_switches:
            self._add(name, None, word)
        elif name in self._data.docker_values and self.position < len(self._all):
            self._add(name, self._all[self.position], word)
            self.position += 1
        else:
            self.unknown.append(word)
            self._skip_value()

    def _skip_value(self) -> None:
        """Guess that an unknown option has a value when what follows can be no image."""
        following = self._all[self.position : self.position + 2]
        if len(following) == 2 and following[1].text.startswith("-"):
            self.position += not following[0].text.startswith("-")

    def _short(self, word: Word) -> None:
        self.position += 1
        for place in range(1, len(word.text)):
            name = self._data.docker_shorts.get(word.text[place])
            if name is None:
                self.unknown.append(word)
                return
            if name in self._data.docker_switches:
                self._add(name, None, word)
                continue
            if place + 1 < len(word.text):
                begin = place + 1 + (word.text[place + 1] == "=")
                self._add(name, word.part(begin), word)
            elif self.position < len(self._all):
                self._add(name, self._all[self.position], word)
                self.position += 1
            return

    def _add(self, name: str, value: Word | None, word: Word) -> None:
        known = name in self._data.docker_values or name in self._data.docker_switches
        if not known:
            self.unknown.append(word)
        name = _SAME.get(name, name)
        span = word.span if value is None else value.span
        whole = Span(begin=word.span.begin, end=max(word.span.end, span.end))
        self.found[name].append(
            Option(
                value="true" if value is None else value.text,
                span=span if value is not None and value.text else word.span,
                whole=whole,
                is_resolved=value is None or value.is_resolved,
            )
        )
        if value is not None:
            self.words[name].append(value)
