"""Linux' own files and tools, and the container engines'."""

import json

import pytest

from app.core.hardware.tools import docker_info, json_access, nvml_section, proc_files
from app.core.hardware.tools.df import model_disks, read_df
from app.core.hardware.tools.lscpu import read_lscpu
from app.core.hardware.tools.numactl import cpu_ranges, read_numa_sysfs, read_numactl
from app.core.hardware.tools.pci_sysfs import read_pci_sysfs


def test_lscpu_is_read_as_text_and_as_nested_json():
    text = (
        "Architecture:  aarch64\nCPU(s):  72\nModel name:  Neoverse-V2\nSocket(s):  -\n"
        "Core(s) per cluster:  72\nCluster(s):  1\nNUMA node1 CPU(s):  \nNUMA node0 CPU(s):  0-71\n"
    )
    fields = [line.split(":", 1) for line in text.splitlines()]
    nested = {
        "lscpu": [
            {"field": f"{fields[0][0]}:", "data": fields[0][1].strip(), "children": [
                {"field": f"{name}:", "data": data.strip()} for name, data in fields[1:]
            ]},
            {"field": 3, "data": None},
        ]
    }  # fmt: skip
    for reading in (read_lscpu(text), read_lscpu(json.dumps(nested))):
        assert (reading.cpu.model, reading.cpu.cores, reading.cpu.threads) == (
            "Neoverse-V2",
            72,
            72,
        )
        assert reading.cpu.sockets is None
        assert (reading.architecture, dict(reading.numa_cpus)) == ("aarch64", {0: "0-71"})
    assert read_lscpu("command not found") is None
    assert read_lscpu("[" * 100_000) is None


def test_proc_and_etc_files_are_read_line_by_line():
    assert proc_files.read_meminfo("MemTotal:  100 kB\nHugePages_Total:  7\nbroken\n") == {
        "MemTotal": 102400,
        "HugePages_Total": 7,
    }
    release = proc_files.read_os_release("ID=rocky\nNAME='Rocky Linux'\nBAD=\"open\n# no\n")
    assert release == {"ID": "rocky", "NAME": "Rocky Linux", "BAD": "open"}
    assert proc_files.read_id("uid=1000(ada) gid=1") == proc_files.UserId(uid=1000, name="ada")
    assert proc_files.read_id("who?") is None
    assert (
        proc_files.read_uname("Linux node 6.1.0 #1 SMP x86_64 GNU/Linux").architecture == "x86_64"
    )
    assert proc_files.read_uname("Windows") is None
    version = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.161.08  Sat Feb\nGCC version:"
    assert proc_files.read_kernel_driver(version) == "535.161.08"
    assert proc_files.read_kernel_driver("none") is None


DF = """\
Filesystem  Type  1-blocks  Used  Available Capacity Mounted on
tmpfs  tmpfs 64 0 64 0% /dev/shm
/dev/sda1 ext4 1000 400 600 40% /
overlay overlay 1000 400 600 40% /var/lib/docker/overlay2/x/merged
server:/export/my models nfs4 9000 1000 8000 12% /mnt/my models
/dev/sda1 ext4 1000 400 600 40% /home
/dev/sda2 vfat 100 1 99 1% /boot/efi
garbage
"""


def test_file_systems_that_could_hold_models_are_kept_once():
    disks = model_disks(read_df(DF))
    assert [(d.mount, d.fs_type, d.free_bytes) for d in disks] == [
        ("/", "ext4", 600),
        ("/mnt/my models", "nfs4", 8000),
    ]


def test_block_sizes_come_from_the_header_and_without_one_nothing_is_certain():
    rows = "/dev/sda1 1000 400 600 40% /\n"
    (disk,) = read_df("Filesystem 1024-blocks Used Available Capacity Mounted on\n" + rows)
    assert (disk.total_bytes, disk.fs_type) == (1024000, "")
    assert read_df(rows) == ()


def test_numa_nodes_are_read_from_both_sources():
    tool = read_numactl(
        "node 0 cpus: 0 1 2 5\nnode 0 size: 1000 MB\nnode 1 cpus:\nnode 2 size: 9 MB"
    )
    assert (tool[0].cpus, tool[0].memory_mib) == ("0-2,5", 1000)
    assert (tool[1].cpus, tool[2].cpus) == (None, None)
    sysfs = read_numa_sysfs("node1 cpus=8-15 memory_kb=2048\nnode0 cpus= memory_kb=\nx\n")
    assert (sysfs[1].cpus, sysfs[1].memory_mib) == ("8-15", 2)
    assert list(sysfs) == [1]
    assert read_numa_sysfs("node0 cpus=0")[0].memory_mib is None
    assert cpu_ranges([]) == ""


def test_pci_devices_are_read_with_what_sysfs_leaves_out():
    devices = read_pci_sysfs(
        "/sys/bus/pci/devices/0000:41:00.0 class=0x030200 vendor=0x10de dev=0x2335 numa=1 "
        "speed=16.0 GT/s PCIe maxspeed=32.0 GT/s PCIe width=16 maxwidth=16 "
        "cpus=0-31 driver=nvidia\n"
        "/sys/bus/pci/devices/0000:42:00.0 class=0x068000 numa=-1 speed=Unknown width=0\nnoise\n"
    )
    gpu, switch = devices
    assert (gpu.is_display, gpu.numa_node, gpu.gen_current, gpu.gen_max) == (True, 1, 4, 5)
    assert (gpu.width_max, gpu.driver) == (16, "nvidia")
    assert (switch.is_display, switch.numa_node, switch.gen_current) == (False, None, None)
    assert (switch.width_current, switch.vendor, switch.driver) == (None, None, None)


