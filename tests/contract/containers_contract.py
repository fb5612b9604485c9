"""What every container engine promises. Subclass in a test module and give the fixtures.

Fixtures: ``engine`` (connected), ``image`` (a llama-server image the host has), ``model_mount``
(a `Mount` with ``tiny.gguf``), ``deployment_name`` (a free name) and ``taken_port`` (in use).
"""

import asyncio
import contextlib

import pytest

from app.core.deployment.spec import ContainerSpec, Mount
from app.core.errors import DockerError, ErrorCode
from app.core.labels import DeploymentLabels
from app.core.logs.stamps import seconds_of

_NO_IMAGE = "127.0.0.1:1/no-such/image:1"


class ContainersContract:
    """For every engine."""

    READY_WORD = "listening"
    """Stands in a line that the engine inside prints when it is ready."""

    @pytest.fixture
    def spec(self, image, model_mount, deployment_name):
        labels = DeploymentLabels(
            deployment=deployment_name,
            revision=1,
            engine="llamacpp",
            engine_version="b10434",
            model="tiny",
            port=0,
            plan_digest="0",
        )
        return ContainerSpec(
            name=f"pitwall-{deployment_name}-r1",
            image=image,
            command=("--model", f"{model_mount.target}", "--metrics", "--ctx-size", "512"),
            mounts=(model_mount,),
            container_port=8080,
            host_port=0,
            environment={"PITWALL_TEST": "a b"},
            memory_limit_bytes=512 * 1024**2,
            shm_size_bytes=64 * 1024**2,
            labels=labels.to_labels(),
        )

    @pytest.fixture
    async def created(self, engine, spec):
        """Create containers that are removed after the test."""
        names = []

        async def create(**changes):
            import dataclasses

            wanted = dataclasses.replace(spec, **changes)
            names.append(wanted.name)
            image_id = (await engine.image(wanted.image)).id
            return await engine.create(wanted, image_id=image_id, secrets={"KEY": "s3cret"})

        yield create
        for name in names:
            with contextlib.suppress(DockerError):
                await engine.remove(name, force=True)

    async def test_version_names_the_engine_and_its_api(self, engine):
        version = await engine.version()
        assert version.name in {"docker", "podman"}
        assert version.api_version
        assert version.architecture

    async def test_age_of_a_container_is_told_by_the_engines_own_clock(self, engine, created):
        made = (await engine.inspect(await created())).created_at
        now = (await engine.version()).system_time
        age_s = seconds_of(now) - seconds_of(made)
        assert -1 < age_s < 60

    async def test_image_on_the_host_is_known_by_name_and_id(self, engine, image):
        info = await engine.image(image)
        assert info is not None
        assert info.id.startswith("sha256:")
        assert await engine.image(info.id) == info

    async def test_missing_image_is_none(self, engine):
        assert await engine.image(_NO_IMAGE) is None

    async def test_missing_container_is_not_found(self, engine):
        with pytest.raises(DockerError) as caught:
            await engine.inspect("no-such-container")
        assert caught.value.code is ErrorCode.CONTAINER_NOT_FOUND

    async def test_removing_what_is_gone_is_fine(self, engine):
        await engine.remove("no-such-container")

    async def test_created_container_is_as_asked_and_found_by_its_labels(
        self, engine, spec, created
    ):
        container = await created()
        info = await engine.inspect(container)
        assert (info.name, info.status, info.restart_policy) == (spec.name, "created", "no")
        assert info.command == spec.command
        assert "PITWALL_TEST=a b" in info.environment
        assert info.labels.items() >= spec.labels.items()
        assert info.exit_code is None
        assert info.started_at == ""
        assert container in {found.id for found in await engine.containers()}

    async def test_life_of_a_container(self, engine, created):
        container = await created()
        await engine.start(container)
        running = await engine.inspect(container)
        assert running.status == "running"
        assert running.host_ports[8080] > 0
        assert running.started_at
        await engine.set_restart_policy(container, "unless-stopped")
        assert (await engine.inspect(container)).restart_policy == "unless-stopped"
        await engine.stop(container, grace_s=5)
        stopped = await engine.inspect(container)
        assert stopped.status == "exited"
        assert stopped.exit_code is not None
        assert stopped.finished_at
        await engine.remove(container)
        with pytest.raises(DockerError):
            await engine.inspect(container)

    async def test_taken_name_is_refused(self, created):
        await created()
        with pytest.raises(DockerError) as caught:
            await created()
        assert caught.value.code is ErrorCode.CONTAINER_NAME_TAKEN

    async def test_missing_image_refuses_creation_and_leaves_nothing(self, engine, spec):
        with pytest.raises(DockerError) as caught:
            await engine.create(spec, image_id=_NO_IMAGE, secrets={})
        assert caught.value.code is ErrorCode.IMAGE_MISSING
        assert spec.name not in {found.name for found in await engine.containers()}

    async def test_taken_port_is_named_and_leaves_no_container(
        self, engine, spec, created, taken_port
    ):
        container = await created(host_port=taken_port)
        with pytest.raises(DockerError) as caught:
            await engine.start(container)
        assert caught.value.code is ErrorCode.PORT_IN_USE
        assert caught.value.params["port"] == str(taken_port)
        assert spec.name not in {found.name for found in await engine.containers()}

    async def test_refused_start_keeps_a_container_that_ran_before(
        self, engine, created, taken_port, free_taken_port
    ):
        with free_taken_port():
            container = await created(host_port=taken_port)
            await engine.start(container)
            await engine.stop(container, grace_s=5)
        with pytest.raises(DockerError):
            await engine.start(container)
        assert (await engine.inspect(container)).started_at

    async def test_missing_secret_is_refused(self, engine, spec):
        import dataclasses

        wanted = dataclasses.replace(spec, secret_environment=("OTHER",))
        with pytest.raises(DockerError) as caught:
            await engine.create(wanted, image_id=spec.image, secrets={"KEY": "s3cret"})
        assert caught.value.code is ErrorCode.DOCKER_REFUSED

    async def test_secret_reaches_the_container(self, engine, created):
        container = await created(secret_environment=("KEY",))
        assert "KEY=s3cret" in (await engine.inspect(container)).environment

    async def test_log_has_lines_with_time_and_source(self, engine, created):
        container = await created()
        await engine.start(container)
        lines = []
        async for line in engine.logs(container, follow=True):
            lines.append(line)
            if self.READY_WORD in line.text:
                break
        assert all(line.at.endswith("Z") and line.stream in {"stdout", "stderr"} for line in lines)
        assert not any(line.text.endswith(("\n", "\r")) for line in lines)
        since = [line async for line in engine.logs(container, follow=False, since=lines[2].at)]
        assert since[0] == lines[2]
        tail = [line async for line in engine.logs(container, follow=False, tail=2)]
        assert len(tail) == 2

    async def test_followed_log_ends_with_the_container(self, engine, created):
        container = await created()
        await engine.start(container)

        ready = asyncio.Event()

        async def follow():
            async for line in engine.logs(container, follow=True):
                if self.READY_WORD in line.text:
                    ready.set()

        following = asyncio.create_task(follow())
        # An engine that is stopped before its first word has an empty log.
        await asyncio.wait_for(ready.wait(), 30)
        assert not following.done()
        await engine.stop(container, grace_s=5)
        await asyncio.wait_for(following, 10)

    async def test_following_can_be_cancelled(self, engine, created):
        container = await created()
        await engine.start(container)

        async def follow():
            async for _line in engine.logs(container, follow=True):
                pass

        following = asyncio.create_task(follow())
        await engine.inspect(container)
        following.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(following, 30)

    async def test_log_of_a_missing_container_is_not_found(self, engine):
        with pytest.raises(DockerError) as caught:
            await _drain(engine.logs("no-such-container", follow=True))
        assert caught.value.code is ErrorCode.CONTAINER_NOT_FOUND

    async def test_failed_pull_names_the_image(self, engine):
        with pytest.raises(DockerError) as caught:
            await _drain(engine.pull(_NO_IMAGE))
        assert caught.value.code is ErrorCode.PULL_FAILED
        assert caught.value.params["image"] == _NO_IMAGE


