"""Put corrections into a paste without touching the rest of it: shell, YAML lists, plain lines."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

from app.core.clinic.launch import LaunchKind, Start
from app.core.clinic.origin import Span, Word
from app.core.clinic.remark import Edit

_BEFORE: Final = re.compile(r"(?:[ \t]|\\\r?\n|\n)+\Z")
_ITEM: Final = re.compile(r"^([ \t]*- )[\"']?$")
_BETWEEN: Final = re.compile(r"(?:\s|\\\n|=|[\"',]|- )*")
_YAML: Final = frozenset({LaunchKind.COMPOSE, LaunchKind.KUBERNETES})
_WINDOW: Final = 400


def apply(text: str, edits: Iterable[Edit]) -> str:
    """Return the text with every edit; of two that overlap the first in the text counts."""
    made: list[str] = []
    last = 0
    for edit in sorted(edits, key=lambda one: (one.span.begin, one.span.end)):
        if edit.span.begin < last:
            continue
        made += [text[last : edit.span.begin], edit.text]
        last = edit.span.end
    return "".join([*made, text[last:]])


def replaced(word: Word, text: str) -> tuple[Edit, ...]:
    """Replace a word, where the paste holds it as it is."""
    return (Edit(span=word.span, text=text),) if word.is_literal else ()


def dropped(paste: str, words: Sequence[Word]) -> tuple[Edit, ...]:
    """Take out words that stand beside each other, with the line or the comma that is left."""
    if not words or not all(word.is_literal for word in words):
        return ()
    for one, other in pairwise(words):
        if _BETWEEN.fullmatch(paste[one.span.end : other.span.begin]) is None:
            return ()
    return (Edit(span=whole(paste, words[0].span.begin, words[-1].span.end), text=""),)


def whole(paste: str, begin: int, end: int) -> Span:
    """Return a stretch with what belongs to it: quotes, an item's dash, blanks before it."""
    line = paste.rfind("\n", 0, begin) + 1
    if _ITEM.match(paste[line:begin]):
        after = paste.find("\n", end)
        return Span(begin=line, end=len(paste) if after < 0 else after + 1)
    quotes = paste[begin - 1 : begin] if begin else ""
    if quotes in {'"', "'"} and paste[end : end + 1] == quotes:
        begin, end = begin - 1, end + 1
        comma = re.compile(r"[ \t]*,\s*").match(paste, end)
        if comma:
            return Span(begin=begin, end=comma.end())
    window = max(0, begin - _WINDOW)
    before = _BEFORE.search(paste[window:begin])
    return Span(begin=window + before.start() if before else begin, end=end)


def added(paste: str, start: Start, words: str) -> tuple[Edit, ...]:
    """Add words to the end of the engine's command."""
    if not start.words or not start.words[-1].is_literal:
        return ()
    last = start.words[-1].span
    line = paste.rfind("\n", 0, last.begin) + 1
    item = _ITEM.match(paste[line : last.begin])
    if item and start.kind in _YAML:
        end = paste.find("\n", last.end)
        end = len(paste) if end < 0 else end
        lines = "".join(f'\n{item[1]}"{word}"' for word in words.split(" "))
        return (Edit(span=Span(begin=end, end=end), text=lines),)
    after = last.end
    if paste[last.begin - 1 : last.begin] in {'"', "'"}:
        after += 1
        if start.kind in _YAML and paste[line : last.begin].count("[") > 0:
            items = "".join(f', "{word}"' for word in words.split(" "))
            return (Edit(span=Span(begin=after, end=after), text=items),)
    return (Edit(span=Span(begin=after, end=after), text=f" {words}"),)


def option_added(paste: str, start: Start, option: str, key: str) -> tuple[Edit, ...]:
    """Add an option before the image of a docker run line, or a key to a compose service."""
    image = start.container.image if start.container else None
    if start.kind is LaunchKind.COMPOSE and key:
        begin = start.span.begin
        line = paste.rfind("\n", 0, begin) + 1
        indent = paste[line:begin]
        if indent.strip(" -"):
            return ()
        text = f"{key}\n{indent.replace('-', ' ')}"
        return (Edit(span=Span(begin=begin, end=begin), text=text),)
    if start.kind not in {LaunchKind.DOCKER_RUN, LaunchKind.SYSTEMD} or image is None or not option:
        return ()
    begin = image.span.begin
    line = paste.rfind("\n", 0, begin) + 1
    indent = paste[line:begin]
    joint = f" \\\n{indent}" if not indent.strip() and line else " "
    return (Edit(span=Span(begin=begin, end=begin), text=option + joint),)