def test_docker_versions_are_read_from_json_and_from_text():
    document = {"Client": {}, "Server": {"Version": "28.3.0", "ApiVersion": "1.51"}}
    version = docker_info.read_docker_version(json.dumps(document))
    assert (version.name, version.version, version.api_version) == ("docker", "28.3.0", "1.51")
    text = (
        "Client:\n Version: 1\nServer: Docker Engine\n Engine:\n"
        "  Version:  24.0.7\n  API version:  1.43\n"
    )
    assert docker_info.read_docker_version(text).version == "24.0.7"
    assert docker_info.read_docker_version(json.dumps({"Client": {}, "Server": None})) is None
    assert docker_info.read_docker_version("Client:\n Version: 1") is None
    podman = {"Version": "5.0", "ApiVersion": "1.41", "Components": [{"Name": "Podman Engine"}, 1]}
    assert docker_info.read_docker_version(json.dumps(podman)).name == "podman"


def test_docker_info_says_runtimes_cdi_and_rootless():
    info = docker_info.read_docker_info(
        json.dumps(
            {
                "ServerVersion": "28.3.0",
                "DockerRootDir": "/data/docker",
                "Runtimes": {"runc": {}, "nvidia": {}},
                "CDISpecDirs": ["/etc/cdi"],
                "DiscoveredDevices": [
                    {"Source": "cdi", "ID": "nvidia.com/gpu=0"},
                    {"Source": "cdi", "ID": "not a name"},
                    {"Source": "other", "ID": "nvidia.com/gpu=1"},
                ],
                "SecurityOptions": ["name=seccomp", "name=rootless", 3],
            }
        )
    )
    assert (info.runtimes, info.cdi_devices) == (("nvidia", "runc"), ("nvidia.com/gpu=0",))
    assert (info.cdi_enabled, info.rootless, info.root_dir) == (True, True, "/data/docker")
    refused = docker_info.read_docker_info(json.dumps({"ServerErrors": ["permission denied"]}))
    assert (refused.version, refused.rootless) == (None, None)
    assert docker_info.read_docker_info("{}") is None
    assert docker_info.read_docker_info("no") is None


def test_podman_and_cdi_lists_are_read():
    info = docker_info.read_podman_info(
        json.dumps(
            {
                "version": {"Version": "5.2"},
                "store": {"graphRoot": "/s"},
                "host": {"security": {"rootless": True}, "ociRuntime": {"name": "crun"}},
            }
        )
    )
    assert (info.version, info.root_dir, info.rootless, info.runtimes) == (
        "5.2",
        "/s",
        True,
        ("crun",),
    )
    assert docker_info.read_podman_info("{}") is None
    assert docker_info.read_podman_info("-") is None
    listed = docker_info.read_cdi_list("INFO[0000] Found 2 CDI devices\nnvidia.com/gpu=all\n")
    assert listed == ("nvidia.com/gpu=all",)
    spec = '== /etc/cdi/a.yaml\nkind: nvidia.com/gpu\n  - name: "0"\n  name: all\n== /b\nname: x\n'
    assert docker_info.read_cdi_specs(spec) == ("nvidia.com/gpu=0", "nvidia.com/gpu=all")
    assert (
        docker_info.read_toolkit_version("NVIDIA Container Toolkit CLI version 1.17.8") == "1.17.8"
    )
    assert docker_info.read_toolkit_version("?") is None


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000])
def test_json_that_is_no_object_is_nothing(text):
    assert json_access.parse_object(text) is None


def test_looking_into_json_survives_missing_levels():
    document = {"a": {"b": 1}, "list": 3, "text": "", "flag": True}
    assert json_access.child(document, "a", "b") == {}
    assert json_access.items(document, "list") == []
    assert json_access.text_of(document, "text") is None
    assert json_access.int_of(document, "flag") is None
    assert json_access.parse_json("nope") is None
    assert json_access.parse_json("[1]") == [1]


def test_the_recorded_nvml_shape_and_nonsense_are_told_apart():
    recorded = {
        "driver": "580.1",
        "cuda": 12080,
        "gpus": [
            {
                "Name": "NVIDIA H200",
                "UUID": "GPU-no-1",
                "PciInfo": {"busId": "00000000:00:06.0"},
                "CudaComputeCapability": "(9, 0)",
                "MemoryInfo_v2": {"total": 150754820096, "reserved": 644939776, "used": -1},
            },
            {"Name": "NVIDIA H200"},
            "noise",
        ],
    }
    reading = nvml_section.read_nvml(json.dumps(recorded))
    assert reading.cuda == "12.8"
    assert reading.gpus[0].values["compute_cap"] == "9.0"
    assert reading.gpus[0].values["memory_total_mib"] == 143771
    assert "compute_cap" not in reading.gpus[1].values
    assert nvml_section.read_nvml('{"gpus": [], "cuda": 5}').cuda is None
    assert nvml_section.read_nvml("{}") is None
    assert nvml_section.read_nvml("x") is None


def test_our_own_nvml_shape_is_read():
    own = {"driver": "580.1", "cuda": 13000, "gpus": [
        {"index": 3, "name": "A", "bus_id": "0:1", "memory_total_bytes": 1048576, "pcie_gen_max": 5,
         "pcie_width_max": -1},
        {"index": 4},
    ]}  # fmt: skip
    first, second = nvml_section.read_nvml(json.dumps(own)).gpus
    assert (first.values["index"], first.values["memory_total_mib"]) == (3, 1)
    assert first.values["pcie_gen_max"] == 5
    assert "pcie_width_max" not in first.values
    assert second.values["index"] == 4
