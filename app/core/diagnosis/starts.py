"""Tell the starts of one log apart.

Several processes of one start may say their first words, and one process may say several of
them. So first words begin a new start only after the last one failed or served, or when the same
words come again from the same process at another time.
"""

from typing import Final

from app.core.diagnosis.record import StartRecord
from app.core.logs.line import LogLine
from app.core.logs.reader import falls_back

_KEPT: Final = 16


class Starts:
    """Feed it first words and clocks; ``current`` is the record to write to."""

    def __init__(self) -> None:
        self.records: list[StartRecord] = [StartRecord(number=1, first_line=1)]
        self.count = 0
        self._said: dict[tuple[int, str, int | None], str] = {}
        self._clock = ""

    @property
    def current(self) -> StartRecord:
        """The start that the last line belongs to."""
        return self.records[-1]

    def see_clock(self, line: LogLine) -> None:
        """A clock that counts from the process's start and falls back is a new start."""
        if falls_back(self._clock, line.at) and self.current.last_line:
            self._begin(line.number)
        if line.at:
            self._clock = line.at

    def see_words(self, sign: int, line: LogLine) -> None:
        """Take first words into account."""
        current = self.current
        key = (sign, line.source, line.rank)
        again = key in self._said and (self._said[key] != line.at or not line.at)
        if current.has_words and (again or current.fault_line or current.is_ready):
            self._begin(line.number)
        if not self.current.has_words:
            self.current.has_words = True
            self.count += 1
        self._said[key] = line.at

    def _begin(self, number: int) -> None:
        self._said.clear()
        self.current.last_line = number - 1
        self.records.append(StartRecord(number=self.current.number + 1, first_line=number))
        if len(self.records) > _KEPT:
            del self.records[1]
