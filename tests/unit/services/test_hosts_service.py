"""The hosts service with a scripted outside: list, connections, losses, fingerprints."""

import asyncio
import itertools
import json
from dataclasses import replace

import pytest
from fakes.hosts import ScriptedOutside, refusal

from app.core.errors import ErrorCode, HostError, StoreError, UserInputError
from app.core.events import (
    ActivityChanged,
    AuthMethod,
    FingerprintTaken,
    HostChanged,
    HostKind,
    HostRemoved,
    HostSettings,
    HostState,
)
from app.core.hardware.fingerprint import HostSource
from app.core.ids import HostId
from app.io.credentials import CredentialKind
from app.io.store.db import Database
from app.io.store.hosts import HostStore
from app.services.activities import Activities
from app.services.bus import EventBus
from app.services.hosts import HostService

SSH = HostSettings(id=HostId(""), name="gpu-a", kind=HostKind.SSH, address="gpu.example", user="u")


@pytest.fixture
def outside():
    outside = ScriptedOutside()
    yield outside
    outside.parts.secrets.close()


@pytest.fixture
def heard():
    return []


@pytest.fixture
async def database(tmp_path):
    database = Database(tmp_path / "pitwall.db", now=lambda: "2030-01-01T00:00:00Z")
    await database.open()
    yield database
    await database.close()


@pytest.fixture
async def hosts(outside, heard, database, fake_clock):
    bus = EventBus()
    bus.subscribe(heard.append)
    service = HostService(
        parts=outside.parts,
        store=HostStore(database),
        bus=bus,
        clock=fake_clock,
        activities=Activities(bus),
    )
    yield service
    await service.close()


@pytest.fixture
async def host(hosts):
    return (await hosts.add(SSH)).settings.id


def states(heard):
    shown = []
    for event in heard:
        if isinstance(event, HostChanged) and event.snapshot.state not in shown[-1:]:
            shown.append(event.snapshot.state)
    return shown


async def start_connecting(hosts, host, outside):
    """Return the task of a connecting that now hangs at the gate."""
    outside.gate = asyncio.Event()
    task = asyncio.create_task(hosts.connect(host))
    await outside.at_gate.wait()
    return task


# The list


async def test_added_host_gets_an_id_and_is_not_contacted(hosts, outside):
    snapshot = await hosts.add(SSH)
    assert snapshot.settings.id
    assert snapshot.state is HostState.DISCONNECTED
    assert outside.secrets_seen == []


async def test_revisions_rise_with_every_change(hosts, host, heard):
    await hosts.connect(host)
    await hosts.disconnect(host)
    revisions = [event.snapshot.revision for event in heard if isinstance(event, HostChanged)]
    assert revisions == sorted(set(revisions))


@pytest.mark.usefixtures("host")
async def test_name_is_taken_whatever_its_case(hosts):
    with pytest.raises(UserInputError) as caught:
        await hosts.add(replace(SSH, name="GPU-A"))
    assert caught.value.code is ErrorCode.NAME_TAKEN


async def test_all_wrong_fields_are_named_at_once(hosts):
    wrong = replace(SSH, name="a/b", address="", port=0, user="a b", auth=AuthMethod.KEY)
    with pytest.raises(UserInputError) as caught:
        await hosts.add(wrong)
    fields = caught.value.params["field"].split(",")
    assert fields == ["name", "address", "port", "user", "key_file"]
    assert all(caught.value.params[field] for field in fields)


async def test_host_is_found_by_name_any_case_and_id(hosts, host):
    assert hosts.find("gpu-a") == hosts.find("GPU-A") == hosts.find(host)


@pytest.mark.usefixtures("host")
async def test_near_name_is_suggested(hosts):
    with pytest.raises(UserInputError) as caught:
        hosts.find("gpu-b")
    assert caught.value.params["suggestion"] == "gpu-a"


