"""The demo host: its facts, its models, its GPUs and what its containers do to them."""

import asyncio
import json
from dataclasses import replace

import pytest

from app.core import labels
from app.core.deployment.spec import ContainerSpec, Mount
from app.core.errors import DockerError, ErrorCode, HostError
from app.core.hardware.assemble import assemble_fingerprint
from app.core.hardware.fingerprint import GpuAccess, HostSource
from app.core.labels import DeploymentLabels
from app.core.logs.phases import PhaseTracker
from app.core.logs.reader import LogReader
from app.io.datafiles import data_root, load_engines
from app.io.demo.containers import image_id
from app.io.demo.models import kv_bytes_per_token, load_demo_models
from app.io.demo.playing import DemoPace, load_of
from app.io.demo.transport import DemoTransport
from app.io.demo.visitors import Visitors, visit_rate
from app.io.demo.world import DemoWorld
from app.io.probes import probe

QWEN = "/models/qwen2.5-7b-instruct"
GPUS = ("GPU-00000000-0000-4000-8000-000000000000", "GPU-00000000-0000-4000-8000-000000000001")


def spec(name="chat", *, model=QWEN, port=8000, gpus=GPUS[:1], engine="vllm", **more):
    told = DeploymentLabels(
        deployment=name,
        revision=1,
        engine=engine,
        engine_version="0.26.0",
        model="qwen",
        port=port,
        plan_digest="",
    )
    wanted = ContainerSpec(
        name=f"pitwall-{name}-r1",
        image="vllm/vllm-openai:v0.26.0",
        command=("/model", "--max-model-len", "16384", "--served-model-name=qwen"),
        mounts=(Mount(source=model, target="/model"),),
        container_port=8000,
        host_port=port,
        gpu_uuids=gpus,
        labels=told.to_labels(),
    )
    return replace(wanted, **more)


async def launch(world, wanted):
    container = await world.containers.create(wanted, image_id=image_id(wanted.image), secrets={})
    await world.containers.start(container)
    return container


async def serve(world, wanted):
    container = await launch(world, wanted)
    await world.containers._find(container).engine.ready.wait()
    return container


async def log_of(world, container):
    return [line.text async for line in world.containers.logs(container, follow=True)]


@pytest.fixture
async def transport(demo_world):
    transport = DemoTransport("demo", demo_world)
    yield transport
    await transport.close()


async def query(transport, *columns):
    wanted = f"--query-gpu={','.join(columns)}"
    result = await transport.run(
        ["nvidia-smi", wanted, "--format=csv,noheader,nounits"], timeout_s=5
    )
    return [line.split(", ") for line in result.stdout.decode().splitlines()]


# Facts


async def test_probe_finds_two_h200_and_a_simulated_docker(transport):
    sections = await probe(transport)
    fingerprint = assemble_fingerprint(
        sections, source=HostSource.RECORDED, taken_at="t", simulated=True
    )
    assert [gpu.uuid for gpu in fingerprint.gpus] == list(GPUS)
    assert {gpu.memory_total_mib for gpu in fingerprint.gpus} == {143771}
    assert {gpu.memory_used_mib for gpu in fingerprint.gpus} == {0}
    assert fingerprint.topology.nvlink_islands == ((0, 1),)
    assert fingerprint.containers.gpu_access is GpuAccess.NVIDIA_RUNTIME
    assert fingerprint.containers.reachable
    simulated = [s for s in sections if "simulated" in s.command]
    assert {"docker-info", "docker-version"} <= {section.name for section in simulated}


async def test_probe_sees_the_memory_that_an_engine_holds(transport, demo_world):
    await serve(demo_world, spec())
    fingerprint = assemble_fingerprint(
        await probe(transport), source=HostSource.RECORDED, taken_at="t", simulated=True
    )
    assert [gpu.memory_used_mib for gpu in fingerprint.gpus] == [132618, 0]
    assert [process.gpu_uuid for process in fingerprint.gpu_processes] == [GPUS[0]]


async def test_recorded_calls_of_nvidia_smi_are_answered(transport):
    topology = await transport.run(["nvidia-smi", "topo", "-m"], timeout_s=5)
    assert b"NV18" in topology.stdout
    unknown = await transport.run(["nvidia-smi", "--gpu-reset"], timeout_s=5)
    assert unknown.exit_code != 0


async def test_column_that_was_not_recorded_fails_the_query_as_the_real_tool_does(transport):
    result = await transport.run(
        ["nvidia-smi", "--query-gpu=index,no.such", "--format=csv"], timeout_s=5
    )
    assert result.exit_code == 2
    assert b"no.such" in result.stdout


async def test_query_has_header_and_units_where_asked(transport):
    result = await transport.run(
        ["nvidia-smi", "--query-gpu", "index,memory.total", "--format", "csv"], timeout_s=5
    )
    assert result.stdout.decode().splitlines() == [
        "index, memory.total [MiB]",
        "0, 143771 MiB",
        "1, 143771 MiB",
    ]


