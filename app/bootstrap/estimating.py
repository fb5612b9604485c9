"""A memory estimate without the rest of the application: nothing else is imported or opened."""

from contextlib import closing
from pathlib import Path
from typing import Final

from app.bootstrap.data import DataFiles
from app.io.datafiles import data_root
from app.io.folders import find_folders
from app.services.estimating import EstimatingService


def build_estimating(*, hosts: bool = False) -> EstimatingService | None:
    """Return the service; ``None`` where starts were recorded, whose lessons need the store.

    With ``hosts`` also where the store knows hosts.
    """
    folders = find_folders()
    tables = [_STARTS, *([_HOSTS] if hosts else [])]
    if any(_has_rows(folders.store_file, table) for table in tables):
        return None
    return EstimatingService(DataFiles(root=data_root(), overrides=folders.overrides))


_STARTS: Final = "SELECT 1 FROM starts WHERE teaches LIMIT 1"
_HOSTS: Final = "SELECT 1 FROM hosts LIMIT 1"


def _has_rows(store: Path, query: str) -> bool:
    if not store.is_file():
        return False
    import sqlite3

    try:
        with closing(sqlite3.connect(f"{store.as_uri()}?mode=ro", uri=True)) as connection:
            return connection.execute(query).fetchone() is not None
    except sqlite3.Error:  # an older store has no such table; a broken one is told of elsewhere
        return False
