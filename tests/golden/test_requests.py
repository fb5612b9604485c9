"""“Which flags for this model on this hardware”: requests from public threads, as golden plans.

Each ``requests/NAME.json`` is written by us: the host as a what-if, the numbers of the model's
config, the goal, and what the plan must contain and must not. ``NAME.txt`` is the plan with the
codes of its reasons: sentences and figures of memory have tests of their own.
"""

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from fakes.planning_world import calibration, catalogue, engines, plan

from app.core.hardware.what_if import make_what_if
from app.core.models.architecture import ModelFormat
from app.core.models.config import read_config
from app.core.models.estimate import estimate_memory
from app.core.planning.plan import Goal, GoalKind
from app.core.planning.profile import profile_from_plan
from app.core.planning.resolve import resolve

FOLDER = Path(__file__).parent / "requests"
NAMES = sorted(file.stem for file in FOLDER.glob("*.json"))


def read(name):
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def asked(request):
    """Return host, model and goal of a request."""
    host = make_what_if(request["host"], catalogue(), taken_at="2026-11-30T00:00:00Z")
    used, size = request.get("used_mib", []), request.get("memory_mib")
    gpus = tuple(
        replace(
            gpu,
            uuid=f"GPU-{gpu.index}",
            memory_used_mib=used[gpu.index] if gpu.index < len(used) else None,
            memory_total_mib=size or gpu.memory_total_mib,
        )
        for gpu in host.gpus
    )
    is_gguf = request.get("format") == "gguf"
    model = read_config(
        request["config"],
        name="model",
        path="/models/model.gguf" if is_gguf else "/models/model",
        weights_bytes=request.get("weights_bytes"),
        model_format=ModelFormat.GGUF if is_gguf else ModelFormat.SAFETENSORS,
    )
    if is_gguf:
        model = replace(model, quantization=replace(model.quantization, method="gguf", bits=4))
    goal = dict(request["goal"])
    goal["kind"] = GoalKind(goal.get("kind", "throughput"))
    goal["gpu_uuids"] = tuple(goal.get("gpu_uuids", ()))
    return replace(host, gpus=gpus), model, Goal(**goal)


def planned(request):
    return plan(*asked(request))


def text_of(result, best):
    lines = [f"{best.engine} {best.version}  {' '.join(best.argv)}", ""]
    lines += [f"{name}={value}" for name, value in sorted(best.environment.items())]
    lines += ["", *(f"{reason.parameter or '·'}: {reason.code}" for reason in best.reasons), ""]
    lines += [f"advice: {reason.code}" for reason in best.advice]
    lines += ["", *(f"not {r.engine}: {r.code}" for r in result.rejected)]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", NAMES)
def test_plan_of_a_request_holds_what_worked_and_nothing_that_failed(golden, name):
    request = read(name)
    expect, result = request["expect"], planned(request)
    best = next((p for p in result.ranked if p.engine == expect["engine"]), None)
    if best is None:
        refusal = next(r for r in result.rejected if r.engine == expect["engine"])
        assert expect.get("may_be_refused"), refusal.text.en
        golden(f"{name}.txt", f"refused: {refusal.code}\n", folder="requests")
        return
    assert result.ranked[0] is best
    golden(f"{name}.txt", text_of(result, best), folder="requests")
    check_line(best, expect)
    check_values(best, expect)
    check_refused(best, expect)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_planned_for_a_request_can_be_deployed_as_it_was_shown(name):
    host, model, goal = asked(read(name))
    best = next(iter(plan(host, model, goal).ranked), None)
    if best is None:
        return
    spec = resolve(
        profile_from_plan(best, model=model), engine=engines()[best.engine], fingerprint=host,
        model=model, host_id="host", name="asked", revision=1, catalogue=catalogue(),
        gpu_uuids=goal.gpu_uuids, estimator=partial(estimate_memory, calibration=calibration()),
    )  # fmt: skip
    assert sorted(spec.container.command) == sorted(best.container.command)
    assert spec.container.gpu_uuids == best.container.gpu_uuids


def check_line(best, expect):
    line = f"{' '.join(best.argv)} "
    assert all(f"{words} " in line for words in expect.get("has", []))
    assert not any(words in line for words in expect.get("lacks", []))
    if "one_of" in expect:
        assert any(words in line for words in expect["one_of"])
    assert set(expect.get("environment", [])) <= set(best.environment)
    assert set(expect.get("advice", [])) <= {reason.code for reason in best.advice}


def check_values(best, expect):
    values = best.parameters
    assert best.version == expect.get("version", best.version)
    for name, value in expect.get("parameters", {}).items():
        assert getattr(values, name) == value, name
    if "fraction" in expect:
        low, high = expect["fraction"]
        assert low <= values.memory_fraction <= high
    if "some_experts_in_ram" in expect:
        low, high = expect["some_experts_in_ram"]
        assert low <= values.cpu_moe_layers <= high
    assert values.context_tokens <= expect.get("context_at_most", values.context_tokens)
    if expect.get("smallest_fraction_above_weights"):
        # Left to the engine, or high enough for the weights: never below them.
        assert values.memory_fraction is None or values.memory_fraction > 0.9113


def check_refused(best, expect):
    ranges = {entry.parameter: entry for entry in best.ranges}
    if "refused" in expect:
        size, *words = expect["refused"]
        refused = {entry.value: entry for entry in ranges["tensor_parallel_size"].refused}
        assert all(word in refused[size].reason.text.en for word in words)
    if "range_high" in expect:
        name, low, high = expect["range_high"]
        assert low <= ranges[name].high <= high
