"""Follow Python tracebacks, each process on its own, through interleaved lines."""

import re
from dataclasses import dataclass, field
from typing import Final

from app.core.logs.line import LogLine

_HEAD: Final = "Traceback (most recent call last)"
_FRAME: Final = re.compile(r'^\s*File "(?P<path>[^"]+)",(?: line \d+,)? in (?P<function>\S+)')
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

    def feed(self, line: LogLine) -> Frames:
        """Take a line into account and return the frames of the traceback it belongs to."""
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
