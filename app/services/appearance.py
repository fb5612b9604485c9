"""Themes for whoever draws: loaded once per name, errors as values of the data files."""

from functools import lru_cache
from pathlib import Path

from app.core.appearance import Theme
from app.io.datafiles import load_theme


class AppearanceService:
    """Give out themes by name."""

    def __init__(self, *, root: Path, overrides: Path | None = None) -> None:
        self._load = lru_cache(maxsize=8)(lambda name: load_theme(name, root, overrides))

    def theme(self, name: str) -> Theme:
        """Return the theme ``light`` or ``dark``.

        Raises:
            DataFileError: DATA_FILE_BROKEN.
        """
        return self._load(name)
