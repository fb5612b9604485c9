"""How well a text fits typed letters, so that a few of them are enough to find a command."""

from collections.abc import Sequence
from typing import Final

_BEGINS: Final = 4.0
_BEGINS_A_WORD: Final = 3.0
_INSIDE: Final = 2.0
_LETTERS: Final = 1.0
_LONGEST_GAP: Final = 3


def score(text: str, words: Sequence[str]) -> float:
    """Return how well ``text`` fits all ``words`` (both in small letters); 0 where one does not.

    The beginning counts most, then the beginning of a word, then any place, then letters in
    order with few between them: ``dpl`` finds ``deployments``.
    """
    total = 1.0
    for word in words:
        found = _score_word(text, word)
        if not found:
            return 0.0
        total += found
    return total


def _score_word(text: str, word: str) -> float:
    at = text.find(word)
    if at == 0:
        return _BEGINS
    if f" {word}" in text:
        return _BEGINS_A_WORD
    if at > 0:
        return _INSIDE
    return max((_letters_in_order(part, word) for part in text.split()), default=0.0)


def _letters_in_order(part: str, word: str) -> float:
    """Return a share of `_LETTERS` when the letters of ``word`` stand in order in one word."""
    if part[:1] != word[:1] or len(word) < 2:
        return 0.0
    at = 0
    for letter in word[1:]:
        following = part.find(letter, at + 1)
        if following < 0 or following - at > _LONGEST_GAP:
            return 0.0
        at = following
    return _LETTERS * len(word) / (at + 1)
