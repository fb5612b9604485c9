"""Read a log once, keep what rules may ask for: one record per start of the engine."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from app.core.diagnosis.bank import Hit, bare
from app.core.diagnosis.compiled import CompiledRules
from app.core.diagnosis.joining import Joined, Joiner
from app.core.diagnosis.record import SERVING, Sighting, StartRecord
from app.core.diagnosis.rules import Marker, MarkerKind
from app.core.diagnosis.starts import Starts
from app.core.diagnosis.tracebacks import Frames, Tracebacks
from app.core.logs.clean import clean
from app.core.logs.line import LogLevel, LogLine, is_serious
from app.core.logs.prefixes import take_apart
from app.core.logs.splitter import LogSplitter

_THOROUGH: Final = 5000
"""Lines at the beginning that are all looked at; later ones only when they may matter."""
_AROUND: Final = 3
"""Lines before and after one that matters which are looked at too: it may be a broken one."""
_LONGEST: Final = 8000
_QUOTED: Final = re.compile(r"(?:> ?)+")
_NAMED_FAULT: Final = re.compile(
    r"\s*(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)\b: \S|(?:[\w./-]+: )?(?:fatal )?error: \S"
)
_MOST_TELLING: Final = 3
_LOOKS: Final = 200
"""How often lines of one shape are looked at in one start; more of them tell nothing new."""
_MOST_SHAPES: Final = 50_000
_NO_FAULT: Final = frozenset({LogLevel.INFO, LogLevel.DEBUG, LogLevel.WARNING})


class LogReading:
    """Feed it output; it keeps a bounded record, however long the log."""

    def __init__(self, compiled: CompiledRules) -> None:
        self._rules = compiled
        self._splitter = LogSplitter()
        self._joiner = Joiner()
        self._tracebacks = Tracebacks()
        self._starts = Starts()
        self._looks: dict[bytes, int] = {}
        self._looked_start = 0
        self.lines_read = 0
        self.engines: dict[str, str] = {}
        """Engines that the log names, with the version where it is told."""

    @property
    def starts(self) -> Sequence[StartRecord]:
        """The starts in the log's order; the middle ones of very many are left out."""
        return self._starts.records

    @property
    def start_count(self) -> int:
        """How many starts' first words were seen."""
        return self._starts.count

    def feed(self, chunk: str | bytes) -> None:
        """Add any piece of output."""
        self._take(self._splitter.feed(chunk))

    def feed_line(self, raw: str, number: int = 0) -> None:
        """Add one whole line, with its number in the log where that is known."""
        self.lines_read = max(number, self.lines_read + 1)
        self._look(raw, self.lines_read, self._rules.bank.possible(_shape_of(raw)) or ())

    def feed_kernel(self, lines: Iterable[str]) -> None:
        """Add lines of the host's kernel log; they have no number."""
        for raw in lines:
            self._search(_line_of(raw, 0), (), self._rules.bank.possible(_shape_of(raw)) or ())

    def close(self) -> None:
        """Take what stands without a line end as a line."""
        self._take(self._splitter.close())

    def _take(self, lines: Sequence[str]) -> None:
        thorough = max(_THOROUGH - self.lines_read, 0)
        for raw in lines[:thorough]:
            self.feed_line(raw)
        rest = lines[thorough:]
        if rest:
            self._skim(rest)

    def _skim(self, lines: Sequence[str]) -> None:
        """Look only at lines whose shape may matter, and at those around a finding's."""
        first = self.lines_read + 1
        self.lines_read += len(lines)
        shapes = _shapes_of(lines)
        possible = [self._rules.bank.possible(shape) for shape in shapes]
        done = 0
        for index, patterns in enumerate(possible):
            if patterns is None or not self._may_look(shapes[index], patterns):
                continue
            around = _AROUND if self._rules.finders.intersection(patterns) else 0
            done = max(done, index - around)
            until = min(index + around + 1, len(lines))
            while done < until:
                self._look(lines[done], first + done, possible[done] or ())
                done += 1
        self._starts.current.last_line = self.lines_read

    def _may_look(self, shape: bytes, patterns: Iterable[int]) -> bool:
        start = self._starts.current.number
        if start != self._looked_start:
            self._looked_start = start
            self._looks.clear()
        looks = self._looks[shape] = self._looks.get(shape, 0) + 1
        if len(self._looks) > _MOST_SHAPES:
            self._looks.clear()
        return looks <= _LOOKS or not self._rules.first_words.isdisjoint(patterns)

    def _look(self, raw: str, number: int, possible: Iterable[int]) -> None:
        line = _line_of(raw, number)
        frames = self._tracebacks.feed(line)
        self._search(line, frames, possible)
        joined = self._joiner.feed(line)
        if joined is not None:
            self._search_joined(joined, frames)

    def _search(self, line: LogLine, frames: Frames, possible: Iterable[int]) -> None:
        text = line.text[:_LONGEST]
        self._starts.see_clock(line)
        signs = set()
        for hit in self._rules.bank.hits(text, possible):
            self._mark(hit, line)
            self._keep(hit, line, frames, text)
            signs.add(hit.sign)
        record = self._starts.current
        record.last_line = line.number or record.last_line
        if record.stop_line or line.level in _NO_FAULT:
            return
        if is_serious(line) or self._rules.faults.intersection(signs):
            record.fault_line = line.number
        if is_serious(line) and self._rules.finders.isdisjoint(signs):
            _note_fault(record, line)

    def _search_joined(self, joined: Joined, frames: Frames) -> None:
        """Keep what matches only across the boundary to the last piece."""
        bank = self._rules.bank
        for hit in bank.hits(joined.text, bank.possible_in(joined.text)):
            begin, end = hit.match.span()
            if begin < joined.boundary < end:
                self._keep(hit, joined.line_at(begin), frames, joined.text)

    def _keep(self, hit: Hit, line: LogLine, frames: Frames, text: str) -> None:
        record = self._starts.current
        if record.stop_line:
            return
        groups = {name: value for name, value in hit.match.groupdict().items() if value is not None}
        if hit.sign in self._rules.facts:
            record.facts[self._rules.facts[hit.sign]] = _first_group(hit.match)
        sighting = Sighting(
            line=line.number,
            text=text,
            groups=groups,
            source=line.source,
            rank=line.rank,
            level=line.level,
            phase=record.phase,
            is_ready=record.is_ready,
            frames=frames,
        )
        record.add(hit.sign, sighting)

    def _mark(self, hit: Hit, line: LogLine) -> None:
        for marker in self._rules.markers.get(hit.sign, ()):
            if marker.kind is MarkerKind.START:
                self._starts.see_words(hit.sign, line)
            if marker.engine:
                version = hit.match.groupdict().get("version") or ""
                self.engines[marker.engine] = version or self.engines.get(marker.engine, "")
            _mark_record(self._starts.current, marker, line)


