"""The demo host keeps the contracts of transports and container engines."""

import contextlib
from dataclasses import replace

import pytest
from contract.containers_contract import ContainersContract
from contract.transport_contract import TransportContract

from app.core.deployment.spec import ContainerSpec, Mount
from app.core.labels import DeploymentLabels
from app.io.demo.transport import DemoTransport

MODEL = "/models/qwen2.5-7b-instruct"


class TestDemoTransport(TransportContract):
    @pytest.fixture
    async def transport(self, demo_world):
        transport = DemoTransport("demo", demo_world)
        yield transport
        await transport.close()

    @pytest.fixture
    def known_folder(self):
        return MODEL


class TestDemoContainers(ContainersContract):
    READY_WORD = "startup complete"

    @pytest.fixture
    async def engine(self, demo_world):
        return demo_world.containers

    @pytest.fixture
    def image(self):
        return "vllm/vllm-openai:v0.26.0"

    @pytest.fixture
    def model_mount(self):
        return Mount(source=MODEL, target="/models/qwen2.5-7b-instruct")

    @pytest.fixture
    def deployment_name(self):
        return "chat"

    @pytest.fixture
    def spec(self, image, model_mount, deployment_name):
        labels = DeploymentLabels(
            deployment=deployment_name,
            revision=1,
            engine="vllm",
            engine_version="0.26.0",
            model="qwen",
            port=0,
            plan_digest="0",
        )
        return ContainerSpec(
            name=f"pitwall-{deployment_name}-r1",
            image=image,
            command=(model_mount.target, "--max-model-len", "4096"),
            mounts=(model_mount,),
            container_port=8080,
            host_port=0,
            environment={"PITWALL_TEST": "a b"},
            labels=labels.to_labels(),
        )

    @pytest.fixture
    async def other(self, engine, spec):
        wanted = replace(spec, name="somebody-elses", host_port=8123, labels={})
        container = await engine.create(wanted, image_id=spec.image, secrets={})
        await engine.start(container)
        return container

    @pytest.fixture
    def taken_port(self, other):
        assert other
        return 8123

    @pytest.fixture
    def free_taken_port(self, engine, other):
        """Let another container hold the port only outside the block."""

        @contextlib.contextmanager
        def free():
            holder = engine._find(other)
            holder.host_port, kept = 0, holder.host_port
            yield
            holder.host_port = kept

        return free
