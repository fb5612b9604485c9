"""An estimate knows what the desk knows, though it opens no application."""

import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest
from fakes.known_desk import fill
from fakes.planning_world import gpu_host, safetensors_model

from app.bootstrap import build
from app.bootstrap.estimating import Estimating
from app.core.hardware.packing import is_outdated
from app.core.hardware.sections import RawSection
from app.io.folders import find_folders

MODEL = safetensors_model()


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("PITWALL_HOME", str(tmp_path))
    return tmp_path


def on_h200(service, estimator):
    asked = service.asked(
        model=MODEL, engine="vllm", version="0.26.0", gpu_name="NVIDIA H200", gpu_count=2
    )
    return asked.estimate(estimator)


def change(home, *statements):
    with closing(sqlite3.connect(find_folders(home).store_file)) as store, store:
        for statement in statements:
            store.execute(*statement)


async def test_hosts_and_lessons_are_those_of_the_application(home):
    await fill(home, MODEL)
    application = build(home=home, only_what_is_used=True)
    await application.start()
    try:
        owned = await application.sizing.owned()
        taught = on_h200(
            application.planning.estimating, await application.planning.learned_estimator()
        )
    finally:
        await application.close()
    estimating = Estimating()
    assert estimating.owned() == owned
    assert [host.name for host in owned.hosts] == ["one", "two"]
    found = on_h200(estimating.service, estimating.learned_estimator())
    assert found == taught
    assert found.corrections["non_torch_bytes"] > 0


async def test_facts_that_cannot_be_read_are_named(home):
    await fill(home, MODEL, starts=0)
    change(home, ("UPDATE fingerprints SET document = '{}' WHERE id = 1",))
    owned = Estimating().owned()
    assert (owned.unread, [host.name for host in owned.hosts]) == (("one",), ["two"])


async def test_facts_of_an_older_pitwall_are_read_again(home):
    query = RawSection(name="uname", command="uname -a", exit_code=0, stdout="Linux h 6.1 x86_64")
    old = replace(gpu_host(), parser_version="1", sections=(query,))
    assert is_outdated(old)
    application = build(home=home, only_what_is_used=True)
    await application.start()
    try:
        await application.hosts.add_record(old, "old")
    finally:
        await application.close()
    # What the tools printed names no GPU: today's parsers find none, and such a host offers none.
    assert Estimating().owned().hosts == ()


@pytest.mark.parametrize("content", [None, b"", b"no database at all" * 100])
def test_without_a_store_that_can_be_read_nothing_is_known(home, content):
    file = find_folders(home).store_file
    if content is not None:
        file.parent.mkdir(parents=True)
        file.write_bytes(content)
    estimating = Estimating()
    alone = estimating.service.estimator()
    assert estimating.owned() is None
    assert on_h200(estimating.service, estimating.learned_estimator()) == on_h200(
        estimating.service, alone
    )
    assert content is None or file.read_bytes() == content