@pytest.mark.parametrize(("names", "hint"), [((), "no hosts yet"), (("zzzz",), "zzzz")])
async def test_unknown_name_says_what_there_is(hosts, names, hint):
    for name in names:
        await hosts.add(replace(SSH, name=name))
    with pytest.raises(UserInputError, match="gpu-b") as caught:
        hosts.find("gpu-b")
    assert hint in caught.value.remedy


async def test_demo_host_is_added_once_and_knows_its_models(hosts):
    first = await hosts.add_demo()
    assert await hosts.add_demo() == first
    assert first.settings.model_folder == "/models"
    assert first.settings.kind is HostKind.DEMO


async def test_demo_host_gets_another_name_when_its_own_is_taken(hosts):
    await hosts.add(replace(SSH, name="demo"))
    assert (await hosts.add_demo()).settings.name == "demo-2"


async def test_changed_address_closes_the_connection(hosts, host, outside):
    await hosts.connect(host)
    await hosts.update(replace(hosts.find(host).settings, address="other.example"))
    assert not outside.transports[0].is_alive
    assert hosts.find(host).state is HostState.DISCONNECTED


async def test_changed_name_keeps_the_connection(hosts, host, outside):
    await hosts.connect(host)
    snapshot = await hosts.update(replace(hosts.find(host).settings, name="new", notes="n"))
    assert (snapshot.settings.name, snapshot.state) == ("new", HostState.CONNECTED)
    assert outside.transports[0].is_alive


async def test_removed_host_is_disconnected_and_forgotten(hosts, host, outside, heard):
    await hosts.connect(host, password="p")
    await hosts.remove(host)
    assert hosts.snapshot() == ()
    assert not outside.transports[0].is_alive
    assert await outside.parts.secrets.recall(host, CredentialKind.PASSWORD) is None
    assert heard[-1] == HostRemoved(host_id=host)


# The connection


async def test_connecting_goes_through_its_states(hosts, host, heard):
    snapshot = await hosts.connect(host)
    assert (snapshot.state, snapshot.latency_s) == (HostState.CONNECTED, 0.003)
    assert states(heard) == [HostState.DISCONNECTED, HostState.CONNECTING, HostState.CONNECTED]
    assert snapshot.last_seen_at == "2030-01-01T00:00:00Z"


async def test_connecting_twice_keeps_the_one_connection(hosts, host, outside):
    await asyncio.gather(hosts.connect(host), hosts.connect(host))
    assert len(outside.transports) == 1


async def test_failure_is_shown_and_raised(hosts, host, outside):
    outside.answers = [refusal(ErrorCode.HOST_UNREACHABLE)]
    with pytest.raises(HostError):
        await hosts.connect(host)
    snapshot = hosts.find(host)
    assert (snapshot.state, snapshot.error.code) == (HostState.FAILED, ErrorCode.HOST_UNREACHABLE)


async def test_password_is_remembered_while_the_key_is_being_accepted(hosts, host, outside):
    outside.answers = [refusal(ErrorCode.HOST_KEY_UNKNOWN, sha256="SHA256:x")]
    with pytest.raises(HostError):
        await hosts.connect(host, password="secret")
    await hosts.accept_key(host, "SHA256:x")
    await hosts.connect(host)
    assert outside.accepted == [("gpu-a", "SHA256:x")]
    assert outside.secrets_seen == [("secret", None), ("secret", None)]


async def test_wrong_password_is_forgotten_and_a_good_passphrase_kept(hosts, host, outside):
    outside.answers = [refusal(ErrorCode.AUTH_FAILED)]
    with pytest.raises(HostError):
        await hosts.connect(host, password="wrong", passphrase="pp")
    assert await outside.parts.secrets.recall(host, CredentialKind.PASSWORD) is None
    assert await outside.parts.secrets.recall(host, CredentialKind.PASSPHRASE) == "pp"
    outside.answers = [refusal(ErrorCode.AUTH_FAILED, what="passphrase")]
    with pytest.raises(HostError):
        await hosts.connect(host)
    assert await outside.parts.secrets.recall(host, CredentialKind.PASSPHRASE) is None


