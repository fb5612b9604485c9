"""The README's commands work as they stand: on the demo host, one after the other."""

import re
import shlex
from pathlib import Path

import pytest

README = Path(__file__).parents[2] / "README.md"
_BLOCK = re.compile(r"## The main job.*?```\n(.*?)```", re.DOTALL)

pytestmark = pytest.mark.timeout(120)


def commands():
    block = _BLOCK.search(README.read_text(encoding="utf-8"))
    assert block is not None
    lines = [shlex.split(line, comments=True) for line in block[1].splitlines()]
    assert all(line[0] == "packaging/run" for line in lines)
    return [line[1:] for line in lines]


def test_main_job_of_the_readme_works_on_the_demo_host(pitwall, tmp_path, monkeypatch):
    root = Path.cwd()
    monkeypatch.setenv("PYTHONPATH", str(root))
    monkeypatch.chdir(tmp_path)
    said = {}
    for command in commands():
        if command[0] in {"watch", "tunnel"}:
            with pitwall.started(*command) as process:
                said[command[0]] = process.stdout.readline()
        else:
            said[command[0]] = pitwall.run(*command).stdout
    assert "is serving qwen2.5-7b-instruct" in said["deploy"]
    assert said["tunnel"].startswith("http://127.0.0.1:")
    assert said["watch"].strip()
    assert (tmp_path / "chat.toml").exists()


def test_folder_of_models_answers_with_the_ones_it_holds(quick_pitwall):
    quick_pitwall.run("hosts", "add", "demo", "--demo")

    error = quick_pitwall.error("plan", "--host", "demo", "--model", "/models")
    wrong = quick_pitwall.error("plan", "--host", "demo", "--model", "/models/qwen.gguf")

    assert error["code"] == "ambiguous"
    assert "/models/qwen2.5-7b-instruct" in error["params"]["candidates"].splitlines()
    assert "/models/qwen2.5-7b-instruct" in error["remedy"]
    assert "/models/qwen2.5-7b-instruct" in wrong["remedy"]
