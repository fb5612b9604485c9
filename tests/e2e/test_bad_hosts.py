"""Hosts that do not let us in, are not who they were, or have tools that do not answer."""

import os
import pty
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.timeout(120)

_SIGN_IN_WORDS = ("Accepted", "Failed", "authenticating", "userauth")


@pytest.fixture
def pitwall(quick_pitwall):
    return quick_pitwall


def signed_in_attempts(log):
    return [line for line in log.splitlines() if any(word in line for word in _SIGN_IN_WORDS)]


def test_wrong_password_is_told_and_the_right_one_still_works(pitwall, ssh_host_factory):
    host = ssh_host_factory()
    pitwall.add(host, password=True)
    error = pitwall.error("hosts", "test", "gpu", "--password-stdin", stdin="wrong\n")
    assert error["code"] == "auth_failed"
    assert "password" in error["cause"]
    pitwall.run("hosts", "test", "gpu", "--password-stdin", stdin=host.password + "\n")


def test_missing_password_names_the_option_that_gives_it(pitwall, ssh_host):
    pitwall.add(ssh_host, password=True)
    error = pitwall.error("hosts", "test", "gpu")
    assert error["code"] == "password_needed"
    assert "--password-stdin" in error["remedy"]
    for stdin in ("", b"\xff\xfe\n"):
        wrong = pitwall.error("hosts", "test", "gpu", "--password-stdin", stdin=stdin, code=2)
        assert "--password-stdin" in wrong["cause"]


def test_password_is_kept_nowhere(pitwall, ssh_host):
    pitwall.add(ssh_host, password=True)
    pitwall.run("hosts", "test", "gpu", "--password-stdin", stdin=ssh_host.password + "\n")
    kept = [file for file in pitwall.home.rglob("*") if file.is_file()]
    assert kept
    assert not [file for file in kept if ssh_host.password.encode() in file.read_bytes()]


def test_unknown_key_is_shown_with_its_sha256_and_nothing_is_sent(
    pitwall, ssh_host_factory, host_key_of
):
    host = ssh_host_factory()
    pitwall.add(host, password=True, trusted=False)
    secret = {"stdin": host.password + "\n"}
    error = pitwall.error("hosts", "test", "gpu", "--password-stdin", **secret)
    assert error["code"] == "host_key_unknown"
    assert host_key_of(host) in error["cause"]
    assert host_key_of(host) in error["remedy"]
    other = "SHA256:" + "A" * 43
    error = pitwall.error("hosts", "test", "gpu", "--accept-key", other)
    assert other in error["cause"]
    assert signed_in_attempts(host.log) == []
    assert not (pitwall.home / "config" / "known_hosts").exists()


def test_changed_key_stops_before_any_sign_in(pitwall, ssh_host_factory, host_key_of):
    host = ssh_host_factory()
    pitwall.add(host, password=True)
    before = host_key_of(host)
    host.rotate_host_key()
    seen = len(host.log)
    for more in ([], ["--accept-key", host_key_of(host)]):
        error = pitwall.error(
            "hosts", "test", "gpu", "--password-stdin", *more, stdin=host.password + "\n"
        )
        assert error["code"] == "host_key_changed"
        assert before in error["cause"] + error["details"]
        assert host_key_of(host) in error["cause"] + error["details"]
    assert signed_in_attempts(host.log[seen:]) == []


