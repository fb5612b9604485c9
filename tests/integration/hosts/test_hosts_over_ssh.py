"""The whole hosts service against a real sshd: first contact, fingerprint, loss and return."""

import asyncio

import pytest

from app.core.errors import ErrorCode, HostError
from app.core.events import AuthMethod, HostChanged, HostKind, HostSettings, HostState
from app.core.hardware.fingerprint import HostSource
from app.core.ids import HostId


async def add(application, host, *, auth=AuthMethod.KEY):
    settings = HostSettings(
        id=HostId(""),
        name="gpu-a",
        kind=HostKind.SSH,
        address=host.address,
        port=host.port,
        user=host.user,
        auth=auth,
        key_file=str(host.client_key) if auth is AuthMethod.KEY else None,
    )
    return (await application.hosts.add(settings)).settings.id


async def accept(application, host_id):
    with pytest.raises(HostError) as caught:
        await application.hosts.connect(host_id)
    assert caught.value.code is ErrorCode.HOST_KEY_UNKNOWN
    await application.hosts.accept_key(host_id, caught.value.params["sha256"])


async def until_state(application, host_id, *states):
    """Wait for a state without asking again and again."""
    reached, loop = asyncio.Event(), asyncio.get_running_loop()

    def hear(event):
        if isinstance(event, HostChanged) and event.snapshot.state in states:
            loop.call_soon_threadsafe(reached.set)

    detach = application.bus.subscribe(hear)
    if application.hosts.find(host_id).state in states:
        reached.set()
    await asyncio.wait_for(reached.wait(), 20)
    detach()


async def test_first_contact_shows_the_key_then_connects(application, ssh_host):
    host_id = await add(application, ssh_host)
    await accept(application, host_id)
    snapshot = await application.hosts.connect(host_id)
    assert snapshot.state is HostState.CONNECTED
    kept = application.folders.known_hosts_file.read_text()
    assert ssh_host.host_public_key.split()[1] in kept


async def test_fingerprint_over_ssh_finds_the_recorded_gpus_and_is_stored(application, ssh_host):
    host_id = await add(application, ssh_host)
    await accept(application, host_id)
    await application.hosts.connect(host_id)
    fingerprint = await application.hosts.take_fingerprint(host_id)
    assert (fingerprint.source, fingerprint.simulated) == (HostSource.SSH, False)
    assert [gpu.name for gpu in fingerprint.gpus] == ["NVIDIA H200", "NVIDIA H200"]
    assert application.hosts.find(host_id).summary.gpu_count == 2
    assert await application.hosts.fingerprint(host_id) == fingerprint


async def test_password_login_asks_once_and_keeps_it_in_memory(application, ssh_host):
    host_id = await add(application, ssh_host, auth=AuthMethod.PASSWORD)
    await accept(application, host_id)
    with pytest.raises(HostError) as caught:
        await application.hosts.connect(host_id)
    assert caught.value.code is ErrorCode.PASSWORD_NEEDED
    with pytest.raises(HostError) as caught:
        await application.hosts.connect(host_id, password="wrong")
    assert caught.value.code is ErrorCode.AUTH_FAILED
    await application.hosts.connect(host_id, password=ssh_host.password)
    await application.hosts.disconnect(host_id)
    assert (await application.hosts.connect(host_id)).state is HostState.CONNECTED


async def test_killed_connection_is_noticed_and_comes_back(application, ssh_host_factory):
    host = ssh_host_factory()
    host_id = await add(application, host)
    await accept(application, host_id)
    await application.hosts.connect(host_id)
    host.kill_connections()
    await until_state(application, host_id, HostState.LOST)
    await until_state(application, host_id, HostState.CONNECTED)
    result = await application.hosts.transport(host_id).run(["uname"], timeout_s=5)
    assert result.stdout.strip() == b"Linux"


async def test_changed_key_stops_the_return_and_says_so(application, ssh_host_factory):
    host = ssh_host_factory()
    host_id = await add(application, host)
    await accept(application, host_id)
    await application.hosts.connect(host_id)
    host.rotate_host_key()
    await until_state(application, host_id, HostState.FAILED)
    error = application.hosts.find(host_id).error
    assert error.code is ErrorCode.HOST_KEY_CHANGED


async def test_silent_nvidia_smi_costs_only_its_own_facts(application, ssh_host_factory):
    host = ssh_host_factory()
    host.fail("no-driver")
    host_id = await add(application, host)
    await accept(application, host_id)
    await application.hosts.connect(host_id)
    fingerprint = await application.hosts.take_fingerprint(host_id)
    assert fingerprint.machine.kernel
    assert fingerprint.driver_version is None or fingerprint.warnings


async def test_this_machine_is_a_host_too(application):
    local = HostSettings(id=HostId(""), name="here", kind=HostKind.LOCAL)
    host_id = (await application.hosts.add(local)).settings.id
    await application.hosts.connect(host_id)
    fingerprint = await application.hosts.take_fingerprint(host_id)
    assert fingerprint.source is HostSource.LOCAL
    assert fingerprint.memory.total_bytes
