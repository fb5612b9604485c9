"""Look at whatever somebody sent: what it is, what it says, whether it makes a host.

A file of any size is taken: only its head is recognised and read, its lines are counted in
pieces on a worker thread. Nothing of it is kept, and no more than the head is in memory.
"""

import asyncio
import gzip
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, Final, Protocol, cast

from app.core.clinic.report import Clinic, Knowledge
from app.core.decoding import decode_text
from app.core.errors import ErrorCode, UserInputError
from app.core.hardware.fingerprint import Fingerprint
from app.core.inspect.kinds import LAUNCHES
from app.core.inspect.launches import LaunchReader
from app.core.inspect.recognise import (
    HEAD_CHARACTERS,
    Inspection,
    InspectKind,
    inspect_long,
)
from app.io.archives import is_archive
from app.services.activities import Activities
from app.services.imports import unreadable
from app.services.own_thread import on_own_thread

HEAD_BYTES: Final = 4 * 1024 * 1024
"""What is recognised and read; tools print less, logs say what they are at their beginning."""
SHOWN_CHARACTERS: Final = 200_000
_JUDGED_CHARACTERS: Final = 8192
_TEXT_CONTROLS: Final = "\t\n\r\b\f\x1b"
_ODD_SHARE: Final = 0.1
_BINARY: Final = "binary: this is no text but a program, a picture or a database"
_PIECE_BYTES: Final = 1024 * 1024
_GZIP: Final = b"\x1f\x8b"
_NO_HOST: Final = frozenset(
    {
        InspectKind.ENGINE_LOG,
        InspectKind.METRICS,
        InspectKind.DOCKER_INSPECT,
        InspectKind.MODEL_CONFIG,
        InspectKind.ROCM,
        *LAUNCHES,
    }
)


class Imports(Protocol):
    """Where fingerprints are made (the imports service)."""

    async def from_path(self, path: Path) -> Fingerprint:
        """Read a file, folder or archive."""

    async def from_text(self, text: str, name: str) -> Fingerprint:
        """Read a text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What was found in one thing that was opened."""

    name: str
    kind: InspectKind
    result: Mapping[str, object]
    warnings: tuple[str, ...] = ()
    fingerprint: Fingerprint | None = None
    """The host that it makes, where it says anything of one."""
    path: Path | None = None
    """Where it lies; ``None`` for a paste."""
    text: str = ""
    """Its beginning, for showing; empty for a folder."""
    size_bytes: int | None = None
    is_whole: bool = True
    """False when only the head was read."""
    clinic: Clinic | None = None
    """What is said of a launch text, line by line."""


class InspectService:
    """Recognise files, folders, archives and pastes."""

    def __init__(
        self,
        imports: Callable[[], Imports],
        activities: Activities,
        knowledge: Callable[[], Knowledge] | None = None,
    ) -> None:
        self._imports = imports
        self._activities = activities
        self._launches = LaunchReader(knowledge=knowledge) if knowledge is not None else None

    async def path(self, path: Path) -> Look:
        """Look at a file, a folder or an archive.

        Raises:
            UserInputError: FILE_UNREADABLE, or FINGERPRINT_BROKEN for a folder without a host.
        """
        async with self._activities.run("inspect", path.name) as activity:
            if await asyncio.to_thread(path.is_dir) or is_archive(path):
                return _host(await self._imports().from_path(path), path)
            stop, loop = threading.Event(), asyncio.get_running_loop()

            def report(progress: float) -> None:
                if not stop.is_set():
                    loop.call_soon_threadsafe(tell, progress)

            def tell(progress: float) -> None:
                if not stop.is_set():  # else it is over, and would be shown as running again
                    activity.report(progress)

            try:
                head, size, lines = await on_own_thread(lambda: _read(path, report, stop))
            finally:
                stop.set()
            look = await self._look(decode_text(head), path.name, whole=size <= len(head))
            if lines is not None and "line_count" in look.result:
                look = replace(look, result={**look.result, "line_count": lines})
            return replace(look, path=path, size_bytes=size)

    async def text(self, text: str, name: str) -> Look:
        """Look at a paste."""
        size = len(text.encode("utf-8", errors="replace"))
        look = await self._look(text[:HEAD_BYTES], name, whole=len(text) <= HEAD_BYTES)
        return replace(look, size_bytes=size)

    async def _look(self, text: str, name: str, *, whole: bool) -> Look:
        if _is_binary(text):
            unknown = InspectKind.UNKNOWN
            return Look(name=name, kind=unknown, result={}, warnings=(_BINARY,), is_whole=whole)
        found: Inspection = await asyncio.to_thread(inspect_long, text, self._launches)
        fingerprint = None
        is_known = found.kind is not InspectKind.UNKNOWN or len(text) <= HEAD_CHARACTERS
        if found.kind not in _NO_HOST and is_known and text.strip():
            fingerprint = await self._fingerprint(text, name)
        return Look(
            name=name,
            kind=found.kind,
            result=found.result,
            warnings=found.warnings if fingerprint is None else _both(found, fingerprint),
            fingerprint=fingerprint,
            text=text[:SHOWN_CHARACTERS],
            is_whole=whole,
            clinic=found.clinic,
        )

    async def _fingerprint(self, text: str, name: str) -> Fingerprint | None:
        try:
            return await self._imports().from_text(text, name)
        except UserInputError as error:
            if error.code is not ErrorCode.FINGERPRINT_BROKEN:
                raise
            return None


def _is_binary(text: str) -> bool:
    """Tell a program or a picture from a text; a few odd signs are no reason to refuse a log."""
    head = text[:_JUDGED_CHARACTERS]
    odd = sum(1 for sign in head if sign == "\ufffd" or (sign < " " and sign not in _TEXT_CONTROLS))
    return odd > len(head) * _ODD_SHARE


def _both(found: Inspection, fingerprint: Fingerprint) -> tuple[str, ...]:
    is_answer = found.kind is not InspectKind.UNKNOWN
    return tuple(dict.fromkeys((*(found.warnings if is_answer else ()), *fingerprint.warnings)))


def _host(fingerprint: Fingerprint, path: Path) -> Look:
    sections = [section.name for section in fingerprint.sections]
    return Look(
        name=path.name,
        kind=InspectKind.FINGERPRINT,
        result={"sections": sections, "gpu_count": len(fingerprint.gpus)},
        warnings=fingerprint.warnings,
        fingerprint=fingerprint,
        path=path,
    )


def _open(path: Path) -> BinaryIO:
    """Open a file; logs often come packed."""
    with path.open("rb") as stream:
        is_packed = stream.read(2) == _GZIP
    return cast("BinaryIO", gzip.open(path, "rb")) if is_packed else path.open("rb")


def _read(
    path: Path, report: Callable[[float], None], stop: threading.Event
) -> tuple[bytes, int, int | None]:
    """Return the head, the size and how many lines there are; ``None`` when it was called off."""
    try:
        with _open(path) as stream:
            head = stream.read(HEAD_BYTES)
            size, lines = len(head), head.count(b"\n")
            total = max(path.stat().st_size, 1)
            while piece := stream.read(_PIECE_BYTES):
                if stop.is_set():
                    return head, size, None
                size += len(piece)
                lines += piece.count(b"\n")
                report(min(size / total, 1.0))
    except (OSError, EOFError, ValueError) as error:
        raise unreadable(path, error) from error
    return head, size, lines