def is_waiting(pid):
    """Tell whether a process's main thread sleeps in the kernel."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "S"


def test_ctrl_c_ends_the_question_for_a_key_at_once(pitwall, ssh_host_factory):
    host = ssh_host_factory()
    pitwall.add(host, trusted=False)
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        pitwall.argv("hosts", "test", "gpu"),
        env=pitwall.environment(),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    try:
        shown, deadline_s = b"", time.monotonic() + 20
        while b"[y/N]: " not in shown and time.monotonic() < deadline_s:
            shown += os.read(ours, 1024)
        while not is_waiting(process.pid) and time.monotonic() < deadline_s:
            os.sched_yield()
        process.send_signal(signal.SIGINT)
        assert process.wait(5) == 130
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    assert signed_in_attempts(host.log) == []


@pytest.mark.parametrize(
    ("target", "code"),
    [
        ("root@127.0.0.1:1", "host_unreachable"),
        ("root@no-such-host.invalid", "host_name_unknown"),
        (f"root@{'h' * 300}", "host_name_unknown"),
    ],
)
def test_host_that_is_not_there_is_told_apart(pitwall, target, code):
    pitwall.run("hosts", "add", "gpu", "--ssh", target)
    assert pitwall.error("hosts", "test", "gpu")["code"] == code


def test_key_file_that_is_not_there_is_said(pitwall, ssh_host):
    target = f"{ssh_host.user}@{ssh_host.address}:{ssh_host.port}"
    pitwall.run("hosts", "add", "gpu", "--ssh", target, "--key", "/nowhere/key")
    pitwall.trust(ssh_host)
    error = pitwall.error("hosts", "test", "gpu")
    assert error["code"] == "key_file_unreadable"
    assert "/nowhere/key" in error["cause"]


def test_user_outside_the_docker_group_is_told_how_to_get_in(
    pitwall, ssh_host_factory, docker_engine
):
    host = ssh_host_factory(docker_access=False)
    pitwall.add(host)
    error = pitwall.error("ps", "gpu")
    assert error["code"] == "docker_permission"
    assert f"usermod -aG docker {host.user}" in error["remedy"]
    assert pitwall.json("ps")["unreachable"]["gpu"]["code"] == "docker_permission"
    assert docker_engine in error["cause"]


@pytest.mark.usefixtures("docker_engine")
def test_host_without_docker_is_said_and_its_facts_are_taken_all_the_same(
    pitwall, ssh_host_factory
):
    pitwall.add(ssh_host_factory(), docker_socket="/nowhere/docker.sock")
    error = pitwall.error("ps", "gpu")
    assert error["code"] in {"docker_not_found", "docker_not_reachable"}
    assert "/nowhere/docker.sock" in error["cause"] + error["details"]
    assert len(pitwall.json("fingerprint", "gpu")["gpus"]) == 2


def test_host_without_nvidia_smi_has_no_gpus_and_is_planned_for_its_cpu(
    pitwall, ssh_host_factory, tiny_model
):
    pitwall.add(ssh_host_factory(recordings=None))
    fingerprint = pitwall.json("fingerprint", "gpu", "--save", pitwall.home / "fp.json")
    assert fingerprint["gpus"] == []
    assert fingerprint["driver_version"] is None
    assert fingerprint["unknown"]["driver_version"] == "tool_missing"
    plan = pitwall.json(
        "plan", "--fingerprint", pitwall.home / "fp.json", "--model", tiny_model.gguf
    )
    assert plan["ranked"][0]["container"]["gpu_uuids"] == []


FAULTS = {
    "cut": ("tool_failed", ""),
    "mismatch": ("tool_failed", "The driver's libraries and the loaded kernel module"),
    "hang": ("tool_timeout", ""),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_nvidia_smi_that_fails_costs_only_its_own_facts(pitwall, ssh_host_factory, fault):
    reason, warning = FAULTS[fault]
    host = ssh_host_factory()
    host.fail(fault)
    pitwall.add(host)
    saved = pitwall.home / "fp.json"
    started_s = time.monotonic()
    shown = pitwall.run("fingerprint", "gpu", "--save", saved)
    assert time.monotonic() - started_s < 20
    assert f"GPUs        unknown ({reason})" in shown.stdout
    assert f"warning: {warning}" in shown.stdout or not warning
    assert ("What to do: " in shown.stdout) is bool(warning)
    fingerprint = pitwall.json("fingerprint", "--from", saved)
    assert fingerprint["unknown"]["gpus"] == reason
    assert fingerprint["machine"]["kernel"]


def test_plan_for_a_host_whose_gpus_could_not_be_asked_says_so(
    pitwall, ssh_host_factory, tiny_model
):
    host = ssh_host_factory()
    host.fail("garbage")
    pitwall.add(host)
    shutil.copy(tiny_model.gguf, host.folder)
    model = host.folder / tiny_model.gguf.name
    plan = pitwall.json("plan", "--host", "gpu", "--model", model)
    advice = {entry["code"]: entry["text"] for entry in plan["ranked"][0]["advice"]}
    assert "not_reported" in advice["gpus_unknown"]
