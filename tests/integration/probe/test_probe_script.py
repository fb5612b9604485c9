"""The probe script against well-behaved, hanging, lying and chattering tools."""

import subprocess
import time
from pathlib import Path

import pytest

from app.core.checks.run import run_checks
from app.core.hardware.assemble import assemble_fingerprint
from app.core.hardware.fingerprint import HostSource, UnknownReason
from app.core.hardware.frame import decode_frames
from app.io.check_data import load_checks
from app.io.datafiles import data_root, load_gpu_catalogue
from app.io.probes import SCRIPT_PATH, probe_script

from .conftest import SHELLS

RECORDING = data_root() / "resources/demo/h200-x2/idle"

REPLAY = f"""
play() {{ cat "{RECORDING}/$1.txt"; exit "$(cat "{RECORDING}/$1.rc")"; }}
case "$*" in
  "-q -x") play smi-q-x ;;
  "topo -m") play smi-topo-m ;;
  "topo -p2p r") play smi-topo-p2p-r ;;
  "nvlink -s") play smi-nvlink-s ;;
  "-L") play smi-L ;;
  --query-gpu=*) play smi-csv ;;
  --query-compute-apps=*) play smi-apps ;;
esac
exit 2
"""


def assemble(answer):
    return assemble_fingerprint(
        tuple(answer.sections.values()), source=HostSource.SSH, taken_at="2026-11-29T20:00:00Z"
    )


@pytest.mark.parametrize("shell", SHELLS)
def test_output_arrives_unchanged_in_every_shell(shell, tools, run_probe):
    tools("nvidia-smi", REPLAY)
    answer = run_probe(shell)
    assert answer.is_complete
    for name in ("smi-csv", "smi-q-x", "smi-topo-m", "smi-nvlink-s", "smi-L", "smi-apps"):
        section = answer.sections[name]
        assert (section.exit_code, section.stderr) == (0, "")
        assert section.stdout == (RECORDING / f"{name}.txt").read_text()


@pytest.mark.parametrize("shell", SHELLS)
def test_a_replayed_host_becomes_a_full_fingerprint(shell, tools, run_probe):
    tools("nvidia-smi", REPLAY)
    fingerprint = assemble(run_probe(shell))
    assert [(g.name, g.memory_reserved_mib) for g in fingerprint.gpus] == [("NVIDIA H200", 616)] * 2
    assert fingerprint.topology.nvlink_islands == ((0, 1),)
    assert fingerprint.memory.total_bytes
    assert fingerprint.machine.kernel
    assert fingerprint.topology.numa_nodes[0].cpus


@pytest.mark.parametrize("shell", SHELLS)
def test_a_tool_that_ignores_the_signal_is_given_up_and_not_tried_again(shell, tools, run_probe):
    tools("nvidia-smi", "trap '' TERM\necho half an answer\necho complaint >&2\nsleep 300")
    start_s = time.monotonic()
    answer = run_probe(shell, patience_s=1)
    assert time.monotonic() - start_s < 12
    assert answer.is_complete
    section = answer.sections["smi-csv"]
    assert (section.exit_code, section.stdout) == (None, "half an answer\n")
    assert section.stderr.startswith("complaint")
    assert "did not answer before" in answer.sections["smi-topo-m"].stderr
    fingerprint = assemble(answer)
    assert fingerprint.unknown["gpus"] is UnknownReason.TOOL_TIMEOUT
    assert fingerprint.memory.total_bytes


@pytest.mark.parametrize("shell", SHELLS)
def test_a_process_left_behind_with_our_pipe_open_does_not_hold_us_up(shell, tools, run_probe):
    tools("nvidia-smi", "sleep 20 &\necho done")
    start_s = time.monotonic()
    answer = run_probe(shell)
    assert time.monotonic() - start_s < 10
    assert answer.sections["smi-L"].stdout.strip() == "done"
    assert answer.is_complete


@pytest.mark.parametrize("shell", SHELLS)
def test_binary_output_and_a_forged_frame_stay_inside_their_section(shell, tools, run_probe):
    tools(
        "nvidia-smi",
        "echo '#pitwall-00000000000000000000000000000000 section smi-L'\n"
        r"printf '\377\376\001\n'"
        "\nhead -c 20000 /dev/urandom\nhead -c 300 /dev/urandom >&2\nexit 7",
    )
    answer = run_probe(shell)
    assert answer.is_complete
    assert answer.sections["smi-csv"].exit_code == 7
    assert len(answer.sections["smi-csv"].stdout) > 10_000
    assert "meminfo" in answer.sections


