"""Long work is cancelled at once and works when begun again.

Deploying has tests of its own (`test_deploy`, `tests/e2e/test_bad_deployments.py`), and so has a
host that hangs (`tests/integration/cancelling`).
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.bootstrap import Application, build
from app.core.events import ActivityChanged
from app.core.ids import HostId
from app.core.planning.plan import Goal
from app.io.demo.containers import DemoPace

MODEL = "/models/qwen2.5-7b-instruct"


@dataclass
class Desk:
    """An application with the connected demo host."""

    app: Application
    host: HostId
    file: Path


@pytest.fixture
async def desk(tmp_path):
    app = build(home=tmp_path / "home", demo_pace=DemoPace(speed=200, visitors=False))
    await app.start()
    host = (await app.hosts.add_demo()).settings.id
    await app.hosts.connect(host)
    await app.hosts.take_fingerprint(host)
    log = tmp_path / "engine.log"
    log.write_text("INFO starting\n" * 4_000, "utf-8")
    yield Desk(app=app, host=host, file=log)
    await app.close()


async def connect(desk: Desk) -> object:
    await desk.app.hosts.disconnect(desk.host)
    return await desk.app.hosts.connect(desk.host)


async def planned(desk: Desk) -> object:
    app = desk.app
    facts = await app.hosts.fingerprint(desk.host)
    return await app.planning.plan(facts, await app.models.read(desk.host, MODEL), Goal())


async def imported(desk: Desk) -> object:
    config = desk.file.with_name("ssh_config")
    config.write_text("".join(f"Host h{n}\n  HostName 192.0.2.{n}\n" for n in range(20)), "utf-8")
    return await desk.app.host_imports.preview(config)


async def compared(desk: Desk) -> object:
    facts = await desk.app.hosts.fingerprint(desk.host)
    return await desk.app.diffs.compare(facts, facts)


async def exported(desk: Desk) -> object:
    target = desk.file.with_name("facts.json")
    saved = await desk.app.hosts.export_fingerprint(desk.host, target)
    assert {path.name for path in target.parent.iterdir()} <= {"home", "engine.log", "facts.json"}
    return saved


WORK: dict[str, Callable[[Desk], Awaitable[object]]] = {
    "connect": connect,
    "fingerprint": lambda desk: desk.app.hosts.take_fingerprint(desk.host),
    "model search": lambda desk: desk.app.models.find(desk.host, "/models"),
    "model": lambda desk: desk.app.models.read(desk.host, MODEL),
    "model measured": lambda desk: desk.app.models.preflight(desk.host, MODEL, measure=True),
    "check": lambda desk: desk.app.checks.check(desk.host),
    "plan": planned,
    "comparison": compared,
    "export": exported,
    "ssh configuration": imported,
    "inspect": lambda desk: desk.app.inspecting.path(desk.file),
    "diagnose": lambda desk: desk.app.diagnosis.file(str(desk.file)),
}


@pytest.mark.parametrize("name", WORK)
async def test_cancelled_work_ends_at_once_and_can_be_begun_again(desk, name) -> None:
    told: list[ActivityChanged] = []
    stop = desk.app.bus.subscribe(
        lambda event: told.append(event) if isinstance(event, ActivityChanged) else None
    )
    for turns in (2, 25):
        task = asyncio.ensure_future(WORK[name](desk))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        done, _ = await asyncio.wait({task}, timeout=20)
        assert done == {task}
    stop()

    running = {event.id for event in told} - {event.id for event in told if event.finished}
    assert running == set(), "work that is over is still shown as running"
    assert await asyncio.wait_for(WORK[name](desk), 30) is not None