class RealContainersContract(ContainersContract):
    """For engines that look at the host's files and devices."""

    async def test_missing_mount_is_refused_and_leaves_nothing(self, engine, spec, created):
        with pytest.raises(DockerError) as caught:
            await created(mounts=(Mount(source="/no/such/model", target="/m"),))
        assert caught.value.code is ErrorCode.DOCKER_REFUSED
        assert "/no/such/model" in caught.value.cause
        assert spec.name not in {found.name for found in await engine.containers()}

    @pytest.mark.parametrize("access", ["device_request", "nvidia_runtime"])
    async def test_gpus_on_a_host_without_them_are_refused_and_leave_nothing(
        self, engine, spec, created, access
    ):
        async def launch():
            await engine.start(await created(gpu_uuids=("GPU-1",), gpu_access=access))

        with pytest.raises(DockerError) as caught:
            await launch()
        assert caught.value.code is ErrorCode.GPU_RUNTIME_MISSING
        assert spec.name not in {found.name for found in await engine.containers()}

    async def test_limits_and_hardening_are_set(self, engine, created):
        raw = await engine.raw_inspect(await created(capabilities_add=("SYS_NICE",)))
        host = raw["HostConfig"]
        assert host["CapDrop"] == ["ALL"]
        assert host["CapAdd"] in (["SYS_NICE"], ["CAP_SYS_NICE"])
        assert host["SecurityOpt"] == ["no-new-privileges"]
        assert (host["Init"], host["PidsLimit"]) == (True, 4096)
        assert (host["Memory"], host["ShmSize"]) == (512 * 1024**2, 64 * 1024**2)
        assert host["LogConfig"]["Config"] == {"max-size": "20m", "max-file": "5"}
        assert not host["Privileged"]
        assert all(mount["RW"] is False for mount in raw["Mounts"])

    async def test_cancelled_creation_leaves_no_container(self, engine, spec):
        image_id = (await engine.image(spec.image)).id
        creating = asyncio.create_task(engine.create(spec, image_id=image_id, secrets={}))
        # A few turns of the loop, until the call is on its way.
        for _ in range(5):
            await asyncio.sleep(0)
        creating.cancel()
        with pytest.raises(asyncio.CancelledError):
            await creating
        assert spec.name not in {found.name for found in await engine.containers()}


async def _drain(stream) -> None:
    async for _item in stream:
        pass
