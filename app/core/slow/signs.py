"""Lines with which a serving engine says that it became slower than planned."""

import re
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Final

from app.core.causes import Cause
from app.core.diagnosis.comparisons import FactValue
from app.core.logs.line import LogLine
from app.core.slow.explain import Judged, sign_finding
from app.core.slow.spec import LogSign

_LONGEST: Final = 400
_REMEMBERED: Final = 500


class SignReader:
    """Reads pieces of one log that may overlap; each line counts once."""

    def __init__(self, signs: Iterable[LogSign], engine: str, causes: Mapping[str, Cause]) -> None:
        self._signs = tuple(
            (sign, re.compile("|".join(f"(?:{text})" for text in sign.any)))
            for sign in signs
            if not sign.engines or engine in sign.engines
        )
        self._causes = causes
        self._told: deque[tuple[str, str, str]] = deque(maxlen=_REMEMBERED)

    def read(
        self, lines: Iterable[LogLine], facts: Mapping[str, FactValue]
    ) -> tuple[tuple[LogSign, Judged], ...]:
        """Return what new lines say."""
        found = []
        for line in lines:
            for sign, pattern in self._signs:
                match = pattern.search(line.text) or pattern.search(line.raw)
                if match is None or not self._is_new(sign, line):
                    continue
                groups = {k: v for k, v in match.groupdict().items() if v is not None}
                text = line.text.strip()[:_LONGEST]
                judged = sign_finding(sign, text, {**facts, **groups}, self._causes)
                if judged is not None:
                    found.append((sign, judged))
        return tuple(found)

    def _is_new(self, sign: LogSign, line: LogLine) -> bool:
        told = (sign.id, line.at or "", line.text)
        if told in self._told:
            return False
        self._told.append(told)
        return True
