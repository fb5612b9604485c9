"""Follow Python tracebacks, each process on its own, through interleaved lines."""

import re
from dataclasses import dataclass, field
from typing import Final

from app.core.diagnosis.joining import Joined
from app.core.logs.line import LogLine

_HEAD: Final = "Traceback (most recent call last)"
_FRAME: Final = re.compile(r'^\s*File "(?P<path>[^"]+)",(?: line \d+,)? in (?P<function>\S+)')
_BEGUN: Final = re.compile(r'\s*File "')
_MOST_FRAMES: Final = 200
_MOST_STREAMS: Final = 256

Frames = tuple[str, ...]
"""``path:function``, outermost first."""


@dataclass(slots=True)
class _Stream:
    frames: list[str] = field(default_factory=list)
    is_open: bool = False


class Tracebacks:
    """Feed it every line that matters; it tells the frames above a line."""

    def __init__(self) -> None:
        self._streams: dict[tuple[str, int | None], _Stream] = {}

    def feed(self, line: LogLine, joined: Joined | None = None) -> Frames:
        """Take a line into account and return the frames of the traceback it belongs to.

        Args:
            line: The line.
            joined: What it continues: a frame may be broken too.
        """
        if joined is not None and _BEGUN.match(joined.text) and self._is_broken(joined):
            return self._feed_broken(joined)
        stream = self._stream(line)
        if _HEAD in line.text:
            stream.frames.clear()
            stream.is_open = True
            return ()
        frame = _FRAME.match(line.text)
        if frame:
            self._add(stream, f"{frame['path']}:{frame['function']}")
            return tuple(stream.frames)
        if line.text[:1].isspace() or not stream.frames:
            return tuple(stream.frames)
        frames = tuple(stream.frames)
        if not stream.is_open and line.level not in _SAME_TRACEBACK:
            stream.frames.clear()
            return ()
        stream.is_open = False
        return frames

    def frames_of(self, line: LogLine) -> Frames:
        """Return the frames of the last traceback of the process that wrote a line."""
        return tuple(self._stream(line).frames)

    @staticmethod
    def _is_broken(joined: Joined) -> bool:
        """True when the line before the last piece ends inside a frame."""
        frame = _FRAME.match(joined.text[: joined.boundary])
        return frame is None or frame.end() == joined.boundary

    def _feed_broken(self, joined: Joined) -> Frames:
        """Add a frame once its function is known, or put the rest of the function's name."""
        stream = self._stream(joined.pieces[0][1])
        frame = _FRAME.match(joined.text)
        if frame:
            if _FRAME.match(joined.text[: joined.boundary]) and stream.frames:
                stream.frames.pop()
            self._add(stream, f"{frame['path']}:{frame['function']}")
        return tuple(stream.frames)

    def _add(self, stream: _Stream, frame: str) -> None:
        """A frame after the exception's line is of a new traceback whose head is cut off."""
        if not stream.is_open:
            stream.frames.clear()
            stream.is_open = True
        if len(stream.frames) < _MOST_FRAMES:
            stream.frames.append(frame)

    def _stream(self, line: LogLine) -> _Stream:
        key = (line.source, line.rank)
        if key not in self._streams and len(self._streams) >= _MOST_STREAMS:
            self._streams.clear()
        return self._streams.setdefault(key, _Stream())


_SAME_TRACEBACK: Final = frozenset({"error", "fatal", ""})
