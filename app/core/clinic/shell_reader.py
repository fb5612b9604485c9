"""Read shell text sign by sign: quotes, variables, arrays, operators, here-documents.

Nothing is run: what a command or an unset variable would give stays as it is written and is
marked unresolved. What a hostile paste could make grow without end has a limit.
"""

import re
from dataclasses import dataclass, field
from typing import Final

from app.core.clinic.origin import Chars, Span, Word
from app.core.clinic.shell_commands import MOST_WORDS, Assignment, Break, Command, Problem

_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_ASSIGNMENT: Final = re.compile(r"([A-Za-z_]\w*)(\+?)=")
_EXPANSION: Final = re.compile(r"([A-Za-z_]\w*)(\[[@*]\])?(?:(:?[-=])(.*))?", re.DOTALL)
_PLACEHOLDER: Final = re.compile(r"<[A-Za-z][\w ./-]{0,60}>")
"""``<your token>``: a shell would take it for redirections, its author never meant any."""
_HEREDOC: Final = re.compile(r"<<-?\s*([\"']?)([A-Za-z_]\w*)\1")
_LONGEST_WORD: Final = 20_000
_DEEPEST: Final = 4
_MOST_INSERTED: Final = 100_000
_MOST_HEREDOCS: Final = 50
_MOST_EXPORTS: Final = 300


@dataclass(slots=True)
class ShellState:
    """What grows while reading: shared by texts that are read inside others."""

    variables: dict[str, tuple[Word, ...]] = field(default_factory=dict)
    exported: dict[str, Assignment] = field(default_factory=dict)
    inserted: int = 0
    """Characters that variables gave; a paste that doubles one again and again is stopped."""
    heredocs: int = 0

    def may_insert(self, count: int) -> bool:
        """Count what is inserted; past the limit it is left as it is written."""
        self.inserted += count
        return self.inserted <= _MOST_INSERTED


