"""What customers send as files of any names."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.hardware.assemble import assemble_fingerprint
from app.core.hardware.fingerprint import HostSource, UnknownReason
from app.core.hardware.frame import encode_frames
from app.core.hardware.sections import RawSection
from app.core.inspect.paste_sections import sections_of_text, split_transcript
from app.core.inspect.sent_files import read_sent_files

IDLE = Path(__file__).parents[4] / "resources" / "demo" / "h200-x2" / "idle"

DOCKER_INFO = """Client: Docker Engine - Community
 Version:    27.3.1

Server:
 Containers: 4
  Running: 2
 Server Version: 27.3.1
 Storage Driver: overlay2
 Cgroup Driver: systemd
 Runtimes: io.containerd.runc.v2 nvidia runc
 Default Runtime: runc
 Security Options:
  apparmor
  seccomp
   Profile: builtin
  rootless
 CDI spec directories:
  /etc/cdi
  /var/run/cdi
 Discovered Devices:
  cdi: nvidia.com/gpu=0
 Kernel Version: 6.1.0
 Docker Root Dir: /data/docker
"""
LIST_A = "GPU 0: NVIDIA L4 (UUID: GPU-aaaaaaaa-1111-2222-3333-444444444444)\n"
LIST_B = "GPU 0: NVIDIA L4 (UUID: GPU-bbbbbbbb-1111-2222-3333-444444444444)\n"
UNAME = "Linux {} 6.1.0-28-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.119-1 x86_64 GNU/Linux\n"


def recorded(name: str) -> str:
    return (IDLE / f"{name}.txt").read_text(encoding="utf-8")


def fingerprint_of(sections: tuple[RawSection, ...]):
    return assemble_fingerprint(sections, source=HostSource.RECORDED, taken_at="")


def test_files_of_any_names_become_one_host():
    sent = read_sent_files(
        {
            "nvidia-smi.log": recorded("smi"),
            "1.txt": recorded("smi-q-x"),
            "topology matrix": recorded("smi-topo-m"),
            "cpu.txt": recorded("lscpu"),
            "docker.md": DOCKER_INFO,
            "os": recorded("os-release"),
            "ram.txt": recorded("meminfo"),
            "readme.md": "Hello, here are the files you asked for.",
        }
    )
    assert sent.warnings == ()
    host = fingerprint_of(sent.sections)
    assert [gpu.memory_total_mib for gpu in host.gpus] == [143771, 143771]
    assert host.topology.nvlink_islands == ((0, 1),)
    assert host.cpu.threads is not None
    assert host.memory.total_bytes is not None
    assert host.machine.os_id == "ubuntu"
    assert host.containers.version == "27.3.1"
    assert host.containers.root_dir == "/data/docker"
    assert host.containers.runtimes == ("io.containerd.runc.v2", "nvidia", "runc")
    assert host.containers.cdi_devices == ("nvidia.com/gpu=0",)
    assert host.containers.rootless is True


def test_a_recording_keeps_its_names():
    files = {file.name: file.read_text(encoding="utf-8") for file in IDLE.iterdir()}
    sent = read_sent_files(files)
    assert {f"{section.name}.txt" for section in sent.sections} <= set(files)
    assert len(fingerprint_of(sent.sections).gpus) == 2


def test_a_terminals_transcript_is_cut_at_its_prompts():
    text = (
        f"root@gpu3:~# nvidia-smi -L\n{recorded('smi-L')}\nroot@gpu3:~# nvidia-smi topo -m\n"
        f"{recorded('smi-topo-m')}\nroot@gpu3:/data# uname -a\n{UNAME.format('gpu3')}"
        f"root@gpu3:/data# nvidia-smi topo -p2p n\n{recorded('smi-topo-p2p-r')}"
    )
    assert [command for command, _ in split_transcript(text)] == [
        "nvidia-smi -L", "nvidia-smi topo -m", "uname -a", "nvidia-smi topo -p2p n",
    ]  # fmt: skip
    assert [s.name for s in sections_of_text(text)] == ["smi-L", "smi-topo-m", "uname"]


def test_outputs_without_prompts_are_all_found():
    text = recorded("smi") + recorded("smi-topo-m") + recorded("lscpu") + recorded("df")
    assert {s.name for s in sections_of_text(text)} == {"smi", "smi-topo-m", "lscpu", "df"}


def test_a_failure_pasted_alone_is_kept_as_one():
    text = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."
    host = fingerprint_of(sections_of_text(text))
    assert host.gpus == ()
    assert host.warnings


@pytest.mark.parametrize(
    ("first", "second", "what"),
    [
        (LIST_A, LIST_B, "UUID"),
        (UNAME.format("gpu-a"), UNAME.format("gpu-b"), "hostname"),
        (
            "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 2023",
            recorded("smi"),
            "driver",
        ),
    ],
)
def test_files_of_two_hosts_contradict_each_other(first, second, what):
    sent = read_sent_files({"a.txt": first, "b.txt": second})
    (warning,) = [text for text in sent.warnings if text.startswith("pastes_contradict")]
    assert what in warning
    assert "a.txt" in warning
    assert "b.txt" in warning


def test_a_part_of_the_same_gpus_is_no_contradiction():
    sent = read_sent_files({"a": recorded("smi-L"), "b": recorded("smi-L").splitlines()[0]})
    assert sent.warnings == ()


def test_what_says_nothing_of_a_host_is_named():
    sent = read_sent_files({"a.txt": recorded("smi-L"), "notes.txt": "we like blue servers"})
    assert sent.warnings == ("not_read: notes.txt (unknown)",)


def test_a_cut_file_says_where_it_ends():
    sections = [
        RawSection(name=name, command=name, exit_code=0, stdout=recorded(name))
        for name in ("smi-L", "smi-q-x")
    ]
    whole = encode_frames(sections, "0123456789abcdef").decode()
    sent = read_sent_files({"answers.txt": whole[: len(whole) // 2]})
    assert [text for text in sent.warnings if text.startswith("cut:")] == ["cut: smi-q-x …"]


def test_the_collectors_time_is_the_time_of_the_record():
    about = RawSection(
        name="collector", command="about", exit_code=0,
        stdout="collector=1 redacted=yes taken_at=2026-03-01T10:00:00Z",
    )  # fmt: skip
    sent = read_sent_files({"a": encode_frames([about], "0123456789abcdef").decode()})
    assert sent.taken_at == "2026-03-01T10:00:00Z"


def test_stand_ins_are_marked_not_taken_for_names():
    host = fingerprint_of(
        (
            *sections_of_text(
                "GPU 0: NVIDIA L4 (UUID: GPU-00000000-0000-0000-0000-000000000007)\n"
            ),
            *sections_of_text(UNAME.format("redacted-host-1")),
            *sections_of_text("uid=1000(redacted-user-2) gid=1000(redacted-user-2)"),
        )
    )
    assert host.machine.hostname is None
    assert host.machine.user is None
    assert host.gpus[0].uuid == "GPU-00000000-0000-0000-0000-000000000007"
    for path in ("machine.hostname", "machine.user", "gpus.0.uuid"):
        assert host.unknown[path] is UnknownReason.REDACTED
    assert any(warning.startswith("redacted:") for warning in host.warnings)


@given(st.dictionaries(st.text(max_size=12), st.text(max_size=200), max_size=3))
def test_no_file_makes_it_raise(files):
    assert read_sent_files(files) is not None


@settings(max_examples=20, deadline=None)
@given(
    st.sampled_from(["smi", "smi-L", "smi-topo-m", "lscpu", "df", "smi-q-x"]), st.integers(0, 99)
)
def test_a_cut_output_is_read_as_far_as_it_goes(name, percent):
    text = recorded(name)
    sections = sections_of_text(text[: len(text) * percent // 100])
    host = fingerprint_of(sections)
    assert {gpu.name for gpu in host.gpus} <= {"NVIDIA H200", None}