async def test_secret_stands_in_no_event_and_no_store(hosts, host, heard, database):
    await hosts.connect(host, password="s3cr3t", passphrase="pa55")
    rows = await database.run(lambda db: db.execute("SELECT document FROM hosts").fetchall())
    everything = repr(heard) + repr(rows) + repr(hosts.snapshot())
    assert "s3cr3t" not in everything
    assert "pa55" not in everything


async def test_cancelled_connecting_ends_disconnected(hosts, host, outside, heard):
    task = await start_connecting(hosts, host, outside)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert hosts.find(host).state is HostState.DISCONNECTED
    activities = [event for event in heard if isinstance(event, ActivityChanged)]
    assert activities[-1].error.code is ErrorCode.CANCELLED


async def test_disconnecting_calls_off_a_connecting_that_hangs(hosts, host, outside):
    task = await start_connecting(hosts, host, outside)
    await hosts.disconnect(host)
    with pytest.raises(HostError) as caught:
        await task
    assert caught.value.code is ErrorCode.CANCELLED
    assert hosts.find(host).state is HostState.DISCONNECTED
    assert hosts.find(host).error is None


async def test_lost_host_is_shown_and_comes_back(hosts, host, outside, fake_clock):
    await hosts.connect(host, password="p")
    outside.transports[0].is_alive = False
    await fake_clock.advance(0.6)
    assert hosts.find(host).state is HostState.LOST
    assert hosts.find(host).error.code is ErrorCode.CONNECTION_LOST
    await fake_clock.advance(1.0)
    assert hosts.find(host).state is HostState.CONNECTED
    assert outside.secrets_seen[-1] == ("p", None)


async def test_pauses_between_tries_grow(hosts, host, outside, fake_clock):
    await hosts.connect(host)
    outside.answers = [refusal(ErrorCode.HOST_UNREACHABLE)] * 5
    outside.transports[0].is_alive = False
    tried_at = []
    seen = len(outside.secrets_seen)
    for _tenth in range(400):
        await fake_clock.advance(0.1)
        if len(outside.secrets_seen) > seen:
            seen = len(outside.secrets_seen)
            tried_at.append(fake_clock.monotonic_s())
    pauses = [round(b - a) for a, b in itertools.pairwise(tried_at)]
    assert pauses == [2, 4, 8, 15]


async def test_coming_back_stops_where_a_person_must_decide(hosts, host, outside, fake_clock):
    await hosts.connect(host)
    outside.answers = [refusal(ErrorCode.HOST_KEY_CHANGED)]
    outside.transports[0].is_alive = False
    await fake_clock.advance(60)
    assert hosts.find(host).state is HostState.FAILED
    assert len(outside.secrets_seen) == 2


async def test_latency_is_shown_when_it_changes(hosts, host, outside, fake_clock, heard):
    await hosts.connect(host)
    await fake_clock.advance(1)
    quiet = len(heard)
    await fake_clock.advance(3)
    assert len(heard) == quiet
    outside.transports[0].latency_s = 0.05
    await fake_clock.advance(0.6)
    assert hosts.find(host).latency_s == 0.05


async def test_disconnecting_a_lost_host_stops_the_tries(hosts, host, outside, fake_clock):
    await hosts.connect(host)
    outside.transports[0].is_alive = False
    await fake_clock.advance(0.6)
    await hosts.disconnect(host)
    await fake_clock.advance(120)
    assert hosts.find(host).state is HostState.DISCONNECTED
    assert len(outside.secrets_seen) == 1


async def test_connecting_a_lost_host_by_hand_does_not_wait(hosts, host, outside, fake_clock):
    await hosts.connect(host)
    outside.transports[0].is_alive = False
    await fake_clock.advance(0.6)
    assert (await hosts.connect(host)).state is HostState.CONNECTED


