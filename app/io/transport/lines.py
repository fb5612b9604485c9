"""Cut a byte stream into lines of text, whatever the pieces it arrives in."""

LINE_LIMIT_BYTES = 1024 * 1024
"""A longer line is handed on in pieces, so that a binary stream cannot fill the memory."""


class LineSplitter:
    """Collect bytes and give back whole lines without their ends."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[str]:
        """Add bytes and return the lines they complete."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > LINE_LIMIT_BYTES:
            lines.append(self._rest)
            self._rest = b""
        return [_text(line) for line in lines]

    def finish(self) -> list[str]:
        """Return a last line that had no end."""
        rest, self._rest = self._rest, b""
        return [_text(rest)] if rest else []


def _text(line: bytes) -> str:
    return line.decode("utf-8", "replace").removesuffix("\r")
