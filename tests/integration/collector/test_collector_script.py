"""The collector in real shells: one file, nothing else, whatever the host's tools do."""

import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from app.core.hardware.assemble import assemble_fingerprint
from app.core.hardware.collector import LINE_LIMIT
from app.core.hardware.fingerprint import Fingerprint, HostSource
from app.core.hardware.frame import decode_frames
from app.io.probes import collector

REPLAY = Path(__file__).parents[2] / "fixtures" / "replay" / "nvidia-smi"
IDLE = Path(__file__).parents[3] / "resources" / "demo" / "h200-x2" / "idle"
SHELLS = [
    pytest.param(argv, id=argv[0])
    for argv in (["dash"], ["bash"], ["busybox", "sh"])
    if shutil.which(argv[0])
]
GPU_UUID = re.compile(r"GPU-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")

UNAME = """[ "$1" != -n ] || { echo rack7-gpu3.lab.example; exit; }
echo 'Linux rack7-gpu3.lab.example 5.15.167.4-microsoft #1 SMP x86_64 GNU/Linux'"""
ID = """[ "$1" != -un ] || { echo mweber; exit; }
echo 'uid=1004(mweber) gid=1004(mweber) groups=1004(mweber),27(sudo),998(docker)'"""
DF = """echo 'Filesystem Type 1B-blocks Used Available Capacity Mounted on'
echo '/dev/nvme0n1p2 ext4 1000000000000 5 900000000000 1% /'
echo 'store9.lab.example:/models nfs4 1000000000000 5 900000000000 1% /mnt/models'
echo '10.20.30.40:/cache nfs4 1000000000000 5 900000000000 1% /home/mweber/cache'"""
DOCKER = """case $1 in
info) echo '{"ID":"QK3F:7AAA:BBBB:CCCC:DDDD:EEEE:FFFF:GGGG:HHHH:IIII:JJJJ:KKKK",\
"Name":"rack7-gpu3.lab.example","ServerVersion":"27.3.1","HttpProxy":"http://mw:pa55@px:3128",\
"Runtimes":{"nvidia":{},"runc":{}},"Labels":["owner=finance-lab"],"Swarm":{"NodeAddr":"fd12:3456::9"},\
"Warnings":["eth0 0c:42:a1:7b:22:9e serial number 1650923114877"],\
"DockerRootDir":"/home/mweber/docker",\
"RegistryConfig":{"Mirrors":["https://mirror.lab.example/"]}}' ;;
*) exit 1 ;;
esac"""
SECRETS = (
    "rack7-gpu3", "lab.example", "mweber", "store9", "10.20.30.40", "QK3F", "pa55", "px:3128",
    "finance-lab", "fd12:3456", "0c:42:a1", "1650923114877",
)  # fmt: skip


class Host:
    """A folder to run in, and tools that stand before the machine's own."""

    def __init__(self, folder: Path) -> None:
        self.bin, self.cwd = folder / "bin", folder / "cwd"
        self.bin.mkdir()
        self.cwd.mkdir()
        self.script = folder / "collector.sh"
        self.script.write_text(collector(), encoding="utf-8")
        shutil.copy(REPLAY, self.bin / "nvidia-smi")

    def tool(self, name: str, script: str) -> None:
        """Put a script first in PATH."""
        file = self.bin / name
        file.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        file.chmod(0o755)

    def run(self, shell: list[str], *options: str, **environment: str):
        """Run the script as an administrator would."""
        return subprocess.run(
            [*shell, str(self.script), *options],
            cwd=self.cwd,
            env={
                "PATH": f"{self.bin}:{os.environ['PATH']}", "HOME": "/home/mweber",
                "REPLAY_DIR": str(IDLE), "REPLAY_FAULT": str(self.bin / "fault"),
                "REPLAY_LOG": "/dev/null", **environment,
            },
            capture_output=True,
            text=True,
            timeout=70,
            check=False,
        )  # fmt: skip


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """A host with two recorded GPUs and telling names."""
    host = Host(tmp_path)
    for name, script in (("uname", UNAME), ("id", ID), ("df", DF), ("docker", DOCKER)):
        host.tool(name, script)
    return host


def fingerprint_of(text: str) -> Fingerprint:
    return assemble_fingerprint(
        decode_frames(text), source=HostSource.RECORDED, taken_at="2026-01-01T00:00:00Z"
    )


def test_it_is_short_enough_to_be_read():
    lines = collector().splitlines()
    assert len(lines) < LINE_LIMIT
    assert max(map(len, lines)) <= 180
    assert collector().isascii()


@pytest.mark.parametrize("shell", SHELLS)
def test_it_writes_one_file_with_a_whole_fingerprint(host: Host, shell: list[str]):
    done = host.run(shell)
    assert done.returncode == 0, done.stderr
    (written,) = host.cwd.iterdir()
    size = written.stat().st_size
    assert f"{written.name} ({size} bytes)" in done.stderr
    assert done.stdout == ""
    found = fingerprint_of(written.read_text(encoding="utf-8"))
    assert [gpu.memory_reserved_mib for gpu in found.gpus] == [616, 616]
    assert found.topology.nvlink_islands == ((0, 1),)
    assert found.containers.version == "27.3.1"
    assert found.machine.hostname == "rack7-gpu3.lab.example"


