"""Hosts that were sent or are only thought of are never taken for machines; waits end."""

import json
import signal
import subprocess

import pytest

pytestmark = pytest.mark.timeout(120)

MORE_THAN_A_PIPE_HOLDS = 300_000


def test_a_host_that_is_only_thought_of_is_said_so_everywhere(quick_pitwall, tmp_path):
    pitwall, file = quick_pitwall, tmp_path / "thought.json"
    pitwall.run("fingerprint", "--what-if", "2x L40S", "--save", file)
    pitwall.run("hosts", "add", "maybe", "--from", file)

    (entry,) = pitwall.json("hosts", "list")["hosts"]
    assert (entry["thought_of"], entry["simulated"], entry["last_seen_at"]) == (True, True, None)
    assert "what if" in pitwall.run("hosts", "list").stdout
    assert pitwall.error("hosts", "test", "maybe")["code"] == "host_is_record"
    assert "maybe" not in json.dumps(pitwall.json("ps"))


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM], ids=lambda how: how.name)
@pytest.mark.parametrize("command", ["check", "diagnose"])
def test_a_signal_ends_the_wait_for_standard_input(pitwall, command, how):
    options = {"stdin": subprocess.PIPE, "text": False}
    with pitwall.started(command, "-", **options) as process:
        process.stdin.write(b"\n" * MORE_THAN_A_PIPE_HOLDS)  # returns once somebody reads
        process.stdin.flush()
        process.send_signal(how)
        assert process.wait(10) == 130
        assert process.stdout.read() == b""


def test_a_plan_without_a_host_says_where_its_model_is_looked_for(quick_pitwall):
    arguments = ("plan", "--what-if", "2x L40S", "--model", "/nowhere/model")
    error = quick_pitwall.error(*arguments)
    assert error["code"] == "model_not_found"
    assert "on this computer" in error["cause"]
    assert "--config" in error["remedy"]
