"""Where Pitwall keeps its things on this desktop.

Everything lives below ``PITWALL_HOME`` when that is set (tests, portable use), else in the
platform's own folders. Folders are made when first used, readable by the user only.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.core.errors import ErrorCode, StoreError

HOME_VARIABLE: Final = "PITWALL_HOME"
_APP: Final = "pitwall"


@dataclass(frozen=True, slots=True, kw_only=True)
class Folders:
    """The folders of one installation."""

    config: Path
    """Settings, accepted host keys, the user's own data files."""
    data: Path
    """The store and saved profiles and fingerprints."""
    cache: Path
    """What can be made again."""

    @property
    def overrides(self) -> Path:
        """The user's own data files, laid out as ``resources/`` is."""
        return self.config / "data"

    @property
    def profiles(self) -> Path:
        """The user's saved profiles."""
        return self.data / "profiles"

    @property
    def store_file(self) -> Path:
        """The database."""
        return self.data / "pitwall.db"

    @property
    def settings_file(self) -> Path:
        """Preferences."""
        return self.config / "settings.toml"

    @property
    def known_hosts_file(self) -> Path:
        """Host keys the user accepted in Pitwall."""
        return self.config / "known_hosts"


def find_folders(home: Path | None = None) -> Folders:
    """Return the folders below ``home``, else below ``PITWALL_HOME``, else the platform's."""
    chosen = home or (Path(text) if (text := os.environ.get(HOME_VARIABLE)) else None)
    if chosen is not None:
        root = chosen.expanduser().absolute()
        return Folders(config=root / "config", data=root / "data", cache=root / "cache")
    import platformdirs

    return Folders(
        config=platformdirs.user_config_path(_APP, appauthor=False),
        data=platformdirs.user_data_path(_APP, appauthor=False),
        cache=platformdirs.user_cache_path(_APP, appauthor=False),
    )


def make_folder(path: Path) -> Path:
    """Make ``path`` with its parents, private to the user, and return it.

    Raises:
        StoreError: FILE_UNWRITABLE.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as exc:
        raise StoreError(
            ErrorCode.FILE_UNWRITABLE,
            {"file": path},
            cause=f"The folder {path} cannot be made: {exc.strerror or exc}.",
            remedy=f"Make it writable, or set {HOME_VARIABLE} to a folder of your own.",
        ) from exc
    return path
