"""Smoke runs in real containers over a real sshd: CUDA is not there, everything else is."""

import asyncio

import pytest

from app.core.errors import AppError, ErrorCode
from app.core.smoke.report import FigureState, SmokeVerdict
from app.services.smoke import SmokeWish

pytestmark = [pytest.mark.docker, pytest.mark.sshd, pytest.mark.engine]


async def _fingerprinted(site, ssh_host):
    host_id = await site.connect(ssh_host)
    await site.application.hosts.take_fingerprint(host_id)
    return host_id


async def _until(holds):
    """Ask Docker again and again: it announces nothing to us here."""
    async with asyncio.timeout(20):
        while not holds():  # noqa: ASYNC110 - there is no event to wait for
            await asyncio.sleep(0.02)


@pytest.fixture
def site(site):
    """Know what other sessions run on this engine."""
    site.others = {container.id for container in _smoke_runs(site)}
    return site


def _smoke_runs(site):
    return site.docker.containers.list(all=True, sparse=True, filters={"label": "io.pitwall.smoke"})


def _left(site):
    return [container for container in _smoke_runs(site) if container.id not in site.others]


async def test_an_engine_that_lists_devices_finds_none_here(site, ssh_host, llama_image):
    host_id = await _fingerprinted(site, ssh_host)
    smoke = site.application.smoke
    plan = await smoke.plan(host_id, SmokeWish(engine="llamacpp", image=llama_image))

    assert "--network none" in plan.command
    assert "--list-devices" in plan.command
    report = await smoke.run(plan)

    assert report.verdict is SmokeVerdict.NO_GPU
    assert report.complete
    assert report.devices == ()
    assert _left(site) == []


async def test_an_image_that_is_not_there_is_not_fetched(site, ssh_host):
    host_id = await _fingerprinted(site, ssh_host)
    smoke = site.application.smoke
    wish = SmokeWish(engine="vllm", image="registry.invalid/none:1")

    with pytest.raises(AppError) as caught:
        await smoke.run(await smoke.plan(host_id, wish))

    assert caught.value.code is ErrorCode.IMAGE_MISSING
    assert "fetches nothing" in caught.value.cause


async def test_a_program_that_cannot_run_says_how_it_ended(site, ssh_host, llama_image):
    """The image has Python, but no torch: the run says so and judges nothing."""
    host_id = await _fingerprinted(site, ssh_host)
    smoke = site.application.smoke
    report = await smoke.run(await smoke.plan(host_id, SmokeWish(engine="vllm", image=llama_image)))

    assert report.verdict is not SmokeVerdict.WORKS
    assert any("torch" in error for error in report.errors)
    assert _left(site) == []


@pytest.mark.timeout(240)
async def test_torch_of_the_engines_image_measures_the_disk(
    site, ssh_host, vllm_image, model_folder
):
    host_id = await _fingerprinted(site, ssh_host)
    smoke = site.application.smoke
    wish = SmokeWish(engine="vllm", image=vllm_image, folder=str(model_folder))
    report = await smoke.run(await smoke.plan(host_id, wish))

    assert report.verdict is SmokeVerdict.NO_GPU
    assert report.torch.startswith("2.")
    (disk,) = report.figures
    assert disk.gbps
    assert disk.state is FigureState.NO_CLAIM
    assert _left(site) == []


async def test_a_cancelled_run_leaves_no_container(site, ssh_host, llama_image):
    host_id = await _fingerprinted(site, ssh_host)
    smoke = site.application.smoke
    plan = await smoke.plan(host_id, SmokeWish(engine="llamacpp", image=llama_image))
    running = asyncio.ensure_future(smoke.run(plan))
    await _until(lambda: _left(site) or running.done())
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await _until(lambda: not _left(site))


async def test_what_a_lost_connection_left_is_swept_by_the_next_run(site, ssh_host, llama_image):
    host_id = await _fingerprinted(site, ssh_host)
    site.docker.containers.run(
        llama_image, ["--list-devices"], detach=True, labels={"io.pitwall.smoke": "llamacpp"}
    ).wait()
    smoke = site.application.smoke
    await smoke.run(await smoke.plan(host_id, SmokeWish(engine="llamacpp", image=llama_image)))

    assert _left(site) == []


async def test_unknown_engines_gpus_and_the_demo_host_are_refused(site, ssh_host):
    host_id = await _fingerprinted(site, ssh_host)
    smoke = site.application.smoke
    demo = await site.application.hosts.add_demo()
    cases = [
        (host_id, SmokeWish(engine="nothing"), ErrorCode.NOT_FOUND),
        (host_id, SmokeWish(engine="ollama"), ErrorCode.UNSUPPORTED_COMBINATION),
        (host_id, SmokeWish(engine="vllm", gpu_uuids=("GPU-0",)), ErrorCode.NOT_FOUND),
        (demo.settings.id, SmokeWish(engine="vllm"), ErrorCode.DOCKER_REFUSED),
    ]
    for where, wish, code in cases:
        with pytest.raises(AppError) as caught:
            await smoke.plan(where, wish)
        assert caught.value.code is code
