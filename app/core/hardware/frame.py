"""The frame around the probe's sections: written by ``probe.sh``, read here.

A frame line starts with a random boundary that no tool can know, so content of any kind passes.
What was cut off is kept as a section without exit code; nothing raises.
"""

import re
from collections.abc import Iterable
from typing import Final

from app.core.hardware.sections import RawSection

_ANNOUNCED = re.compile(r"^#pitwall-probe 1 ([0-9A-Za-z]{8,64})\s*$", re.MULTILINE)
_SECTION_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,39}")

END: Final = "end"
CUT: Final = "pitwall: the output ends here, the rest was cut off"
TIMEOUT: Final = "pitwall: no answer in time"

_BOUNDARY_LINE = re.compile(rb"^PITWALL_BOUNDARY=([0-9A-Za-z]{8,64})$", re.MULTILINE)


def probe_input(script: bytes, boundary: str) -> bytes:
    """Return what ``sh -s`` is given: the boundary, then the script."""
    return f"PITWALL_BOUNDARY={boundary}\n".encode() + script


def read_boundary(stdin: bytes) -> str | None:
    """Return the boundary from `probe_input`, for those who answer in a host's place."""
    match = _BOUNDARY_LINE.search(stdin[:200])
    return match[1].decode() if match is not None else None


def encode_frames(sections: Iterable[RawSection], boundary: str) -> bytes:
    """Write sections as the script does."""
    mark = f"#pitwall-{boundary}"
    parts = [f"#pitwall-probe 1 {boundary}\n"]
    for section in sections:
        status = "timeout" if section.exit_code is None else section.exit_code
        parts.append(
            f"\n{mark} section {section.name}\n{mark} command {section.command}\n"
            f"{mark} stdout\n{section.stdout}\n{mark} stderr\n{section.stderr}\n"
            f"{mark} status {status}\n"
        )
    parts.append(f"\n{mark} lane\n\n{mark} end\n")
    return "".join(parts).encode()


def is_complete(output: bytes, boundary: str) -> bool:
    """Tell whether the script came to its end."""
    return f"\n#pitwall-{boundary} {END}\n".encode() in output


def decode_frames(output: bytes | str, boundary: str | None = None) -> tuple[RawSection, ...]:
    """Return the sections in ``output``.

    Args:
        output: what the script printed, possibly cut or with foreign text around it.
        boundary: the one that was set; else it is taken from the first line.
    """
    text = output if isinstance(output, str) else output.decode("utf-8", errors="replace")
    text = text.replace("\r\n", "\n")
    if boundary is None:
        match = _ANNOUNCED.search(text)
        if match is None:
            return ()
        boundary = match[1]
    mark = f"#pitwall-{boundary} "
    reader = _Reader()
    parts = ("\n" + text).split("\n" + mark)[1:]
    for number, part in enumerate(parts, start=1):
        line, ended, rest = part.partition("\n")
        keyword, _, value = line.partition(" ")
        is_whole = bool(ended) or number < len(parts)
        if is_whole or keyword != "status":  # a cut "status 1" may be 127
            reader.take(keyword, value.strip(), rest)
    reader.close()
    return tuple(reader.sections)


class _Reader:
    """Gathers one section after another."""

    def __init__(self) -> None:
        self.sections: list[RawSection] = []
        self._name: str | None = None
        self._command = ""
        self._stdout = ""
        self._stderr = ""

    def take(self, keyword: str, value: str, content: str) -> None:
        """Take one frame line and the content behind it."""
        if keyword == "section":
            self.close()
            self._name = value if _SECTION_NAME.fullmatch(value) else None
            self._command = self._stdout = self._stderr = ""
        elif keyword == "command":
            self._command = value
        elif keyword == "stdout":
            self._stdout = content
        elif keyword == "stderr":
            self._stderr = content.strip("\n")
        elif keyword == "status":
            self._finish(value)

    def close(self) -> None:
        """End a section that has no status: the rest was cut off."""
        self._finish("cut")

    def _finish(self, status: str) -> None:
        if self._name is None:
            return
        is_code = status.isascii() and status.isdigit() and len(status) <= 3
        note = {"cut": CUT, "timeout": TIMEOUT}.get(status)
        stderr = "\n".join(part for part in (self._stderr, note) if part)
        self.sections.append(
            RawSection(
                name=self._name,
                command=self._command,
                exit_code=int(status) if is_code else None,
                stdout=self._stdout,
                stderr=stderr,
            )
        )
        self._name = None
