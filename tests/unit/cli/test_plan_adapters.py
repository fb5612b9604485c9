"""``pitwall plan --adapter`` from the outside."""

import json

import pytest

from app.cli.main import run
from tests.unit.core.models.builders import LLAMA_8B


def plan(tmp_path, *arguments):
    config = tmp_path / "config.json"
    config.write_text(json.dumps(LLAMA_8B))
    return run(
        ["plan", "--what-if", "1x NVIDIA H200", "--config", str(config), "--json", *arguments],
        open_window=lambda: pytest.fail("no window"),
        run_tour=lambda request: pytest.fail(f"no tour {request}"),
    )


def test_an_adapter_is_named_in_the_command_and_kept_in_the_profile(capsys, tmp_path):
    law = tmp_path / "law-2"
    law.mkdir()
    (law / "adapter_config.json").write_text(json.dumps({"peft_type": "LORA", "r": 16}))
    (law / "adapter_model.safetensors").write_bytes(b"x")
    profile = tmp_path / "chat.toml"
    code = plan(
        tmp_path, "--adapter", f"law={law}", "--adapter", str(law), "--engine", "vllm",
        "--save", str(profile),
    )  # fmt: skip
    document = json.loads(capsys.readouterr().out)
    assert code == 0
    argv = document["ranked"][0]["argv"]
    at = argv.index("--lora-modules")
    assert argv[at + 1 : at + 3] == ["law=/adapters/law", "law-2=/adapters/law-2"]
    text = profile.read_text()
    assert "[adapters]" in text
    assert f'law = "{law}"' in text


def test_a_folder_that_is_no_adapter_is_told(capsys, tmp_path):
    assert plan(tmp_path, "--adapter", str(tmp_path)) == 1
    error = json.loads(capsys.readouterr().out)["error"]
    assert error["code"] == "model_config_missing"
    assert "adapter_config.json" in error["cause"]
