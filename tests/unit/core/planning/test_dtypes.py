"""Types of the weights: what a GPU without bfloat16 leaves, and sentences that are true."""

from dataclasses import replace

import pytest
from fakes.planning_world import best, gpu_host, plan, quantized, refusals, safetensors_model

from app.core.planning.plan import Goal

T4 = gpu_host("Tesla T4", cap="7.5", memory_mib=15360, reserved_mib=None, count=4)
V100 = gpu_host("Tesla V100-SXM2-32GB", cap="7.0", memory_mib=32768, reserved_mib=None)


def gemma(model_type="gemma3_text", **changes):
    sizes = {"num_hidden_layers": 16, **changes}
    return safetensors_model(
        "gemma", model_type=model_type, architectures=["Gemma3ForCausalLM"], **sizes
    )


def dtype_of(host, model, engine="vllm", version=None):
    found = best(host, model, Goal(engine=engine, engine_version=version))
    reason = next(reason for reason in found.reasons if reason.parameter == "dtype")
    return found.parameters.dtype, reason


@pytest.mark.parametrize("model_type", ["gemma2", "gemma3", "gemma3_text", "glm4"])
def test_models_that_overflow_float16_get_float32_on_gpus_without_bfloat16(model_type):
    dtype, reason = dtype_of(T4, gemma(model_type))
    assert dtype == "float32"
    assert reason.code == "dtype_not_float16"
    assert "vLLM" in reason.source


def test_older_versions_that_would_serve_nonsense_get_float32_too():
    assert dtype_of(V100, gemma())[0] == "float32"
    assert dtype_of(V100, safetensors_model(num_hidden_layers=8))[0] == "float16"


def test_a_model_is_trusted_with_float16_once_the_engine_trusts_it():
    model = gemma()
    plamo = replace(model, architecture=replace(model.architecture, model_type="plamo2"))
    assert dtype_of(T4, plamo, version="0.33.0")[0] == "float16"
    assert dtype_of(T4, plamo, version="0.20.0")[0] == "float32"


def test_float32_that_does_not_fit_is_refused_with_its_figures():
    large = gemma(num_hidden_layers=64, num_key_value_heads=8)
    result = plan(V100, large, Goal(engine="vllm"))
    assert refusals(result)["vllm"] == "does_not_fit"


def test_quantized_checkpoints_without_a_wider_type_are_refused():
    model = quantized(gemma(), "gptq", bits=4, group_size=128)
    result = plan(T4, model, Goal(engine="vllm"))
    assert refusals(result)["vllm"] == "float16_unstable"


def test_engines_that_have_nothing_but_float16_there_are_refused():
    found = refusals(plan(T4, gemma("gemma3")))
    assert found["lmdeploy"] == "float16_unstable"


def test_own_float16_for_such_a_model_is_refused_on_any_gpu():
    goal = Goal(engine="vllm", own_flags=("--dtype", "half"))
    refusal = next(r for r in plan(gpu_host(), gemma(), goal).rejected if r.engine == "vllm")
    assert "--dtype half" in refusal.text.en


def test_the_refused_type_is_shown_with_its_reason():
    found = best(T4, gemma(), Goal(engine="vllm"))
    entry = next(entry for entry in found.ranges if entry.parameter == "dtype")
    assert entry.choices == ("float32",)
    assert [refused.value for refused in entry.refused] == ["bfloat16", "float16"]


@pytest.mark.parametrize(
    ("engine", "model", "code", "said"),
    [
        ("vllm", safetensors_model(), "dtype_auto", "bfloat16"),
        ("vllm", safetensors_model(torch_dtype="float32"), "dtype_halved", "as bfloat16"),
        ("vllm", quantized(safetensors_model(), "awq", bits=4), "dtype_quantized", "awq"),
        ("tgi", safetensors_model(), "dtype_by_engine", "float16"),
    ],
)
def test_what_is_said_of_the_type_is_what_the_engine_does(engine, model, code, said):
    dtype, reason = dtype_of(gpu_host(), model, engine)
    assert (dtype, reason.code) == ("auto", code)
    assert said in reason.text.en


def test_a_method_without_a_report_that_it_works_is_last_and_told():
    model = quantized(safetensors_model(), "mxfp4", bits=4)
    host = gpu_host("NVIDIA GeForce RTX 5090", cap="12.0", memory_mib=32607)
    ranked = plan(host, model).ranked
    last = next(found for found in ranked if found.engine == "tensorrt-llm")
    assert ranked[-1] is last
    assert "quantization_unconfirmed" in {reason.code for reason in last.advice}
    ada = gpu_host("NVIDIA L40S", cap="8.9", memory_mib=46068)
    assert refusals(plan(ada, model))["tensorrt-llm"] == "quantization_capability"


def test_a_method_that_was_not_examined_is_said_to_be_unknown():
    model = quantized(safetensors_model(), "quark", bits=8)
    found = best(gpu_host(), model, Goal(engine="tensorrt-llm"))
    assert "quantization_unknown" in {reason.code for reason in found.advice}
