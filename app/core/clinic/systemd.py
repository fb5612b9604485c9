"""Read a systemd unit: its keys with their places, and the commands that it starts."""

import re
from dataclasses import dataclass, field, replace
from typing import Final

from app.core.clinic.docker_words import variable_of
from app.core.clinic.launch import LaunchKind, Option, Start, Variable
from app.core.clinic.origin import Chars, Span, Word
from app.core.clinic.shell import read_commands

_SECTION: Final = re.compile(r"^\[([A-Za-z]+)\]\s*$")
_KEY: Final = re.compile(r"^([A-Za-z]+)\s*=\s*")
_MARKS: Final = "-@:+!"
_UNIT: Final = re.compile(r"^\[(?:Unit|Service)\]\s*$", re.MULTILINE)
_EXEC: Final = re.compile(r"^(?:ExecStart|Environment)\s*=", re.MULTILINE)


@dataclass(slots=True)
class _Unit:
    settings: dict[str, Option] = field(default_factory=dict)
    commands: list[Chars] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)


def is_unit(text: str) -> bool:
    """Tell whether a text is a unit or a drop-in of one."""
    return _UNIT.search(text) is not None and _EXEC.search(text) is not None


def read_unit(text: str) -> tuple[Start, ...]:
    """Return what the unit starts; an ollama drop-in has variables only."""
    unit = _read(text)
    begin = Span(begin=0, end=len(text.partition("\n")[0]))
    made = tuple(
        Start(
            kind=LaunchKind.SYSTEMD,
            words=command.words,
            variables=(*unit.variables, *_of_env(command.words)),
            settings=unit.settings,
            problems=command.problems,
            span=command.words[0].span,
        )
        for chars in unit.commands
        for command in read_commands(chars)
        if command.words
    )
    if made or not unit.variables:
        return made
    return (
        Start(
            kind=LaunchKind.SYSTEMD, variables=tuple(unit.variables), settings=unit.settings,
            span=begin,
        ),
    )  # fmt: skip


def _of_env(words: tuple[Word, ...]) -> tuple[Variable, ...]:
    """Return what ``/usr/bin/env NAME=value program`` sets."""
    if words[0].text.rpartition("/")[2] != "env":
        return ()
    return tuple(variable_of(w) for w in words[1:] if re.match(r"[A-Z_]+=", w.text))


def _read(text: str) -> _Unit:
    unit = _Unit()
    section, offset = "", 0
    lines = text.splitlines(keepends=True)
    number = 0
    while number < len(lines):
        line = lines[number]
        begin = offset
        offset += len(line)
        number += 1
        if found := _SECTION.match(line):
            section = found[1]
        if line.lstrip()[:1] in {"#", ";", ""} or (key := _KEY.match(line)) is None:
            continue
        while line.rstrip("\r\n").endswith("\\") and number < len(lines):
            line += lines[number]
            offset += len(lines[number])
            number += 1
        _add(unit, f"{section}.{key[1]}", text, begin + key.end(), begin + len(line.rstrip()))
    return unit


def _add(unit: _Unit, name: str, text: str, begin: int, end: int) -> None:
    end = max(end, begin)
    value = Chars.whole(text).part(begin, end)
    span = Span(begin=begin, end=end)
    line = Span(begin=text.rfind("\n", 0, begin) + 1, end=end)
    unit.settings[name] = Option(value=value.text, span=span, whole=line)
    if name == "Service.ExecStart":
        skipped = len(value.text) - len(value.text.lstrip(_MARKS))
        if not value.text:
            unit.commands.clear()
        elif len(unit.commands) < 20:
            unit.commands.append(value.part(skipped, len(value.text)))
    elif name == "Service.Environment":
        unit.variables += [variable_of(word) for word in _plain_words(value)]


_WORD: Final = re.compile(r"\"([^\"]*)\"|'([^']*)'|(\S+)")


def _plain_words(value: Chars) -> tuple[Word, ...]:
    """Split as systemd does: quotes go round a whole word."""
    words = []
    for found in _WORD.finditer(value.text):
        group = next(number for number in (1, 2, 3) if found[number] is not None)
        words.append(Word(chars=value.part(found.start(group), found.end(group))))
    return tuple(words)


def with_kind(start: Start, unit: Start) -> Start:
    """Return a container's start as the unit's, with the unit's settings."""
    return replace(
        start,
        kind=LaunchKind.SYSTEMD,
        settings=unit.settings,
    )
