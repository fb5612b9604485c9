"""Credentials with a genuine Secret Service on a D-Bus session of its own."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

_PROGRAM = """
import asyncio
from app.io.credentials import CredentialKind, Credentials

async def main():
    first, later = Credentials(), Credentials()
    print(await first.remember("h", CredentialKind.PASSWORD, "s3cret 芝麻", keep=True))
    print(await later.recall("h", CredentialKind.PASSWORD) == "s3cret 芝麻")
    await later.forget("h")
    print(await Credentials().recall("h", CredentialKind.PASSWORD))
    state = await first.keyring_state()
    print(state.is_usable, state.reason)

asyncio.run(main())
"""
_SESSION = ("dbus-run-session", "--", "sh", "-c")
_UNLOCKED = "printf %s word | gnome-keyring-daemon --unlock --components=secrets >/dev/null"


def run(tmp_path, *, prepare):
    missing = [t for t in ("dbus-run-session", "gnome-keyring-daemon") if not shutil.which(t)]
    if missing:
        pytest.skip(f"needs {missing[0]}")
    (tmp_path / "run").mkdir(mode=0o700)
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "XDG_RUNTIME_DIR": str(tmp_path / "run"),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "PYTHONPATH": str(ROOT),
    }
    for name in ("DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY"):
        environment.pop(name, None)
    done = subprocess.run(
        [*_SESSION, f'{prepare}; exec "$0" -c "$1"', sys.executable, _PROGRAM],
        env=environment,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")[:4]


def test_secret_outlives_the_program_in_an_unlocked_keyring(tmp_path):
    assert run(tmp_path, prepare=_UNLOCKED) == ["True", "True", "None", "True "]


def test_without_a_service_memory_is_used_and_the_reason_given(tmp_path):
    lines = run(tmp_path, prepare="export DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent")
    assert lines[0] == "False"
    assert lines[3].startswith("False ")
