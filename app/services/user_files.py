"""Files that the user chose: written whole or not at all, read with the reason when it fails."""

import asyncio
from pathlib import Path

from app.core.errors import ErrorCode, StoreError
from app.core.hardware.fingerprint import Fingerprint
from app.core.hardware.packing import pack_sections
from app.io.documents import to_json
from app.io.files import write_whole


async def save_file(path: Path, content: bytes) -> Path:
    """Write a file the user asked for: whole or not at all.

    Raises:
        StoreError: FILE_UNWRITABLE, STORE_FULL.
    """
    await asyncio.to_thread(write_whole, path, content)
    return path


async def save_fingerprint(path: Path, fingerprint: Fingerprint) -> Path:
    """Write a fingerprint as JSON that can be read again, its raw sections compressed.

    Raises:
        StoreError: FILE_UNWRITABLE, STORE_FULL.
    """
    text = await asyncio.to_thread(lambda: to_json(pack_sections(fingerprint), indent=2))
    return await save_file(path, f"{text}\n".encode())


async def make_folder(path: Path) -> Path:
    """Make a folder the user asked for, with those above it.

    Raises:
        StoreError: FILE_UNWRITABLE.
    """
    try:
        await asyncio.to_thread(path.mkdir, parents=True, exist_ok=True)
    except OSError as exc:
        reason = exc.strerror or str(exc)
        raise StoreError(
            ErrorCode.FILE_UNWRITABLE,
            {"file": path, "reason": reason},
            cause=f"The folder {path} could not be made: {reason}.",
            remedy="Choose a folder that you may write to.",
        ) from exc
    return path


async def read_file(path: Path) -> str:
    """Read a text file the user chose.

    Raises:
        StoreError: FILE_UNREADABLE.
    """
    try:
        return await asyncio.to_thread(path.read_text, encoding="utf-8")
    except (OSError, UnicodeDecodeError) as exc:
        reason = getattr(exc, "strerror", None) or "it is not UTF-8 text"
        raise StoreError(
            ErrorCode.FILE_UNREADABLE,
            {"file": path, "reason": reason},
            cause=f"{path} could not be read: {reason}.",
            remedy="Choose another file, or check its permissions.",
        ) from exc
