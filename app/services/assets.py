"""The program's own small files (icons, help, notices), read once before the window opens.

The window gets them as values, so that drawing never touches the disk.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from app.core.errors import ErrorCode, StoreError
from app.io.files import write_whole

LANGUAGES = ("en", "zh_CN")


@dataclass(frozen=True, slots=True, kw_only=True)
class Assets:
    """What the window shows besides data."""

    icons: Mapping[str, str]
    """Name → SVG text, strokes in ``currentColor``."""
    help_pages: Mapping[str, Mapping[str, str]]
    """Language → file stem → Markdown, in reading order."""
    notices: Mapping[str, str]
    """Title → licence text of parts that ask for one."""
    translations: Path
    """Folder of the compiled translations."""


def load_assets(data_root: Path) -> Assets:
    """Read everything below ``data_root/resources`` that the window shows."""
    resources = data_root / "resources"
    return Assets(
        icons={file.stem: _text(file) for file in sorted((resources / "icons").glob("*.svg"))},
        help_pages={
            language: {
                file.stem: _text(file)
                for file in sorted((resources / "help" / language).glob("*.md"))
            }
            for language in LANGUAGES
        },
        notices={
            file.stem.replace("_", " "): _text(file)
            for file in sorted((resources / "notices").glob("*.txt"))
        },
        translations=resources / "i18n",
    )


async def save_file(path: Path, content: bytes) -> Path:
    """Write a file the user asked for: whole or not at all.

    Raises:
        StoreError: FILE_UNWRITABLE, STORE_FULL.
    """
    await asyncio.to_thread(write_whole, path, content)
    return path


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
        return await asyncio.to_thread(_text, path)
    except (OSError, UnicodeDecodeError) as exc:
        reason = getattr(exc, "strerror", None) or "it is not UTF-8 text"
        raise StoreError(
            ErrorCode.FILE_UNREADABLE,
            {"file": path, "reason": reason},
            cause=f"{path} could not be read: {reason}.",
            remedy="Choose another file, or check its permissions.",
        ) from exc


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")
