"""``pitwall check`` from the outside: text, document, filters, sheet, exit codes."""

import io
import json
import sys
from pathlib import Path

import pytest

from app.cli.main import run
from app.io.datafiles import data_root

IDLE = str(data_root() / "resources" / "demo" / "h200-x2" / "idle")
HEALTHY = Path(__file__).parents[1] / "core" / "checks" / "host"


def call(*arguments: str) -> int:
    return run(
        ["check", *arguments],
        open_window=lambda: pytest.fail("no window"),
        run_tour=lambda request: pytest.fail(f"no tour {request}"),
    )


def test_a_failing_check_is_told_with_reason_and_remedy_and_ends_with_3(capsys):
    code = call(IDLE, "--state", "fail,warn")

    text = capsys.readouterr().out
    assert code == 3
    assert "FAIL" in text
    assert "No container engine is installed." in text
    assert "→ Install Docker" in text
    assert "Driver is loaded" not in text


def test_a_host_in_order_ends_with_0(capsys):
    assert call(str(HEALTHY)) == 0

    text = capsys.readouterr().out
    assert "Driver is loaded and answers: The driver answers; GPUs: 2." in text
    assert text.rstrip().endswith("FAIL 0 · WARN 0 · unknown 4 · pass 78 · n/a 8")


def test_the_document_holds_everything_in_both_languages(capsys):
    assert call(IDLE, "--json") == 3

    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "pitwall.check/1"
    assert document["ok"] is False
    assert len(document["checks"]) == 90
    assert sum(document["counts"].values()) == 90
    xid = next(check for check in document["checks"] if check["id"] == "xid")
    assert xid["state"] == "pass"
    assert xid["title"]["zh_CN"]


def test_only_one_area_and_one_language(capsys):
    call(IDLE, "--only", "nvlink", "--only", "topology", "--lang", "zh_CN")

    text = capsys.readouterr().out
    assert "所有 NVLink 均已激活" in text
    assert "GPU 之间的距离" in text
    assert "驱动已加载" not in text


def test_the_sheet_is_written_beside_the_answer(capsys, tmp_path):
    sheet = tmp_path / "prepare.md"

    call(IDLE, "--sheet", str(sheet))

    text = sheet.read_text()
    assert text.startswith("# Preparing idle for LLM serving")
    assert "## Must be changed" in text
    assert "Saved" in capsys.readouterr().err


def test_a_saved_fingerprint_is_read_from_stdin(capsys, tmp_path, monkeypatch):
    saved = tmp_path / "fp.json"
    run(
        ["fingerprint", "--from", IDLE, "--save", str(saved)],
        open_window=lambda: 1,
        run_tour=lambda _: pytest.fail("no tour"),
    )
    capsys.readouterr()
    stdin = io.TextIOWrapper(io.BytesIO(saved.read_bytes()))
    monkeypatch.setattr(sys, "stdin", stdin)

    assert call("-", "--json") == 3
    assert json.loads(capsys.readouterr().out)["counts"]["fail"] == 1


@pytest.mark.parametrize(
    ("arguments", "word"), [(["--state", "bad"], "bad"), (["--only", "wheels"], "wheels")]
)
def test_a_word_that_is_no_state_or_area_is_refused_with_what_there_is(arguments, word, capsys):
    assert call(IDLE, *arguments) == 2

    said = capsys.readouterr().err
    assert word in said
    assert "Choose among" in said


def test_a_host_that_nobody_knows_is_a_user_error(capsys):
    assert call("nowhere") == 2
    assert "nowhere" in capsys.readouterr().err


def broken_model(folder: Path) -> str:
    folder.mkdir()
    (folder / "config.json").write_text('{"model_type": "llama"}')
    (folder / "model.safetensors").write_bytes(b"\x10")
    return str(folder)


def test_a_broken_model_is_told_beside_the_checks_and_ends_with_3(capsys, tmp_path):
    assert call(str(HEALTHY), "--model", broken_model(tmp_path / "m"), "--measure") == 3

    text = capsys.readouterr().out
    assert f"Model m in {tmp_path / 'm'}" in text
    assert "FAIL    Tokenizer: There is none." in text
    assert "model.safetensors: needs 8 bytes, the file has 1" in text


def test_the_document_holds_the_model_only_when_it_was_asked_about(capsys, tmp_path):
    call(str(HEALTHY), "--json", "--model", broken_model(tmp_path / "m"))
    document = json.loads(capsys.readouterr().out)
    assert document["ok"] is False
    assert document["model"]["ok"] is False
    assert len(document["model"]["findings"]) == 12
    assert document["model"]["findings"][0]["title"]["zh_CN"]
    assert document["model"]["load_time"] is None
    call(str(HEALTHY), "--json")
    assert json.loads(capsys.readouterr().out)["model"] is None
