"""Cut the engine's log stream into lines with their time and source.

Without a terminal the stream is a sequence of frames: one byte for the source, three unused,
four for the length (big-endian), then that many bytes. With a terminal it is plain text.
Source: Docker Engine API, "Attach to a container", stream format.
"""

import re
import struct
from collections.abc import Iterator
from datetime import UTC, datetime

from app.io.containers import LogChunk

_HEADER = struct.Struct(">BxxxI")
_SOURCES = {0: "stdout", 1: "stdout", 2: "stderr"}
_STAMP = re.compile(rb"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)) ")
_LINE_LIMIT_BYTES = 1024 * 1024


class LogDecoder:
    """Feed it what arrives; it gives back whole lines."""

    def __init__(self, *, tty: bool) -> None:
        self._tty = tty
        self._pending = bytearray()
        self._lines = {"stdout": _Line("stdout"), "stderr": _Line("stderr")}

    def feed(self, data: bytes) -> Iterator[LogChunk]:
        """Add bytes and yield the lines they complete."""
        self._pending += data
        if self._tty:
            yield from self._feed_text()
        else:
            yield from self._feed_frames()

    def finish(self) -> Iterator[LogChunk]:
        """Yield lines that had no end."""
        if self._tty and self._pending:
            self._lines["stdout"].add(bytes(self._pending))
            self._pending.clear()
        for line in self._lines.values():
            if line.has_text:
                yield line.take()

    def _feed_text(self) -> Iterator[LogChunk]:
        *pieces, rest = bytes(self._pending).split(b"\n")
        self._pending = bytearray(rest)
        for piece in pieces:
            yield from self._add("stdout", piece + b"\n")

    def _feed_frames(self) -> Iterator[LogChunk]:
        while len(self._pending) >= _HEADER.size:
            source, length = _HEADER.unpack_from(self._pending)
            end = _HEADER.size + length
            if len(self._pending) < end:
                return
            payload = bytes(self._pending[_HEADER.size : end])
            del self._pending[:end]
            for piece in _pieces(payload):
                yield from self._add(_SOURCES.get(source, "stderr"), piece)

    def _add(self, stream: str, piece: bytes) -> Iterator[LogChunk]:
        line = self._lines[stream]
        line.add(piece)
        if piece.endswith(b"\n") or line.is_too_long:
            yield line.take()


class _Line:
    """One line in the making; the engine cuts long ones and stamps each piece."""

    def __init__(self, stream: str) -> None:
        self._stream = stream
        self._at = ""
        self._text = bytearray()

    @property
    def has_text(self) -> bool:
        return bool(self._text or self._at)

    @property
    def is_too_long(self) -> bool:
        return len(self._text) > _LINE_LIMIT_BYTES

    def add(self, piece: bytes) -> None:
        stamp = _STAMP.match(piece)
        if stamp:
            piece = piece[stamp.end() :]
            self._at = self._at or stamp[1].decode("ascii")
        self._text += piece

    def take(self) -> LogChunk:
        text = bytes(self._text).removesuffix(b"\n").removesuffix(b"\r")
        chunk = LogChunk(at=self._at, stream=self._stream, text=text.decode("utf-8", "replace"))
        self._text.clear()
        self._at = ""
        return chunk


def since_parameter(at: str) -> str:
    """Return an RFC 3339 time as the API wants it: seconds since the epoch with nanoseconds.

    Raises:
        ValueError: when the text is no such time.
    """
    found = re.fullmatch(r"(.{19})(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)", at)
    if found is None:
        msg = f"not a time: {at}"
        raise ValueError(msg)
    zone = "+00:00" if found[3] == "Z" else found[3]
    moment = datetime.fromisoformat(found[1] + zone).astimezone(UTC)
    return f"{int(moment.timestamp())}.{(found[2] or '').ljust(9, '0')}"


def _pieces(payload: bytes) -> list[bytes]:
    """Cut after line feeds only: a progress bar's carriage returns stay in their line."""
    *whole, rest = payload.split(b"\n")
    return [piece + b"\n" for piece in whole] + ([rest] if rest else [])
