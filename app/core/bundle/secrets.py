"""Find known values in every writing in which they may appear in a text.

A value that is known (an API key, a password, a host's name) is looked for as it is, escaped in
JSON or HTML, percent-encoded, in hexadecimal and inside Base64 at each of its three alignments;
also where a log cut it in two.
"""

import base64
import html
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, quote_plus

SHORTEST_ENCODED: Final = 6
"""Shorter values are not looked for in Base64 or hexadecimal: they would be found by chance."""

_STAMP: Final = r"(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*(?:Z|[+-]\d\d:\d\d) ?)?"
CUT: Final = rf"(?:\r?\n{_STAMP}|(?:\\r)?\\n)"
"""A line end that a log put inside a value, with the stamp of the next line."""
_CUT: Final = re.compile(CUT)

# Before a word: no letter or digit, or one that belongs to an escape (\n, %2F).
_BEGIN: Final = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f][0-9A-Fa-f]))"
_END: Final = r"(?![A-Za-z0-9])"


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownValue:
    """Something that must not be in the bundle, and what it is."""

    value: str
    kind: str
    """A `RedactionKind` value."""
    whole_word: bool = False
    """True for names: they are replaced as whole words only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Writing:
    text: str
    whole_word: bool


def _writings(known: KnownValue) -> tuple[_Writing, ...]:
    """Return the ways in which a value may be written, the longest first."""
    value = known.value
    plain = {value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}
    plain |= {json.dumps(text)[1:-1] for text in tuple(plain)}
    plain |= {quote(value, safe=""), quote(value), quote_plus(value), html.escape(value)}
    plain |= {quote(quote(value, safe=""), safe=""), value.replace("/", r"\/")}
    plain |= {value.replace("'", "'\\''")}
    found = {_Writing(text=text, whole_word=known.whole_word) for text in plain if text}
    data = value.encode("utf-8", "replace")
    if len(data) >= SHORTEST_ENCODED:
        encoded = {data.hex(), data.hex().upper(), *_in_base64(data)}
        found |= {_Writing(text=text, whole_word=False) for text in encoded}
    return tuple(sorted(found, key=lambda one: (-len(one.text), one.text)))


def _in_base64(data: bytes) -> Iterator[str]:
    """Yield the characters that are certain when ``data`` stands anywhere inside Base64."""
    for before in range(3):
        text = base64.b64encode(bytes(before) + data).decode()
        # A character carries six bits: those that also hold bits of a neighbour are not certain.
        first, last = -(-before * 8 // 6), (before + len(data)) * 8 // 6
        certain = text[first:last]
        if len(certain) >= SHORTEST_ENCODED:
            yield certain
            yield certain.replace("+", "-").replace("/", "_")
            yield quote(certain, safe="")


class KnownValues:
    """Replaces known values; the longest first, so that no rest of one is left."""

    def __init__(self, values: tuple[KnownValue, ...]) -> None:
        unique = {known.value: known for known in reversed(values) if known.value}
        self._values = tuple(
            (known, _writings(known))
            for known in sorted(unique.values(), key=lambda one: (-len(one.value), one.value))
        )

    def replace(self, text: str, stand_in: Callable[[KnownValue], str]) -> str:
        """Return the text with every value replaced by what ``stand_in`` gives for it."""
        joined = _CUT.sub("", text)
        for known, writings in self._values:
            for writing in writings:
                # Looking first is a hundred times quicker than a regular expression.
                if writing.text in joined or writing.text in text:
                    text = _pattern(writing).sub(lambda _, k=known: stand_in(k), text)  # type: ignore[misc]
        return text

    def left_in(self, text: str) -> tuple[KnownValue, ...]:
        """Return the values that still stand in a text, in whatever writing."""
        joined = _CUT.sub("", text)
        return tuple(
            known
            for known, writings in self._values
            if any(_stands(writing, text) or _stands(writing, joined) for writing in writings)
        )


def _stands(writing: _Writing, text: str) -> bool:
    return writing.text in text and (
        not writing.whole_word or _pattern(writing).search(text) is not None
    )


def _pattern(writing: _Writing) -> re.Pattern[str]:
    """Return what finds a writing, also with a line end between any two of its characters."""
    if len(writing.text) < SHORTEST_ENCODED:
        body = re.escape(writing.text)
    else:
        body = f"{CUT}?".join(re.escape(character) for character in writing.text)
    return re.compile(f"{_BEGIN}{body}{_END}" if writing.whole_word else body)
