"""What a customer sent: a saved fingerprint, a folder of recordings, one paste of tool output."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from app.core.errors import AppError, ErrorCode, UserInputError
from app.core.hardware.assemble import assemble_fingerprint
from app.core.hardware.catalogue import GpuCatalogue
from app.core.hardware.fingerprint import Fingerprint, HostSource
from app.core.hardware.frame import decode_frames
from app.core.hardware.recording import sections_from_recording
from app.core.hardware.sections import RawSection
from app.io.documents import from_json
from app.services.clock import Clock, utc_text
from app.services.user_files import save_fingerprint

FILE_LIMIT_BYTES = 16 * 1024 * 1024
"""A recording larger than this is no tool output."""


class ImportService:
    """Make fingerprints from files and write them."""

    def __init__(self, clock: Clock, catalogue: Callable[[], GpuCatalogue]) -> None:
        self._clock = clock
        self._catalogue = catalogue

    async def from_folder(self, folder: Path) -> Fingerprint:
        """Read a folder of recordings, one ``NAME.txt`` per tool.

        Raises:
            UserInputError: FILE_UNREADABLE, or FINGERPRINT_BROKEN when nothing in it is known.
        """
        files = await asyncio.to_thread(_read_folder, folder)
        sections = sections_from_recording(files)
        if not sections:
            raise _nothing(str(folder), "there is no NAME.txt with the output of a tool in it")
        return self._assemble(sections, host_name=folder.name)

    async def from_text(self, text: str, name: str) -> Fingerprint:
        """Read a saved fingerprint, or what the probe script printed.

        Raises:
            UserInputError: FINGERPRINT_BROKEN, naming what is wrong; the file is left as it is.
        """
        if sections := decode_frames(text):
            return self._assemble(sections, host_name=None)
        try:
            return await asyncio.to_thread(from_json, Fingerprint, text)
        except AppError as error:
            raise UserInputError(
                ErrorCode.FINGERPRINT_BROKEN,
                {"file": name},
                cause=f"“{name}” is not a fingerprint that Pitwall saved.",
                remedy="Give the JSON file that “pitwall fingerprint HOST --save FILE” wrote, or a "
                "folder of recordings; “pitwall inspect” reads single outputs.",
                details=error.details or error.cause,
            ) from error

    def _assemble(self, sections: Sequence[RawSection], *, host_name: str | None) -> Fingerprint:
        return assemble_fingerprint(
            sections,
            source=HostSource.RECORDED,
            taken_at=utc_text(self._clock.now_s()),
            host_name=host_name,
            catalogue=self._catalogue(),
        )

    async def write(self, path: Path, fingerprint: Fingerprint) -> None:
        """Write a fingerprint as JSON, whole or not at all.

        Raises:
            StoreError: FILE_UNWRITABLE, STORE_FULL.
        """
        await save_fingerprint(path, fingerprint)


def _read_folder(folder: Path) -> Mapping[str, str]:
    try:
        return {
            entry.name: entry.read_bytes()[:FILE_LIMIT_BYTES].decode("utf-8", errors="replace")
            for entry in sorted(folder.iterdir())
            if entry.is_file() and entry.suffix in {".txt", ".rc", ".err"}
        }
    except OSError as error:
        reason = error.strerror or str(error)
        raise UserInputError(
            ErrorCode.FILE_UNREADABLE,
            {"field": "file", "path": str(folder)},
            cause=f"The folder “{folder}” cannot be read: {reason}.",
            remedy="Check the path and its rights.",
        ) from error


def _nothing(name: str, reason: str) -> UserInputError:
    return UserInputError(
        ErrorCode.FINGERPRINT_BROKEN,
        {"file": name},
        cause=f"Nothing about a host could be read from “{name}”: {reason}.",
        remedy="Record one file per tool, for example smi-q-x.txt with the output of "
        "“nvidia-smi -q -x”.",
    )
