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


@pytest.mark.parametrize("engine", sorted(PARAMETERS))
def test_commands_of_all_versions_read_as_reviewed(golden, engine):
    data = engines()[engine]
    model = gguf_model() if engine == "llamacpp" else safetensors_model()
    lines = []
    for version in data.engine.versions:
        rendered = render(data, version, PARAMETERS[engine], model, image=data.engine.image[0])
        lines.append(f"{version}: {shlex.join(rendered.argv)}")
    golden(f"commands-{engine}.txt", "\n".join(lines) + "\n")
