"""The store's file: opening, migrating, damage, fullness, two Pitwalls."""

import asyncio
import contextlib
import resource
import sqlite3
import threading

import pytest

from app.core.errors import ErrorCode, StoreError
from app.io.store.db import Database
from app.io.store.errors import store_error
from app.io.store.migrate import Migration, migrate, shipped_migrations

NOW = "2026-11-29T10:00:00Z"


def names(db):
    return {row[0] for row in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}


async def test_new_store_has_every_table(database):
    tables = await database.run(names)
    assert {"hosts", "fingerprints", "journal", "journal_steps", "last_used"} <= tables


async def test_applied_migrations_are_recorded_and_counted(database):
    def read(db):
        recorded = [row[0] for row in db.execute("SELECT name FROM migrations")]
        return recorded, db.execute("PRAGMA user_version").fetchone()[0]

    recorded, version = await database.run(read)
    assert set(recorded) == {migration.name for migration in shipped_migrations()}
    assert version == len(recorded)


async def test_store_opens_again_with_its_contents(database):
    await database.run(lambda db: db.execute("INSERT INTO last_used VALUES ('a', 'b', 'c')"))
    await database.close()
    again = Database(database.file, now=lambda: NOW)
    await again.open()
    try:
        assert again.notices == ()
        assert await again.run(lambda db: db.execute("SELECT * FROM last_used").fetchall())
    finally:
        await again.close()


async def test_damaged_store_is_kept_aside_and_reported(tmp_path):
    file = tmp_path / "pitwall.db"
    file.write_bytes(b"this is not a database, but it was somebody's" * 50)
    file.with_name("pitwall.db-wal").write_bytes(b"log")
    content = file.read_bytes()
    database = Database(file, now=lambda: NOW)
    await database.open()
    await database.close()
    kept = file.with_name("pitwall.db.broken-2026-11-29T100000Z")
    assert kept.read_bytes() == content
    assert [notice.code for notice in database.notices] == [ErrorCode.STORE_BROKEN]
    assert str(kept) in database.notices[0].cause


async def test_second_damaged_store_of_the_same_second_overwrites_nothing(tmp_path):
    for content in (b"one" * 500, b"two" * 500):
        (tmp_path / "pitwall.db").write_bytes(content)
        database = Database(tmp_path / "pitwall.db", now=lambda: NOW)
        await database.open()
        await database.close()
    kept = sorted(file.name for file in tmp_path.glob("*.broken-*"))
    assert kept == [
        "pitwall.db.broken-2026-11-29T100000Z",
        "pitwall.db.broken-2026-11-29T100000Z-2",
    ]


