"""The application is built quickly and cleanly, with what is broken reported."""

import asyncio
import subprocess
import sys
import threading

import pytest

from app.bootstrap import build
from app.core.errors import ErrorCode


def threads_of_pitwall():
    return {thread for thread in threading.enumerate() if thread.name.startswith("pitwall")}


async def until_gone(threads):
    """An executor's thread ends a moment after it was told to."""
    for thread in threads:
        await asyncio.to_thread(thread.join, 10)
        assert not thread.is_alive(), thread.name


async def test_application_starts_and_leaves_no_thread_behind(pitwall_home):
    before = threads_of_pitwall()
    application = build()
    await application.start()
    assert application.hosts.snapshot() == ()
    await application.close()
    await until_gone(threads_of_pitwall() - before)
    assert (pitwall_home / "data" / "pitwall.db").is_file()


async def test_hosts_are_there_again_after_a_restart():
    first = build()
    await first.start()
    added = await first.hosts.add_demo()
    await first.close()
    second = build()
    await second.start()
    assert [s.settings for s in second.hosts.snapshot()] == [added.settings]
    await second.close()


async def test_damaged_files_are_reported_and_the_rest_works(pitwall_home):
    (pitwall_home / "config").mkdir(parents=True)
    (pitwall_home / "config" / "settings.toml").write_text("===")
    (pitwall_home / "data").mkdir()
    (pitwall_home / "data" / "pitwall.db").write_bytes(b"nonsense" * 100)
    application = build()
    await application.start()
    codes = {notice.code for notice in application.notices()}
    await application.close()
    assert codes == {ErrorCode.SETTINGS_BROKEN, ErrorCode.STORE_BROKEN}


async def test_start_that_fails_leaves_no_thread_behind(pitwall_home):
    before = threads_of_pitwall()
    (pitwall_home / "data" / "pitwall.db").mkdir(parents=True)
    application = build()
    with pytest.raises(Exception, match="store"):
        await application.start()
    await until_gone(threads_of_pitwall() - before)


def test_building_imports_no_heavy_library():
    script = (
        "import sys; from app.bootstrap import build; build(); "
        "heavy = {'docker', 'paramiko', 'pydantic', 'aiohttp', 'PySide6', 'numpy'}; "
        "print(*heavy & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []
