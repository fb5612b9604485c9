"""The engine's documents and refusals, as values."""

import docker
import docker.errors
import pytest

from app.core.deployment.spec import ContainerSpec, Mount
from app.core.errors import ErrorCode
from app.io.docker import errors, read
from app.io.docker.spec import create_arguments


def refusal(text, status=500):
    import requests

    answer = requests.Response()
    answer.status_code = status
    return errors.refusal(docker.errors.APIError("", answer, text), "thing")


@pytest.mark.parametrize(
    ("text", "status", "code"),
    [
        ("Bind for 127.0.0.1:8000 failed: port is already allocated", 500, "port_in_use"),
        ("listen tcp4 0.0.0.0:8000: bind: address already in use", 500, "port_in_use"),
        ('could not select device driver "nvidia" with capabilities', 500, "gpu_runtime_missing"),
        ("unknown or invalid runtime name: nvidia", 400, "gpu_runtime_missing"),
        (
            "CDI device injection failed: unresolvable CDI devices nvidia.com/gpu=GPU-1",
            500,
            "gpu_runtime_missing",
        ),
        ("No such image: x:1", 404, "image_missing"),
        ("No such container: x", 404, "container_not_found"),
        ('The container name "/x" is already in use by container "1"', 409, "container_name_taken"),
        ("invalid mount config", 400, "docker_refused"),
    ],
)
def test_refusals_are_told_apart(text, status, code):
    problem = refusal(text, status)
    assert problem.code == code
    assert problem.cause
    assert problem.remedy


def test_taken_port_is_named():
    assert refusal("Bind for 0.0.0.0:8123 failed: port is already allocated").params == {
        "port": "8123"
    }
    assert refusal("address already in use").params == {"port": ""}


def test_engine_version_reads_cdi_and_rootless():
    version = read.engine_version(
        {"Version": "28.3", "ApiVersion": "1.51", "MinAPIVersion": "1.24", "Arch": "amd64"},
        {
            "SecurityOptions": ["name=rootless"],
            "Runtimes": {"runc": {}, "nvidia": {}},
            "DiscoveredDevices": [
                {"Source": "cdi", "ID": "nvidia.com/gpu=0"},
                {"Source": "other", "ID": "x"},
            ],
            "DockerRootDir": "/data",
            "OperatingSystem": "Ubuntu 24.04",
        },
    )
    assert version.rootless
    assert version.runtimes == ("nvidia", "runc")
    assert version.cdi_devices == ("nvidia.com/gpu=0",)
    assert (version.name, version.os) == ("docker", "Ubuntu 24.04")


def test_podman_is_recognised_and_empty_documents_are_unknown():
    version = read.engine_version({"Components": [{"Name": "Podman Engine"}]}, {})
    assert version.name == "podman"
    assert version.cdi_devices == ()
    info = read.container_info({})
    assert (info.status, info.exit_code, dict(info.host_ports)) == ("", None, {})
    assert read.image_info({}).id == ""


def test_ports_of_a_stopped_container_are_those_it_asked_for():
    info = read.container_info(
        {
            "HostConfig": {
                "PortBindings": {
                    "8000/tcp": [{"HostIp": "127.0.0.1", "HostPort": "9000"}],
                    "8001/tcp": [{"HostPort": ""}],
                    "8002/tcp": None,
                }
            },
            "NetworkSettings": {"Ports": {"8001/tcp": [{"HostPort": "49153"}]}},
            "State": {"Status": "exited", "ExitCode": 137, "OOMKilled": True},
        }
    )
    assert dict(info.host_ports) == {8000: 9000, 8001: 49153}
    assert (info.exit_code, info.oom_killed) == (137, True)


@pytest.fixture
def api():
    client = docker.APIClient(base_url="http://localhost:1", version="1.51")
    yield client
    client.close()


def spec(**changes):
    return ContainerSpec(
        **{"name": "n", "image": "i", "command": (), "container_port": 80, "host_port": 0} | changes
    )


def test_named_volumes_and_host_folders_are_mounted_as_such(api):
    wanted = spec(
        mounts=(
            Mount(source="/models/m", target="/m"),
            Mount(source="cache", target="/c", read_only=False, kind="volume"),
        )
    )
    host = create_arguments(api, wanted, image_id="", secrets={})["host_config"]
    assert [(m["Type"], m["Source"], m["ReadOnly"]) for m in host["Mounts"]] == [
        ("bind", "/models/m", True),
        ("volume", "cache", False),
    ]


def test_gpus_are_handed_over_by_cdi_name(api):
    wanted = spec(gpu_uuids=("GPU-1", "GPU-2"), gpu_access="cdi")
    host = create_arguments(api, wanted, image_id="", secrets={})["host_config"]
    (request,) = host["DeviceRequests"]
    assert request["Driver"] == "cdi"
    assert request["DeviceIDs"] == ["nvidia.com/gpu=GPU-1", "nvidia.com/gpu=GPU-2"]
    assert not request["Count"]


def test_gpus_are_handed_over_by_runtime_and_environment(api):
    wanted = spec(gpu_uuids=("GPU-1", "GPU-2"), gpu_access="nvidia_runtime")
    arguments = create_arguments(api, wanted, image_id="", secrets={})
    assert arguments["host_config"]["Runtime"] == "nvidia"
    assert arguments["environment"] == {"NVIDIA_VISIBLE_DEVICES": "GPU-1,GPU-2"}


def test_without_gpus_none_are_asked_for(api):
    host = create_arguments(api, spec(gpu_access="cdi"), image_id="", secrets={})["host_config"]
    assert "DeviceRequests" not in host
    assert "Runtime" not in host


def test_resolved_image_id_is_what_is_started(api):
    assert create_arguments(api, spec(), image_id="sha256:1", secrets={})["image"] == "sha256:1"
    assert create_arguments(api, spec(), image_id="", secrets={})["image"] == "i"


def test_published_port_stays_on_the_given_address(api):
    host = create_arguments(api, spec(host_port=9000), image_id="", secrets={})["host_config"]
    assert host["PortBindings"] == {"80/tcp": [{"HostIp": "127.0.0.1", "HostPort": "9000"}]}
    free = create_arguments(api, spec(), image_id="", secrets={})["host_config"]
    assert free["PortBindings"] == {"80/tcp": [{"HostIp": "127.0.0.1", "HostPort": ""}]}


def test_codes_of_reach_failures():
    assert errors.not_found("").code is ErrorCode.DOCKER_NOT_FOUND
    assert errors.unsupported_api("").code is ErrorCode.DOCKER_NOT_REACHABLE
    assert errors.no_permission("ops", "/s", "").params["user"] == "ops"
