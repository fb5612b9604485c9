"""Launch texts among what is pasted: they are told from logs, and docker inspect is judged too."""

import json
from functools import cache

from app.core.clinic.around import host_around
from app.core.clinic.report import Knowledge
from app.core.documents.clinic import LaunchResult
from app.core.hardware.fingerprint import Fingerprint, Gpu, HostSource
from app.core.inspect.kinds import InspectKind
from app.core.inspect.launches import LaunchReader
from app.core.inspect.recognise import inspect_long, inspect_text
from app.io.datafiles import data_root, load_clinic, load_engines

RUN = "docker run --gpus all -v m:/m vllm/vllm-openai:v0.18.1 /m/x"
MADE = {"source": HostSource.RECORDED, "taken_at": "", "parser_version": "1"}
LOG = (
    "$ vllm serve some/model\n"
    "INFO 01-01 10:00:00 [api_server.py:1] vLLM API server version 0.11.0\n"
    "INFO 01-01 10:00:01 [core.py:1] Initializing a V1 LLM engine (v0.11.0)\n"
    "INFO 01-01 10:00:02 [core.py:2] vLLM is loading\n"
)


@cache
def knowledge() -> Knowledge:
    return Knowledge(engines=load_engines(data_root()), clinic=load_clinic(data_root()))


def ids(found) -> set[str]:
    return {remark.id for remark in found.clinic.remarks}


def test_a_launch_line_above_a_log_stays_a_log():
    assert inspect_long(LOG, LaunchReader(knowledge=knowledge)).kind is InspectKind.ENGINE_LOG


def test_a_log_does_not_ask_for_the_rules():
    def never() -> Knowledge:
        raise AssertionError

    assert inspect_long(LOG, LaunchReader(knowledge=never)).kind is InspectKind.ENGINE_LOG


def test_a_kind_that_is_named_is_read_as_such():
    reader = LaunchReader(knowledge=knowledge)
    assert inspect_text(RUN, "docker-run", reader).kind is InspectKind.DOCKER_RUN
    assert inspect_text(RUN, "compose", reader).kind is InspectKind.UNKNOWN
    assert inspect_text(RUN, "docker-run").kind is InspectKind.UNKNOWN


def test_a_version_that_is_said_counts_where_the_text_has_none():
    reader = LaunchReader(knowledge=knowledge, version="0.9.0")
    found = inspect_long("vllm serve m --swap-space 4", reader)
    assert found.clinic.launches[0].version == "0.9.0"
    assert "vllm_swap_space" in ids(found)


def test_a_host_that_it_is_meant_for_weighs_in():
    gpus = tuple(Gpu(index=n, name="NVIDIA A100", compute_cap="8.0") for n in range(2))
    fingerprint = Fingerprint(gpus=gpus, driver_version="535.1", **MADE)
    around = host_around(fingerprint)
    text = RUN.replace("v0.18.1", "v0.11.0").replace("/m/x", "--model /m/x --kv-cache-dtype fp8")

    found = inspect_long(f"{text} -tp 4", LaunchReader(knowledge=knowledge, around=around))

    assert around == {"host_gpus": 2, "host_capability": "8.0", "host_driver": "535.1"}
    assert {"vllm_fp8_kv_host", "more_than_host"} <= ids(found)


def test_a_host_without_known_gpus_says_nothing_of_them():
    around = host_around(Fingerprint(**MADE))
    assert around["host_gpus"] is None
    assert around["host_capability"] is None


def test_what_docker_inspect_printed_is_judged():
    container = {
        "Name": "/llm",
        "State": {"Status": "running"},
        "Config": {
            "Image": "vllm/vllm-openai:v0.18.1",
            "Cmd": ["/m/x", "--swap-space", "4", "--tensor-parallel-size", "2"],
            "Env": ["HF_TOKEN=hf_planted0123456789", "VLLM_USE_V1=1"],
        },
        "HostConfig": {
            "RestartPolicy": {"Name": "on-failure"},
            "ShmSize": 67108864,
            "Privileged": True,
            "Binds": ["/m:/m:ro"],
            "DeviceRequests": [{"Count": 0, "DeviceIDs": ["0"], "Capabilities": [["gpu"]]}],
        },
    }
    text = json.dumps([container], indent=4)

    found = inspect_long(text, LaunchReader(knowledge=knowledge))

    assert found.kind is InspectKind.DOCKER_INSPECT
    assert found.result["container_count"] == 1
    assert isinstance(found.result["clinic"], LaunchResult)
    assert {
        "removed_replaced", "too_few_gpus", "variable_removed", "on_failure_vllm", "privileged",
        "shared_memory_small",
    } <= ids(found)  # fmt: skip
    assert "hf_planted" not in str(found.result["clinic"])


def test_docker_inspect_of_something_else_is_as_before():
    text = json.dumps([{"Config": {"Image": "nginx", "Env": ["A=vllm"]}, "HostConfig": {}}])
    found = inspect_long(text, LaunchReader(knowledge=knowledge))
    assert found.kind is InspectKind.DOCKER_INSPECT
    assert found.clinic is None
