"""How long `pitwall estimate` takes as a whole process, in every form it has.

On a desk that knows nothing, and on one with stored hosts and starts that teach.
"""

import asyncio
import json
import resource
import subprocess
import sys

import pytest
from fakes.known_desk import fill

from app.core.models.config import read_config

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
_NOT_NEEDED = (
    "PySide6", "aiohttp", "asyncio", "concurrent.futures", "docker", "paramiko", "pydantic", "ssl",
    "yaml", "app.bootstrap.application", "app.core.planning.plan", "app.core.slow.spec",
    "app.io.store.db", "app.services.hosts",
)  # fmt: skip
_OF_HOSTS = ("app.core.hardware.fingerprint", "app.core.host", "app.io.store.hosts")
_OF_STARTS = ("app.core.actuals.record", "app.io.store.starts", "app.services.lessons")
_TABLES = ("--sizing", "--gpu any")


_NEW, _KNOWING = "a new desk", "a desk with hosts and starts"


@pytest.fixture(params=[_NEW, _KNOWING])
def desk(request, tmp_path, monkeypatch):
    """What the desk knows, in words; the commands use it."""
    monkeypatch.setenv("PITWALL_HOME", str(tmp_path))
    if request.param == _KNOWING:
        asyncio.run(fill(tmp_path, read_config(_CONFIG, name="model")))
    return request.param


@pytest.fixture
def command(tmp_path):
    config = tmp_path / "config.json"
    config.write_text(json.dumps(_CONFIG), encoding="utf-8")
    return [
        "estimate", "--config", str(config), "--engine", "vllm", "--engine-version", "0.26.0",
        "--gpu", "NVIDIA H200", "--gpu-count", "4",
    ]  # fmt: skip


def test_an_estimate_as_a_whole_process(figure, median_run, command, desk):
    libraries_s = median_run(sys.executable, "-c", _LIBRARIES)
    for name, words in _FORMS.items():
        before_s = _cpu_of_children_s()
        wall_s = median_run(sys.executable, "-m", "app", *command, *words, *_FLAGS, times=3)
        cpu_s = (_cpu_of_children_s() - before_s) / 4
        figure(
            f"pitwall estimate {name}, {desk}", wall_s,
            f"CPU {cpu_s * 1000:.0f} ms; the same libraries alone {libraries_s * 1000:.0f} ms",
            budget_s=0.3,
        )  # fmt: skip


def _cpu_of_children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.parametrize(
    ("desk", "form"),
    [*((_NEW, form) for form in _FORMS), (_KNOWING, "--explain"), (_KNOWING, "--gpu any")],
    indirect=["desk"],
)
def test_an_estimate_loads_only_what_it_needs(command, desk, form):
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
    knows = desk == _KNOWING
    assert set(_OF_STARTS) & set(loaded) == (set(_OF_STARTS) if knows else set())
    asks_hosts = knows and form in _TABLES
    assert set(_OF_HOSTS) & set(loaded) == (set(_OF_HOSTS) if asks_hosts else set())