async def test_page_that_is_damaged_in_the_middle_is_found(database):
    text = "x" * 3000
    for number in range(200):
        row = (str(number), text)
        await database.run(
            lambda db, row=row: db.execute("INSERT INTO last_used VALUES (?, ?, '')", row)
        )
    await database.close()
    content = bytearray(database.file.read_bytes())
    content[len(content) // 2 : len(content) // 2 + 8192] = b"\xff" * 8192
    database.file.write_bytes(content)
    again = Database(database.file, now=lambda: NOW)
    await again.open()
    await again.close()
    assert [notice.code for notice in again.notices] == [ErrorCode.STORE_BROKEN]


async def test_store_of_a_newer_pitwall_is_left_alone(database):
    await database.run(lambda db: db.execute("INSERT INTO migrations VALUES ('zz_9999_new', '')"))
    await database.close()
    content = database.file.read_bytes()
    again = Database(database.file, now=lambda: NOW)
    with pytest.raises(StoreError) as caught:
        await again.open()
    await again.close()
    assert caught.value.code is ErrorCode.STORE_TOO_NEW
    assert database.file.read_bytes() == content


async def test_full_disk_is_said_and_undoes_the_whole_change(database):
    await database.run(lambda db: db.execute("PRAGMA max_page_count = 30").fetchall())

    def fill(db):
        for number in range(1000):
            db.execute("INSERT INTO last_used VALUES (?, ?, '')", (str(number), "x" * 4000))

    with pytest.raises(StoreError) as caught:
        await database.run(fill)
    assert caught.value.code is ErrorCode.STORE_FULL
    count = await database.run(lambda db: db.execute("SELECT count(*) FROM last_used").fetchone())
    assert count == (0,)


@contextlib.contextmanager
def disk_that_takes_nothing():
    """No file of this process may grow, so that SQLite's log cannot be begun."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


async def test_store_on_a_failing_disk_is_left_where_it_is(database):
    await database.run(lambda db: db.execute("INSERT INTO last_used VALUES ('a', 'b', 'c')"))
    await database.close()
    again = Database(database.file, now=lambda: NOW)
    with disk_that_takes_nothing(), pytest.raises(StoreError) as caught:
        await again.open()
    await again.close()
    assert caught.value.code is ErrorCode.FILE_UNWRITABLE
    assert "left as it is" in caught.value.remedy
    healed = Database(database.file, now=lambda: NOW)
    await healed.open()
    try:
        assert healed.notices == ()
        assert await healed.run(lambda db: db.execute("SELECT * FROM last_used").fetchall())
    finally:
        await healed.close()


async def test_damaged_store_on_a_failing_disk_is_kept_and_said(tmp_path):
    file = tmp_path / "pitwall.db"
    file.write_bytes(b"no database" * 50)
    database = Database(file, now=lambda: NOW)
    with disk_that_takes_nothing(), pytest.raises(StoreError) as caught:
        await database.open()
    await database.close()
    assert caught.value.code is ErrorCode.FILE_UNWRITABLE
    with pytest.raises(StoreError) as again:
        await database.run(lambda db: db.execute("SELECT 1"))
    assert again.value.info == caught.value.info
    assert file.with_name("pitwall.db.broken-2026-11-29T100000Z").read_bytes().startswith(b"no d")


async def test_two_pitwalls_write_at_once(tmp_path):
    first, second = (Database(tmp_path / "p.db", now=lambda: NOW) for _ in range(2))
    await asyncio.gather(first.open(), second.open())

    def add(key):
        return lambda db: db.execute("INSERT INTO last_used VALUES (?, '', '')", (key,))

    work = [
        database.run(add(f"{n}-{i}"))
        for n, database in enumerate((first, second))
        for i in range(20)
    ]
    await asyncio.gather(*work)
    count = await first.run(lambda db: db.execute("SELECT count(*) FROM last_used").fetchone())
    await asyncio.gather(first.close(), second.close())
    assert count == (40,)


async def test_pitwalls_that_start_at_once_in_a_new_folder_wait_for_each_other(tmp_path):
    for number in range(25):  # once in some hundred starts SQLite does not wait by itself
        stores = [Database(tmp_path / f"{number}.db", now=lambda: NOW) for _ in range(4)]
        try:
            await asyncio.gather(*(store.open() for store in stores))
        finally:
            await asyncio.gather(*(store.close() for store in stores))


async def test_closed_store_refuses_and_leaves_no_thread(database):
    await database.close()
    await database.close()
    left = [t for t in threading.enumerate() if t.name.startswith("pitwall-store")]
    for thread in left:
        thread.join(10)  # it ends a moment after it was told to
    assert not [thread for thread in left if thread.is_alive()]
    with pytest.raises(StoreError, match="not open"):
        await database.run(lambda db: db.execute("SELECT 1"))


async def test_store_that_was_not_opened_refuses(tmp_path):
    database = Database(tmp_path / "p.db", now=lambda: NOW)
    with pytest.raises(StoreError):
        await database.run(lambda db: db.execute("SELECT 1"))
    await database.close()


async def test_store_in_an_unwritable_place_is_said(tmp_path):
    (tmp_path / "p.db").mkdir()
    database = Database(tmp_path / "p.db", now=lambda: NOW)
    with pytest.raises(StoreError) as caught:
        await database.open()
    await database.close()
    assert caught.value.code is ErrorCode.FILE_UNWRITABLE
    with pytest.raises(StoreError) as again:
        await database.run(lambda db: db.execute("SELECT 1"))
    assert again.value.info == caught.value.info


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (sqlite3.SQLITE_FULL, ErrorCode.STORE_FULL),
        (sqlite3.SQLITE_READONLY, ErrorCode.FILE_UNWRITABLE),
        (sqlite3.SQLITE_BUSY, ErrorCode.FILE_UNWRITABLE),
        (sqlite3.SQLITE_CORRUPT, ErrorCode.STORE_BROKEN),
        (sqlite3.SQLITE_MISUSE, ErrorCode.STORE_BROKEN),
    ],
)
def test_sqlites_errors_have_codes(tmp_path, number, code):
    error = sqlite3.OperationalError("said by sqlite")
    error.sqlite_errorcode = number
    assert store_error(tmp_path / "p.db", error).code is code


def test_migration_that_fails_changes_nothing(tmp_path):
    connection = sqlite3.connect(tmp_path / "p.db")
    steps = [
        Migration(name="a_0001_good", sql="CREATE TABLE good (id);\n"),
        Migration(
            name="a_0002_bad", sql="CREATE TABLE half (id);\nINSERT INTO nowhere VALUES (1);\n"
        ),
    ]
    with pytest.raises(StoreError) as caught:
        migrate(connection, file=tmp_path / "p.db", now=NOW, migrations=steps)
    tables = names(connection)
    connection.close()
    assert caught.value.code is ErrorCode.MIGRATION_FAILED
    assert caught.value.params["migration"] == "a_0002_bad"
    assert "good" in tables
    assert "half" not in tables


def test_migrations_are_ordered_by_number_then_area():
    ordered = [migration.name for migration in shipped_migrations()]
    keys = [(name.split("_")[1], name.split("_")[0]) for name in ordered]
    assert keys == sorted(keys)
