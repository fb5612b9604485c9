"""How long `pitwall estimate` takes as a whole process, in every form it has."""

import json
import resource
import subprocess
import sys

import pytest

_CONFIG = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 8192,
    "intermediate_size": 28672, "num_hidden_layers": 80, "num_attention_heads": 64,
    "num_key_value_heads": 8, "vocab_size": 128256, "max_position_embeddings": 131072,
    "torch_dtype": "bfloat16",
}  # fmt: skip
_FORMS = {
    "": (),
    "--json": ("--json",),
    "--explain": ("--explain",),
    "--solve context": ("--solve", "context"),
    "--sizing": ("--sizing",),
    "--gpu any": ("--gpu", "any"),
}
_FLAGS = ("--", "--tensor-parallel-size", "4", "--max-model-len", "8192")
_LIBRARIES = "import click, json, platformdirs, sqlite3, tomli"
_NOT_NEEDED = ("PySide6", "aiohttp", "asyncio", "docker", "paramiko", "pydantic", "yaml")


@pytest.fixture
def command(tmp_path, monkeypatch):
    monkeypatch.setenv("PITWALL_HOME", str(tmp_path))
    config = tmp_path / "config.json"
    config.write_text(json.dumps(_CONFIG), encoding="utf-8")
    return [
        "estimate", "--config", str(config), "--engine", "vllm", "--engine-version", "0.26.0",
        "--gpu", "NVIDIA H200", "--gpu-count", "4",
    ]  # fmt: skip


def test_an_estimate_as_a_whole_process(figure, median_run, command):
    libraries_s = median_run(sys.executable, "-c", _LIBRARIES)
    for name, words in _FORMS.items():
        before_s = _cpu_of_children_s()
        wall_s = median_run(sys.executable, "-m", "app", *command, *words, *_FLAGS, times=3)
        cpu_s = (_cpu_of_children_s() - before_s) / 4
        figure(
            f"pitwall estimate {name}", wall_s,
            f"CPU {cpu_s * 1000:.0f} ms; the same libraries alone {libraries_s * 1000:.0f} ms",
            budget_s=0.3,
        )  # fmt: skip


def _cpu_of_children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.parametrize("form", _FORMS)
def test_an_estimate_loads_only_what_it_needs(command, form):
    code = (
        "import json, sys; from app.__main__ import main; code = main(sys.argv[1:]);"
        "print(); print(json.dumps([code, *sorted(sys.modules)]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *command, *_FORMS[form], *_FLAGS],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    code, *loaded = json.loads(done.stdout.splitlines()[-1])
    assert code == 0
    assert [name for name in _NOT_NEEDED if name in loaded] == []
