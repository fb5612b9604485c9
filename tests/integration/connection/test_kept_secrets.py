"""Passwords and passphrases over the programs' whole life, with a genuine Secret Service."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PASSPHRASE = "planted-passphrase-芝麻"

_PROGRAM = """
import asyncio, json, logging, sys
from pathlib import Path
from app.bootstrap import build
from app.core.errors import HostError
from app.core.events import AuthMethod, HostKind, HostSettings
from app.core.ids import HostId

given = json.loads(sys.argv[1])
home = Path(given["home"])
home.mkdir(parents=True, exist_ok=True)
logging.basicConfig(filename=home / "all.log", level=logging.DEBUG, encoding="utf-8")

async def connect(application, name, auth, **secrets):
    settings = HostSettings(
        id=HostId(""), name=name, kind=HostKind.SSH, address=given["address"], port=given["port"],
        user=given["user"], auth=auth, key_file=given["key"] if auth is AuthMethod.KEY else None,
    )
    host = (await application.hosts.add(settings)).settings.id
    for _ in range(2):
        try:
            await application.hosts.connect(host, **secrets)
        except HostError as error:
            await application.hosts.accept_key(host, error.params["sha256"])
    return host

async def first():
    application = build(home=home)
    await application.start()
    one = await connect(application, "one", AuthMethod.PASSWORD, password=given["password"])
    two = await connect(application, "two", AuthMethod.KEY, passphrase=given["passphrase"])
    states = [await application.hosts.keep_secrets(host) for host in (one, two)]
    await application.close()
    return [[state.is_usable, state.reason] for state in states]

async def later():
    application = build(home=home)
    await application.start()
    said = []
    for name in ("one", "two"):
        host = application.hosts.find(name).settings.id
        try:
            said.append((await application.hosts.connect(host)).state)
        except HostError as error:
            said.append(error.code)
        await application.hosts.forget_secrets(host)
        await application.hosts.disconnect(host)
        try:
            await application.hosts.connect(host)
        except HostError as error:
            said.append(error.code)
    await application.close()
    return said

print(json.dumps([asyncio.run(first()), asyncio.run(later())]))
"""
_UNLOCKED = "printf %s word | gnome-keyring-daemon --unlock --components=secrets >/dev/null"
_NONE = "export DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent"


@pytest.fixture
def given(ssh_host, tmp_path):
    """What the program works with: a host, a password and a key with a passphrase."""
    key = tmp_path / "key"
    shutil.copy(ssh_host.client_key, key)
    key.chmod(0o600)
    change = ["ssh-keygen", "-q", "-p", "-N", PASSPHRASE, "-P", "", "-f", str(key)]
    subprocess.run(change, check=True)
    return {
        "home": str(tmp_path / "pitwall"), "address": ssh_host.address, "port": ssh_host.port,
        "user": ssh_host.user, "password": ssh_host.password, "passphrase": PASSPHRASE,
        "key": str(key),
    }  # fmt: skip


def run(given, folder, prepare):
    """Run the program in a D-Bus session of its own; return what it prints."""
    missing = [t for t in ("dbus-run-session", "gnome-keyring-daemon") if not shutil.which(t)]
    if missing:
        pytest.skip(f"needs {missing[0]}")
    (folder / "run").mkdir(mode=0o700)
    environment = {
        **os.environ,
        "HOME": str(folder / "home"),
        "XDG_RUNTIME_DIR": str(folder / "run"),
        "XDG_DATA_HOME": str(folder / "data"),
        "PYTHONPATH": str(ROOT),
    }
    for name in ("DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY"):
        environment.pop(name, None)
    script = f'{prepare}; exec "$0" -c "$1" "$2"'
    done = subprocess.run(
        ["dbus-run-session", "--", "sh", "-c", script, sys.executable, _PROGRAM, json.dumps(given)],
        env=environment, capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    planted = (given["password"], given["passphrase"])
    assert not [secret for secret in planted if secret in done.stderr]
    assert not _lying_open(Path(given["home"]), planted)
    return json.loads(done.stdout)


def _lying_open(folder, secrets):
    """Return the files below a folder that hold a secret in the open; logs are among them."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    assert {file.name for file in files} >= {"all.log", "pitwall.db"}
    raw = [secret.encode(coding) for secret in secrets for coding in ("utf-8", "utf-16-le")]
    raw += [json.dumps(secret).strip('"').encode() for secret in secrets]
    return [file for file in files if any(text in file.read_bytes() for text in raw)]


@pytest.mark.timeout(150)
def test_kept_secrets_open_hosts_after_a_restart_until_forgotten(given, tmp_path):
    kept, later = run(given, tmp_path, _UNLOCKED)
    assert kept == [[True, ""], [True, ""]]
    assert later == ["connected", "password_needed", "connected", "password_needed"]


@pytest.mark.timeout(150)
def test_a_keyring_that_nobody_unlocks_keeps_nothing(given, tmp_path):
    kept, later = run(given, tmp_path, "true")
    assert kept == [[False, "locked"], [False, "locked"]]
    assert later == ["password_needed"] * 4


@pytest.mark.timeout(150)
def test_without_a_keyring_memory_alone_holds_them(given, tmp_path):
    kept, later = run(given, tmp_path, _NONE)
    assert kept == [[False, "no-backend"], [False, "no-backend"]]
    assert later == ["password_needed"] * 4
