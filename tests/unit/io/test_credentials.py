"""Secrets: in memory, and in a keyring only when the system guards it."""

import keyring
import keyring.backend
import keyring.backends.chainer
import keyring.backends.fail
import pytest

from app.io.credentials import CredentialKind, Credentials, KeyringState, find_keyring

PASSWORD, API_KEY = CredentialKind.PASSWORD, CredentialKind.API_KEY


class FakeKeyring:
    def __init__(self):
        self.kept = {}
        self.fails = False

    def _check(self):
        if self.fails:
            raise RuntimeError("Prompt dismissed..")

    def get_password(self, service, username):
        self._check()
        return self.kept.get((service, username))

    def set_password(self, service, username, password):
        self._check()
        self.kept[(service, username)] = password

    def delete_password(self, service, username):
        del self.kept[(service, username)]


@pytest.fixture
def backend():
    return FakeKeyring()


@pytest.fixture
def credentials(backend):
    credentials = Credentials(lambda: backend)
    yield credentials
    credentials.close()


@pytest.fixture
def memory_only():
    credentials = Credentials(lambda: KeyringState(is_usable=False, reason="no-backend"))
    yield credentials
    credentials.close()


async def test_secret_is_recalled_from_memory_without_a_keyring(memory_only):
    assert await memory_only.remember("h", PASSWORD, "芝麻", keep=True) is False
    assert await memory_only.recall("h", PASSWORD) == "芝麻"
    assert await memory_only.recall("h", API_KEY) is None
    assert (await memory_only.keyring_state()).reason == "no-backend"


async def test_kept_secret_survives_the_program(credentials, backend):
    assert await credentials.remember("h", PASSWORD, "s3cret", keep=True) is True
    credentials.wipe("h")
    assert await credentials.recall("h", PASSWORD) == "s3cret"
    later = Credentials(lambda: backend)
    assert await later.recall("h", PASSWORD) == "s3cret"
    later.close()


async def test_secret_that_is_not_kept_never_reaches_the_keyring(credentials, backend):
    assert await credentials.remember("h", PASSWORD, "s3cret", keep=False) is False
    assert backend.kept == {}
    credentials.wipe("h")
    assert await credentials.recall("h", PASSWORD) is None


async def test_wiping_overwrites_what_memory_held(credentials):
    await credentials.remember("h", PASSWORD, "s3cret", keep=False)
    await credentials.remember("other", PASSWORD, "stays", keep=False)
    held = credentials._memory[("h", PASSWORD)]
    credentials.wipe("h")
    assert held == bytes(6)
    assert await credentials.recall("other", PASSWORD) == "stays"


async def test_forgetting_removes_from_memory_and_keyring(credentials, backend):
    await credentials.remember("h", PASSWORD, "one", keep=True)
    await credentials.remember("h", API_KEY, "two", keep=True)
    await credentials.forget("h", PASSWORD)
    assert await credentials.recall("h", PASSWORD) is None
    assert await credentials.recall("h", API_KEY) == "two"
    await credentials.forget("h")
    assert backend.kept == {}


async def test_failing_keyring_is_given_up_with_its_reason(credentials, backend):
    backend.fails = True
    assert await credentials.remember("h", PASSWORD, "s3cret", keep=True) is False
    state = await credentials.keyring_state()
    assert (state.is_usable, state.reason) == (False, "failed")
    assert "Prompt dismissed" in state.details
    assert await credentials.recall("h", PASSWORD) == "s3cret"


async def test_keyring_that_cannot_be_looked_for_is_not_there():
    def broken():
        raise RuntimeError("no bus")

    credentials = Credentials(broken)
    state = await credentials.keyring_state()
    assert (state.is_usable, state.reason, state.details) == (
        False,
        "failed",
        "RuntimeError: no bus",
    )
    credentials.close()


async def test_keyring_that_never_answers_is_given_up(monkeypatch):
    import threading

    monkeypatch.setattr("app.io.credentials.KEYRING_TIMEOUT_S", 0.05)
    gate = threading.Event()
    credentials = Credentials(lambda: gate.wait(5) and None)
    assert (await credentials.keyring_state()).details == "it did not answer"
    gate.set()
    credentials.close()


async def test_secrets_are_never_shown(credentials):
    await credentials.remember("h", PASSWORD, "s3cret", keep=False)
    assert "s3cret" not in repr(credentials) + str(credentials)


def test_missing_backend_is_said(monkeypatch):
    monkeypatch.setattr(keyring, "get_keyring", keyring.backends.fail.Keyring)
    state = find_keyring()
    assert (state.is_usable, state.reason) == (False, "no-backend")


def test_backend_that_nobody_guards_is_refused(monkeypatch):
    class PlaintextKeyring(FakeKeyring):
        pass

    monkeypatch.setattr(keyring, "get_keyring", PlaintextKeyring)
    state = find_keyring()
    assert (state.is_usable, state.reason) == (False, "not-guarded")
    assert "PlaintextKeyring" in state.details


def test_guarded_backend_is_found_in_a_chain(monkeypatch):
    guarded = type("Keyring", (FakeKeyring,), {"__module__": "keyring.backends.SecretService"})()

    class Chain:
        backends = (FakeKeyring(), guarded)

    monkeypatch.setattr(keyring, "get_keyring", Chain)
    assert find_keyring() is guarded
