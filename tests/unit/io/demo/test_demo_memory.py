"""The demo host's containers outlive a session, and several Pitwalls see the same ones."""

import pytest

from app.core.deployment.spec import ContainerSpec, Mount
from app.core.errors import DockerError
from app.core.labels import DeploymentLabels
from app.io.datafiles import data_root
from app.io.demo.containers import image_id
from app.io.demo.engine_log import StartLine
from app.io.demo.memory import DemoMemory
from app.io.demo.playing import DemoPace, split_start
from app.io.demo.world import DemoWorld
from app.services.clock import SystemClock

GPU = "GPU-00000000-0000-4000-8000-000000000000"
SPEC = ContainerSpec(
    name="pitwall-chat-r1",
    image="vllm/vllm-openai:v0.26.0",
    command=("/model", "--max-model-len", "4096"),
    mounts=(Mount(source="/models/qwen2.5-7b-instruct", target="/model"),),
    container_port=8000,
    host_port=8000,
    gpu_uuids=(GPU,),
    secret_environment=("VLLM_API_KEY",),
    labels=DeploymentLabels(
        deployment="chat",
        revision=1,
        engine="vllm",
        engine_version="0.26.0",
        model="m",
        port=8000,
        plan_digest="d",
    ).to_labels(),
)


@pytest.fixture
async def open_world(tmp_path):
    worlds = []

    def make():
        worlds.append(
            DemoWorld(
                data_root(),
                clock=SystemClock(),
                pace=DemoPace(speed=1000, visitors=False),
                memory=DemoMemory(tmp_path / "demo" / "host.json"),
            )
        )
        return worlds[-1]

    yield make
    for world in worlds:
        await world.close()


async def launch(world):
    container = await world.containers.create(
        SPEC, image_id=image_id(SPEC.image), secrets={"VLLM_API_KEY": "s3cret"}
    )
    await world.containers.start(container)
    await world.containers._find(container).engine.ready.wait()
    return container


async def key_of(world, container):
    environment = (await world.containers.inspect(container)).environment
    return next(entry for entry in environment if entry.startswith("VLLM_API_KEY="))


async def test_running_container_goes_on_in_the_next_session(open_world):
    first = open_world()
    container = await launch(first)
    before = await first.containers.inspect(container)
    log = [line.text async for line in first.containers.logs(container, follow=False)]
    await first.close()
    second = open_world()
    after = await second.containers.inspect(container)
    again = [line.text async for line in second.containers.logs(container, follow=False)]
    assert (after.status, after.started_at) == ("running", before.started_at)
    assert after.labels == before.labels
    assert [line.split("] ")[-1] for line in again] == [line.split("] ")[-1] for line in log]
    assert second.gpus.used_mib(GPU) > 100_000
    assert second.containers.port_of(8000)


async def test_secret_is_not_written_and_made_anew(open_world, tmp_path):
    first = open_world()
    container = await launch(first)
    assert await key_of(first, container) == "VLLM_API_KEY=s3cret"
    assert "s3cret" not in (tmp_path / "demo" / "host.json").read_text()
    second = open_world()
    assert len(await key_of(second, container)) > 20
    assert await key_of(second, container) != "VLLM_API_KEY=s3cret"


async def test_what_one_pitwall_does_the_other_sees(open_world):
    window, command = open_world(), open_world()
    container = await launch(window)
    assert (await command.containers.inspect(container)).status == "running"
    await command.containers.stop(container)
    assert (await window.containers.inspect(container)).status == "exited"
    assert window.containers.port_of(8000) is None
    assert window.gpus.used_mib(GPU) == 0
    await window.containers.start(container)
    assert (await command.containers.inspect(container)).status == "running"
    await command.containers.remove(container, force=True)
    with pytest.raises(DockerError):
        await window.containers.inspect(container)


async def test_restart_by_another_pitwall_is_taken_over(open_world):
    window, command = open_world(), open_world()
    container = await launch(window)
    engine = window.containers._find(container).engine
    await command.containers.stop(container)
    await command.containers.start(container)
    info = await window.containers.inspect(container)
    assert info.status == "running"
    assert window.containers._find(container).engine is not engine


async def test_damaged_memory_is_passed_over(open_world, tmp_path):
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo" / "host.json").write_text("{")
    assert await open_world().containers.containers() == ()


async def test_unwritable_memory_does_not_stop_the_simulation(open_world, tmp_path):
    (tmp_path / "demo").write_text("in the way")
    world = open_world()
    container = await launch(world)
    assert (await world.containers.inspect(container)).status == "running"


async def test_forgotten_host_leaves_no_file(open_world, tmp_path):
    world = open_world()
    await launch(world)
    await world.forget()
    assert not (tmp_path / "demo" / "host.json").exists()


def test_start_is_taken_up_where_it_would_be_now():
    lines = [StartLine(wait_s=wait, text=str(wait)) for wait in (1, 2, 3, 4)]
    past, coming = split_start(lines, elapsed_s=2, speed=2)
    assert [(after, line.text) for after, line in past] == [(0.5, "1"), (1.5, "2")]
    assert [(line.wait_s, line.text) for line in coming] == [(2, "3"), (4, "4")]
