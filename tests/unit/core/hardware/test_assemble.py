"""Putting a fingerprint together from whatever came back."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.core.hardware.assemble import assemble_fingerprint
from app.core.hardware.fingerprint import GpuAccess, HostSource, UnknownReason
from app.core.hardware.sections import RawSection
from app.core.hardware.summary import summarize
from app.core.hardware.topology import recommend_groups
from app.io.datafiles import data_root, load_gpu_catalogue

CSV = "index, name, uuid, pci.bus_id, memory.total [MiB], memory.used [MiB]\n"
TWO = (
    CSV + "0, NVIDIA H200, GPU-no-0, 00000000:00:06.0, 143771 MiB, 0 MiB\n"
    "1, NVIDIA H200, GPU-no-1, 00000000:00:07.0, 143771 MiB, 5 MiB\n"
)
FAILED = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."


def assemble(**texts):
    """Assemble from ``name=text`` (0 exit) or ``name=(exit, stdout, stderr)``; ``_`` is ``-``."""
    sections = []
    for name, given_text in texts.items():
        code, out, err = given_text if isinstance(given_text, tuple) else (0, given_text, "")
        sections.append(
            RawSection(
                name=name.replace("_", "-"), command="x", exit_code=code, stdout=out, stderr=err
            )
        )
    return assemble_fingerprint(sections, source=HostSource.SSH, taken_at="2026-11-29T00:00:00Z")


def test_nothing_asked_means_nothing_known_and_says_so():
    fp = assemble()
    assert fp.gpus == ()
    assert fp.unknown["gpus"] is UnknownReason.NOT_ASKED
    assert fp.unknown["memory.total_bytes"] is UnknownReason.NOT_ASKED
    assert fp.unknown["containers.name"] is UnknownReason.NOT_ASKED
    assert fp.containers.gpu_access is GpuAccess.UNKNOWN


def test_values_of_several_tools_are_put_together_by_identity():
    fp = assemble(
        smi_csv=TWO,
        smi_L="GPU 1: NVIDIA H200 (UUID: GPU-no-1)\n  MIG 1g.18gb Device 0: (UUID: MIG-no-a)\n",
        smi_q_x="<nvidia_smi_log><gpu id='00000000:00:07.0'><uuid>GPU-no-1</uuid>"
        "<mig_devices><mig_device><index>0</index><gpu_instance_id>7</gpu_instance_id>"
        "</mig_device></mig_devices>"
        "<fb_memory_usage><reserved>616 MiB</reserved></fb_memory_usage></gpu></nvidia_smi_log>",
    )
    first, second = fp.gpus
    assert (first.memory_reserved_mib, second.memory_reserved_mib) == (None, 616)
    assert fp.unknown["gpus.0.memory_reserved_mib"] is UnknownReason.NOT_REPORTED
    assert fp.sources["gpus.1.memory_reserved_mib"] == "smi-q-x"
    (device,) = second.mig_devices
    assert (device.profile, device.uuid, device.gpu_instance) == ("1g.18gb", "MIG-no-a", 7)


def test_addresses_match_however_they_are_printed():
    fp = assemble(
        smi_csv=CSV.replace("uuid, ", "") + "0, A100, 0000:0A:00.0, 40960 MiB, 1 MiB",
        smi_q_x="<nvidia_smi_log><gpu id='00000000:0a:00.0'><compute_mode>Default</compute_mode>"
        "</gpu></nvidia_smi_log>",
    )
    (gpu,) = fp.gpus
    assert gpu.compute_mode == "Default"


def test_gpus_without_identity_match_by_place_only_when_the_counts_agree():
    one = "memory.total [MiB]\n15360 MiB\n"
    listed = "GPU 0: Tesla T4 (UUID: GPU-no-a)\n"
    assert assemble(smi_csv=one, smi_L=listed).gpus[0].uuid == "GPU-no-a"
    mixed = assemble(smi_csv=one, smi_L=listed + "GPU 1: Tesla T4 (UUID: GPU-no-b)\n")
    assert [g.index for g in mixed.gpus] == sorted({g.index for g in mixed.gpus})


def test_a_device_that_cannot_do_it_says_so_over_a_tool_that_left_it_out():
    fp = assemble(smi_csv="index, name, mig.mode.current\n0, NVIDIA L4, [Not Supported]")
    assert fp.unknown["gpus.0.mig_mode"] is UnknownReason.NOT_SUPPORTED
    assert fp.unknown["gpus.0.power_w"] is UnknownReason.NOT_REPORTED


def test_a_driver_that_does_not_answer_is_explained():
    fp = assemble(smi_csv=(9, FAILED, ""), smi_q_x=(127, "", "not found"))
    assert fp.unknown["gpus"] is UnknownReason.TOOL_FAILED
    assert fp.unknown["driver_version"] is UnknownReason.TOOL_FAILED
    assert fp.warnings[0].startswith("kernel_module_not_loaded:")
    loaded = assemble(driver_version="NVRM version: NVIDIA Kernel Module  535.1.2  x")
    assert loaded.driver_version == "535.1.2"


def test_no_nvidia_device_on_the_bus_means_that_there_is_none():
    missing = (127, "", "not found")
    none = assemble(smi_csv=missing, pci_sysfs="")
    assert none.sources["gpus"] == "pci-sysfs"
    assert "gpus" not in none.unknown
    card = "/sys/bus/pci/devices/0000:41:00.0 class=0x030200 vendor=0x10de dev=0x2335"
    assert assemble(smi_csv=missing, pci_sysfs=card).unknown["gpus"] is UnknownReason.TOOL_MISSING


def test_a_numa_node_comes_from_the_matrix_or_from_sysfs():
    matrix = (
        "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\n"
        "GPU0\t X \tSYS\t0-7\t0-1\nGPU1\tSYS\t X \t8-15\t1\n"
    )
    card = "/sys/bus/pci/devices/0000:00:06.0 class=0x030200 vendor=0x10de numa=3"
    fp = assemble(smi_csv=TWO, smi_topo_m=matrix, pci_sysfs=card)
    assert [g.numa_node for g in fp.gpus] == [3, 1]
    assert fp.sources["gpus.0.numa_node"] == "pci-sysfs"


def test_a_matrix_that_cannot_be_read_or_is_cut_is_said():
    assert assemble(smi_topo_m="?").unknown["topology.links"] is UnknownReason.UNREADABLE
    cut = assemble(smi_topo_m="\tGPU0\tGPU1\nGPU0\t X \tNV4\n")
    assert cut.unknown["topology.complete"] is UnknownReason.UNREADABLE
    links = "GPU 0: A (UUID: GPU-no-0)\n Link 0: 25 GB/s\n Link 1: <inactive>\n"
    assert assemble(smi_nvlink_s=links).warnings[0].startswith("nvlink_partly_down:")


def test_processes_and_versions_have_second_sources():
    fp = assemble(
        smi_q_x="<nvidia_smi_log><driver_version>535.1</driver_version><gpu><processes/></gpu>"
        "</nvidia_smi_log>",
        smi_version="CUDA Version : 12.2",
    )
    assert (fp.driver_version, fp.cuda_version) == ("535.1", "12.2")
    assert fp.sources["gpu_processes"] == "smi-q-x"
    assert assemble(smi_csv=TWO).unknown["gpu_processes"] is UnknownReason.NOT_ASKED


def test_a_machine_is_read_from_whatever_tools_it_has():
    rows = "Filesystem Type 1-blocks Used Available Capacity Mounted on\n/dev/a ext4 9 1 8 1% /"
    fp = assemble(
        lscpu="Architecture: x86_64\nCPU(s): 8\nHypervisor vendor: KVM\nNUMA node0 CPU(s): 0-7",
        virt=(1, "none\n", ""),
        df=(1, rows, "df: /x: Permission denied"),
        shm="Filesystem 1B-blocks Used Available Use% Mounted on\ntmpfs 64 0 64 0% /dev/shm",
    )  # fmt: skip
    assert (fp.machine.architecture, fp.machine.virtualization) == ("x86_64", "none")
    assert [n.cpus for n in fp.topology.numa_nodes] == ["0-7"]
    assert [d.mount for d in fp.disks] == ["/"]
    assert fp.memory.shm_total_bytes == 64
    guest = assemble(lscpu="CPU(s): 8\nHypervisor vendor: KVM")
    assert guest.machine.virtualization == "kvm"
    assert assemble(lscpu_J="?").unknown["cpu.model"] is UnknownReason.UNREADABLE


def test_numa_sizes_are_kept_when_they_add_up():
    fp = assemble(
        meminfo="MemTotal: 2097152 kB",
        numa_sysfs="node0 cpus=0-3 memory_kb=1048576\nnode1 cpus= memory_kb=1048576",
        lscpu="CPU(s): 8\nNUMA node1 CPU(s): 4-7",
    )
    assert [(n.cpus, n.memory_mib) for n in fp.topology.numa_nodes] == [
        ("0-3", 1024),
        ("4-7", 1024),
    ]
    assert fp.warnings == ()


VERSION = json.dumps({"Server": {"Version": "28.3.0", "ApiVersion": "1.51"}})


def info(**changes):
    return json.dumps({"ServerVersion": "28.3.0", "Runtimes": {"runc": {}}, **changes})


@pytest.mark.parametrize(
    ("texts", "access"),
    [
        (
            {"docker_info": info(DiscoveredDevices=[{"Source": "cdi", "ID": "nvidia.com/gpu=0"}])},
            GpuAccess.CDI,
        ),
        (
            {"docker_info": info(CDISpecDirs=["/etc/cdi"]), "cdi_list": "nvidia.com/gpu=all"},
            GpuAccess.CDI,
        ),
        (
            {"docker_info": info(CDISpecDirs=[]), "cdi_list": "nvidia.com/gpu=all"},
            GpuAccess.UNKNOWN,
        ),
        ({"docker_info": info(Runtimes={"nvidia": {}})}, GpuAccess.NVIDIA_RUNTIME),
        (
            {"docker_info": info(), "which": "nvidia-container-runtime-hook /usr/bin/x\ndocker "},
            GpuAccess.DEVICE_REQUEST,
        ),
        ({"docker_info": info(), "which": "docker /usr/bin/docker"}, GpuAccess.NONE),
        ({"which": "docker /usr/bin/docker"}, GpuAccess.UNKNOWN),
        ({"docker_info": info()}, GpuAccess.UNKNOWN),
    ],
)
def test_how_a_container_gets_gpus_is_told_by_what_is_there(texts, access):
    containers = assemble(docker_version=VERSION, **texts).containers
    assert (containers.name, containers.version, containers.reachable) == ("docker", "28.3.0", True)
    assert containers.gpu_access is access


def test_a_daemon_that_refuses_is_there_but_not_reachable():
    fp = assemble(docker_version=(1, '{"Client": {}, "Server": null}', "permission denied"))
    assert (fp.containers.name, fp.containers.reachable) == ("docker", False)
    assert fp.unknown["containers.version"] is UnknownReason.NEEDS_ROOT


def test_a_socket_without_client_still_means_docker():
    fp = assemble(docker_version=(127, "", ""), sockets="/var/run/docker.sock usable=no\n")
    assert (fp.containers.name, fp.containers.reachable) == ("docker", None)
    assert assemble(docker_version=(None, "", "")).containers.name is None


def test_podman_counts_where_docker_is_missing():
    podman = json.dumps({"version": {"Version": "5.2"}, "host": {"security": {"rootless": True}}})
    fp = assemble(
        docker_version=(127, "", ""),
        podman_info=podman,
        cdi_spec="== /etc/cdi/a.yaml\nkind: nvidia.com/gpu\n- name: all\n",
    )
    assert (fp.containers.name, fp.containers.gpu_access) == ("podman", GpuAccess.CDI)
    assert summarize(fp).container_text == "Podman 5.2"
    assert assemble(podman_info=podman).containers.gpu_access is GpuAccess.NONE


def test_the_catalogue_names_the_product():
    sections = [RawSection(name="smi-csv", command="x", exit_code=0, stdout=TWO)]
    fp = assemble_fingerprint(
        sections,
        source=HostSource.SSH,
        taken_at="",
        catalogue=load_gpu_catalogue(data_root()),
    )
    assert [g.catalogue_id for g in fp.gpus] == ["h200-sxm", "h200-sxm"]


def test_a_summary_does_not_add_up_what_is_unknown():
    mixed = assemble(
        smi_csv=CSV + "0, A, GPU-no-0, x, 10 MiB, [N/A]\n1, B, GPU-no-1, x, 20 MiB, 1 MiB"
    )
    summary = summarize(mixed)
    assert summary.gpu_text == "1 × A + 1 × B"
    assert (summary.memory_total_mib, summary.memory_used_mib) == (30, None)
    assert summarize(assemble(docker_version=(1, "", ""))).container_text == "Docker"
    nameless = assemble(smi_csv="index\n0\n")
    assert summarize(nameless).gpu_text == "1 × GPU"


NAMES = st.sampled_from(
    [
        "smi-csv",
        "smi-csv-basic",
        "smi-q-x",
        "smi-topo-m",
        "smi-apps",
        "smi-nvlink-s",
        "smi-L",
        "smi",
        "smi-version",
        "nvml",
        "docker",
        "docker-version",
        "docker-info",
        "podman-info",
        "nvctk",
        "cdi-list",
        "cdi-spec",
        "sockets",
        "uname",
        "id",
        "os-release",
        "meminfo",
        "lscpu-J",
        "lscpu",
        "numa-sysfs",
        "numactl",
        "pci-sysfs",
        "driver-version",
        "which",
        "virt",
        "df",
        "df-local",
        "df-plain",
        "shm",
    ]
)
PIECES = st.sampled_from(
    [
        TWO, CSV, FAILED, VERSION, info(), "{}", "[]", "null", '{"Server": 3}', '{"gpus": [1, {}]}',
        '{"lscpu": {"field": 1}}', '{"gpus": [{"Name": 3, "PciInfo": []}], "cuda": "x"}',
        "<nvidia_smi_log><gpu/>", "<nvidia_smi_log></x>", "GPU 0: A (UUID: )", "Link 0: x GB/s",
        "\tGPU0\tGPU1\nGPU0\tX\tNV999999999999\nGPU1\tNV\tX\n", "GPU999999 X NV2\n", "index\n٣\n",
        "0, [N/A], ERR!, 99999999999999999999", "node 0 size: 9 MB", "uid=", "Linux", "a=b\n",
        "| NVIDIA-SMI 999.99 |\n|   0  X  On | 0000:00:00.0 Off | 0 |\n|  | / | |\n", "\x00\xff",
    ]
)  # fmt: skip
SECTIONS = st.builds(
    RawSection,
    name=NAMES,
    command=st.just("x"),
    exit_code=st.sampled_from([0, 0, 0, 1, 9, 127, None]),
    stdout=st.lists(st.one_of(PIECES, st.text(max_size=30)), max_size=4).map("\n".join),
    stderr=st.text(max_size=20),
)


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.lists(SECTIONS, max_size=8))
def test_no_tool_output_makes_it_raise(sections):
    fp = assemble_fingerprint(sections, source=HostSource.SSH, taken_at="")
    assert len({g.index for g in fp.gpus}) == len(fp.gpus)
    for position, gpu in enumerate(fp.gpus):
        assert (gpu.name is None) == (f"gpus.{position}.name" in fp.unknown)
    summarize(fp)
    recommend_groups(fp)