async def test_transport_of_an_unconnected_host_is_refused(hosts, host):
    with pytest.raises(HostError) as caught:
        hosts.transport(host)
    assert caught.value.code is ErrorCode.NOT_CONNECTED


async def test_container_engine_is_asked_for_once_per_connection(hosts, host, outside):
    await hosts.connect(host)
    first, second = await asyncio.gather(hosts.container_engine(host), hosts.container_engine(host))
    assert first is second
    await hosts.disconnect(host)
    assert outside.containers[0].closings == 1
    with pytest.raises(HostError):
        await hosts.container_engine(host)
    await hosts.connect(host)
    assert await hosts.container_engine(host) is not first


async def test_closing_ends_every_connection(hosts, host, outside):
    await hosts.connect(host)
    await hosts.close()
    assert outside.transports[0].closings == 1


# Fingerprints


async def test_fingerprint_is_kept_announced_and_summarised(hosts, host, heard):
    await hosts.connect(host)
    taken = await hosts.take_fingerprint(host)
    assert (taken.source, taken.simulated, taken.host_name) == (HostSource.SSH, False, "gpu-a")
    assert await hosts.fingerprint(host) == taken
    assert hosts.find(host).summary.taken_at == taken.taken_at
    assert FingerprintTaken(host_id=host, taken_at=taken.taken_at) in heard
    busy = [e.snapshot.is_busy for e in heard if isinstance(e, HostChanged)]
    assert True in busy
    assert not busy[-1]


async def test_demo_fingerprint_is_marked_as_simulated(hosts):
    demo = (await hosts.add_demo()).settings.id
    await hosts.connect(demo)
    taken = await hosts.take_fingerprint(demo)
    assert (taken.simulated, taken.source) == (True, HostSource.RECORDED)


async def test_fingerprint_needs_a_connection(hosts, host):
    with pytest.raises(HostError) as caught:
        await hosts.take_fingerprint(host)
    assert caught.value.code is ErrorCode.NOT_CONNECTED
    assert await hosts.fingerprint(host) is None


async def test_failed_fingerprint_ends_being_busy(hosts, host, outside, heard):
    await hosts.connect(host)
    outside.sections = refusal(ErrorCode.COMMAND_TIMEOUT)
    with pytest.raises(HostError):
        await hosts.take_fingerprint(host)
    assert not hosts.find(host).is_busy
    assert [e for e in heard if isinstance(e, ActivityChanged)][-1].error.code is (
        ErrorCode.COMMAND_TIMEOUT
    )


async def test_fingerprint_survives_a_full_disk_for_this_session(hosts, host, database):
    await hosts.connect(host)
    await database.run(lambda db: db.execute("DROP TABLE fingerprints"))
    with pytest.raises(StoreError):
        await hosts.take_fingerprint(host)
    assert await hosts.fingerprint(host) is not None


async def test_history_and_newest_come_from_the_store_after_a_restart(
    hosts, host, outside, database, fake_clock
):
    await hosts.connect(host)
    await hosts.take_fingerprint(host)
    fake_clock.set_forward(60)
    newest = await hosts.take_fingerprint(host)
    bus = EventBus()
    again = HostService(
        parts=outside.parts,
        store=HostStore(database),
        bus=bus,
        clock=fake_clock,
        activities=Activities(bus),
    )
    await again.load()
    assert await again.fingerprint(host) == newest
    history = await again.fingerprint_history(host)
    assert len(history) == 2
    assert await again.stored_fingerprint(history[0].id) == newest
    assert again.find(host).summary.taken_at == newest.taken_at


async def test_export_writes_the_newest_with_its_raw_sections(hosts, host, tmp_path):
    with pytest.raises(StoreError):
        await hosts.export_fingerprint(host, tmp_path / "f.json")
    await hosts.connect(host)
    await hosts.take_fingerprint(host)
    path = await hosts.export_fingerprint(host, tmp_path / "f.json")
    document = json.loads(path.read_text())
    assert document["schema"] == "pitwall.fingerprint/1"
    assert "sections" in document