def test_it_never_overwrites(host: Host):
    target = host.cwd / "answers.txt"
    target.write_text("precious", encoding="utf-8")
    done = host.run(["sh"], "-o", "answers.txt")
    assert done.returncode == 1
    assert "is there already" in done.stderr
    assert target.read_text(encoding="utf-8") == "precious"


def test_a_place_that_cannot_be_written_is_said(host: Host):
    done = host.run(["sh"], "-o", "/proc/answers.txt")
    assert done.returncode == 1
    assert "cannot be written" in done.stderr


def test_wrong_use_is_told_and_writes_nothing(host: Host):
    done = host.run(["sh"], "--everything")
    assert done.returncode == 2
    assert "usage:" in done.stderr
    assert not list(host.cwd.iterdir())


@pytest.mark.parametrize("shell", SHELLS)
def test_redacted_answers_hide_who_and_where_but_keep_what(host: Host, shell: list[str]):
    plain = host.run(shell, "-o", "-").stdout
    hidden = host.run(shell, "--redact", "-o", "-").stdout
    for secret in SECRETS:
        assert secret in plain
        assert secret not in hidden
    before, after = fingerprint_of(plain), fingerprint_of(hidden)
    assert not {g.uuid for g in before.gpus} & {g.uuid for g in after.gpus}
    assert [g.name for g in after.gpus] == [g.name for g in before.gpus]
    assert [g.memory_total_mib for g in after.gpus] == [g.memory_total_mib for g in before.gpus]
    assert after.driver_version == before.driver_version
    assert after.topology == before.topology
    assert after.containers.runtimes == before.containers.runtimes
    assert after.machine.kernel == before.machine.kernel == "5.15.167.4-microsoft"
    assert after.machine.os_name == before.machine.os_name


def test_equal_values_get_equal_stand_ins(host: Host):
    uuid = "GPU-11112222-3333-4444-5555-666677778888"
    host.tool("docker", f"echo '{uuid} {uuid.upper()} 66667777-1111-2222-3333-444455556666'")
    said = fingerprint_of(host.run(["sh"], "--redact", "-o", "-").stdout)
    section = next(s for s in said.sections if s.name == "docker-info")
    first, second, third = section.stdout.split()
    assert first == second.replace("gpu", "GPU")
    assert third not in first
    assert {gpu.uuid for gpu in said.gpus if gpu.uuid} == set(
        GPU_UUID.findall("\n".join(s.stdout for s in said.sections if s.name == "smi-L"))
    )


def test_without_awk_nothing_is_written_in_the_clear(host: Host):
    host.tool("awk", "exit 127")
    done = host.run(["sh"], "--redact")
    assert done.returncode == 1
    assert "nothing was written" in done.stderr
    assert not list(host.cwd.iterdir())


@pytest.mark.parametrize("shell", SHELLS)
def test_hanging_tools_cost_their_own_sections_only(host: Host, shell: list[str]):
    for name in ("nvidia-smi", "docker", "lscpu", "uname", "id"):
        host.tool(name, "trap '' TERM; while :; do sleep 1; done")
    start = time.monotonic()
    done = host.run(shell, "-o", "-", PITWALL_PATIENCE="1")
    assert time.monotonic() - start < 30
    names = {s.name: s for s in decode_frames(done.stdout)}
    assert names["docker-info"].exit_code is None
    assert names["uname"].exit_code is None
    assert names["meminfo"].exit_code == 0
    assert "store9" in names["df"].stdout


@pytest.mark.parametrize("shell", SHELLS)
def test_a_host_without_tools_still_answers(host: Host, shell: list[str]):
    for file in host.bin.iterdir():
        file.unlink()
    done = host.run(shell, "-o", "-")
    assert done.returncode == 0
    assert {"smi-csv", "meminfo", "df"} <= {s.name for s in decode_frames(done.stdout)}


def without_proc(script: Path) -> list[str]:
    """Return a command that runs the script where /proc is empty and the disk is read-only."""
    hide = "mount -t tmpfs -o ro none /proc && mount -o remount,ro,bind / 2>/dev/null"
    return ["unshare", "--mount", "sh", "-c", f'{hide}; exec "$@"', "sh", "sh", str(script)]


def may_mount() -> bool:
    probe = ["unshare", "--mount", "mount", "-t", "tmpfs", "-o", "ro", "none", "/proc"]
    return (
        shutil.which("unshare") is not None
        and subprocess.run(probe, capture_output=True, check=False).returncode == 0
    )


@pytest.mark.skipif(not may_mount(), reason="needs the right to mount a small disk")
def test_an_empty_proc_costs_its_own_sections_only(host: Host):
    done = subprocess.run(
        [*without_proc(host.script), "--redact", "-o", "-"],
        env={"PATH": f"{host.bin}:{os.environ['PATH']}", "REPLAY_DIR": str(IDLE)},
        capture_output=True,
        text=True,
        timeout=70,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    names = {s.name: s for s in decode_frames(done.stdout)}
    assert names["meminfo"].exit_code != 0
    assert names["smi-csv"].exit_code == 0
    assert "rack7" not in done.stdout
