"""Cut a stream of output into physical lines, in constant memory."""

import codecs
from typing import Final

from app.core.logs.clean import last_overwrite

LINE_LIMIT: Final = 64 * 1024
"""Characters; a longer line is cut into pieces."""


class LogSplitter:
    """Feed it pieces of output, get whole lines without their end; ``close`` gives the rest."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._rest = ""

    def feed(self, chunk: str | bytes) -> list[str]:
        """Add output and return the lines that it completed."""
        text = self._decoder.decode(chunk) if isinstance(chunk, bytes) else chunk
        if "\n" not in text:
            self._rest += text
            return self._cut()
        *whole, self._rest = (self._rest + text).split("\n")
        return whole + self._cut()

    def close(self) -> list[str]:
        """Return what stood without a line end."""
        text = self._rest + self._decoder.decode(b"", final=True)
        self._rest = ""
        return [text] if text else []

    @property
    def rest(self) -> str:
        """What stands without a line end so far."""
        return self._rest

    def _cut(self) -> list[str]:
        """Keep the unended rest small: drop overwritten bars, else give out a piece."""
        if len(self._rest) <= LINE_LIMIT:
            return []
        if "\r" in self._rest:
            self._rest = last_overwrite(self._rest)
        pieces = []
        while len(self._rest) > LINE_LIMIT:
            pieces.append(self._rest[:LINE_LIMIT])
            self._rest = self._rest[LINE_LIMIT:]
        return pieces
