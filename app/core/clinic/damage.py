"""What chats, web pages and word processors did to a text, undone sign for sign.

Every sign keeps its place, so what is read of the mended text stands where the paste has it.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from app.core.clinic.launch import Start
from app.core.clinic.origin import Span
from app.core.clinic.remark import Edit

_BLANKS: Final = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_UNSEEN: Final = "\u00ad\u200b-\u200d\u2060\ufeff"
_BLANK: Final = re.compile(f"[{_BLANKS}]")
_HIDDEN: Final = re.compile(f"[{_UNSEEN}]")
_DOUBLE: Final = re.compile(r"(?<!\w)[“”„‟]([^“”„‟\n]*)[“”„‟](?!\w)")
_SINGLE: Final = re.compile(r"(?<!\w)[‘’‚‛]([^‘’‚‛\n]*)[‘’‚‛](?!\w)")
_CARET: Final = re.compile(r"(?<=[ \t])\^(?=\r?\n)")
_DRIVE: Final = re.compile(r"(?<![\w:/])[A-Za-z]:(?:\\[\w .()-]+)+\\?")
_HERE: Final = re.compile(r"(?<!\S)\.\\(?=\w)")
_COMMENT: Final = re.compile(r"(?:^|(?<=\s))#")


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """What is broken in a text, where, and how it is mended."""

    id: str
    span: Span
    edits: tuple[Edit, ...] = ()
    detail: str = ""
    """What the program that refuses it says."""


def mended(text: str) -> str:
    r"""Return the text as it was meant, every sign at its place.

    Typographic quotes in pairs become plain ones, blanks of other widths become blanks, unseen
    signs beside a blank become blanks. Of a Windows shell, the caret that ends a line becomes the
    backslash that other shells read, and backslashes of ``C:\models`` and ``.\program`` become
    slashes.
    """
    text = _SINGLE.sub(r"'\1'", _DOUBLE.sub(r'"\1"', text))
    text = _BLANK.sub(" ", text)
    text = re.sub(f"(?<=\\s)[{_UNSEEN}]|[{_UNSEEN}](?=\\s)", " ", text)
    text = _HERE.sub("./", text)
    text = _DRIVE.sub(lambda found: found[0].replace("\\", "/"), text)
    return _CARET.sub(r"\\", text)


def damaged_signs(text: str, starts: Iterable[Start]) -> Iterator[Damage]:
    """Find the signs that a program takes otherwise than they look, where something is started."""
    told = {_line(text, span.begin) for start in starts for span in _spans(start)}
    for line in sorted(told, key=lambda span: span.begin):
        written = text[line.begin : line.end]
        comment = _COMMENT.search(written)
        written = written[: comment.start()] if comment else written
        for id_, edits in _of_line(written, line.begin):
            if edits:
                span = Span(begin=edits[0].span.begin, end=edits[0].span.end)
                yield Damage(id=id_, span=span, edits=tuple(edits))


def _of_line(written: str, begin: int) -> Iterator[tuple[str, list[Edit]]]:
    quotes = [
        _edit(begin + place, quote)
        for pattern, quote in ((_DOUBLE, '"'), (_SINGLE, "'"))
        for found in pattern.finditer(written)
        for place in (found.start(), found.end() - 1)
    ]
    yield "smart_quotes", sorted(quotes, key=lambda edit: edit.span.begin)
    yield "no_break_space", [_edit(begin + m.start(), " ") for m in _BLANK.finditer(written)]
    yield "unseen_sign", [_edit(begin + m.start(), "") for m in _HIDDEN.finditer(written)]


def _edit(place: int, text: str) -> Edit:
    return Edit(span=Span(begin=place, end=place + 1), text=text)


def _spans(start: Start) -> Iterator[Span]:
    yield from (word.span for word in start.words)
    yield from (variable.whole for variable in start.variables)
    yield from (setting.whole for setting in start.settings.values())
    if start.container is not None:
        yield from (option.whole for named in start.container.options.values() for option in named)
        if start.container.image is not None:
            yield start.container.image.span


def _line(text: str, place: int) -> Span:
    end = text.find("\n", place)
    return Span(begin=text.rfind("\n", 0, place) + 1, end=len(text) if end < 0 else end)
