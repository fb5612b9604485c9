"""``nvidia-smi --query-gpu`` in CSV."""

import pytest

from app.core.hardware.fingerprint import UnknownReason
from app.core.hardware.tools.smi import SAMPLE_COLUMNS, GpuSample, parse_gpu_rows, parse_sample_line
from app.core.hardware.tools.smi_csv import read_gpu_csv

HEADER = "index, name, driver_version, memory.total [MiB], memory.used [MiB], power.draw [W]"


def only(text, columns=None):
    (gpu,) = read_gpu_csv(text, columns).gpus
    return gpu.values


def test_units_may_stand_in_the_cells_or_be_left_out():
    with_units = only(f"{HEADER}\n0, NVIDIA H200, 580.159.04, 143771 MiB, 5 MiB, 77.00 W")
    without = only(f"{HEADER}\n0, NVIDIA H200, 580.159.04, 143771, 5, 77.00")
    assert with_units == without
    assert with_units["memory_total_mib"] == 143771


def test_a_decimal_comma_does_not_shift_the_columns():
    values = only(f"{HEADER}\n1, NVIDIA A10, 535.54.03, 23028 MiB, 0 MiB, 21,35 W")
    assert (values["power_w"], values["memory_used_mib"]) == (21.35, 0)


@pytest.mark.parametrize("separator", [",", "; ", ";", "\t"])
def test_spreadsheets_change_the_separator(separator):
    text = f"{HEADER}\n0, NVIDIA L4, 550.54.14, 23034 MiB, 1 MiB, 16.1 W".replace(", ", separator)
    assert only(text)["memory_total_mib"] == 23034


def test_unknown_columns_are_passed_over_and_unknown_values_keep_their_reason():
    values = only(
        "name, fan.speed [%], memory.total [MiB], some.new.thing\nNVIDIA GB10, 3 %, [N/A], 7"
    )
    assert values["name"] == "NVIDIA GB10"
    assert values["memory_total_mib"] is UnknownReason.NOT_REPORTED
    assert "some.new.thing" not in values


def test_aliases_of_columns_fill_the_same_fields():
    values = only(
        "gpu_name, gpu_uuid, gpu_bus_id, clocks.sm [MHz]\n"
        "Tesla T4, GPU-00000000-0000-0000-0000-000000000001, 00000000:00:1E.0, 1590 MHz"
    )
    assert (values["name"], values["bus_id"], values["clock_sm_mhz"]) == (
        "Tesla T4",
        "00000000:00:1E.0",
        1590,
    )


def test_a_broken_address_identity_or_capability_is_unreadable():
    values = only("uuid, pci.bus_id, compute_cap\nGPU?, 12:34, nine")
    assert set(values.values()) == {UnknownReason.UNREADABLE}


def test_output_without_header_is_read_by_the_columns_that_were_asked():
    assert only("0, 512", ["index", "memory.used"]) == {"index": 0, "memory_used_mib": 512}


def test_output_without_header_is_otherwise_read_only_where_shapes_are_certain():
    reading = read_gpu_csv("NVIDIA H200, 580.159.04, 143771, 9.0")
    assert reading.driver == "580.159.04"
    assert reading.gpus[0].values == {
        "name": "NVIDIA H200",
        "compute_cap": "9.0",
        "memory_total_mib": 143771,
    }
    assert reading.warnings


def test_two_sizes_without_header_could_be_anything():
    assert "memory_total_mib" not in only("NVIDIA H200, 143771, 143156")


@pytest.mark.parametrize(
    "text", ["NVIDIA-SMI has failed because", "nvidia-smi topo -m", "hello, world", "", "1, 2, 3"]
)
def test_prose_is_no_gpu(text):
    assert read_gpu_csv(text).gpus == ()


def test_a_loop_over_two_gpus_keeps_the_newest_row_of_each():
    reading = read_gpu_csv(
        "timestamp, index, memory.used [MiB]\n"
        "2026/11/29 10:00:00.100, 0, 1 MiB\n2026/11/29 10:00:00.102, 1, 2 MiB\n"
        "2026/11/29 10:00:01.100, 0, 3 MiB\n2026/11/29 10:00:01.102, 1, 4 MiB\n"
    )
    assert [(g.values["memory_used_mib"], g.rows) for g in reading.gpus] == [(3, 2), (4, 2)]


def test_a_loop_without_identity_is_told_apart_by_its_ticks():
    reading = read_gpu_csv(
        "timestamp, memory.used [MiB]\n"
        "2026/11/29 10:00:00.100, 1 MiB\n2026/11/29 10:00:00.102, 2 MiB\n"
        "2026/11/29 10:00:01.100, 3 MiB\n2026/11/29 10:00:01.102, 4 MiB\n"
    )
    assert [g.values["memory_used_mib"] for g in reading.gpus] == [3, 4]


def test_rows_without_identity_or_time_are_gpus_of_their_own():
    assert len(read_gpu_csv("memory.used [MiB]\n1 MiB\n2 MiB").gpus) == 2


def test_a_process_list_behind_the_gpus_is_not_more_gpus():
    reading = read_gpu_csv(
        "index, name\n0, Tesla T4\n\npid, process_name, gpu_uuid\n12, python, GPU-no-1"
    )
    assert len(reading.gpus) == 1


def test_cut_rows_and_messages_are_passed_over():
    table = parse_gpu_rows("index, name, memory.total [MiB]\n0, Tesla T4, 15360 MiB\n1, Tes")
    assert len(table.rows) == 1
    assert table.columns == ("index", "name", "memory.total")


def test_a_sample_line_has_exactly_the_asked_columns():
    assert SAMPLE_COLUMNS[0] == "index"
    assert parse_sample_line("1, 1651, 99, 688.35, 61") == GpuSample(
        index=1, memory_used_mib=1651, utilization_percent=99, power_w=688.35, temperature_c=61
    )


def test_what_a_sample_lacks_is_unknown_and_not_zero():
    assert parse_sample_line("0, [N/A], [N/A], 11.17, 35") == GpuSample(
        index=0, memory_used_mib=None, utilization_percent=None, power_w=11.17, temperature_c=35
    )


@pytest.mark.parametrize(
    "line", ["", "index, memory.used [MiB]", "0, 1651", "Unable to determine", "x, 1, 2, 3, 4"]
)
def test_lines_that_are_no_samples_are_passed_over(line):
    assert parse_sample_line(line) is None
