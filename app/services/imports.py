"""What a customer sent: a saved fingerprint, the collector's file, pastes, folders, archives."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from app.core.decoding import decode_text
from app.core.errors import AppError, ErrorCode, UserInputError
from app.core.hardware.catalogue import GpuCatalogue
from app.core.hardware.fingerprint import SCHEMA, Fingerprint, HostSource
from app.core.hardware.packing import is_outdated, unpack_sections
from app.core.hardware.plausible import implausible
from app.core.hardware.renewal import read_again
from app.core.hardware.what_if import make_what_if
from app.io.archives import (
    FILE_LIMIT_BYTES,
    MEMBER_LIMIT,
    TOTAL_LIMIT_BYTES,
    is_archive,
    read_archive,
)
from app.io.documents import from_json
from app.services.clock import Clock, utc_text
from app.services.own_thread import on_own_thread
from app.services.user_files import save_fingerprint

if TYPE_CHECKING:
    from app.core.inspect.sent_files import SentFiles

_DEPTH: Final = 3
"""Folders below the one that was given: an unpacked archive often has one of its own."""


class ImportService:
    """Make fingerprints from files and write them."""

    def __init__(self, clock: Clock, catalogue: Callable[[], GpuCatalogue]) -> None:
        self._clock = clock
        self._catalogue = catalogue

    async def from_path(self, path: Path) -> Fingerprint:
        """Read whatever ``path`` is: a file, an archive, or a folder of outputs.

        Raises:
            UserInputError: FILE_UNREADABLE, or FINGERPRINT_BROKEN when nothing in it is known.
        """
        if await asyncio.to_thread(_is_folder, path):
            return await self.from_folder(path)
        if is_archive(path):
            members = await on_own_thread(lambda: read_archive(path))
            files = {name: decode_text(data) for name, data in members.items()}
            return await self.from_files(files, path.name)
        content = await on_own_thread(lambda: _read_file(path))
        return await self.from_text(decode_text(content), path.name)

    async def from_folder(self, folder: Path) -> Fingerprint:
        """Read a folder with one file per tool, of any names.

        Raises:
            UserInputError: FILE_UNREADABLE, or FINGERPRINT_BROKEN when nothing in it is known.
        """
        files = await on_own_thread(lambda: _read_folder(folder))
        return await self.from_files(files, folder.name)

    async def from_files(self, files: Mapping[str, str], name: str) -> Fingerprint:
        """Read files by their contents; a fingerprint among them counts alone.

        Raises:
            UserInputError: FINGERPRINT_BROKEN when nothing in them is known.
        """
        saved = [file for file, text in sorted(files.items()) if _is_saved(text)]
        if saved:
            return await self._saved(files[saved[0]], saved[0])
        sent = await _sent(files)
        if not sent.sections:
            raise _nothing(name, "no output of a known tool is in it")
        return await self._assemble(sent, host_name=name)

    async def from_text(self, text: str, name: str) -> Fingerprint:
        """Read a saved fingerprint, what the collector wrote, or a paste of outputs.

        Raises:
            UserInputError: FINGERPRINT_BROKEN, naming what is wrong; the file is left as it is.
        """
        if not _is_saved(text) and not text.lstrip().startswith("{"):
            sent = await _sent({name: text})
            if sent.sections:
                return await self._assemble(sent, host_name=None)
        return await self._saved(text, name)

    def what_if(self, text: str) -> Fingerprint:
        """Make the fingerprint of a host that is only thought of.

        Raises:
            UserInputError: NOT_FOUND, INVALID_INPUT, with what was probably meant.
        """
        return make_what_if(text, self._catalogue(), taken_at=utc_text(self._clock.now_s()))

    async def _saved(self, text: str, name: str) -> Fingerprint:
        try:
            fingerprint = await asyncio.to_thread(from_json, Fingerprint, text)
        except AppError as error:
            if _is_saved(text):
                raise _damaged(name, error.details or error.cause) from error
            is_json = text.lstrip().startswith("{")  # docker info and lscpu print it as well
            files = {name: text} if is_json else {}
            sent = await _sent(files)
            if sent.sections:
                return await self._assemble(sent, host_name=None)
            raise UserInputError(
                ErrorCode.FINGERPRINT_BROKEN,
                {"file": name},
                cause=f"“{name}” is not a fingerprint, and no output of a known tool is in it.",
                remedy="Give a saved fingerprint, the file of “pitwall collector”, or outputs such "
                "as that of “nvidia-smi -q -x”; “pitwall inspect” says what a text is.",
                details=error.details or error.cause,
            ) from error
        _refuse_foreign(fingerprint, name)
        return await asyncio.to_thread(self._up_to_date, unpack_sections(fingerprint))

    def _up_to_date(self, fingerprint: Fingerprint) -> Fingerprint:
        if not is_outdated(fingerprint):
            return fingerprint
        from app.core.hardware.assemble import assemble_fingerprint

        assemble = partial(assemble_fingerprint, catalogue=self._catalogue())
        return read_again(fingerprint, assemble)

    async def _assemble(self, sent: "SentFiles", *, host_name: str | None) -> Fingerprint:
        from app.core.hardware.assemble import assemble_fingerprint

        # The catalogue is read on the thread as well: the first use takes its time.
        fingerprint = await asyncio.to_thread(
            lambda: assemble_fingerprint(
                sent.sections,
                source=HostSource.RECORDED,
                taken_at=sent.taken_at or utc_text(self._clock.now_s()),
                host_name=host_name,
                catalogue=self._catalogue(),
            )
        )
        return replace(fingerprint, warnings=(*sent.warnings, *fingerprint.warnings))

    async def write(self, path: Path, fingerprint: Fingerprint) -> None:
        """Write a fingerprint as JSON, whole or not at all.

        Raises:
            StoreError: FILE_UNWRITABLE, STORE_FULL.
        """
        await save_fingerprint(path, fingerprint)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # a name that is too long: reading it says so
        return False


async def _sent(files: Mapping[str, str]) -> "SentFiles":
    """Read outputs by their contents. Its readers are many, and a host in thought needs none."""
    from app.core.inspect.sent_files import read_sent_files

    return await asyncio.to_thread(read_sent_files, files)


def _is_saved(text: str) -> bool:
    return text.lstrip().startswith("{") and SCHEMA.partition("/")[0] in text[:400]


def _refuse_foreign(fingerprint: Fingerprint, name: str) -> None:
    if fingerprint.schema != SCHEMA:
        raise UserInputError(
            ErrorCode.FINGERPRINT_BROKEN,
            {"file": name},
            cause=f"“{name}” has the form {fingerprint.schema}; this Pitwall reads {SCHEMA}.",
            remedy="Read it with the Pitwall that wrote it, or update this one.",
        )
    if (path := implausible(fingerprint)) is not None:
        raise _damaged(name, f"{path}: no host has such a value")


def _damaged(name: str, problems: str) -> UserInputError:
    first, _, more = problems.partition("\n")
    return UserInputError(
        ErrorCode.FINGERPRINT_BROKEN,
        {"file": name},
        cause=f"The fingerprint “{name}” is damaged: {first}.",
        remedy="Take the file as Pitwall wrote it, or have it written again.",
        details=more,
    )


def _read_file(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            return stream.read(FILE_LIMIT_BYTES)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error


def _read_folder(folder: Path) -> Mapping[str, str]:
    found: dict[str, str] = {}
    total = 0
    try:
        for entry in _walk(folder, _DEPTH):
            content = _read_file(entry)
            total += len(content)
            if len(found) >= MEMBER_LIMIT or total > TOTAL_LIMIT_BYTES:
                raise _too_much(folder)
            found[entry.relative_to(folder).as_posix()] = decode_text(content)
    except OSError as error:
        raise unreadable(folder, error) from error
    return found


def _walk(folder: Path, depth: int) -> Iterator[Path]:
    """Yield files in the order of their names; links are left out, as those in archives are."""
    for entry in sorted(folder.iterdir()):
        if entry.is_symlink():  # it may lead to what was never sent, or in circles
            continue
        if entry.is_dir():
            if depth > 1:
                yield from _walk(entry, depth - 1)
        elif entry.is_file():
            yield entry


def _too_much(folder: Path) -> UserInputError:
    return UserInputError(
        ErrorCode.FILE_UNREADABLE,
        {"field": "file", "file": folder.name, "path": str(folder)},
        cause=f"The folder “{folder}” holds more than the outputs of tools.",
        remedy="Give a folder with nothing but what was sent.",
    )


def unreadable(path: Path, error: Exception) -> UserInputError:
    """Return the error for a file or folder that cannot be read."""
    reason = getattr(error, "strerror", None) or str(error)
    return UserInputError(
        ErrorCode.FILE_UNREADABLE,
        {"field": "file", "file": path.name, "path": str(path)},
        cause=f"“{path}” cannot be read: {reason}.",
        remedy="Check the path and its rights.",
    )


def _nothing(name: str, reason: str) -> UserInputError:
    return UserInputError(
        ErrorCode.FINGERPRINT_BROKEN,
        {"file": name},
        cause=f"Nothing about a host could be read from “{name}”: {reason}.",
        remedy="Give the file of “pitwall collector”, or one file per tool, for example NAME.txt "
        "with the output of “nvidia-smi -q -x”.",
    )
