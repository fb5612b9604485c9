"""What ``pitwall plan`` prints for people: first what matters, then why."""

import json

import pytest

from app.cli.main import run
from tests.unit.core.models.builders import LLAMA_8B


def printed(capsys, tmp_path, *arguments):
    config = tmp_path / "config.json"
    config.write_text(json.dumps(LLAMA_8B))
    run(
        ["plan", "--what-if", "1x NVIDIA H200", "--config", str(config), *arguments],
        open_window=lambda: pytest.fail("no window"),
        run_tour=lambda request: pytest.fail(f"no tour {request}"),
    )
    return capsys.readouterr().out


def test_what_to_mind_and_the_command_come_before_the_reasons(capsys, tmp_path):
    text = printed(capsys, tmp_path, "--", "--max-model-len", "4096")
    order = ["memory per GPU:", "advice:", "docker run", "Why:", "What else the values", "not "]
    found = [text.index(f"\n{mark}") for mark in order]
    assert found == sorted(found)
    assert "--max-model-len 4096: Set by the user" in text


def test_the_tuning_plan_is_counted_and_shown_when_asked_for(capsys, tmp_path):
    short = printed(capsys, tmp_path)
    assert short.rstrip().endswith("4 loads, 3 figures, 3 rounds. See them with --tuning.")
    assert "load: Short" not in short
    assert "load: Short" in printed(capsys, tmp_path, "--tuning")
