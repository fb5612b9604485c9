"""The genuine llama-server fails in the ways that people meet, and the cause is named."""

import asyncio
import socket
from dataclasses import replace
from pathlib import Path

import pytest
from fixtures.containers import kill_inside
from fixtures.failing import Laboratory, is_explained, run_on_host_network
from fixtures.failures import failure_of

from app.core.errors import AppError, ErrorCode
from app.core.events import DeploymentState

pytestmark = [pytest.mark.docker, pytest.mark.sshd, pytest.mark.engine, pytest.mark.timeout(120)]

VERSION = "b10434"


@pytest.fixture
async def laboratory(site, ssh_host):
    host_id = await site.connect(ssh_host)
    return Laboratory(site, host_id, await site.preview(host_id))


async def test_bad_flag(laboratory):
    await laboratory.fails(
        "bad-flag", "usage_error", command=laboratory.with_flags("--no-such-flag", "1")
    )


async def test_model_that_is_not_there(laboratory):
    await laboratory.fails(
        "bad-path", "model_not_found", command=laboratory.with_flags("--model", "/models/nowhere")
    )


def _cut_off(whole):
    cut = whole.with_name("cut.gguf")
    cut.write_bytes(whole.read_bytes()[:500_000])
    cut.chmod(0o644)
    return cut


async def test_truncated_weights(laboratory):
    cut = await asyncio.to_thread(_cut_off, Path(laboratory.site.model_path))
    with pytest.raises(AppError) as refused:
        await laboratory.site.application.models.read(laboratory.host_id, str(cut))
    assert refused.value.code is ErrorCode.MODEL_CONFIG_BROKEN

    # Pitwall's user may not read it any more, so that the engine gets as far as the damage.
    cut.chmod(0o600)
    mount = replace(laboratory.spec.container.mounts[0], source=str(cut))
    await laboratory.fails("truncated-weights", "corrupt_or_partial_weights", mounts=(mount,))


async def test_context_that_the_memory_cannot_hold(laboratory):
    failure = await laboratory.fails(
        "context-too-large",
        "host_ram_oom",
        command=laboratory.with_flags("--ctx-size", "4000000", "--parallel", "1"),
        memory_limit_bytes=256 * 1024**2,
    )
    assert failure.exit_code == 137


async def test_memory_limit(laboratory):
    failure = await laboratory.fails("memory-limit", "host_ram_oom", memory_limit_bytes=8 * 1024**2)
    assert failure.exit_code == 137


async def test_port_that_is_taken(docker_client, tiny_model, llama_image):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        failure = await asyncio.to_thread(
            run_on_host_network,
            docker_client,
            llama_image,
            ["--model", "/m.gguf", "--host", "127.0.0.1", "--port", port],
            mounts={str(tiny_model.gguf): "/m.gguf"},
            name="port-in-use",
            engine="llamacpp",
            version=VERSION,
            cause="port_in_use",
        )
    is_explained(failure)


async def test_killed_server(laboratory):
    site = laboratory.site
    await site.service.deploy(laboratory.spec, may_pull=False)
    (container,) = site.containers()
    await asyncio.to_thread(container.update, restart_policy={"Name": "no"})
    await asyncio.to_thread(kill_inside, container, "llama-server")
    await site.until(DeploymentState.FAILED)
    failure = failure_of(
        container,
        name="killed",
        engine="llamacpp",
        version=VERSION,
        cause=None,
        how="kill -9 of llama-server while it served",
    )
    assert failure.exit_code == 137
    is_explained(failure)
    await site.service.remove(laboratory.host_id, site.name)
