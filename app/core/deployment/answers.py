"""Read what an engine answered: is it an answer at all, or silence, noise or a loop?

A judgement about form only. Greedy decoding makes it repeatable; whether the answer is true is
not asked here.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

VERIFY_PROMPT: Final = "Name three colours and say where each of them is found in nature."
VERIFY_TOKENS: Final = 48

_MIN_REPEATS: Final = 4
_LOOP_CHARACTERS: Final = 24
_LOOP_SHARE: Final = 0.6
_NOISE_SHARE: Final = 0.2
_LOOP: Final = re.compile(r"(.{1,40}?)\1{3,}", re.DOTALL)


class Verdict(StrEnum):
    """What an answer is, by its form."""

    PLAUSIBLE = "plausible"
    EMPTY = "empty"
    NOISE = "noise"
    """Mostly characters that no text has: broken bytes, control characters, one sign only."""
    LOOP = "loop"
    """The same words again and again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatAnswer:
    """An answer with its times as this desk saw them."""

    text: str
    ttft_s: float | None
    """From sending the request to the first token; ``None`` when no token came."""
    total_s: float
    tokens: int | None
    """As the engine counted; ``None`` when it did not say."""
    finish_reason: str = ""
    prompt_tokens: int | None = None
    """As the engine counted."""


def judge(text: str) -> Verdict:
    """Return what the text of an answer is."""
    body = text.strip()
    if not body:
        return Verdict.EMPTY
    if _noise_share(body) > _NOISE_SHARE:
        return Verdict.NOISE
    if _loops(body):
        return Verdict.LOOP
    return Verdict.PLAUSIBLE


def _noise_share(text: str) -> float:
    noise = sum(1 for c in text if c == "\ufffd" or (not c.isprintable() and c not in "\n\t "))
    return noise / len(text)


def _loops(text: str) -> bool:
    """One unit of up to 40 characters, four times or more in a row, over most of the text."""
    longest = max((len(found[0]) for found in _LOOP.finditer(text)), default=0)
    return longest >= _LOOP_CHARACTERS and longest >= _LOOP_SHARE * len(text)
