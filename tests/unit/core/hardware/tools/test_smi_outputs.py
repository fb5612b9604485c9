"""The other outputs of nvidia-smi: table, XML, text, lists, links, processes, MIG, failures."""

import pytest

from app.core.hardware.fingerprint import UnknownReason
from app.core.hardware.tools.rocm import read_rocm
from app.core.hardware.tools.smi_apps import read_apps
from app.core.hardware.tools.smi_errors import find_smi_error
from app.core.hardware.tools.smi_list import read_gpu_list
from app.core.hardware.tools.smi_mig import read_mig
from app.core.hardware.tools.smi_nvlink import read_nvlinks
from app.core.hardware.tools.smi_query import read_smi_query
from app.core.hardware.tools.smi_table import read_smi_table
from app.core.hardware.tools.smi_version import read_smi_version
from app.core.hardware.tools.smi_xml import read_smi_xml

NEW_BANNER = (
    "| NVIDIA-SMI 610.43.02              KMD Version: 610.43.02     CUDA UMD Version: 13.3     |\n"
)
ROWS = """\
|   0  NVIDIA B200                    On  |   00000000:63:00.0 Off |                    0 |
| N/A   26C    P0            139W / 1000W |       5MiB / 183359MiB |      0%      Default |
|                                         |                        |             Disabled |
+-----------------------------------------+------------------------+----------------------+
|   1  NVIDIA GeForce RTX 3080 ...   WDDM |   0000:0A:00.0      On |                  N/A |
| 30%   ERR!   P8             N/A /  N/A  |                    N/A |     N/A   Prohibited |
|                                         |                        |                 ERR! |
+-----------------------------------------+------------------------+----------------------+
"""
PROCESSES = """\
| Processes:                                                                              |
|    0   N/A  N/A             787      C   python3 -m server                      1642MiB |
|    1     1     0          12345    C+G   C:\\Windows\\explorer.exe                  N/A |
|    1          888      C   old style                                             10MiB |
"""


def test_the_banner_of_new_drivers_has_other_words():
    table = read_smi_table(NEW_BANNER + ROWS)
    assert (table.driver, table.cuda) == ("610.43.02", "13.3")


def test_under_wsl_the_driver_is_the_windows_one():
    text = "| NVIDIA-SMI 555.52.01   Driver Version: 555.99   CUDA Version: 12.5 |"
    version = read_smi_version(text)
    assert (version.smi, version.driver, version.cuda) == ("555.52.01", "555.99", "12.5")
    assert read_smi_table(text).driver == "555.99"


def test_rows_of_the_table_are_read_with_what_they_lack():
    first, second = (gpu.values for gpu in read_smi_table(NEW_BANNER + ROWS).gpus)
    assert first["name"] == "NVIDIA B200"
    assert (first["memory_used_mib"], first["memory_total_mib"]) == (5, 183359)
    assert (first["power_w"], first["power_limit_w"]) == (139.0, 1000.0)
    assert (first["ecc_mode"], first["ecc_uncorrected_volatile"]) == (True, 0)
    assert first["mig_mode"] is False
    assert second["name"] == "NVIDIA GeForce RTX 3080 ..."
    assert second["memory_total_mib"] is UnknownReason.NOT_REPORTED
    assert second["power_w"] is UnknownReason.NOT_REPORTED
    assert second["utilization_percent"] is UnknownReason.NOT_REPORTED
    assert second["compute_mode"] == "Prohibited"
    assert second["mig_mode"] is UnknownReason.UNREADABLE


def test_a_sensor_error_is_a_warning():
    table = read_smi_table(NEW_BANNER + ROWS)
    assert [w.split(":")[0] for w in table.warnings] == ["transient_sensor_error"]


def test_processes_of_all_layouts_are_read():
    table = read_smi_table(NEW_BANNER + ROWS + PROCESSES)
    assert table.process_count == 3
    assert [(p.pid, p.name, p.memory_used_mib) for p in table.processes] == [
        (787, "python3 -m server", 1642),
        (12345, "C:\\Windows\\explorer.exe", None),
        (888, "old style", 10),
    ]


