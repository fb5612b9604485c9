"""``pitwall diagnose`` with the rules that ship: files, standard input, what cannot be read."""

import io
import json
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.cli.main import run
from app.core.bundle.redact import Redactor
from app.core.diagnosis.log_diagnosis import diagnose_text
from app.io.datafiles import data_root, load_causes, load_diagnosis

LOG = (
    "INFO x\nValueError: The model's max seq len (8192) is larger than the maximum number of "
    "tokens that can be stored in KV cache (4000). Try increasing it.\n"
)


def pitwall(*arguments):
    return run(list(arguments), open_window=lambda: 0, run_tour=lambda _request: None)


@dataclass
class Stdin:
    buffer: io.BufferedReader

    def isatty(self):
        return False


@pytest.fixture
def log(tmp_path):
    file = tmp_path / "engine.log"
    file.write_text(LOG)
    return file


def test_file_is_answered_as_json(log, capsys):
    assert pitwall("diagnose", str(log), "--json") == 0

    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "pitwall.diagnose/1"
    assert document["primary"] == "kv_cache_smaller_than_max_len"
    first = document["findings"][0]
    assert {"cause", "family", "confidence", "evidence", "title", "remedy"} <= set(first)
    assert first["evidence"][0]["line"] == 2


def test_stdin_is_answered_in_chinese(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", Stdin(io.BufferedReader(io.BytesIO(LOG.encode()))))

    assert pitwall("diagnose", "-", "--lang", "zh_CN") == 0

    out = capsys.readouterr().out
    assert "依据" in out
    assert "第 2 行" in out


def test_nothing_in_the_log_is_an_answer(tmp_path, capsys):
    file = tmp_path / "empty.log"
    file.touch()

    assert pitwall("diagnose", str(file), "--json") == 0

    document = json.loads(capsys.readouterr().out)
    assert (document["primary"], document["findings"]) == (None, [])


@pytest.mark.parametrize("name", ["missing.log", "."])
def test_what_cannot_be_read_is_exit_1(tmp_path, capsys, name):
    assert pitwall("diagnose", str(tmp_path / name), "--json") == 1

    error = json.loads(capsys.readouterr().out)["error"]
    assert error["code"] == "file_unreadable"


CASES = Path(__file__).resolve().parents[3] / "shared" / "cases" / "logs"


def test_a_redacted_log_is_diagnosed_like_the_log_itself():
    if not CASES.is_dir():
        pytest.skip("shared cases are not laid beside this checkout")
    rules, causes = load_diagnosis(data_root()), load_causes(data_root())
    different = []
    for file in sorted(CASES.glob("*.log")):
        text = file.read_text(encoding="utf-8", errors="replace")
        redactor = Redactor()
        redactor.learn(text)
        found = [
            diagnose_text(each, rules=rules, causes=causes).primary
            for each in (text, redactor.text(text))
        ]
        if len({finding and finding.cause for finding in found}) > 1:
            different.append(file.name)
    assert different == []
