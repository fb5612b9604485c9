"""Saved and shipped profiles: list them, load one by name or path, save one."""

import asyncio
import difflib
from dataclasses import dataclass
from pathlib import Path

from app.core.deployment.spec import Profile
from app.core.errors import AppError, ErrorCode, ErrorInfo, UserInputError
from app.io.profiles import read_profile, write_profile
from app.services.clock import Clock, utc_text


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileEntry:
    """One profile of the list; a broken one has its error instead."""

    name: str
    path: Path
    is_shipped: bool
    profile: Profile | None = None
    error: ErrorInfo | None = None


class ProfileService:
    """Profiles of this user, and those that come with Pitwall."""

    def __init__(self, *, folder: Path, shipped: Path, clock: Clock) -> None:
        self._folder = folder
        self._shipped = shipped
        self._clock = clock

    async def list(self) -> tuple[ProfileEntry, ...]:
        """Return all profiles: the user's own, then the shipped ones that those do not hide."""
        return await asyncio.to_thread(self._list)

    async def load(self, path_or_name: str | Path) -> Profile:
        """Load a profile by path (contains ``/`` or ends in ``.toml``) or by name.

        Raises:
            UserInputError: NOT_FOUND, with the nearest name.
            DataFileError: PROFILE_BROKEN; the file stays as it is.
            StoreError: FILE_UNREADABLE.
        """
        return await asyncio.to_thread(lambda: read_profile(self._file_of(path_or_name)))

    async def save(self, profile: Profile, path: Path | None = None) -> Path:
        """Save a profile to ``path``, or under its name among the user's own; return where.

        Raises:
            UserInputError: INVALID_INPUT when its name cannot be a file's name.
            StoreError: FILE_UNWRITABLE.
        """
        file = path or self._own_file(profile.name)
        now = utc_text(self._clock.now_s()).replace(":", "")
        return await asyncio.to_thread(lambda: write_profile(file, profile, now=now))

    def _list(self) -> tuple[ProfileEntry, ...]:
        entries: dict[str, ProfileEntry] = {}
        for folder, is_shipped in ((self._folder, False), (self._shipped, True)):
            for file in sorted(folder.glob("*.toml")):
                entries.setdefault(file.stem, _entry(file, is_shipped=is_shipped))
        return tuple(entries.values())

    def _file_of(self, path_or_name: str | Path) -> Path:
        text = str(path_or_name)
        if isinstance(path_or_name, Path) or "/" in text or text.endswith(".toml"):
            return Path(path_or_name).expanduser()
        for folder in (self._folder, self._shipped):
            file = folder / f"{text}.toml"
            if file in folder.glob("*.toml"):  # asking for it would fail where a name is too long
                return file
        raise self._not_found(text)

    def _not_found(self, name: str) -> UserInputError:
        known = sorted(
            file.stem for folder in (self._folder, self._shipped) for file in folder.glob("*.toml")
        )
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"Did you mean {near[0]}? " if near else ""
        return UserInputError(
            ErrorCode.NOT_FOUND,
            {"field": "profile", "value": name},
            cause=f"There is no profile called “{name}”.",
            remedy=f"{hint}Known profiles: {', '.join(known) or 'none'}.",
        )

    def _own_file(self, name: str) -> Path:
        if not name or "/" in name or "\\" in name or name.startswith("."):
            raise UserInputError(
                ErrorCode.INVALID_INPUT,
                {"field": "name", "value": name},
                cause=f"“{name}” cannot name a profile.",
                remedy="Use a name without slashes that does not begin with a dot.",
            )
        return self._folder / f"{name}.toml"


def _entry(file: Path, *, is_shipped: bool) -> ProfileEntry:
    try:
        profile = read_profile(file)
    except AppError as exc:
        return ProfileEntry(name=file.stem, path=file, is_shipped=is_shipped, error=exc.info)
    return ProfileEntry(name=file.stem, path=file, is_shipped=is_shipped, profile=profile)
