"""API keys of deployments: kept with the host's other secrets, and forgotten with them."""

from dataclasses import replace

import pytest

from app.core.events import HostKind, HostSettings
from app.core.ids import HostId
from app.io.credentials import CredentialKind, Credentials
from app.services.api_keys import ApiKeys
from app.services.host_secrets import HostSecrets

HOST = HostId("1")
SETTINGS = HostSettings(id=HOST, name="gpu-a", kind=HostKind.SSH)


class Keyring:
    """A keyring in memory."""

    def __init__(self):
        self.kept = {}

    def get_password(self, _service, username):
        return self.kept.get(username)

    def set_password(self, _service, username, password):
        self.kept[username] = password

    def delete_password(self, _service, username):
        del self.kept[username]


class World:
    """One host; Pitwall can be closed and opened again."""

    def __init__(self):
        self.keyring, self.settings = Keyring(), SETTINGS
        self.open()

    def open(self):
        self.credentials = Credentials(lambda: self.keyring)
        self.keys = ApiKeys(lambda _host: self.settings, self.credentials)

    def again(self):
        self.credentials.close()
        self.open()


@pytest.fixture
def world():
    world = World()
    yield world
    world.credentials.close()


async def test_keys_of_a_host_whose_secrets_are_kept_outlive_the_program(world):
    world.settings = replace(SETTINGS, keeps_secrets=True)
    await world.keys.keep(HOST, "chat", "one")
    await world.keys.keep(HOST, "long", "two")
    world.again()

    assert await world.keys.recall(HOST, "chat") == "one"
    await world.keys.forget(HOST, "chat")
    world.again()
    assert await world.keys.recall(HOST, "chat") is None
    assert await world.keys.recall(HOST, "long") == "two"
    await world.keys.forget(HOST, "long")
    assert world.keyring.kept == {}


async def test_keys_of_any_other_host_stay_in_memory(world):
    await world.keys.keep(HOST, "chat", "one")

    assert await world.keys.recall(HOST, "chat") == "one"
    assert world.keyring.kept == {}
    world.again()
    assert await world.keys.recall(HOST, "chat") is None


async def test_they_are_kept_and_forgotten_with_the_hosts_other_secrets(world):
    await world.keys.keep(HOST, "chat", "one")
    world.settings = replace(SETTINGS, keeps_secrets=True)
    secrets = HostSecrets(world.credentials)

    await secrets.keep(world.settings)
    world.again()
    assert await world.keys.recall(HOST, "chat") == "one"

    await HostSecrets(world.credentials).forget(world.settings)
    assert await world.keys.recall(HOST, "chat") is None
    assert world.keyring.kept == {}


@pytest.mark.parametrize("text", ["no json", "[]", "null"])
async def test_what_is_no_list_of_keys_is_none_and_is_written_anew(world, text):
    await world.credentials.remember(HOST, CredentialKind.API_KEY, text, keep=False)

    assert await world.keys.recall(HOST, "chat") is None
    await world.keys.keep(HOST, "chat", "one")
    assert await world.keys.recall(HOST, "chat") == "one"
