"""Sizing judges hardware by planning's own rules, and by what hardware decides alone."""

from functools import partial

import pytest
from fakes.planning_world import (
    ROOT,
    calibration,
    catalogue,
    engines,
    gguf_model,
    gpu_host,
    refusals,
    rules,
    safetensors_model,
)

from app.core.models.estimate import estimate_memory
from app.core.models.hardware_table import Candidate
from app.core.models.request import Device, EstimateOptions
from app.core.planning.evaluate import make_plan
from app.core.planning.owned_hardware import owned_candidates
from app.core.planning.plan import Goal
from app.core.planning.runs_on import HardwareJudge
from app.core.planning.wording import Wording
from app.io import datafiles

GENERATIONS = ("6.0", "7.0", "7.5", "8.0", "8.9", "9.0", "10.0", "10.3", "12.0", None)
ENGINES = (
    ("vllm", "0.10.2"), ("vllm", "0.26.0"), ("sglang", "0.5.5"), ("tensorrt-llm", "1.2.0"),
    ("lmdeploy", "0.10.0"), ("tgi", "3.3.4"),
)  # fmt: skip
MODELS = {
    "plain": safetensors_model(),
    "fp8": safetensors_model(quantization_config={"quant_method": "fp8"}),
    "awq": safetensors_model(
        quantization_config={"quant_method": "awq", "bits": 4, "group_size": 128}
    ),
    "mxfp4": safetensors_model(quantization_config={"quant_method": "mxfp4"}),
    "bitsandbytes": safetensors_model(
        quantization_config={"quant_method": "bitsandbytes", "load_in_4bit": True}
    ),
    "gemma": safetensors_model(model_type="gemma2", architectures=["Gemma2ForCausalLM"]),
    "gguf": gguf_model(),
}


def judge(engine="vllm", version="0.26.0", model="plain", **options) -> HardwareJudge:
    return HardwareJudge(
        engine=engines()[engine],
        version=version,
        model=MODELS[model],
        options=EstimateOptions(**options),
        constraints=rules().constraints,
        sentence=Wording(rules()).reason,
    )


def plan_alone(host, model, goal):
    """Plan with the goal's engine; the others are not looked at."""
    return make_plan(
        fingerprint=host,
        model=model,
        goal=goal,
        engines={goal.engine: engines()[goal.engine]},
        rules=rules(),
        estimator=partial(estimate_memory, calibration=calibration()),
        catalogue=catalogue(),
    )


def product(capability, **host) -> Candidate:
    device = Device(name="The GPU", compute_cap=capability, memory_total_mib=180_000)
    return Candidate(device=device, **host)


def code(found) -> str:
    return found.refused.code if found.refused else ""


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(("engine", "version"), ENGINES)
def test_what_sizing_leaves_out_is_what_planning_refuses(engine, version, model):
    goal = Goal(engine=engine, engine_version=version, context_tokens=2048, concurrency=1)
    judged = judge(engine, version, model)
    for capability in GENERATIONS:
        host = gpu_host("The GPU", cap=capability, memory_mib=180_000, driver=None)
        result = plan_alone(host, MODELS[model], goal)
        refused = refusals(result).get(engine, "")
        found = judged(product(capability))
        assert code(found) == refused, capability
        made = next((one for one in result.ranked), None)
        counted = made is not None and made.parameters.dtype == "float32"
        assert found.dtype == ("float32" if counted else ""), capability


@pytest.mark.parametrize(
    ("options", "capability", "refused"),
    [
        ({"dtype": "bfloat16"}, "7.5", "own_flag_bfloat16"),
        ({"dtype": "bfloat16"}, "8.0", ""),
        ({"dtype": "bfloat16"}, None, ""),
        ({"kv_dtype": "fp8"}, "7.5", "own_flag_cache"),
        ({"kv_dtype": "fp8"}, "8.9", ""),
        ({"kv_dtype": "fp8"}, None, ""),
        ({"kv_dtype": "nothing-known"}, "7.5", ""),
        ({"quantization": "fp8"}, "9.0", ""),
        ({"quantization": "modelopt"}, "7.5", "own_flag_method"),
    ],
)
def test_types_and_methods_that_were_chosen_count(options, capability, refused):
    assert code(judge(**options)(product(capability))) == refused


def test_a_chosen_type_that_overflows_is_refused_and_another_is_kept():
    old = product("7.5")
    assert judge(model="gemma")(old).dtype == "float32"
    assert code(judge(model="gemma", dtype="half")(old)) == "own_flag_unstable"
    chosen = judge(model="gemma", dtype="float32")(old)
    assert (code(chosen), chosen.dtype) == ("", "")


def test_the_sentence_names_flag_and_gpu():
    text = judge(dtype="bfloat16")(product("7.5")).refused.text
    assert text.en.startswith("--dtype bfloat16: The GPU ")
    assert "{" not in text.en + text.zh_CN
    refused = judge()(product("7.0")).refused
    assert "7.0 (The GPU)" in refused.text.en
    assert refused.source.endswith(")")


@pytest.mark.parametrize(
    ("host", "refused"),
    [
        ({}, ""),
        ({"driver": "470.82.01"}, "driver_too_old"),
        ({"driver": "580.159.04"}, ""),
        ({"architecture": "ppc64le"}, "cpu_architecture"),
    ],
)
def test_an_owned_host_is_judged_by_its_driver_and_processor_too(host, refused):
    assert code(judge()(product("9.0", **host))) == refused


def test_owned_hosts_bring_driver_and_processor_along():
    host = gpu_host("NVIDIA GeForce RTX 4090", cap="8.9", driver="550.54.14")
    (one,) = owned_candidates("desk", host, catalogue())
    assert (one.driver, one.architecture, one.is_data_centre) == ("550.54.14", "x86_64", False)


@pytest.mark.parametrize("version", ["0.15.0", "9.9.9"])
def test_a_version_without_a_known_image_leaves_nothing_out(version):
    known = engines()["tensorrt-llm"].engine.image
    assert known
    found = map(partial(judge, "tensorrt-llm"), [version])
    assert [code(one(product("9.0"))) for one in found] == [""]


def test_the_hard_limits_alone_are_those_of_all_rules():
    assert datafiles.load_constraints(ROOT) == rules().constraints
