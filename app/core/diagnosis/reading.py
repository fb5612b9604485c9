"""Read a log once, keep what rules may ask for: one record per start of the engine."""

import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import replace
from typing import Final

from app.core.diagnosis.attention import Attention
from app.core.diagnosis.bank import NONE_POSSIBLE, Hit, bare
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
_SAYS_INFO: Final = re.compile(r".{0,80}?\b(?:INFO|DEBUG)\b")
_QUOTED: Final = re.compile(r"(?:> ?)+")
_NAMED_FAULT: Final = re.compile(
    r"\s*(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)\b: \S|(?:[\w./-]+: )?(?:fatal )?error: \S"
)
_MOST_TELLING: Final = 3
_NO_FAULT: Final = frozenset({LogLevel.INFO, LogLevel.DEBUG, LogLevel.WARNING})


class LogReading:
    """Feed it output; it keeps a bounded record, however long the log."""

    def __init__(self, compiled: CompiledRules) -> None:
        self._rules = compiled
        self._splitter = LogSplitter()
        self._joiner = Joiner()
        self._tracebacks = Tracebacks()
        self._starts = Starts()
        self._attention = Attention(compiled)
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
        self._look(raw, self.lines_read, self._possible(raw))

    def feed_kernel(self, lines: Iterable[str]) -> None:
        """Add lines of the host's kernel log; they have no number."""
        for raw in lines:
            self._search(_line_of(raw, 0), (), self._possible(raw))

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
        for index, told in enumerate(possible):
            if told is None or index < done:
                continue
            if not self._attention.wants(shapes[index], told.signs, self._starts.current):
                continue
            is_plain = self._rules.faults.isdisjoint(told.signs) or _SAYS_INFO.match(lines[index])
            around = 0 if is_plain else _AROUND
            done = max(done, index - around)
            until = min(index + around + 1, len(lines))
            while done < until:
                here = possible[done] or NONE_POSSIBLE
                matched = self._look(lines[done], first + done, here.branches)
                self._attention.note(shapes[done], here.signs, matched=matched)
                done += 1
        self._starts.current.last_line = self.lines_read

    def _possible(self, raw: str) -> Iterable[int]:
        return (self._rules.bank.possible(_shape_of(raw)) or NONE_POSSIBLE).branches

    def _look(self, raw: str, number: int, possible: Iterable[int]) -> bool:
        """Take a line into account; True when a pattern matched it."""
        line = _line_of(raw, number)
        joined = self._joiner.feed(line, possible)
        frames = self._tracebacks.feed(line, joined)
        if joined is not None and not line.source and line.rank is None:
            begun = joined.pieces[0][1]
            line = replace(line, source=begun.source, rank=begun.rank)
            frames = frames or self._tracebacks.frames_of(line)
        matched = self._search(line, frames, possible)
        return (joined is not None and self._search_joined(joined)) or matched

    def _search(self, line: LogLine, frames: Frames, possible: Iterable[int]) -> bool:
        text = line.text[:_LONGEST]
        self._starts.see_clock(line)
        signs = set()
        for hit in self._own_words(tuple(self._rules.bank.hits(text, possible))):
            self._mark(hit, line)
            self._keep(hit, line, frames, text)
            signs.add(hit.sign)
        self._note_end(line, signs)
        return bool(signs)

    def _own_words(self, hits: Sequence[Hit]) -> Sequence[Hit]:
        """Leave out what stands in a prompt or an answer that the engine only repeats."""
        begins = [hit.match.end() for hit in hits if hit.sign in self._rules.quotes]
        if not begins:
            return hits
        return [hit for hit in hits if hit.match.end() <= min(begins)]

    def _note_end(self, line: LogLine, signs: Set[int]) -> None:
        record = self._starts.current
        record.last_line = line.number or record.last_line
        if record.stop_line or line.level in _NO_FAULT:
            return
        if is_serious(line) or self._rules.faults.intersection(signs):
            record.fault_line = line.number
        if is_serious(line) and self._rules.finders.isdisjoint(signs):
            _note_fault(record, line)

    def _search_joined(self, joined: Joined) -> bool:
        """Keep what matches only across the boundary to the last piece."""
        bank = self._rules.bank
        across = bank.spanning(joined.text, joined.boundary).branches
        branches = sorted(joined.possible.union(across))
        texts = (
            [joined.text]
            if joined.text[joined.boundary - 1].isspace()
            else [joined.text, joined.spaced]
        )
        matched = False
        for text in texts:
            for hit in bank.hits(text, branches):
                begin, end = hit.match.span()
                if begin < joined.boundary < end:
                    line = joined.line_at(begin)
                    self._keep(hit, line, self._tracebacks.frames_of(line), text)
                    matched = True
        return matched

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
        record.has_finding = record.has_finding or hit.sign in self._rules.finders

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
    if parts.text == text and text[:1].isspace():
        inner = take_apart(text.lstrip())
        parts = inner if inner.text != text.lstrip() else parts
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
