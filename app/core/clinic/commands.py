"""Find the engine in a command, and take its command line apart into placed flags."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from app.core.clinic.launch import PlacedFlag
from app.core.clinic.origin import DASHES, Word
from app.core.clinic.shell import read_commands
from app.core.clinic.spec import ClinicData, Program
from app.core.engines.flags import find_flag, is_flag, is_known_switch, takes_several, value_fits
from app.core.engines.spec import EngineData, FlagRule, FlagType

_SHELLS: Final = frozenset({"sh", "bash", "dash", "zsh", "ash"})
_QUIET: Final = frozenset(
    {"echo", "pip", "pip3", "uv", "curl", "wget", "grep", "git", "cat", "which", "pkill", "pgrep",
     "kill", "apt", "apt-get", "man", "printf", "alias", "cd", "ls", "conda", "tail", "sed", "awk",
     "ps", "watch", "pushd", "source", "mkdir", "if", "rm", "chmod"}
)  # fmt: skip
"""Commands whose words only speak of an engine."""
_NO_VALUE: Final = frozenset({FlagType.SWITCH, FlagType.BOOL})
_VERSIONED: Final = re.compile(r"(?<=[a-z])[-_]?v?\d+(?:\.\d+)+$")
"""A program that keeps its version in its name: ``ollama0.3.13``."""
_DASH: Final = re.compile(rf"^(?=-*[{DASHES[1:]}])[{DASHES}]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """An engine's program in a command."""

    program: Program
    words: tuple[Word, ...]
    """The program's own words."""
    arguments: tuple[Word, ...]
    in_shell: bool = False
    """Inside a text that a shell runs (``bash -c``)."""


def find_program(words: Sequence[Word], data: ClinicData) -> Found | None:
    """Find the program that a command runs, also behind ``sudo``, ``numactl`` or ``bash -c``."""
    if not words or words[0].text in _QUIET:
        return None
    if inner := _shell_text(words):
        return inner_program(inner, data)
    for place in range(min(len(words), 24)):
        for program in data.programs:
            if _is_here(program, words, place):
                end = place + len(program.words)
                return Found(
                    program=program, words=tuple(words[place:end]), arguments=tuple(words[end:])
                )
    return None


def inner_program(text: Word, data: ClinicData) -> Found | None:
    """Find the program inside a text for a shell; the last command counts (after ``&&``)."""
    found = None
    for command in read_commands(text.chars):
        inner = find_program(command.words, data)
        if inner is not None:
            found = Found(
                program=inner.program, words=inner.words, arguments=inner.arguments, in_shell=True
            )
    return found


def _shell_text(words: Sequence[Word]) -> Word | None:
    """Return the text after ``-c``; ``-lc`` and the like are the same."""
    place = next((i for i, w in enumerate(words[:6]) if w.text.rpartition("/")[2] in _SHELLS), None)
    if place is None:
        return None
    for step, word in enumerate(words[place + 1 : place + 5], place + 1):
        if re.fullmatch(r"-[a-z]*c[a-z]*", word.text) and step + 1 < len(words):
            return words[step + 1]
    return None


def shell_text_of(entrypoint: Sequence[Word], words: Sequence[Word]) -> Word | None:
    """Return what a shell runs when it is the entry point or the command."""
    return _shell_text((*entrypoint, *words))


def _is_here(program: Program, words: Sequence[Word], place: int) -> bool:
    wanted = program.words
    if place + len(wanted) > len(words):
        return False
    first = words[place].text
    if wanted[0] != "-m":
        first = _VERSIONED.sub("", first.rpartition("/")[2])
    return first == wanted[0] and all(
        word.text == name for word, name in zip(words[place + 1 :], wanted[1:], strict=False)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """A command line, taken apart."""

    flags: tuple[PlacedFlag, ...]
    strays: tuple[Word, ...]
    """Words that belong to no flag; the model, where it is given by position."""


def split_flags(words: Sequence[Word], engine: EngineData, version: str) -> Split:
    """Take flags and their values apart, as the version would."""
    reader = _Splitter(words, engine, version)
    return Split(flags=tuple(reader.flags()), strays=tuple(reader.strays))


def plain_name(word: str) -> str:
    """Write a typographic dash as the one that was meant."""
    return _DASH.sub("--", word) if _DASH.match(word) else word


class _Splitter:
    def __init__(self, words: Sequence[Word], engine: EngineData, version: str) -> None:
        self._words = words
        self._engine = engine
        self._version = version
        self._i = 0
        self.strays: list[Word] = []

    def flags(self) -> Iterator[PlacedFlag]:
        while self._i < len(self._words):
            word = self._words[self._i]
            self._i += 1
            text = self._meant(word)
            if not is_flag(text):
                self.strays.append(word)
                continue
            yield self._joined(word, text) or self._spaced(word, text)

    def _meant(self, word: Word) -> str:
        """Return a flag with the dashes that were meant: ``–tp`` is ``-tp`` where no --tp is."""
        text = plain_name(word.text)
        name = text.partition("=")[0]
        is_short = text != word.text and self._rule(name) is None and self._rule(name[1:])
        return text[1:] if is_short else text

    def _rule(self, name: str) -> FlagRule | None:
        return find_flag(self._engine.flags, name, self._engine.engine, self._version)

    def _joined(self, word: Word, text: str) -> PlacedFlag | None:
        """Read ``--flag=value`` and vLLM's ``-O3``."""
        name, equals, value = text.partition("=")
        if equals and (name.startswith("--") or self._rule(name)):
            shift = len(word.text) - len(text)
            part = word.part(len(name) + 1 + shift)
            return PlacedFlag(
                name=name, value=value, name_word=word, values=(part,), is_joined=True
            )
        short = text[:2]
        if len(text) > 2 and not text.startswith("--") and self._rule(text) is None:
            rule = self._rule(short)
            if rule is not None and rule.type not in _NO_VALUE and value_fits(rule, text[2:]):
                return PlacedFlag(
                    name=short, value=text[2:], name_word=word, values=(word.part(2),),
                    is_joined=True,
                )  # fmt: skip
        return None

    def _spaced(self, word: Word, text: str) -> PlacedFlag:
        rule = self._rule(text)
        takes = (
            rule.type not in _NO_VALUE if rule else not is_known_switch(self._engine.flags, text)
        )
        many = takes_several(rule, self._engine.flags, text)
        values: list[Word] = []
        while takes and self._i < len(self._words):
            following = self._words[self._i]
            if is_flag(plain_name(following.text)) and following.is_resolved:
                break
            values.append(following)
            self._i += 1
            takes = many
        value = " ".join(v.text for v in values) if values else None
        return PlacedFlag(name=text, value=value, name_word=word, values=tuple(values))