def test_no_processes_and_no_process_table_are_different():
    none = read_smi_table(NEW_BANNER + ROWS + "|  No running processes found  |")
    assert none.process_count == 0
    assert read_smi_table(NEW_BANNER + ROWS).process_count is None


def test_of_two_tables_of_the_same_gpus_the_newest_whole_one_is_read_and_said_so():
    later = NEW_BANNER + ROWS.replace("   5MiB", "9999MiB")
    table = read_smi_table(NEW_BANNER + ROWS + later)
    assert table.gpus[0].values["memory_used_mib"] == 9999
    assert any(w.startswith("second_table") for w in table.warnings)
    cut = read_smi_table(NEW_BANNER + ROWS + later[: later.index("9999MiB")])
    assert cut.gpus[0].values["memory_used_mib"] == 5


def test_of_two_machines_tables_the_first_is_read_and_said_so():
    other = ROWS.replace("NVIDIA B200", "NVIDIA L40S")
    table = read_smi_table(NEW_BANNER + ROWS + NEW_BANNER + other)
    assert table.gpus[0].values["name"] == "NVIDIA B200"
    assert any("different machines" in w for w in table.warnings)


def test_a_cut_table_keeps_what_was_read():
    table = read_smi_table(NEW_BANNER + ROWS.splitlines()[0])
    assert table.complete is False
    assert table.gpus[0].values["name"] == "NVIDIA B200"
    assert "memory_total_mib" not in table.gpus[0].values
    assert read_smi_table("nothing here") is None


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ("Not Supported", UnknownReason.NOT_SUPPORTED),
        ("N/A /  N/A", UnknownReason.NOT_REPORTED),
        ("??? / 12", UnknownReason.UNREADABLE),
        ("broken", UnknownReason.UNREADABLE),
    ],
)
def test_memory_cells_without_sizes_say_why(cell, reason):
    text = NEW_BANNER + ROWS.replace("5MiB / 183359MiB", cell)
    assert read_smi_table(text).gpus[0].values["memory_used_mib"] is reason


def test_a_load_cell_that_is_none_is_unreadable():
    text = NEW_BANNER + ROWS.replace("0%      Default", "what is this")
    assert read_smi_table(text).gpus[0].values["utilization_percent"] is UnknownReason.UNREADABLE


XML = """<?xml version="1.0" ?>
<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">
<nvidia_smi_log>
  <kmd_version>610.43.02</kmd_version>
  <cuda_version>13.3 [Deprecated]</cuda_version>
  <gpu id="00000000:41:00.0">
    <product_name>NVIDIA L40S</product_name>
    <fb_memory_usage><total>46068 MiB</total><reserved>609 MiB</reserved></fb_memory_usage>
    <gpu_power_readings>
      <average_power_draw>N/A</average_power_draw>
      <instant_power_draw>80.5 W</instant_power_draw>
    </gpu_power_readings>
    <mig_devices><mig_device><index>0</index><gpu_instance_id>3</gpu_instance_id>
      <fb_memory_usage><total>9984 MiB</total><used>9 MiB</used></fb_memory_usage>
    </mig_device></mig_devices>
    <processes>
      <process_info><pid>7</pid><process_name>a</process_name><used_memory>N/A</used_memory>
      </process_info>
      <process_info><pid>none</pid></process_info>
    </processes>
  </gpu>
</nvidia_smi_log>
"""


def test_xml_of_new_drivers_is_read():
    reading = read_smi_xml(XML)
    (gpu,) = reading.gpus
    assert (reading.driver, reading.cuda, reading.complete) == ("610.43.02", "13.3", True)
    assert gpu.values["bus_id"] == "00000000:41:00.0"
    assert gpu.values["power_w"] == 80.5
    assert gpu.values["memory_used_mib"] is UnknownReason.NOT_REPORTED
    assert (gpu.mig_devices[0].gpu_instance, gpu.mig_devices[0].memory_total_mib) == (3, 9984)
    assert [(p.pid, p.memory_used_mib) for p in reading.processes] == [(7, None)]


