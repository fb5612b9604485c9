"""The command of every examined engine version: flags appear and disappear with their spans."""

import shlex

import pytest
from fakes.planning_world import engines, gguf_model, safetensors_model

from app.core.engines.parameters import Parameters
from app.core.engines.render import render

PARAMETERS = {
    "vllm": Parameters(
        context_tokens=8192,
        concurrency=64,
        tensor_parallel_size=2,
        memory_fraction=0.9,
        kv_dtype="fp8",
        dtype="float16",
        prefill_tokens=4096,
        prefix_caching=True,
    ),
    "llamacpp": Parameters(
        context_tokens=8192, concurrency=4, kv_dtype="q8_0", gpu_layers=29, threads=8
    ),
}
EIGHT_BITS = {"sglang": "fp8", "tensorrt-llm": "fp8", "lmdeploy": "int8", "ollama": "q8_0"}


def typical_plans(engine):
    """Four plans as users ask for them; the first leaves to the engine what can be left."""
    small = EIGHT_BITS.get(engine, "auto")
    return {
        "chat": Parameters(context_tokens=8192, concurrency=32),
        "two GPUs": Parameters(
            context_tokens=8192, concurrency=64, tensor_parallel_size=2, memory_fraction=0.85
        ),
        "long context": Parameters(
            context_tokens=131072, concurrency=4, kv_dtype=small, prefill_tokens=4096
        ),
        "several steps": Parameters(
            context_tokens=16384, concurrency=32, dtype="float16", prefix_caching=True
        ),
    }


def model_of(engine):
    formats = engines()[engine].engine.formats
    return gguf_model() if "gguf" in formats else safetensors_model()


@pytest.mark.parametrize("engine", sorted(PARAMETERS))
def test_commands_of_all_versions_read_as_reviewed(golden, engine):
    data = engines()[engine]
    lines = []
    for version in data.engine.versions:
        rendered = render(
            data, version, PARAMETERS[engine], model_of(engine), image=data.engine.image[0]
        )
        lines.append(f"{version}: {shlex.join(rendered.argv)}")
    golden(f"commands-{engine}.txt", "\n".join(lines) + "\n")


@pytest.mark.parametrize("engine", ["lmdeploy", "ollama", "sglang", "tensorrt-llm", "tgi"])
def test_typical_plans_of_all_versions_read_as_reviewed(golden, engine):
    data = engines()[engine]
    lines = []
    for title, parameters in typical_plans(engine).items():
        lines += [f"# {title}", ""]
        for version in data.engine.versions:
            rendered = render(
                data, version, parameters, model_of(engine), image=data.engine.image[0]
            )
            variables = [f"{k}={v}" for k, v in rendered.environment.items()]
            lines += [f"{version}: {shlex.join(rendered.argv)}", f"  {' '.join(variables)}"]
        lines.append("")
    golden(f"commands-{engine}.txt", "\n".join(lines))
