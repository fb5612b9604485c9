"""The program's own small files (icons, help, notices), read once before the window opens.

The window gets them as values, so that drawing never touches the disk.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

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


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")
