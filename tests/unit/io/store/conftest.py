"""A store on disk, opened."""

import pytest

from app.io.store.db import Database

NOW = "2026-11-29T10:00:00Z"


@pytest.fixture
async def database(tmp_path):
    database = Database(tmp_path / "store" / "pitwall.db", now=lambda: NOW)
    await database.open()
    yield database
    await database.close()
