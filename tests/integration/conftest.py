"""A real host over SSH with a real container engine, and the application that works on it."""

import asyncio
import contextlib
import shutil
import tempfile
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from app.bootstrap import build
from app.core.errors import HostError
from app.core.events import AuthMethod, DeploymentChanged, HostKind, HostSettings
from app.core.ids import HostId
from app.core.planning.plan import Goal


@pytest.fixture
async def application():
    before = set(threading.enumerate())
    application = build()
    await application.start()
    yield application
    await application.close()
    new = set(threading.enumerate()) - before
    ours = [thread for thread in new if thread.name.startswith("pitwall")]
    for thread in ours:
        thread.join(10)  # generous: other tests may keep the machine busy
    assert not [thread for thread in ours if thread.is_alive()]


@pytest.fixture
def models_folder():
    """A folder that the host's user can see."""
    with tempfile.TemporaryDirectory(prefix="pitwall-models-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture
def model_path(tiny_model, models_folder):
    """The tiny model where the host's user can see it."""
    path = models_folder / "tiny.gguf"
    shutil.copy(tiny_model.gguf, path)
    path.chmod(0o644)
    return str(path)


@pytest.fixture
def model_folder(tiny_model_long, models_folder):
    """The model's Hugging Face folder, for 65,536 tokens, where the host's user can see it."""
    path = models_folder / "tiny"
    shutil.copytree(tiny_model_long.folder, path)
    path.chmod(0o755)
    for file in path.iterdir():
        file.chmod(0o644)
    return path


class Site:
    """The application, one deployment's name, and a view of the host from beside Pitwall."""

    def __init__(self, application, docker_client, model_path, name) -> None:
        self.application = application
        self.service = application.deployments
        self.docker = docker_client
        self.model_path = model_path
        self.name = name

    async def connect(self, host, name="gpu-a"):
        """Connect an SSH host and return its id."""
        settings = HostSettings(
            id=HostId(""),
            name=name,
            kind=HostKind.SSH,
            address=host.address,
            port=host.port,
            user=host.user,
            auth=AuthMethod.KEY,
            key_file=str(host.client_key),
        )
        hosts = self.application.hosts
        host_id = (await hosts.add(settings)).settings.id
        with contextlib.suppress(HostError):
            await hosts.connect(host_id)
            return host_id
        sha256 = hosts.find(host_id).error.params["sha256"]
        await hosts.accept_key(host_id, sha256)
        await hosts.connect(host_id)
        return host_id

    async def preview(self, host_id, **container):
        """Resolve the shipped CPU profile; keywords change the container."""
        profile = await self.application.profiles.load("quick-look-cpu")
        spec = await self.service.preview(
            profile, host_id, name=self.name, model_path=self.model_path
        )
        return replace(spec, container=replace(spec.container, **container))

    async def planned(self, host_id, *, version, **goal):
        """Plan vLLM for the host's CPU and resolve the plan's profile there."""
        application = self.application
        fingerprint = await application.hosts.take_fingerprint(host_id)
        model = await application.models.read(host_id, self.model_path)
        wanted = Goal(engine="vllm", engine_version=version, cpu_only=True, **goal)
        result = await application.planning.plan(fingerprint, model, wanted)
        assert result.ranked, result.rejected
        profile = application.planning.profile(
            result.ranked[0], name=self.name, model=model, goal=wanted
        )
        return await self.service.preview(
            profile, host_id, name=self.name, model_path=self.model_path
        )

    async def until(self, *states, holds=lambda _snapshot: True, limit_s=30):
        """Wait until the deployment is in one of these states and ``holds`` is true of it."""
        reached, loop = asyncio.Event(), asyncio.get_running_loop()

        def fits(snapshot):
            return snapshot.name == self.name and snapshot.state in states and holds(snapshot)

        def hear(event):
            if isinstance(event, DeploymentChanged) and fits(event.snapshot):
                loop.call_soon_threadsafe(reached.set)

        detach = self.application.bus.subscribe(hear)
        if any(map(fits, self.service.snapshot())):
            reached.set()
        await asyncio.wait_for(reached.wait(), limit_s)
        detach()

    def containers(self):
        """Return the containers of the deployment, as Docker itself lists them."""
        label = f"io.pitwall.deployment={self.name}"
        return self.docker.containers.list(all=True, filters={"label": label})


@pytest.fixture
def site(application, docker_client, llama_image, model_path, deployment_name):
    """A place to deploy to; what a test leaves is removed."""
    del llama_image
    site = Site(application, docker_client, model_path, deployment_name)
    yield site
    for container in site.containers():
        container.remove(force=True, v=True)
