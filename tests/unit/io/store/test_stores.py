"""Hosts, fingerprints, journal and small things survive in the store."""

from dataclasses import replace

import pytest

from app.core.deployment.spec import ContainerSpec, DeploymentSpec
from app.core.errors import DataFileError, ErrorCode, ErrorInfo, UserInputError
from app.core.events import HostKind, HostSettings
from app.core.hardware.fingerprint import Fingerprint, FingerprintSummary, HostSource
from app.core.ids import HostId
from app.io.store.hosts import HostStore
from app.io.store.journal import JournalEntry, JournalStep, JournalStore
from app.io.store.last_used import LastUsedStore

HOST = HostSettings(id=HostId("1"), name="a", kind=HostKind.SSH, address="gpu", notes="机架 3")


def fingerprint(at):
    return Fingerprint(source=HostSource.SSH, taken_at=at, parser_version="1", host_id="1")


def summary(at):
    return FingerprintSummary(
        gpu_text="2 × NVIDIA H200",
        gpu_count=2,
        driver_version="580",
        container_text="",
        memory_total_mib=None,
        memory_used_mib=None,
        taken_at=at,
    )


@pytest.fixture
def hosts(database):
    return HostStore(database)


async def test_hosts_come_back_in_the_order_they_were_added(hosts):
    second = HostSettings(id=HostId("0"), name="b", kind=HostKind.LOCAL)
    await hosts.save(HOST, now="2026-01-01T00:00:00Z")
    await hosts.save(second, now="2026-01-02T00:00:00Z")
    assert [stored.settings for stored in await hosts.all()] == [HOST, second]


async def test_host_comes_with_its_newest_summary_and_when_it_was_seen(hosts):
    await hosts.save(HOST, now="t")
    for day in ("2031-01-02", "2026-01-02", "2026-01-03"):  # the clock was set right in between
        await hosts.add_fingerprint(HOST.id, fingerprint(day), summary(day))
    await hosts.set_seen(HOST.id, "2026-01-04")
    (stored,) = await hosts.all()
    assert stored.summary == summary("2026-01-03")
    assert stored.last_seen_at == "2026-01-04"


async def test_history_is_kept_newest_first(hosts):
    await hosts.save(HOST, now="t")
    for day in ("2026-01-01", "2026-01-02"):
        await hosts.add_fingerprint(HOST.id, fingerprint(day), summary(day))
    entries = await hosts.history(HOST.id)
    assert [entry.taken_at for entry in entries] == ["2026-01-02", "2026-01-01"]
    assert await hosts.fingerprint(entries[1].id) == fingerprint("2026-01-01")
    assert await hosts.newest_fingerprint(HOST.id) == fingerprint("2026-01-02")


async def test_removed_host_takes_its_fingerprints_along(hosts):
    await hosts.save(HOST, now="t")
    await hosts.add_fingerprint(HOST.id, fingerprint("d"), summary("d"))
    await hosts.remove(HOST.id)
    assert await hosts.all() == ()
    assert await hosts.newest_fingerprint(HOST.id) is None


async def test_unreadable_fingerprint_is_said_and_stays(hosts, database):
    await hosts.save(HOST, now="t")
    await hosts.add_fingerprint(HOST.id, fingerprint("d"), summary("d"))
    await database.run(lambda db: db.execute("UPDATE fingerprints SET document = '{}'"))
    with pytest.raises(DataFileError) as caught:
        await hosts.newest_fingerprint(HOST.id)
    assert caught.value.code is ErrorCode.FINGERPRINT_BROKEN


async def test_host_that_cannot_be_read_is_told_and_keeps_no_other_away(hosts, database):
    for number in ("1", "2"):
        await hosts.save(replace(HOST, id=HostId(number), name=f"gpu-{number}"), now=number)
    await database.run(lambda db: db.execute("UPDATE hosts SET document = '{' WHERE id = '1'"))
    assert [host.settings.name for host in await hosts.all()] == ["gpu-2"]
    assert [host.settings.name for host in await hosts.all()] == ["gpu-2"]
    (notice,) = database.notices
    assert (notice.code, notice.params["host"]) == (ErrorCode.STORE_BROKEN, "gpu-1")
    rows = await database.run(lambda db: db.execute("SELECT count(*) FROM hosts").fetchone())
    assert rows == (2,)


async def test_broken_summary_costs_only_itself(hosts, database):
    await hosts.save(HOST, now="t")
    await hosts.add_fingerprint(HOST.id, fingerprint("d"), summary("d"))
    await database.run(lambda db: db.execute("UPDATE fingerprints SET summary = '7'"))
    (host,) = await hosts.all()
    assert (host.settings, host.summary) == (HOST, None)
    assert await hosts.history(HOST.id) == ()


async def test_name_that_another_pitwall_just_took_is_refused(hosts):
    await hosts.save(HOST, now="t")
    with pytest.raises(UserInputError) as caught:
        await hosts.save(replace(HOST, id=HostId("other")), now="t")
    assert caught.value.code is ErrorCode.NAME_TAKEN


async def test_journal_tells_what_was_done_and_how_it_ended(database):
    journal = JournalStore(database)
    spec = DeploymentSpec(
        host_id="1",
        name="chat",
        revision=1,
        engine="vllm",
        engine_version="0.26.0",
        model_name="m",
        model_path="/m",
        image="i",
        image_id="",
        container=ContainerSpec(name="c", image="i", command=(), container_port=1, host_port=0),
        plan_digest="d",
    )
    entry = JournalEntry(
        id="j1",
        host_id=HostId("1"),
        name="chat",
        revision=1,
        operation="deploy",
        spec=spec,
        started_at="2026-01-01",
    )
    error = ErrorInfo(code=ErrorCode.PORT_IN_USE, cause="c", remedy="r")
    await journal.begin(entry)
    await journal.step("j1", JournalStep(at="t1", step="creating"))
    await journal.step("j1", JournalStep(at="t2", step="starting", detail="x"))
    await journal.finish("j1", at="2026-01-02", outcome="failed", error=error)
    (read,) = await journal.entries(HostId("1"), "chat")
    assert (read.spec, read.outcome, read.error) == (spec, "failed", error)
    assert [step.step for step in read.steps] == ["creating", "starting"]
    assert await journal.entries(HostId("1"), "other") == ()


async def test_a_spec_of_another_version_costs_only_itself(database):
    journal = JournalStore(database)
    await journal.begin(
        JournalEntry(
            id="1", host_id=HostId("1"), name="chat", revision=1, operation="deploy", started_at="t"
        )
    )
    await database.run(lambda db: db.execute('UPDATE journal SET spec = \'{"shape": "another"}\''))
    (entry,) = await journal.entries(HostId("1"))
    assert (entry.operation, entry.spec) == ("deploy", None)


async def test_operation_that_was_cut_short_is_found(database):
    journal = JournalStore(database)
    for number, outcome in (("1", None), ("2", "done")):
        await journal.begin(
            JournalEntry(
                id=number,
                host_id=HostId("1"),
                name="chat",
                revision=1,
                operation="stop",
                started_at=number,
            )
        )
        if outcome:
            await journal.finish(number, at="t", outcome=outcome)
    assert [entry.id for entry in await journal.unfinished()] == ["1"]
    assert [entry.id for entry in await journal.entries(HostId("1"))] == ["2", "1"]


async def test_newest_value_of_a_key_counts(database):
    kept = LastUsedStore(database)
    assert await kept.get("goal") is None
    await kept.put("goal", "latency", now="t")
    await kept.put("goal", "throughput", now="t")
    assert await kept.get("goal") == "throughput"
