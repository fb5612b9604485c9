"""vLLM itself, on a CPU, fails in the ways that people meet, and the cause is named.

Each start takes 10 to 25 seconds on two idle cores; those that end before the model is loaded come
first. What Pitwall refuses beforehand is refused here as well, then done all the same.
"""

import asyncio
import socket
from dataclasses import replace

import pytest
from fixtures.containers import VLLM_VERSION
from fixtures.failing import Laboratory, is_explained, run_on_host_network

from app.core.deployment.spec import Profile, ProfileFlag
from app.core.errors import AppError, ErrorCode
from app.core.planning.plan import Goal

pytestmark = [
    pytest.mark.docker,
    pytest.mark.sshd,
    pytest.mark.engine,
    pytest.mark.timeout(400),
    pytest.mark.usefixtures("vllm_image"),
]

MIB = 1024**2

PROFILE = Profile(
    name="failing",
    engine="vllm",
    engine_version=VLLM_VERSION,
    model="ask",
    context_tokens=65536,
    concurrency=1,
    flags=(ProfileFlag(name="--max-model-len", value="65536"),),
)


def profile_with(name, value):
    return replace(PROFILE, flags=(*PROFILE.flags, ProfileFlag(name=name, value=value)))


@pytest.fixture
def model_path(model_folder):
    return str(model_folder)


@pytest.fixture
async def laboratory(site, ssh_host):
    host_id = await site.connect(ssh_host)
    spec = await site.planned(host_id, version=VLLM_VERSION, context_tokens=65536, concurrency=1)
    return Laboratory(site, host_id, spec)


async def test_bad_flag(laboratory):
    error = await laboratory.refused(profile_with("--no-such-flag", "1"))
    assert error.code is ErrorCode.FLAG_UNKNOWN

    await laboratory.fails(
        "bad-flag", "usage_error", command=laboratory.with_flags("--no-such-flag", "1")
    )


async def test_model_that_is_not_there(laboratory):
    site = laboratory.site
    with pytest.raises(AppError) as refused:
        await site.application.models.read(laboratory.host_id, "/models/nowhere")
    assert refused.value.code is ErrorCode.MODEL_NOT_FOUND

    command = ("/models/nowhere", *laboratory.spec.container.command[1:])
    await laboratory.fails("bad-path", "model_not_found", command=command)


async def test_port_that_is_taken(laboratory, docker_client, vllm_image, model_folder):
    spec = laboratory.spec
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(AppError) as refused:
            await laboratory.site.service.deploy(
                replace(spec, container=replace(spec.container, host_port=port)), may_pull=False
            )
        assert refused.value.code is ErrorCode.PORT_IN_USE
        failure = await asyncio.to_thread(
            run_on_host_network,
            docker_client,
            vllm_image,
            ["/models/tiny", "--host", "127.0.0.1", "--port", str(port), "--enforce-eager"],
            mounts={str(model_folder): "/models/tiny"},
            name="port-in-use",
            engine="vllm",
            version=VLLM_VERSION,
            cause="port_in_use",
        )
    is_explained(failure)


async def test_context_beyond_the_model(laboratory):
    site = laboratory.site
    fingerprint = await site.application.hosts.fingerprint(laboratory.host_id)
    model = await site.application.models.read(laboratory.host_id, site.model_path)
    goal = Goal(engine="vllm", cpu_only=True, context_tokens=999_999)
    result = await site.application.planning.plan(fingerprint, model, goal)
    assert [r.code for r in result.rejected if r.engine == "vllm"] == ["context_beyond_model"]

    await laboratory.fails(
        "context-too-large",
        "context_beyond_model",
        command=laboratory.with_flags("--max-model-len", "999999"),
    )


async def test_heads_that_cannot_be_divided(laboratory):
    error = await laboratory.refused(replace(PROFILE, tensor_parallel_size=3))
    assert error.code is ErrorCode.UNSUPPORTED_COMBINATION

    await laboratory.fails(
        "tp-not-divisible",
        "tp_not_divisible",
        command=laboratory.with_flags("--tensor-parallel-size", "3"),
    )


async def test_memory_limit(laboratory):
    failure = await laboratory.fails("memory-limit", "host_ram_oom", memory_limit_bytes=600 * MIB)
    assert failure.exit_code == 137


async def test_truncated_weights(laboratory, model_folder):
    weights = model_folder / "model.safetensors"
    whole = await asyncio.to_thread(weights.read_bytes)
    await asyncio.to_thread(weights.write_bytes, whole[: len(whole) // 2])
    error = await laboratory.refused(PROFILE)
    assert (error.code, "cut off" in error.cause) == (ErrorCode.MODEL_CONFIG_BROKEN, True)

    # Pitwall's user may not read it any more, so that the engine gets as far as the damage.
    weights.chmod(0o600)
    await laboratory.fails("truncated-weights", "corrupt_or_partial_weights")


async def test_cache_too_small_for_one_request(laboratory):
    error = await laboratory.refused(profile_with("--kv-cache-memory-bytes", str(4 * MIB)))
    assert error.code is ErrorCode.DOES_NOT_FIT

    await laboratory.fails(
        "kv-cache-too-small",
        "kv_cache_smaller_than_max_len",
        command=laboratory.with_flags("--kv-cache-memory-bytes", str(4 * MIB)),
    )


async def test_compiling_in_an_image_without_a_compiler(laboratory):
    await laboratory.fails(
        "no-compiler",
        "image_lacks_compiler",
        command=laboratory.with_flags(without=["--enforce-eager"]),
    )
