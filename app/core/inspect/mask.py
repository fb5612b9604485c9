"""Keep secrets of a paste out of what is printed: by their place, and by their looks."""

import re
from collections.abc import Iterator
from typing import Final

from app.core.bundle.kinds import RedactionKind
from app.core.bundle.patterns import PATTERNS
from app.core.clinic.launch import PlacedFlag
from app.core.clinic.recognise import MOST_CHARACTERS
from app.core.clinic.report import Clinic
from app.core.engines.flags import find_flag

MASK: Final = "<secret>"
_NAMES: Final = re.compile(
    r"TOKEN|API_?KEYS?|ACCESS_?KEY|PASSWORD|PASSWD|SECRET|CREDENTIAL", re.IGNORECASE
)
_FLAGS: Final = re.compile(
    r"--?[\w-]*(?:api-?keys?|token|password|secret|ssl-keyfile-password)", re.IGNORECASE
)
_PATTERNS: Final = tuple(p for p in PATTERNS if p.kind is RedactionKind.SECRET and p.needles)
_TOKENS: Final = re.compile(r"\b(?:hf_|sk-|ghp_|glpat-|nvapi-)[A-Za-z0-9_-]{8,}")
_SHORTEST: Final = 3
_SHORTEST_BY_LOOKS: Final = 8
"""Shorter ones may be words of a sentence."""


class Masker:
    """Takes the secrets of one paste out of texts."""

    def __init__(self, clinic: Clinic) -> None:
        found = {*_values(clinic), *_in_paste(clinic.text[:MOST_CHARACTERS])}
        values = sorted(found, key=lambda value: (-len(value), value))
        self._known = re.compile("|".join(map(re.escape, values))) if values else None

    def known(self, text: str) -> str:
        """Take out the secrets that the paste holds; for sentences of our own, which quote it."""
        return text if self._known is None else self._known.sub(MASK, text)

    def whole(self, text: str) -> str:
        """Take out what has the looks of a secret as well; for what the paste holds."""
        return _by_looks(self.known(text))


def _values(clinic: Clinic) -> Iterator[str]:
    for start in clinic.starts:
        for variable in start.variables:
            if _NAMES.search(variable.name) and len(variable.value) >= _SHORTEST:
                yield variable.value
    for launch in clinic.launches:
        for flag in launch.split.flags:
            rule = find_flag(launch.engine.flags, flag.name, launch.engine.engine, launch.version)
            if (rule is not None and rule.secret) or _FLAGS.fullmatch(flag.name):
                yield from _secret_words(flag)


def _in_paste(text: str) -> Iterator[str]:
    """Return what has the looks of a secret: a sentence quotes it without what stands around it."""
    yield from (found[0] for found in _TOKENS.finditer(text))
    lowered = text.lower()
    for pattern in _PATTERNS:
        if pattern.may_match(lowered):
            for found in pattern.regex.finditer(text):
                value = found["x"]
                if pattern.accept(found) and "$" not in value and len(value) >= _SHORTEST_BY_LOOKS:
                    yield value


def _secret_words(flag: PlacedFlag) -> Iterator[str]:
    for word in flag.values:
        if word.is_resolved and len(word.text) >= _SHORTEST:
            yield word.text


def _by_looks(text: str) -> str:
    text = _TOKENS.sub(MASK, text)
    lowered = text.lower()
    for pattern in _PATTERNS:
        if pattern.may_match(lowered):
            text = pattern.regex.sub(
                lambda found, p=pattern: _replaced(found) if p.accept(found) else found[0],  # type: ignore[misc]
                text,
            )
    return text


def _replaced(found: re.Match[str]) -> str:
    whole = found[0]
    begin, end = found.start("x") - found.start(), found.end("x") - found.start()
    return whole if "$" in found["x"] else whole[:begin] + MASK + whole[end:]
