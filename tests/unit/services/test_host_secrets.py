"""Secrets of hosts: whose they are, when the keyring is asked, and what removing a host undoes."""

from dataclasses import replace

import pytest
from fakes.hosts import ScriptedOutside

from app.core.errors import ErrorCode, UserInputError
from app.core.events import AuthMethod, HostKind, HostSettings, HostState
from app.core.ids import HostId
from app.io.credentials import Credentials
from app.io.store.db import Database
from app.io.store.hosts import HostStore
from app.services.activities import Activities
from app.services.bus import EventBus
from app.services.hosts import HostService

SSH = HostSettings(id=HostId(""), name="gpu-a", kind=HostKind.SSH, address="gpu.example", user="u")
KEYED = replace(SSH, auth=AuthMethod.KEY, key_file="/keys/one")


class KeyringLocked(Exception):  # noqa: N818 - named as keyring names it
    """What keyring raises when nobody unlocks it."""


class Keyring:
    """A keyring that counts how often it is asked."""

    def __init__(self):
        self.kept = {}
        self.asked = 0
        self.locked = False

    def _check(self):
        self.asked += 1
        if self.locked:
            raise KeyringLocked("Failed to unlock the collection!")

    def get_password(self, _service, username):
        self._check()
        return self.kept.get(username)

    def set_password(self, _service, username, password):
        self._check()
        self.kept[username] = password

    def delete_password(self, _service, username):
        self._check()
        del self.kept[username]


@pytest.fixture
def keyring():
    return Keyring()


@pytest.fixture
async def database(tmp_path):
    database = Database(tmp_path / "pitwall.db", now=lambda: "2030-01-01T00:00:00Z")
    await database.open()
    yield database
    await database.close()


@pytest.fixture
async def start(keyring, database, fake_clock):
    """``await start()``: a service as after a start of Pitwall, and what is outside of it."""
    begun = []

    async def start():
        outside = ScriptedOutside()
        outside.parts = replace(outside.parts, secrets=Credentials(lambda: keyring))
        bus = EventBus()
        service = HostService(
            parts=outside.parts,
            store=HostStore(database),
            bus=bus,
            clock=fake_clock,
            activities=Activities(bus),
        )
        await service.load()
        begun.append((service, outside))
        return service, outside

    yield start
    for service, outside in begun:
        await service.close()
        outside.parts.secrets.close()


async def test_a_kept_password_opens_the_host_after_a_restart(start, keyring):
    hosts, _ = await start()
    host = (await hosts.add(SSH)).settings.id
    await hosts.connect(host, password="芝麻")
    assert (await hosts.keep_secrets(host)).is_usable
    assert hosts.find(host).state is HostState.CONNECTED
    later, outside = await start()
    await later.connect(host)
    assert outside.secrets_seen == [("芝麻", None)]
    await later.forget_secrets(host)
    assert keyring.kept == {}
    assert not later.find(host).settings.keeps_secrets


async def test_the_keyring_is_left_alone_for_hosts_that_keep_nothing(start, keyring):
    hosts, outside = await start()
    host = (await hosts.add(SSH)).settings.id
    await hosts.connect(host, password="x")
    await hosts.forget_secrets(host)
    await hosts.remove(host)
    assert keyring.asked == 0
    assert outside.secrets_seen == [("x", None)]


async def test_a_host_that_asked_for_nothing_keeps_nothing(start, keyring):
    hosts, _ = await start()
    host = (await hosts.add(SSH)).settings.id
    await hosts.connect(host)
    assert (await hosts.keep_secrets(host)).is_usable
    assert not hosts.find(host).settings.keeps_secrets
    assert keyring.kept == {}


async def test_the_passphrase_of_a_key_is_asked_for_once(start, keyring):
    hosts, outside = await start()
    first = (await hosts.add(KEYED)).settings.id
    second = (await hosts.add(replace(KEYED, name="gpu-b"))).settings.id
    await hosts.connect(first, passphrase="open")
    await hosts.connect(second)
    assert outside.secrets_seen == [(None, "open"), (None, "open")]
    await hosts.keep_secrets(first)
    await hosts.remove(first)
    assert keyring.kept == {"key:/keys/one/passphrase": "open"}
    await hosts.forget_secrets(second)
    await hosts.disconnect(second)
    await hosts.connect(second)
    assert outside.secrets_seen[-1] == (None, None)


async def test_a_locked_keyring_is_told_and_asked_again_later(start, keyring):
    hosts, _ = await start()
    host = (await hosts.add(SSH)).settings.id
    await hosts.connect(host, password="x")
    keyring.locked = True
    state = await hosts.keep_secrets(host)
    assert (state.is_usable, state.reason) == (False, "locked")
    assert "Failed to unlock" in state.details
    assert not hosts.find(host).settings.keeps_secrets
    asked = keyring.asked
    await hosts.disconnect(host)
    await hosts.connect(host)
    assert keyring.asked == asked
    keyring.locked = False
    assert (await hosts.keep_secrets(host)).is_usable
    assert list(keyring.kept.values()) == ["x"]


async def test_a_removed_host_comes_back_with_its_history_but_without_secrets(start, keyring):
    hosts, _ = await start()
    host = (await hosts.add(replace(SSH, group="lab", notes="rack 4"))).settings.id
    await hosts.connect(host, password="x")
    await hosts.keep_secrets(host)
    await hosts.take_fingerprint(host)
    before = hosts.find(host)
    await hosts.remove(host)
    assert keyring.kept == {}
    assert hosts.snapshot() == ()
    back = await hosts.restore(host)
    assert back.settings == before.settings.__class__(
        **{
            name: getattr(before.settings, name)
            for name in before.settings.__dataclass_fields__
            if name != "keeps_secrets"
        }
    )
    assert (back.state, back.summary) == (HostState.DISCONNECTED, before.summary)
    assert len(await hosts.fingerprint_history(host)) == 1
    with pytest.raises(UserInputError) as again:
        await hosts.restore(host)
    assert again.value.code is ErrorCode.NOT_FOUND


async def test_a_removal_is_not_undone_over_another_host_of_its_name(start):
    hosts, _ = await start()
    host = (await hosts.add(SSH)).settings.id
    await hosts.remove(host)
    await hosts.add(SSH)
    with pytest.raises(UserInputError) as taken:
        await hosts.restore(host)
    assert taken.value.code is ErrorCode.NAME_TAKEN


@pytest.mark.parametrize("group", ["two\nlines", "x" * 65])
async def test_a_group_is_one_short_line(start, group):
    hosts, _ = await start()
    with pytest.raises(UserInputError) as refused:
        await hosts.add(replace(SSH, group=group))
    assert refused.value.params["field"] == "group"


async def test_hosts_stored_before_there_were_groups_are_read(start, database):
    old = (
        '{"id": "a", "name": "old", "kind": "ssh", "address": "old.example", "port": 22,'
        ' "user": "", "auth": "auto", "key_file": null, "docker_socket": null,'
        ' "model_folder": null, "notes": "n"}'
    )
    await database.run(
        lambda db: db.execute(
            "INSERT INTO hosts (id, name, document, added_at) VALUES ('a', 'old', ?, '2030')",
            (old,),
        ).close()
    )
    hosts, _ = await start()
    settings = hosts.find("old").settings
    assert (settings.group, settings.keeps_secrets, settings.notes) == ("", False, "n")