async def test_export_to_a_missing_folder_is_refused(hosts, host, tmp_path):
    await hosts.connect(host)
    await hosts.take_fingerprint(host)
    with pytest.raises(StoreError) as caught:
        await hosts.export_fingerprint(host, tmp_path / "gone" / "f.json")
    assert caught.value.code is ErrorCode.FILE_UNWRITABLE


async def test_disconnecting_calls_off_what_still_waits_for_its_turn(hosts, host, outside):
    first = await start_connecting(hosts, host, outside)
    second = asyncio.create_task(hosts.connect(host))
    await asyncio.sleep(0)
    await hosts.disconnect(host)
    for task in (first, second):
        with pytest.raises(HostError) as caught:
            await task
        assert caught.value.code is ErrorCode.CANCELLED
    assert len(outside.secrets_seen) == 1


async def test_disconnecting_while_a_lost_connection_closes_closes_all_of_it(
    hosts, host, outside, fake_clock
):
    await hosts.connect(host)
    await hosts.container_engine(host)
    may_close = asyncio.Event()

    async def close_slowly():
        await may_close.wait()
        outside.containers[0].closings += 1

    outside.containers[0].close = close_slowly
    outside.transports[0].is_alive = False
    await fake_clock.advance(0.6)  # the loss is noticed, closing begins
    ending = asyncio.create_task(hosts.disconnect(host))
    await asyncio.sleep(0)
    may_close.set()
    await ending
    assert (outside.containers[0].closings, outside.transports[0].closings) == (1, 1)


async def sent_fingerprint(hosts, host):
    await hosts.connect(host)
    return replace(await hosts.take_fingerprint(host), taken_at="2026-01-02T03:04:05Z")


async def test_what_somebody_sent_becomes_a_host_that_is_found_again(hosts, host, heard):
    sent = await sent_fingerprint(hosts, host)
    record = await hosts.add_record(sent, "customer/box.json")
    again = await hosts.add_record(sent, "customer/box.json")
    assert (record.settings.name, again.settings.name) == ("customer-box", "customer-box-2")
    assert record.is_record
    assert record.summary is not None
    assert record.last_seen_at == "2026-01-02T03:04:05Z"
    kept = await hosts.fingerprint(record.settings.id)
    assert (kept.host_name, kept.host_id) == ("customer-box", record.settings.id)
    assert await hosts.take_fingerprint(record.settings.id) == kept
    assert FingerprintTaken(host_id=record.settings.id, taken_at=sent.taken_at) in heard


async def test_a_record_is_never_connected(hosts, host, outside):
    record = await hosts.add_record(await sent_fingerprint(hosts, host), "box")
    made = len(outside.transports)
    for reach in (hosts.connect(record.settings.id), hosts.container_engine(record.settings.id)):
        with pytest.raises(HostError) as refused:
            await reach
        assert refused.value.code is ErrorCode.HOST_IS_RECORD
    assert len(outside.transports) == made
    assert hosts.find(record.settings.id).state is HostState.DISCONNECTED


@pytest.mark.parametrize("name", ["", "///", ".json", "-", "a@b:c", "x" * 90, "机器 1"])
async def test_any_name_of_a_file_can_name_a_record(hosts, host, name):
    sent = await sent_fingerprint(hosts, host)
    for _ in range(2):
        assert (await hosts.add_record(sent, name)).settings.name


async def test_a_record_whose_facts_cannot_be_kept_does_not_stay(hosts, host, database):
    sent = await sent_fingerprint(hosts, host)
    trigger = (
        "CREATE TRIGGER full BEFORE INSERT ON fingerprints BEGIN SELECT RAISE(ABORT, 'x'); END"
    )
    await database.run(lambda db: db.execute(trigger))
    with pytest.raises(StoreError):
        await hosts.add_record(sent, "box")
    assert "box" not in [snapshot.settings.name for snapshot in hosts.snapshot()]
