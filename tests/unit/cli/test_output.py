"""What the command line does when its output cannot be written, and what it says then."""

import io
import json
import os
from contextlib import contextmanager, redirect_stdout
from pathlib import Path

import pytest

from app.cli.connect import Answers, with_options
from app.cli.context import EXIT_USAGE
from app.cli.main import run
from app.cli.operate import ps_text
from app.cli.output import Output, as_started, prepare_stdout
from app.core.documents.operate import PsDocument, deployment_entry
from app.core.errors import AppError, ErrorCode, ErrorInfo, HostError, StoreError
from app.core.events import DeploymentSnapshot, DeploymentState
from app.core.ids import HostId


@contextmanager
def stdout(stream):
    """Write to ``stream``; a fixture could not, pytest puts its own back before each test."""
    with stream, redirect_stdout(stream):
        yield
        stream.flush()  # nothing may be left that fails once more


def full_disk():
    return stdout(Path("/dev/full").open("w"))


def gone_reader():
    reading, writing = os.pipe()
    os.close(reading)
    return stdout(os.fdopen(writing, "w"))


def test_output_that_finds_no_room_is_an_error_on_stderr(capsys):
    output = Output("ps", as_json=True)
    with full_disk():
        with pytest.raises(StoreError) as caught:
            output.document({"a": 1}, "a")
        output.failure(caught.value)
    assert caught.value.code is ErrorCode.FILE_UNWRITABLE
    assert "No space left" in capsys.readouterr().err


def test_reader_who_went_away_is_not_an_error_of_ours():
    with gone_reader(), pytest.raises(BrokenPipeError):
        Output("ps", as_json=False).line({"a": 1}, "a")


def test_failure_never_raises_though_nobody_reads_it():
    with gone_reader():
        Output("ps", as_json=True).failure(AppError(ErrorCode.INTERNAL, cause="x", remedy=""))


def test_error_after_the_one_document_goes_to_stderr(capsys):
    output = Output("ps", as_json=True)
    output.document({"a": 1}, "a")
    output.failure(AppError(ErrorCode.INTERNAL, cause="Closing failed.", remedy=""))
    shown = capsys.readouterr()
    assert json.loads(shown.out) == {"a": 1}
    assert "Closing failed." in shown.err


def test_progress_stops_nothing_when_its_reader_went_away(capsys):
    output = Output("deploy", as_json=True)
    with gone_reader():
        for _ in range(2):
            output.news({"a": 1}, "a")
        with pytest.raises(BrokenPipeError):
            output.line({"a": 1}, None)
    assert capsys.readouterr().err == ""


def test_progress_for_people_goes_to_stderr(capsys):
    Output("deploy", as_json=False).news({"a": 1}, "starting")
    assert capsys.readouterr() == ("", "starting\n")


def test_notice_says_cause_and_remedy_on_stderr(capsys):
    info = ErrorInfo(code=ErrorCode.STORE_BROKEN, cause="It was damaged.", remedy="Look there.")
    Output("ps", as_json=True).notice(info)
    assert capsys.readouterr() == ("", "Note: It was damaged.\n  What to do: Look there.\n")


@pytest.mark.parametrize("as_json", [True, False])
def test_no_character_is_too_much_for_the_terminal(as_json):
    written = io.BytesIO()
    with redirect_stdout(io.TextIOWrapper(written, encoding="latin-1")):
        prepare_stdout(as_json=as_json)
        Output("ps", as_json=as_json).document({"name": "机房\udcff"}, "机房\udcff")
        shown = written.getvalue().decode()
    if as_json:
        assert json.loads(shown)["name"].startswith("机房")
    else:
        assert shown == "\\u673a\\u623f\\udcff\n"


def refusal(code, **params):
    return HostError(code, params, cause="c.", remedy="r.")


def test_unknown_key_names_the_option_that_accepts_it():
    error = refusal(ErrorCode.HOST_KEY_UNKNOWN, sha256="SHA256:abc")
    assert "--accept-key SHA256:abc" in with_options(error, Answers()).remedy
    told = with_options(error, Answers(accept_key="SHA256:other"))
    assert "SHA256:other" in told.cause


def test_missing_password_names_the_option_that_gives_it():
    error = refusal(ErrorCode.PASSWORD_NEEDED, what="password")
    assert "--password-stdin" in with_options(error, Answers()).remedy
    passphrase = refusal(ErrorCode.PASSWORD_NEEDED, what="passphrase")
    assert with_options(passphrase, Answers()).remedy == "r."


def test_ps_tells_starts_to_the_second():
    snapshot = DeploymentSnapshot(
        revision=1,
        host_id=HostId("1"),
        host_name="h",
        name="n",
        state=DeploymentState.SERVING,
        started_at="2026-11-29T23:06:41.838043000Z",
    )
    text = ps_text(PsDocument(deployments=(deployment_entry(snapshot),)))
    assert text.splitlines()[1].endswith("–     2026-11-29T23:06:41Z")


def test_commands_are_named_as_pitwall_was_started(monkeypatch):
    text = "Next: pitwall hosts test pitwall-box; pitwall --help."
    monkeypatch.delenv("PITWALL_COMMAND", raising=False)
    assert as_started(text) == text

    monkeypatch.setenv("PITWALL_COMMAND", "packaging/run")
    assert as_started(text) == "Next: packaging/run hosts test pitwall-box; packaging/run --help."


def test_usage_names_the_program_as_it_was_started(monkeypatch, capsys):
    monkeypatch.setenv("PITWALL_COMMAND", "packaging/run")

    assert run(["hosts", "lst"], open_window=lambda: 0, run_tour=None) == EXIT_USAGE
    assert capsys.readouterr().err.startswith("Usage: packaging/run hosts ")


def test_a_key_copied_with_its_full_stop_is_the_key():
    assert (
        Answers.from_options(accept_key="SHA256:a+b.", password_stdin=False).accept_key
        == "SHA256:a+b"
    )
