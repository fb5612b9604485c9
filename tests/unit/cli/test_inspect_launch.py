"""What ``pitwall inspect`` prints of a launch text, and how it ends."""

import json

import pytest
from click.testing import CliRunner

from app.cli.context import EXIT_NEGATIVE, EXIT_OK
from app.cli.inspect import inspect_command

REJECTED = "vllm serve some/model --max-model-lenn 4096 --api-key sk-planted-987654321\n"


@pytest.fixture
def run(pitwall_home, tmp_path):  # noqa: ARG001 - the command's own folders
    def call(text: str, *arguments: str):
        file = tmp_path / "launch.sh"
        file.write_text(text, encoding="utf-8")
        return CliRunner().invoke(inspect_command, [str(file), *arguments])

    return call


def test_a_rejected_flag_ends_with_a_negative_verdict(run):
    found = run(REJECTED, "--engine-version", "0.26.0")

    assert found.exit_code == EXIT_NEGATIVE
    assert "1:23  reject" in found.output
    assert "write: --max-model-len" in found.output
    assert "reject: 1" in found.output.splitlines()[-1]
    assert "sk-planted" not in found.output


def test_the_document_has_lines_and_no_secret(run):
    found = run(REJECTED, "--json")
    document = json.loads(found.output)
    assert document["kind"] == "launch-script"
    remark = next(r for r in document["result"]["remarks"] if r["id"] == "unknown_near")
    assert (remark["line"], remark["column"], remark["is_corrected"]) == (1, 23, True)
    assert "--max-model-len 4096" in document["result"]["corrected"]
    assert "sk-planted" not in found.output


def test_a_text_without_faults_ends_well(run):
    found = run("vllm serve some/model\n", "--engine-version", "0.26.0")
    assert found.exit_code == EXIT_OK
    assert "Nothing to remark on." in found.output