class ShellReader:
    """Reads one text; texts inside it are read by readers that share its state."""

    def __init__(self, chars: Chars, state: ShellState, depth: int = 0) -> None:
        self._s, self._at = chars.text, chars.at
        self._i = 0
        self._state = state
        self._depth = depth
        self._found: list[Command] = []
        self._words: list[Word] = []
        self._assigned: list[Assignment] = []
        self._problems: list[Problem] = []
        self._text: list[str] = []
        self._places: list[int] = []
        self._has_word = False
        self._is_resolved = True
        self._array: list[Word] | None = None
        self._array_name = ""
        self._endings: list[str] = []

    def commands(self) -> list[Command]:
        """Return the commands in their order."""
        while self._i < len(self._s):
            self._step(self._s[self._i])
        self._end_command()
        return self._found

    def words(self) -> tuple[Word, ...]:
        """Return one level of words, for a value inside another text."""
        found = self.commands()
        return tuple(word for command in found for word in command.words)

    def _step(self, c: str) -> None:
        match c:
            case "\\":
                self._backslash()
            case "'":
                self._single_quoted()
            case '"':
                self._double_quoted()
            case "$":
                self._dollar(in_quotes=False)
            case "`":
                self._backquote()
            case "#" if not self._has_word:
                self._skip_line()
            case "\n" | ";" | "|" | "&" | "(" | ")" | "<" | ">":
                self._operator(c)
            case " " | "\t" | "\r" | "\u00a0":
                self._end_word()
                self._i += 1
            case _:
                self._take(c)

    def _take(self, c: str, at: int | None = None) -> None:
        if len(self._text) < _LONGEST_WORD:
            self._text.append(c)
            self._places.append(self._at[self._i] if at is None else at)
        self._has_word = True
        if at is None:
            self._i += 1

    def _backslash(self) -> None:
        rest = re.compile(r"\\([ \t\r]*)(\n|\Z)").match(self._s, self._i)
        if rest is None:
            self._i += 1
            if self._i < len(self._s):
                self._take(self._s[self._i])
            return
        if rest[1].strip("\r"):
            span = Span(begin=self._at[self._i], end=self._at[self._i] + 1 + len(rest[1]))
            self._problems.append(Problem(id=Break.BLANK_AFTER_BACKSLASH, span=span))
            self._end_word()
        self._i = rest.end()

    def _single_quoted(self) -> None:
        end = self._s.find("'", self._i + 1)
        end = len(self._s) if end < 0 else end
        self._i += 1
        self._has_word = True
        while self._i < end:
            self._take(self._s[self._i])
        self._i += 1

    def _double_quoted(self) -> None:
        self._i += 1
        self._has_word = True
        while self._i < len(self._s) and self._s[self._i] != '"':
            c = self._s[self._i]
            if c == "\\" and self._s[self._i + 1 : self._i + 2] in {'"', "\\", "$", "`", "\n"}:
                self._i += 1
                if self._s[self._i] == "\n":
                    self._i += 1
                    continue
                self._take(self._s[self._i])
            elif c == "$":
                self._dollar(in_quotes=True)
            else:
                self._take(c)
        self._i += 1

    def _backquote(self) -> None:
        if re.compile(r"`[ \t\r]*(?:\n|\Z)").match(self._s, self._i):  # PowerShell's continuation
            line = self._s.find("\n", self._i)
            self._i = len(self._s) if line < 0 else line + 1
            return
        end = self._s.find("`", self._i + 1)
        self._unresolved(len(self._s) if end < 0 else end + 1)

    def _unresolved(self, end: int) -> None:
        """Keep what cannot be known as it is written."""
        self._is_resolved = False
        while self._i < end:
            self._take(self._s[self._i])

    def _dollar(self, *, in_quotes: bool) -> None:
        following = self._s[self._i + 1 : self._i + 2]
        if following == "(":
            self._unresolved(_closing(self._s, self._i + 1, "(", ")"))
        elif following == "{":
            end = _closing(self._s, self._i + 1, "{", "}")
            self._expand(self._i + 2, end - 1, end, in_quotes=in_quotes)
        elif name := _NAME.match(self._s, self._i + 1):
            self._expand(name.start(), name.end(), name.end(), in_quotes=in_quotes)
        else:
            self._unresolved(min(self._i + 1 + len(following.strip()), len(self._s)))

    def _expand(self, begin: int, end: int, after: int, *, in_quotes: bool) -> None:
        shape = _EXPANSION.fullmatch(self._s, begin, end)
        known = self._state.variables.get(shape[1]) if shape else None
        if shape and known is None and shape[3] and self._depth < _DEEPEST:
            default = Chars(self._s, self._at).part(shape.start(4), shape.end(4))
            known = self._value(default)
        if known is None or not self._state.may_insert(1 + sum(len(w.text) for w in known)):
            self._unresolved(after)
            return
        self._i = after
        is_array = bool(shape and shape[2])
        for number, word in enumerate(known):
            if number and is_array:
                self._end_word()
            self._insert(word, split=not in_quotes)

    def _value(self, chars: Chars) -> tuple[Word, ...]:
        if not set("\"'").intersection(chars.text):
            chars = Chars(f'"{chars.text}"', (0, *chars.at, 0))
        return ShellReader(chars, self._state, self._depth + 1).words()

    def _insert(self, word: Word, *, split: bool) -> None:
        self._is_resolved = self._is_resolved and word.is_resolved
        for number, c in enumerate(word.text):
            if split and c in " \t\n":
                self._end_word()
            else:
                self._take(c, word.chars.at[number])

    def _skip_line(self) -> None:
        line = self._s.find("\n", self._i)
        self._i = len(self._s) if line < 0 else line

    def _operator(self, c: str) -> None:
        if c == "(" and self._text[-1:] == ["="] and self._array is None:
            self._i += 1
            self._array = []
            self._begin_array()
        elif c == ")" and self._array is not None:
            self._end_array()
        elif c == "\n" and self._array is not None:
            self._end_word()
            self._i += 1
        elif c == "<" and (heredoc := _HEREDOC.match(self._s, self._i)):
            self._i = heredoc.end()
            self._endings.append(heredoc[2])
        elif c == "<" and (placeholder := _PLACEHOLDER.match(self._s, self._i)):
            self._unresolved(placeholder.end())
        elif c in "<>":
            self._redirection()
        elif c == "&" and (self._s[self._i + 1 : self._i + 2] == ">"):
            self._i += 1
        else:
            self._end_command()
            self._i += 1
            if c == "\n" and self._endings:
                self._skip_heredocs()

    def _redirection(self) -> None:
        if all(c.isdigit() for c in self._text):
            self._drop_word()
        self._end_word()
        target = re.compile(r"[<>]+&?[ \t]*(?:[^\s;|&<>()\\\"']+|\"[^\"\n]*\"|'[^'\n]*')?")
        found = target.match(self._s, self._i)
        self._i = found.end() if found else self._i + 1

    def _skip_heredocs(self) -> None:
        for ending in self._endings:
            self._state.heredocs += 1
            last = re.compile(rf"^\s*{re.escape(ending)}[ \t]*$", re.MULTILINE)
            if self._state.heredocs <= _MOST_HEREDOCS and (found := last.search(self._s, self._i)):
                self._i = found.end()
        self._endings = []

    def _begin_array(self) -> None:
        self._array_name = "".join(self._text).rstrip("=")
        self._drop_word()

    def _end_array(self) -> None:
        self._end_word()
        self._i += 1
        name, plus = self._array_name.rstrip("+"), self._array_name.endswith("+")
        before = self._state.variables.get(name, ()) if plus else ()
        self._state.variables[name] = (*before, *(self._array or ()))[:MOST_WORDS]
        self._array = None

    def _drop_word(self) -> None:
        self._text, self._places = [], []
        self._has_word, self._is_resolved = False, True

    def _end_word(self) -> None:
        if not self._has_word:
            return
        chars = Chars("".join(self._text), tuple(self._places))
        word = Word(chars=chars, is_resolved=self._is_resolved)
        self._drop_word()
        if self._array is not None:
            self._array.append(word)
        elif found := self._assignment(word):
            self._assigned.append(found)
        elif len(self._words) < MOST_WORDS:
            self._words.append(word)

    def _assignment(self, word: Word) -> Assignment | None:
        found = _ASSIGNMENT.match(word.text)
        exports = [w.text for w in self._words] in (["export"], ["declare", "-x"], ["set"])
        if found is None or (self._words and not exports):
            return None
        value = word.part(found.end())
        before = self._state.variables.get(found[1], ())[:1] if found[2] else ()
        if before and self._state.may_insert(len(before[0].text)):
            value = _joined(before[0], value)
        return Assignment(name=found[1], value=value, whole=word.span)

    def _end_command(self) -> None:
        self._end_word()
        exports = bool(self._words) and self._words[0].text in {"export", "declare"}
        if self._assigned and (exports or not self._words):
            for assignment in self._assigned:
                self._state.variables[assignment.name] = (assignment.value,)
                if exports or assignment.name in self._state.exported:
                    self._export(assignment)
        elif exports:
            self._export_names()
        elif self._words:
            self._found.append(
                Command(
                    words=tuple(self._words),
                    assignments=tuple(self._assigned),
                    exported=tuple(self._state.exported.values()),
                    problems=tuple(self._problems),
                )
            )
        self._words, self._assigned, self._problems = [], [], []

    def _export_names(self) -> None:
        for word in self._words[1:]:
            for value in self._state.variables.get(word.text, ())[:1]:
                self._export(Assignment(name=word.text, value=value, whole=value.span))

    def _export(self, assignment: Assignment) -> None:
        if len(self._state.exported) < _MOST_EXPORTS:
            self._state.exported[assignment.name] = assignment


def _joined(before: Word, after: Word) -> Word:
    """Return ``NAME+=more``."""
    chars = Chars(before.text + after.text, (*before.chars.at, *after.chars.at))
    return Word(chars=chars, is_resolved=before.is_resolved and after.is_resolved)


def _closing(text: str, begin: int, opening: str, closing: str) -> int:
    """Return the place after the bracket that closes the one at ``begin``."""
    depth = 0
    for place in range(begin, len(text)):
        if text[place] == opening:
            depth += 1
        elif text[place] == closing:
            depth -= 1
            if depth == 0:
                return place + 1
    return len(text)
