from dataclasses import replace

import pytest
import yaml

from app.core.deployment.spec import ContainerSpec, Mount
from app.core.engines.compose import compose_text

SPEC = ContainerSpec(
    name="pitwall-chat-r1",
    image="vllm/vllm-openai:v0.33.0",
    command=("/models/my model", "--served-model-name", 'it\'s "$x"', "--port", "8000", "-x"),
    environment={"A": "b c", "SWITCH": "on"},
    secret_environment=("VLLM_API_KEY",),
    mounts=(
        Mount(source="/data/my: model", target="/models/my model"),
        Mount(source="cache", target="/root/.cache", read_only=False, kind="volume"),
    ),
    container_port=8000,
    host_port=18000,
    gpu_uuids=("GPU-a", "GPU-b"),
    gpu_access="cdi",
    shm_size_bytes=2**30,
    memory_limit_bytes=2**34,
    user="1000:1000",
    capabilities_add=("SYS_NICE",),
    labels={"io.pitwall.deployment": "chat"},
)


def read(spec):
    document = yaml.safe_load(compose_text(spec))
    return document, document["services"][spec.name]


def test_every_word_of_the_command_arrives_as_it_was_meant():
    _, service = read(SPEC)
    words = [word.replace("$$", "$") for word in service["command"]]
    assert tuple(words) == SPEC.command
    assert service["image"] == SPEC.image
    assert service["container_name"] == SPEC.name


def test_secret_is_named_without_value():
    _, service = read(SPEC)
    assert service["environment"] == ["A=b c", "SWITCH=on", "VLLM_API_KEY"]


def test_limits_and_rights_are_those_of_the_container():
    _, service = read(SPEC)
    assert service["shm_size"] == 2**30
    assert service["mem_limit"] == 2**34
    assert service["pids_limit"] == 4096
    assert service["cap_drop"] == ["ALL"]
    assert service["cap_add"] == ["SYS_NICE"]
    assert service["security_opt"] == ["no-new-privileges"]
    assert service["user"] == "1000:1000"
    assert service["restart"] == "no"
    assert service["init"] is True
    assert service["labels"] == {"io.pitwall.deployment": "chat"}
    assert service["logging"] == {"options": {"max-size": "20m", "max-file": "5"}}


def test_folders_are_bound_and_volumes_keep_their_name():
    document, service = read(SPEC)
    assert service["volumes"][0] == {
        "type": "bind",
        "source": "/data/my: model",
        "target": "/models/my model",
        "read_only": True,
    }
    assert service["volumes"][1]["type"] == "volume"
    assert document["volumes"] == {"cache": {"name": "cache"}}


@pytest.mark.parametrize(
    ("access", "key", "value"),
    [
        ("cdi", "devices", ["nvidia.com/gpu=GPU-a", "nvidia.com/gpu=GPU-b"]),
        ("nvidia_runtime", "runtime", "nvidia"),
        (
            "device_request",
            "deploy",
            {
                "resources": {
                    "reservations": {
                        "devices": [
                            {
                                "driver": "nvidia",
                                "device_ids": ["GPU-a", "GPU-b"],
                                "capabilities": ["gpu"],
                            }
                        ]
                    }
                }
            },
        ),
    ],
)
def test_gpus_come_the_way_the_host_hands_them_over(access, key, value):
    _, service = read(replace(SPEC, gpu_access=access))
    assert service[key] == value
    visible = "NVIDIA_VISIBLE_DEVICES=GPU-a,GPU-b" in service["environment"]
    assert visible is (access == "nvidia_runtime")


def test_what_is_not_set_is_left_out():
    bare = ContainerSpec(
        name="bare", image="i", command=(), container_port=0, host_port=0, pids_limit=None,
        entrypoint=("/bin/sh", "-c"), capabilities_drop=(), security_options=(),
    )  # fmt: skip
    document, service = read(bare)
    assert set(document) == {"services"}
    assert service["network_mode"] == "none"
    assert service["entrypoint"] == ["/bin/sh", "-c"]
    assert not {"ports", "volumes", "environment", "labels", "cap_drop", "command"} & set(service)
    assert not {"shm_size", "mem_limit", "pids_limit", "user", "deploy"} & set(service)


def test_open_port_and_ipv6_address_are_written_as_docker_wants_them():
    _, service = read(replace(SPEC, host_port=0, host_address="::1", gpu_uuids=()))
    assert service["ports"] == ["[::1]::8000"]