def test_xml_is_read_up_to_a_cut_and_no_half_value_is_taken():
    reading = read_smi_xml(XML[: XML.index("8 MiB</total><reserved>")])
    assert reading.complete is False
    assert reading.gpus[0].values["name"] == "NVIDIA L40S"
    assert reading.gpus[0].values["memory_total_mib"] is UnknownReason.NOT_REPORTED
    assert reading.process_count is None


def test_entities_are_never_expanded():
    bomb = '<!DOCTYPE nvidia_smi_log [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>'
    text = bomb + XML[XML.index("<nvidia_smi_log>") :].replace("NVIDIA L40S", "&b;")
    reading = read_smi_xml(text)
    assert reading.complete is False
    assert reading.gpus[0].values["name"] is UnknownReason.NOT_REPORTED


def test_xml_that_a_browser_showed_still_reads():
    shown = "\n".join(
        f"- {line}" if line.startswith("  <gpu") else line for line in XML.split("\n")
    )
    assert read_smi_xml(shown).gpus[0].values["name"] == "NVIDIA L40S"
    assert read_smi_xml("<html></html>") is None
    assert read_smi_xml("<nvidia_smi_log") is None
    assert read_smi_xml("x" * (33 * 1024 * 1024)) is None


def test_the_long_text_says_the_same_as_the_xml():
    text = """
==============NVSMI LOG==============
Driver Version                            : 450.66
CUDA Version                              : 11.0
Attached GPUs                             : 1
GPU 00000000:01:00.0
    Product Name                          : GeForce GTX 780
    MIG Mode
        Current                           : N/A
    FB Memory Usage
        Total                             : 3020 MiB
        Used                              : 7 MiB
    BAR1 Memory Usage
        Total                             : 128 MiB
    Compute Mode                          : Default
"""
    reading = read_smi_query(text)
    values = reading.gpus[0].values
    assert (reading.driver, reading.cuda, reading.complete) == ("450.66", "11.0", True)
    assert (values["memory_total_mib"], values["memory_used_mib"]) == (3020, 7)
    assert (values["compute_mode"], values["bus_id"]) == ("Default", "00000000:01:00.0")
    assert read_smi_query("GPU 00000000:01:00.0") is None


def test_a_list_names_mig_devices_below_their_gpu():
    reading = read_gpu_list(
        "  MIG 1g.10gb Device 9: (UUID: MIG-x)\n"
        "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-00000000-0000-4000-8000-000000000000)\n"
        "  MIG 3g.40gb     Device  0: (UUID: MIG-00000001-0000-4000-8000-000000000001)\n"
        "GPU 1:  (UUID: ...)\n"
    )
    first, second = reading.gpus
    assert [(m.index, m.profile, m.uuid) for m in first.mig_devices] == [
        (0, "3g.40gb", "MIG-00000001-0000-4000-8000-000000000001")
    ]
    assert "name" not in second.values
    assert second.values["uuid"] is UnknownReason.UNREADABLE


def test_links_are_active_inactive_or_not_said():
    gpus = read_nvlinks(
        "junk\nGPU 0: NVIDIA H100 (UUID: GPU-no-0)\n\t Link 0: 26.562 GB/s\n\t Link 1: <inactive>\n"
        "\t Link 2: who knows\n"
        "GPU 1: NVIDIA H100 (UUID: ?)\nNvlink queries are not supported for Devices in MIG mode\n"
        "GPU 2: A (UUID: GPU-no-2)\n Link 0: 25 GB/s\n Link 1: 26 GB/s\n"
    )
    assert (gpus[0].speed_gbps, gpus[0].inactive, len(gpus[0].links)) == (26.562, (1,), 2)
    assert (gpus[1].links, gpus[1].speed_gbps, gpus[1].inactive) == (None, None, ())
    assert "MIG mode" in gpus[1].reason
    assert gpus[2].speed_gbps is None


