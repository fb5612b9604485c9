"""The words of plan and deploy: what each flag is for, sizes with digits, nothing said twice."""

from dataclasses import replace

import pytest
from fakes.deploy_host import spec

from app.cli.deploy import _progress_text, how_to_go_on
from app.cli.plan import _memory_text
from app.core.documents.plan import ranked_entry
from app.core.engines.docker_run import docker_run_text
from app.core.engines.parameters import ChosenFlag, Parameters
from app.core.errors import ErrorCode, HostError
from app.core.events import DeploymentSnapshot, DeploymentState, PhaseProgress
from app.core.ids import HostId
from app.core.labels import PLAN_DIGEST, PORT
from app.core.models.memory import MemoryEstimate
from app.core.planning.plan import Plan
from app.core.texts import Reason, Text


def snapshot(state, *phases):
    return DeploymentSnapshot(
        revision=1, host_id=HostId("h"), host_name="gpu1", name="chat", state=state, phases=phases
    )


def estimate(**changes):
    made = MemoryEstimate(
        weights_bytes_per_gpu=870_000, kv_bytes_per_token_per_gpu=1, activation_bytes=0,
        cuda_graph_bytes=0, non_torch_bytes=0, total_bytes_per_gpu=2**34,
        usable_bytes_per_gpu=2**34, kv_cache_bytes_per_gpu=2**22, kv_tokens=8192,
        max_concurrency=1.0, fits=True,
    )  # fmt: skip
    return replace(made, **changes)


def reason(code, parameter=""):
    return Reason(code=code, text=Text(en=code, zh_CN=code), source="s", parameter=parameter)


@pytest.mark.parametrize(
    ("state", "phase", "text"),
    [
        (DeploymentState.PREFLIGHT, {"phase": "preflight"}, "preflight"),
        (DeploymentState.VERIFYING, {"phase": "verify"}, "verifying"),
        (
            DeploymentState.FETCHING_IMAGE,
            {"phase": "fetch", "progress": 0.5, "detail": "Downloading"},
            "fetching image: 50% Downloading",
        ),
        (
            DeploymentState.STARTING,
            {"phase": "graphs", "progress": 1.0, "detail": "Capturing graphs (FULL):   0% [x]"},
            "starting: graphs 100% Capturing graphs (FULL)",
        ),
        (
            DeploymentState.STARTING,
            {"phase": "kv_cache", "detail": "12% of it [simulated]"},
            "starting: kv cache 12% of it [simulated]",
        ),
        (
            DeploymentState.STARTING,
            {"phase": "graphs", "progress": 0.5, "detail": "Capturing:   0% [simulated]"},
            "starting: graphs 50% Capturing [simulated]",
        ),
    ],
)
def test_progress_says_nothing_twice(state, phase, text):
    assert (
        _progress_text(snapshot(state, PhaseProgress(started_s=0.0, duration_s=None, **phase)))
        == text
    )


def test_lost_deploy_says_how_the_command_line_goes_on():
    lost = HostError(ErrorCode.CONNECTION_LOST, {"host": "g"}, cause="Lost.", remedy="Wait.")
    other = HostError(ErrorCode.NOT_CONNECTED, cause="No.", remedy="Connect.")

    assert "run this command again" in how_to_go_on(lost, "g").remedy
    assert "pitwall ps g" in how_to_go_on(lost, "g").remedy
    assert how_to_go_on(other, "g") is other


def test_small_sizes_keep_their_digits_and_a_cpu_has_main_memory():
    assert _memory_text(estimate(on_cpu=True)) == (
        "main memory: weights 849.6 KiB, KV cache 4.0 MiB (8,192 tokens), usable 16.0 GiB"
    )
    assert _memory_text(estimate()).startswith("memory per GPU: ")


def test_reasons_name_the_flags_they_explain_each_once():
    shared, own, other = reason("a", "context"), reason("b"), reason("c")
    plan = Plan(
        engine="vllm", version="1", image="i", score=1.0,
        parameters=Parameters(context_tokens=8192, concurrency=1),
        flags=(
            ChosenFlag(name="--max-model-len", value="8192", reason=shared),
            ChosenFlag(name="--metrics", value=None, reason=other),
            ChosenFlag(name="--also", value="1", reason=shared),
        ),
        argv=(), container=spec().container, estimate=estimate(), reasons=(own, shared),
    )  # fmt: skip

    said = {entry.code: entry.flags for entry in ranked_entry(plan, "").reasons}

    assert said == {"b": (), "a": ("--max-model-len 8192", "--also 1"), "c": ("--metrics",)}


def test_docker_run_of_a_plan_leaves_out_what_is_not_known_yet():
    container = spec().container
    planned = replace(container, labels={**container.labels, PLAN_DIGEST: "", PORT: "0"})

    assert f"--label {PLAN_DIGEST}=d1" in docker_run_text(container)
    assert f"--label {PORT}=18080" in docker_run_text(container)
    assert PLAN_DIGEST not in docker_run_text(planned)
    assert PORT + "=" not in docker_run_text(planned)