# Samples over time


async def test_samples_stream_at_their_pace_until_left(fake_clock):
    world = DemoWorld(data_root(), clock=fake_clock)
    transport = DemoTransport("demo", world)
    argv = ["nvidia-smi", "--query-gpu=index", "--format=csv,noheader", "-lms", "1000"]
    async with transport.stream_lines(argv) as lines:
        assert [await anext(lines), await anext(lines)] == ["0", "1"]
        waiting = asyncio.ensure_future(anext(lines))
        await fake_clock.advance(0.5)
        assert not waiting.done()
        await fake_clock.advance(0.6)
        assert await waiting == "0"
    await transport.close()


async def test_stream_ends_with_an_error_when_the_connection_closes(demo_world):
    transport = DemoTransport("demo", demo_world)
    argv = ["nvidia-smi", "--query-gpu=index", "--format=csv,noheader", "-l", "60"]
    async with transport.stream_lines(argv) as lines:
        await anext(lines)
        await anext(lines)
        waiting = asyncio.ensure_future(anext(lines))
        await asyncio.sleep(0)
        await transport.close()
        with pytest.raises(HostError) as caught:
            await waiting
    assert caught.value.code is ErrorCode.CONNECTION_LOST


async def test_command_that_ends_streams_its_lines(transport):
    async with transport.stream_lines(["uname", "-a"]) as lines:
        assert (await anext(lines)).startswith("Linux")


async def test_streamed_query_with_a_wrong_column_fails(transport):
    for more in ([], ["-lms", "10"]):
        argv = ["nvidia-smi", "--query-gpu=nope", "--format=csv", *more]
        async with transport.stream_lines(argv) as lines:
            with pytest.raises(HostError) as caught:
                [line async for line in lines]
        assert caught.value.code is ErrorCode.COMMAND_FAILED


async def test_gpu_follows_the_engines_load_and_comes_to_rest(fake_clock):
    world = DemoWorld(data_root(), clock=fake_clock, pace=DemoPace(speed=1000, visitors=False))
    transport = DemoTransport("demo", world)
    container = await launch(world, spec())
    await fake_clock.advance(1)
    engine = world.containers._find(container).engine
    columns = ("memory.used", "utilization.gpu", "power.draw", "temperature.gpu")
    idle, other = await query(transport, *columns)
    engine.metrics.running = 20
    await fake_clock.advance(60)
    busy = (await query(transport, *columns))[0]
    await world.containers.stop(container)
    after = (await query(transport, *columns))[0]
    await transport.close()
    await world.close()
    assert (idle[0], idle[1], other[0]) == ("132618", "0", "0")
    assert int(busy[1]) > 90
    assert float(busy[2]) > 600
    assert int(busy[3]) > int(idle[3]) + 10
    assert after[:2] == ["0", "0"]


def test_load_rises_with_requests_and_stays_below_all():
    loads = [load_of(count) for count in (0, 1, 4, 16, 64)]
    assert loads == sorted(loads)
    assert loads[0] == 0
    assert loads[-1] <= 1


# Models


async def test_models_have_configs_and_headers_that_agree_with_measured_weights(transport):
    for model in load_demo_models(data_root()):
        config = json.loads(await transport.read_file(f"{model.path}/config.json"))
        assert config["num_hidden_layers"] == model.config["num_hidden_layers"]
        entries = await transport.list_folder(model.path)
        shards = [entry for entry in entries if entry.name.endswith(".safetensors")]
        total = 0
        for shard in shards:
            path = f"{model.path}/{shard.name}"
            length = int.from_bytes(await transport.read_file(path, length=8), "little")
            header = json.loads(await transport.read_file(path, offset=8, length=length))
            ends = [t["data_offsets"][1] for name, t in header.items() if name != "__metadata__"]
            assert shard.size_bytes == 8 + length + max(ends)
            total += max(ends)
        # vLLM counts a little more than the tensors: rotary tables and rounding.
        assert total / 2**30 == pytest.approx(model.weights_gib, rel=0.01)


def test_kv_bytes_per_token_are_layers_times_heads_times_two():
    qwen = load_demo_models(data_root())[0]
    assert kv_bytes_per_token(qwen) == 28 * 2 * 4 * 128 * 2


async def test_whole_weights_are_not_read(transport):
    with pytest.raises(HostError):
        await transport.read_file(f"{QWEN}/model-00001-of-00004.safetensors")
    end = await transport.read_file(
        f"{QWEN}/model-00001-of-00004.safetensors", offset=3_000_000_000, length=4
    )
    assert end == bytes(4)


# Containers