def test_process_names_may_hold_the_separator():
    apps = read_apps(
        "pid, process_name, used_gpu_memory [MiB], gpu_uuid\n"
        "12, python, -c, pass, 100 MiB, GPU-no-1\nnot a row\n13, [Not Found], [N/A], ?\n"
    )
    assert [(p.pid, p.name, p.memory_used_mib) for p in apps.processes] == [
        (12, "python, -c, pass", 100),
        (13, "", None),
    ]
    assert read_apps("pid, process_name").processes == ()
    assert read_apps("index, name\n0, Tesla T4").processes is None


def test_mig_profiles_and_instances_are_read():
    profiles = read_mig(
        "| GPU instance profiles: |\n|   0  MIG 1g.18gb         19     7/7        16.00      No |"
    )
    assert (profiles.profiles[0].name, profiles.profiles[0].free) == ("1g.18gb", 7)
    assert profiles.profiles[0].memory_gib == 16.0
    instances = read_mig(
        "| GPU instances: |\n|   0  MIG 3g.40gb          9        2          0:4     |"
    )
    assert (instances.instances[0].profile, instances.instances[0].instance_id) == ("3g.40gb", 2)
    assert read_mig("") is None


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("Failed to initialize NVML: Driver/library version mismatch", "driver_library_mismatch"),
        ("NVRM: API mismatch: the client has the version 535", "driver_library_mismatch"),
        ("Failed to initialize NVML: Unknown Error", "cgroup_device_access_lost"),
        ("Failed to initialize NVML: Driver Not Loaded", "kernel_module_not_loaded"),
        ("modprobe: FATAL: Module nvidia not found in directory", "kernel_module_not_loaded"),
        ("GPU access blocked by the operating system", "gpu_access_blocked"),
        ("NVIDIA-SMI couldn’t find libnvidia-ml.so library", "driver_not_installed"),
        ("root@0123456789ab:/# nvidia-smi\nbash: nvidia-smi: command not found",
         "driver_libs_not_injected"),
        ("zsh: command not found: nvidia-smi", "driver_not_installed"),
        ("'nvidia-smi' is not recognized as an internal command", "driver_not_installed"),
        ('exec: "nvidia-smi": executable file not found in $PATH', "driver_libs_not_injected"),
        ("Unable to determine the device handle for GPU0000:65:00.0: GPU is lost.",
         "gpu_fallen_off_bus"),
        ("nouveau 2306048 0\nit couldn't communicate with the NVIDIA driver", "nouveau_conflict"),
        ("could not select device driver with capabilities: [[gpu]]", "nvidia_toolkit_missing"),
        ('Field "foo" is not a valid field to query.', "usage_error"),
        ("Unable to set: Insufficient Permissions", "device_permission"),
        ("system not yet initialized", "fabric_manager_not_running"),
        ("In use by another client", "gpu_busy_other_process"),
    ],
)  # fmt: skip
def test_failure_texts_have_a_cause_and_a_remedy(text, cause):
    error = find_smi_error(text)
    assert error.cause == cause
    assert error.remedy.endswith(".") or error.remedy.endswith(").")
    assert error.evidence


def test_a_good_output_is_no_failure():
    assert find_smi_error(NEW_BANNER + ROWS) is None


def test_output_of_amd_tools_is_recognised_with_its_gpu_count():
    assert read_rocm("GPU0 GPU1\nGPU0 0 15\nGPU1 15 0").gpu_count == 2
    assert (
        read_rocm("==== ROCm System Management Interface ====\nGPU[0] : x\nGPU[1] : y").gpu_count
        == 2
    )
    assert read_rocm("amd-smi version").gpu_count is None
    assert read_rocm(NEW_BANNER + ROWS) is None
