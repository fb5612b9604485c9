"""Profiles as TOML files: read strictly, written in one step, comments kept.

A file that cannot be understood is never changed; saving over one first moves it aside.
"""

import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Final

import tomli

from app.core.deployment.spec import PROFILE_SCHEMA, Profile, ProfileFlag
from app.core.errors import DataFileError, ErrorCode, StoreError
from app.io.aside import move_aside
from app.io.files import unwritable, write_whole
from app.io.folders import make_folder

if TYPE_CHECKING:
    from tomlkit import TOMLDocument
    from tomlkit.items import AoT, Table

_TABLES = ("environment", "adapters")
_ALWAYS: Final = frozenset({"schema", "name", "engine", "engine_version", "model", "gpu_count"})
"""Written even when they have their default."""


def read_profile(file: Path) -> Profile:
    """Read one profile.

    Raises:
        StoreError: FILE_UNREADABLE.
        DataFileError: PROFILE_BROKEN with every problem and its key; the file stays as it is.
    """
    try:
        raw = tomli.loads(file.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, tomli.TOMLDecodeError) as exc:
        raise _broken(file, [("", str(exc))]) from exc
    except OSError as exc:
        raise StoreError(
            ErrorCode.FILE_UNREADABLE,
            {"file": file},
            cause=f"The profile {file} cannot be read: {exc.strerror or exc}.",
            remedy="Check the path and that the file is readable.",
        ) from exc
    return _checked(raw, file)


def write_profile(file: Path, profile: Profile, *, now: str) -> Path:
    """Write a profile; comments and the order of an existing file stay.

    Args:
        file: Where to.
        profile: What.
        now: UTC text for the name under which a broken file is kept.

    Raises:
        StoreError: STORE_FULL or FILE_UNWRITABLE; what was there before is untouched.
    """
    make_folder(file.parent)
    try:
        document = _existing(file, now)
    except OSError as exc:
        raise unwritable(file, exc) from exc
    _lay_over(document, profile)
    import tomlkit

    write_whole(file, tomlkit.dumps(document).encode())
    return file


def _checked(raw: Mapping[str, object], file: Path) -> Profile:
    from pydantic import TypeAdapter, ValidationError

    problems = [(key, "is not known") for key in _unknown_keys(raw)]
    try:
        text = json.dumps(raw, default=str, ensure_ascii=False)
        profile = TypeAdapter(Profile).validate_json(text, strict=True)
    except ValidationError as exc:
        problems += [
            (".".join(str(part) for part in error["loc"]), error["msg"])
            for error in exc.errors(include_url=False)
        ]
        raise _broken(file, problems) from exc
    if profile.schema != PROFILE_SCHEMA:
        problems.append(("schema", f"is “{profile.schema}”, this Pitwall reads {PROFILE_SCHEMA}"))
    if problems:
        raise _broken(file, problems)
    return profile


def _unknown_keys(raw: Mapping[str, object]) -> list[str]:
    """Return keys that no field has; a misspelt limit must not be lost silently."""
    names = {item.name for item in fields(Profile)}
    unknown = [key for key in raw if key not in names]
    known = {item.name for item in fields(ProfileFlag)}
    listed = raw.get("flags")
    for number, flag in enumerate(listed if isinstance(listed, list) else []):
        if isinstance(flag, dict):
            unknown += [f"flags.{number}.{key}" for key in flag if key not in known]
    return unknown


def _broken(file: Path, problems: list[tuple[str, str]]) -> DataFileError:
    key, reason = problems[0]
    more = f" and {len(problems) - 1} more" if len(problems) > 1 else ""
    where = f"{key}: " if key else ""
    return DataFileError(
        ErrorCode.PROFILE_BROKEN,
        {"file": file, "key": key},
        cause=f"The profile {file} cannot be understood: {where}{reason}{more}.",
        remedy="Correct the file; it was left as it is.",
        details="\n".join(f"{key}: {reason}" if key else reason for key, reason in problems),
    )


def _existing(file: Path, now: str) -> "TOMLDocument":
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    if not file.is_file():
        return tomlkit.document()
    try:
        document = tomlkit.parse(file.read_text(encoding="utf-8"))
    except (TOMLKitError, UnicodeDecodeError):
        move_aside(file, now)
        return tomlkit.document()
    return document


def _lay_over(document: "TOMLDocument", profile: Profile) -> None:
    """Set every value of the profile; what it no longer has is taken out."""
    values = _plain_values(profile)
    for item in fields(Profile):
        if item.name in ("flags", *_TABLES):
            continue
        if item.name in values:
            document[item.name] = values[item.name]
        elif item.name in document:
            del document[item.name]
    for name in _TABLES:
        _lay_table(document, name, getattr(profile, name))
    _lay_flags(document, profile.flags)


def _plain_values(profile: Profile) -> dict[str, object]:
    values: dict[str, object] = {}
    for item in fields(Profile):
        value = getattr(profile, item.name)
        if value is not None and (item.name in _ALWAYS or value != item.default):
            values[item.name] = value
    return values


def _lay_table(document: "TOMLDocument", name: str, values: Mapping[str, str]) -> None:
    import tomlkit

    document.pop(name, None)
    if values:
        table = tomlkit.table()
        table.update(dict(values))
        document[name] = table


def _lay_flags(document: "TOMLDocument", flags: tuple[ProfileFlag, ...]) -> None:
    import tomlkit

    before = _flags_before(document)
    document.pop("flags", None)
    if not flags:
        return
    listed: AoT = tomlkit.aot()
    for flag in flags:
        table = before.get(flag.name) or tomlkit.table()
        for item in fields(ProfileFlag):
            value = getattr(flag, item.name)
            if value not in (None, ""):
                table[item.name] = value
            elif item.name in table:
                del table[item.name]
        listed.append(table)
    document["flags"] = listed


def _flags_before(document: "TOMLDocument") -> dict[str, "Table"]:
    """Return the flag tables that are there, with their comments, by flag name."""
    from tomlkit.items import AoT

    found = document.get("flags")
    if not isinstance(found, AoT):
        return {}
    return {str(table.get("name")): table for table in found}