@pytest.mark.parametrize("shell", SHELLS)
def test_a_tool_that_prints_without_end_is_cut_and_the_other_lanes_survive(shell, tools, run_probe):
    tools("nvidia-smi", "exec yes 0123456789")
    answer = run_probe(shell, patience_s=2)
    assert answer.is_complete
    assert len(answer.output) < 16 * 1024 * 1024
    assert answer.sections["meminfo"].exit_code == 0


def test_an_old_driver_that_refuses_a_column_is_asked_again_with_fewer(tools, run_probe):
    tools(
        "nvidia-smi",
        'case "$*" in *compute_cap*) echo \'Field "compute_cap" is not a valid field to query.\'; '
        "exit 2;; --query-gpu=*) echo 'index, name, memory.total [MiB]'; "
        "echo '0, Tesla T4, 15109 MiB';; *) exit 1;; esac",
    )
    answer = run_probe(["sh"])
    assert answer.sections["smi-csv"].exit_code == 2
    (gpu,) = assemble(answer).gpus
    assert (gpu.name, gpu.memory_total_mib) == ("Tesla T4", 15109)


def test_a_missing_tool_is_told_apart_from_a_failing_one(tools, run_probe):
    tools("docker", "echo 'Cannot connect to the Docker daemon' >&2\nexit 1")
    answer = run_probe(["sh"])
    assert answer.sections["smi-csv"].exit_code == 127
    assert answer.sections["docker-version"].exit_code == 1
    containers = assemble(answer).containers
    assert (containers.name, containers.reachable, containers.version) == ("docker", False, None)


def test_the_script_announces_its_own_boundary_when_nobody_set_one():
    done = subprocess.run(
        ["sh", "-s"], input=probe_script(), capture_output=True, timeout=40, check=True
    )
    names = [section.name for section in decode_frames(done.stdout)]
    assert "meminfo" in names
    assert names == list(dict.fromkeys(names))


def test_nothing_but_system_files_is_named_in_the_script():
    text = Path(data_root() / SCRIPT_PATH).read_text()
    assert "mktemp" not in text
    assert "/tmp" not in text
    assert "sudo" not in text


@pytest.mark.parametrize("shell", SHELLS)
def test_of_the_kernels_log_only_the_lines_that_matter_leave_the_host(shell, tools, run_probe):
    tools(
        "dmesg",
        "echo '[1.0] usb 1-1: new device, SerialNumber: 42'\n"
        "echo '[2.0] NVRM: Xid (PCI:0000:1a:00): 79, GPU has fallen off the bus.'",
    )
    section = run_probe(shell).sections["dmesg"]
    assert (section.exit_code, section.command) == (0, "dmesg")
    assert "Xid" in section.stdout
    assert "SerialNumber" not in section.stdout


@pytest.mark.parametrize("shell", SHELLS)
def test_a_log_that_only_root_may_read_says_so(shell, tools, run_probe):
    tools("dmesg", "echo 'dmesg: read kernel buffer failed: Operation not permitted' >&2\nexit 1")
    tools("journalctl", "echo 'Hint: You are currently not seeing messages.' >&2")
    fingerprint = assemble(run_probe(shell))
    section = next(s for s in fingerprint.sections if s.name == "dmesg")
    assert section.exit_code == 1
    assert "not permitted" in section.stderr


def test_a_proxys_password_stays_on_the_host(run_probe, monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "http://ops:s3cret@proxy.example:3128")
    answer = run_probe(["sh"])
    assert "https_proxy=http://***@proxy.example:3128" in answer.sections["proxy"].stdout.lower()
    assert b"s3cret" not in answer.output


def test_what_the_login_had_is_told_beside_what_the_probe_uses(run_probe, monkeypatch):
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    monkeypatch.delenv("LC_ALL", raising=False)
    monkeypatch.delenv("LC_NUMERIC", raising=False)
    section = run_probe(["sh"]).sections["login"]
    assert section.stdout.strip().endswith("locale=de_DE.UTF-8")


def test_a_probe_of_this_machine_can_be_judged_by_every_check(run_probe):
    fingerprint = assemble(run_probe(["sh"]))
    report = run_checks(
        fingerprint, data=load_checks(data_root()), catalogue=load_gpu_catalogue(data_root())
    )
    not_asked = {r.id for r in report.results if r.reason == "not_asked"}
    assert not_asked <= {"firewall"}
