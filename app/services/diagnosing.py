"""Read logs for their causes: texts, files of any size, streams, and logs that still grow."""

import asyncio
import codecs
import gzip
import io
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final, cast

from app.core.causes import Cause
from app.core.diagnosis.context import DiagnosisContext
from app.core.diagnosis.finding import Diagnosis
from app.core.diagnosis.log_diagnosis import LogDiagnosis
from app.core.diagnosis.rules import DiagnosisRules
from app.core.errors import ErrorCode, StoreError
from app.services.own_thread import on_own_thread, standard_input

CHUNK_BYTES: Final = 1024 * 1024
STDIN: Final = "-"
_SHORT: Final = 64 * 1024
"""Characters that are read at once, without a thread."""

_GZIP: Final = b"\x1f\x8b"
_WIDE: Final = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
"""What a redirection in Windows PowerShell 5 writes."""

Progress = Callable[[int, int | None], None]
"""Bytes read, and how many there are where that is known; called on the loop."""

NO_CONTEXT: Final = DiagnosisContext()


class Diagnoser:
    """Holds the rules, read when they are first needed; everything long runs off the loop."""

    def __init__(
        self, rules: Callable[[], DiagnosisRules], causes: Callable[[], Mapping[str, Cause]]
    ) -> None:
        self._load_rules = rules
        self._load_causes = causes
        self._is_loaded = False

    @property
    def causes(self) -> Mapping[str, Cause]:
        """Causes by id.

        Raises:
            DataFileError: DATA_FILE_BROKEN.
        """
        return self._load_causes()

    async def begin(self, context: DiagnosisContext = NO_CONTEXT) -> LogDiagnosis:
        """Return a diagnosis to be fed line by line; it may be asked again and again.

        Raises:
            DataFileError: DATA_FILE_BROKEN.
        """
        if not self._is_loaded:
            await asyncio.to_thread(self.load)
        return self._begin(context)

    def load(self) -> None:
        """Read and compile the rules, which takes a moment; blocking.

        Raises:
            DataFileError: DATA_FILE_BROKEN.
        """
        self._begin(NO_CONTEXT)
        self._is_loaded = True

    async def text(self, text: str, context: DiagnosisContext = NO_CONTEXT) -> Diagnosis:
        """Explain a whole text.

        Raises:
            DataFileError: DATA_FILE_BROKEN.
        """
        if len(text) > _SHORT:
            return await self.stream(lambda: iter((text,)), context)
        diagnosis = await self.begin(context)
        diagnosis.feed(text)
        diagnosis.close()
        return diagnosis.result()

    async def file(
        self,
        source: str | Path,
        context: DiagnosisContext = NO_CONTEXT,
        *,
        progress: Progress | None = None,
    ) -> Diagnosis:
        """Explain a file of any size, or standard input for ``-``; cancelling ends the reading.

        Raises:
            StoreError: FILE_UNREADABLE.
            DataFileError: DATA_FILE_BROKEN.
        """
        total = None if source == STDIN else await asyncio.to_thread(_size, Path(source))
        return await self.stream(
            lambda: read_chunks(source), context, total=total, progress=progress
        )

    async def stream(
        self,
        chunks: Callable[[], Iterator[str | bytes]],
        context: DiagnosisContext = NO_CONTEXT,
        *,
        total: int | None = None,
        progress: Progress | None = None,
    ) -> Diagnosis:
        """Explain what ``chunks`` yields, in a thread of its own.

        Raises:
            DataFileError: DATA_FILE_BROKEN.
        """
        loop, stopped = asyncio.get_running_loop(), threading.Event()

        def tell(done: int) -> None:
            if progress is not None:
                with suppress(RuntimeError):  # the loop ended, the reading did not yet
                    loop.call_soon_threadsafe(progress, done, total)

        def work() -> Diagnosis:
            diagnosis, done = self._begin(context), 0
            for chunk in chunks():
                if stopped.is_set():
                    break
                diagnosis.feed(chunk)
                done += len(chunk)
                tell(done)
            diagnosis.close()
            return diagnosis.result()

        try:
            return await on_own_thread(work)
        finally:
            stopped.set()

    def _begin(self, context: DiagnosisContext) -> LogDiagnosis:
        return LogDiagnosis(self._load_rules(), self._load_causes(), context)


def read_chunks(source: str | Path) -> Iterator[str | bytes]:
    """Yield a file's content in pieces, unpacked where it is gzip, decoded where it is UTF-16.

    Raises:
        StoreError: FILE_UNREADABLE, also in the middle.
    """
    try:
        with _opened(source) as stream:
            yield from _decoded(_unpacked(stream))
    except (OSError, EOFError, ValueError) as exc:  # ValueError: a null byte in the path
        raise _unreadable(source, exc) from exc


@contextmanager
def _opened(source: str | Path) -> Iterator[io.BufferedReader]:
    if source == STDIN:
        yield standard_input()
        return
    with Path(source).open("rb") as stream:
        yield stream


def _unpacked(stream: io.BufferedReader) -> BinaryIO:
    if stream.peek(2)[:2] == _GZIP:
        return cast("BinaryIO", gzip.GzipFile(fileobj=stream))
    return cast("BinaryIO", stream)


def _decoded(stream: BinaryIO) -> Iterator[str | bytes]:
    first = stream.read(CHUNK_BYTES)
    encoding = _WIDE.get(first[:2])
    if encoding is None:
        yield first
        while chunk := stream.read(CHUNK_BYTES):
            yield chunk
        return
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    yield decoder.decode(first[2:])
    while chunk := stream.read(CHUNK_BYTES):
        yield decoder.decode(chunk)


def _size(path: Path) -> int | None:
    """Return a file's size; ``None`` for what has none, as a pipe."""
    try:
        return path.stat().st_size or None
    except (OSError, ValueError):
        return None  # opening it says why


def _unreadable(source: str | Path, exc: Exception) -> StoreError:
    reason = getattr(exc, "strerror", None) or str(exc)
    return StoreError(
        ErrorCode.FILE_UNREADABLE,
        {"file": source, "reason": reason},
        cause=f"“{source}” cannot be read: {reason}.",
        remedy="Check the path and its rights; “-” reads from standard input.",
    )