async def test_start_prints_the_phases_that_pitwall_knows_of_vllm(demo_world):
    container = await serve(demo_world, spec())
    await demo_world.containers.stop(container)
    lines = await log_of(demo_world, container)
    assert all(line.endswith("[simulated]") for line in lines)
    startup = load_engines(data_root())["vllm"].startup
    tracker, reader = PhaseTracker(startup), LogReader()
    tracker.begin(0)
    for number, line in enumerate(lines):
        tracker.feed(reader.feed_line(line), number)
    missed = [phase.phase for phase in tracker.phases() if phase.started_s is None]
    assert missed == []
    assert any("Available KV cache memory: 112.98 GiB" in line for line in lines)


async def test_container_is_marked_and_its_port_leads_to_the_engine(demo_world, transport):
    container = await serve(demo_world, spec())
    info = await demo_world.containers.inspect(container)
    assert info.labels[labels.SIMULATED] == "true"
    assert info.host_ports == {8000: 8000}

    def ask():
        channel = transport.open_tcp("127.0.0.1", 8000, timeout_s=2)
        channel.sendall(b"GET /health HTTP/1.0\r\n\r\n")
        answer = channel.recv(100)
        channel.close()
        return answer

    assert b"200 OK" in await transport.blocking(ask, timeout_s=5)
    await demo_world.containers.stop(container)
    with pytest.raises(HostError) as caught:
        await transport.blocking(ask, timeout_s=5)
    assert caught.value.code is ErrorCode.CHANNEL_REFUSED


async def test_channels_to_anything_else_are_refused(transport):
    with pytest.raises(HostError):
        transport.open_unix("/var/run/docker.sock", timeout_s=1)
    with pytest.raises(HostError):
        transport.open_command(["docker"], timeout_s=1)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"model": "/models/none"}, "config.json is missing"),
        ({"command": ("/model", "--gpu-memory-utilization", "0.11")}, "KV cache is needed"),
    ],
)
async def test_start_that_cannot_work_ends_with_its_reason(demo_world, changes, words):
    container = await launch(demo_world, spec(**changes))
    text = "\n".join(await log_of(demo_world, container))
    info = await demo_world.containers.inspect(container)
    assert words in text
    assert (info.status, info.exit_code) == ("exited", 1)


async def test_second_engine_on_a_full_gpu_fails_as_vllm_does(demo_world):
    await serve(demo_world, spec())
    second = await launch(demo_world, spec("two", port=8001))
    assert "less than desired GPU memory utilization" in (await log_of(demo_world, second))[-1]
    other_gpu = await serve(demo_world, spec("three", port=8002, gpus=GPUS[1:]))
    assert (await demo_world.containers.inspect(other_gpu)).status == "running"


async def test_tensor_parallel_engine_takes_both_gpus(demo_world, transport):
    command = ("/model", "--max-model-len", "16384", "--tensor-parallel-size", "2")
    await serve(demo_world, spec(gpus=GPUS, command=command))
    used = [int(row[0]) for row in await query(transport, "memory.used")]
    assert used[0] == used[1] > 130_000


async def test_engine_that_is_not_played_is_refused(demo_world):
    with pytest.raises(DockerError) as caught:
        await launch(demo_world, spec(engine="sglang"))
    assert "sglang" in caught.value.cause


async def test_gpu_that_is_not_there_is_refused(demo_world):
    with pytest.raises(DockerError) as caught:
        await launch(demo_world, spec(gpus=("GPU-1",)))
    assert caught.value.code is ErrorCode.GPU_RUNTIME_MISSING


async def test_running_container_is_removed_only_by_force(demo_world):
    container = await serve(demo_world, spec())
    with pytest.raises(DockerError):
        await demo_world.containers.remove(container)
    await demo_world.containers.remove(container, force=True)
    assert await demo_world.containers.containers() == ()


async def test_pull_shows_progress(demo_world):
    steps = [step async for step in demo_world.containers.pull("vllm/vllm-openai:v0.26.0")]
    assert steps[-1].done_bytes == steps[-1].total_bytes
    assert all("simulated" in step.status for step in steps)


async def test_raw_document_says_that_it_is_simulated(demo_world):
    container = await serve(demo_world, spec())
    raw = await demo_world.containers.raw_inspect(container)
    assert raw["Simulated"] is True


async def test_closing_the_world_ends_every_engine(demo_world):
    await serve(demo_world, spec())
    before = {task.get_name() for task in asyncio.all_tasks()}
    assert before
    await demo_world.close()
    assert asyncio.all_tasks() == {asyncio.current_task()}


# Visitors


async def test_visitors_keep_the_figures_moving(simulated_engine, fake_clock):
    generator = simulated_engine.generator
    generator._clock = fake_clock
    visitors = Visitors(generator, clock=fake_clock)
    visitors.start()
    await fake_clock.advance(10)
    assert simulated_engine.metrics.output_tokens > 100
    await visitors.stop()
    assert simulated_engine.metrics.running == 0
    assert simulated_engine.metrics.held_tokens == 0


def test_visits_come_in_waves():
    rates = [visit_rate(second) for second in range(180)]
    assert min(rates) == pytest.approx(0.3, abs=0.01)
    assert max(rates) == pytest.approx(4.0, abs=0.01)
