import shlex
from dataclasses import replace

from app.core.deployment.spec import ContainerSpec, Mount
from app.core.engines.docker_run import docker_run_text

SPEC = ContainerSpec(
    name="pitwall-chat-r1",
    image="vllm/vllm-openai:v0.33.0",
    command=("/models/my model", "--served-model-name", "it's", "--port", "8000", "-x"),
    environment={"A": "b c"},
    secret_environment=("VLLM_API_KEY",),
    mounts=(
        Mount(source="/data/my model", target="/models/my model"),
        Mount(source="cache", target="/root/.cache", read_only=False, kind="volume"),
    ),
    container_port=8000,
    host_port=18000,
    gpu_uuids=("GPU-a", "GPU-b"),
    gpu_access="cdi",
    labels={"io.pitwall.deployment": "chat"},
)


def words(spec):
    # A shell joins continued lines; shlex does not.
    return shlex.split(docker_run_text(spec).replace("\\\n", ""))


def test_line_survives_the_shell_as_it_was_meant():
    found = words(SPEC)
    assert found[:3] == ["docker", "run", "-d"]
    assert "/data/my model:/models/my model:ro" in found
    assert "cache:/root/.cache" in found
    assert "A=b c" in found
    image = found.index(SPEC.image)
    assert tuple(found[image + 1 :]) == SPEC.command


def test_one_line_and_many_lines_say_the_same():
    assert shlex.split(docker_run_text(SPEC, one_line=True)) == words(SPEC)
    assert "\n" not in docker_run_text(SPEC, one_line=True)


def test_secret_is_named_without_value():
    found = words(SPEC)
    position = found.index("VLLM_API_KEY")
    assert found[position - 1] == "-e"


def test_gpus_are_asked_for_in_each_hosts_way():
    assert "nvidia.com/gpu=GPU-a" in words(SPEC)
    runtime = words(replace(SPEC, gpu_access="nvidia_runtime"))
    assert "NVIDIA_VISIBLE_DEVICES=GPU-a,GPU-b" in runtime
    assert runtime[runtime.index("--runtime") + 1] == "nvidia"
    request = words(replace(SPEC, gpu_access="device_request"))
    assert request[request.index("--gpus") + 1] == '"device=GPU-a,GPU-b"'
    assert "--gpus" not in words(replace(SPEC, gpu_uuids=()))


def test_port_is_published_on_the_given_address_only():
    assert "127.0.0.1:18000:8000" in words(SPEC)
    assert "127.0.0.1::8000" in words(replace(SPEC, host_port=0))
    assert "[::1]:18000:8000" in words(replace(SPEC, host_address="::1"))


def test_limits_and_user_appear_when_set():
    full = words(
        replace(
            SPEC,
            user="1000:1000",
            shm_size_bytes=10,
            memory_limit_bytes=20,
            capabilities_add=("SYS_NICE",),
        )
    )
    for option, value in (
        ("--user", "1000:1000"),
        ("--shm-size", "10"),
        ("--memory", "20"),
        ("--cap-add", "SYS_NICE"),
    ):
        assert full[full.index(option) + 1] == value
    bare = words(replace(SPEC, pids_limit=None, init=False))
    assert "--pids-limit" not in bare
    assert "--init" not in bare
