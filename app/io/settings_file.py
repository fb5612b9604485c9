"""The settings file: TOML, written in one step, never overwritten when it cannot be understood."""

from collections.abc import Mapping
from pathlib import Path

import tomli

from app.core.errors import ErrorCode, StoreError
from app.io.aside import move_aside
from app.io.files import replace_file
from app.io.folders import make_folder


def read_settings_file(file: Path) -> Mapping[str, object]:
    """Return the raw values; a file that is not there is empty.

    Raises:
        StoreError: SETTINGS_BROKEN when it is not TOML, FILE_UNREADABLE when it cannot be read.
    """
    try:
        return tomli.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (tomli.TOMLDecodeError, UnicodeDecodeError) as exc:
        raise broken_settings(file, str(exc)) from exc
    except OSError as exc:
        raise StoreError(
            ErrorCode.FILE_UNREADABLE,
            {"file": file},
            cause=f"The settings in {file} cannot be read: {exc.strerror or exc}.",
            remedy="Make the file readable; until then the defaults are used.",
        ) from exc


def broken_settings(file: Path, reason: str) -> StoreError:
    """Return the error for settings that cannot be understood."""
    return StoreError(
        ErrorCode.SETTINGS_BROKEN,
        {"file": file, "reason": reason},
        cause=f"The settings in {file} cannot be understood: {reason}.",
        remedy="It was kept beside its place under another name; lost values are the defaults.",
    )


def set_settings_aside(file: Path, date: str, *, copy: bool = False) -> Path:
    """Keep a broken file as ``….broken-<date>`` and return where."""
    return move_aside(file, date, copy=copy)


def write_settings_file(file: Path, changes: Mapping[str, str | bool | int]) -> None:
    """Lay ``changes`` over what the file holds now; comments and unknown keys stay.

    Raises:
        StoreError: FILE_UNWRITABLE.
    """
    import tomlkit

    make_folder(file.parent)
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    document = tomlkit.parse(text)
    for key, value in changes.items():
        document[key] = value
    try:
        replace_file(file, tomlkit.dumps(document).encode(), private=True)
    except OSError as exc:
        raise StoreError(
            ErrorCode.FILE_UNWRITABLE,
            {"file": file},
            cause=f"The settings cannot be written to {file}: {exc.strerror or exc}.",
            remedy="Make room and make the folder writable; the change holds until Pitwall ends.",
        ) from exc