def _note_fault(record: StartRecord, line: LogLine) -> None:
    if len(record.telling) < _MOST_TELLING and _NAMED_FAULT.match(line.text):
        record.telling.append((line.number, line.text.strip()))


def _mark_record(record: StartRecord, marker: Marker, line: LogLine) -> None:
    if marker.kind is MarkerKind.READY:
        record.ready_line = line.number
    if marker.phase or marker.kind is MarkerKind.READY:
        record.phase = marker.phase or SERVING
    served_well = record.is_ready and record.fault_line < record.ready_line
    if marker.kind is MarkerKind.STOP and served_well:
        record.stop_line = line.number


def _line_of(raw: str, number: int) -> LogLine:
    """Take a printed line apart; marks of a quotation in a forum or a mail are no part of it."""
    text = clean(raw.rstrip("\r"))
    if text[:1] == ">":
        text = _QUOTED.sub("", text, count=1)
    parts = take_apart(text)
    return LogLine(
        at=parts.at,
        source=parts.source,
        rank=parts.rank,
        level=parts.level,
        text=parts.text,
        raw=text,
        location=parts.location,
        number=number,
    )


def _first_group(match: re.Match[str]) -> str:
    return next((value for value in match.groups() if value is not None), "")


def _shape_of(raw: str) -> bytes:
    return bare(clean(raw) if "\x1b" in raw else raw)


def _shapes_of(lines: Sequence[str]) -> list[bytes]:
    """Return the shape of each line; all at once, because that is many times faster."""
    text = "\n".join(lines)
    if "\x1b" in text:
        text = "\n".join(clean(line) if "\x1b" in line else line for line in lines)
    return bare(text).split(b"\n")
