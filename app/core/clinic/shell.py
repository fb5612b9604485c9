"""Read shell text as commands: quotes, continuations, variables, arrays, here-documents.

It follows sh and bash as far as launch lines need. Nothing is run: what a command or an unset
variable would give stays as it is written and is marked unresolved. Pasting damage that breaks a
command apart (a blank after the backslash, a comment inside) is noted, and the command is read
as it was meant.
"""

import re
from dataclasses import replace
from typing import Final

from app.core.clinic.origin import DASHES, Chars
from app.core.clinic.shell_commands import MOST_WORDS, Break, Command, Problem
from app.core.clinic.shell_reader import ShellReader, ShellState

_PROMPT: Final = re.compile(
    r"^[ \t]*(?:\([\w.-]{1,40}\) )?"
    r"(?:[\w.-]{1,40}@[\w.-]{1,60}[:/~][:\w/~. -]{0,120}[$#]|\$|%|❯|➜) +",
    re.MULTILINE,
)


def read_commands(chars: Chars) -> tuple[Command, ...]:
    """Return the commands of a text in their order."""
    reader = ShellReader(_without_prompts(chars), ShellState())
    return _rejoin(reader.commands())


def _without_prompts(chars: Chars) -> Chars:
    """Leave out ``user@host:~$`` at line beginnings."""
    text, last = list[str](), 0
    at: list[int] = []
    for found in _PROMPT.finditer(chars.text):
        text.append(chars.text[last : found.start()])
        at.extend(chars.at[last : found.start()])
        last = found.end()
    if not last:
        return chars
    text.append(chars.text[last:])
    at.extend(chars.at[last:])
    return Chars("".join(text), at)


def _rejoin(commands: list[Command]) -> tuple[Command, ...]:
    """Join a line of flags that stands alone with the command above it: it was meant so."""
    joined: list[Command] = []
    for command in commands:
        first = command.words[0].text if command.words else ""
        is_flag = first[:1] in DASHES and first.strip(DASHES)[:1].isalpha()
        if joined and is_flag and len(joined[-1].words) > 1:
            above = joined[-1]
            problems = above.problems or (
                Problem(id=Break.LOST_CONTINUATION, span=above.words[-1].span),
            )
            joined[-1] = replace(
                above,
                words=(*above.words, *command.words)[:MOST_WORDS],
                problems=(*problems, *command.problems),
            )
        else:
            joined.append(command)
    return tuple(joined)
