"""``nvidia-smi topo -m`` and what pastes do to it."""

import pytest

from app.core.hardware.tools.topo_matrix import read_topo_matrix
from app.core.hardware.tools.topo_p2p import read_p2p_matrix

TABBED = (
    "\tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
    "GPU0\t X \tNV4\tPIX\t0-15,32-47\t0\t\tN/A\n"
    "GPU1\tNV4\t X \tSYS\t16-31,48-63\t1\t\tN/A\n"
    "NIC0\tPIX\tSYS\t X \t\t\t\t\n"
    "\nLegend:\n\n  X    = Self\n\nNIC Legend:\n\n  NIC0: mlx5_3\n"
)


def test_links_affinities_and_nic_names_are_read():
    matrix = read_topo_matrix(TABBED)
    assert (matrix.gpu_count, matrix.nics, matrix.complete) == (2, ("NIC0",), True)
    assert matrix.nvlinks() == {(0, 1): 4}
    assert matrix.adjacency["NIC0"]["GPU1"] == "SYS"
    assert matrix.cpu_affinity == {"GPU0": "0-15,32-47", "GPU1": "16-31,48-63"}
    assert matrix.numa_affinity == {"GPU0": "0", "GPU1": "1"}
    assert matrix.gpu_numa_id == {"GPU0": None, "GPU1": None}
    assert matrix.nic_devices == {"NIC0": "mlx5_3"}


def test_a_wrapped_terminal_line_belongs_to_its_row():
    text = (
        "\tGPU0\tGPU1\tNIC0\tNIC1\n\tCPU Affinity\tNUMA Affinity\n"
        "GPU0\t X \tPHB\tPIX\n\tSYS\t0-7\t0\n"
        "GPU1\tPHB\t X \tSYS\n\tPIX\t0-7\t0\n"
    )
    matrix = read_topo_matrix(text)
    assert matrix.nics == ("NIC0", "NIC1")
    assert matrix.adjacency["GPU1"]["NIC1"] == "PIX"
    assert matrix.cpu_affinity["GPU0"] == "0-7"


def test_blanks_behind_commas_do_not_split_an_affinity():
    matrix = read_topo_matrix(
        "      GPU0  GPU1  CPU Affinity  NUMA Affinity\n"
        "GPU0   X    SYS   0-7, 16-23    0\n"
        "GPU1  SYS    X    8-15, 24-31   1\n"
    )
    assert matrix.cpu_affinity["GPU1"] == "8-15,24-31"
    assert matrix.numa_affinity["GPU1"] == "1"


def test_a_cut_link_word_is_dropped_and_not_believed():
    text = "GPU0 GPU1 GPU2 CPU Affinity\nGPU0 X NV18 NV18 0-7\nGPU1 NV18 X NV18 0-7\nGPU2 NV18 NV1"
    matrix = read_topo_matrix(text)
    assert matrix.adjacency["GPU2"]["GPU1"] == "NV18"
    assert matrix.complete is False
    assert matrix.cpu_affinity["GPU2"] is None


@pytest.mark.parametrize(("end", "numa"), [("1", None), ("1\n", "1"), ("2", "2"), ("12", "12")])
def test_a_last_value_that_may_be_half_a_value_is_unknown(end, numa):
    text = "GPU0 GPU1 CPU Affinity NUMA Affinity\nGPU0 X SYS 0-7 12\nGPU1 SYS X 8-15 " + end
    assert read_topo_matrix(text).numa_affinity["GPU1"] == numa


def test_the_old_name_of_sys_and_nics_of_any_name_are_known():
    matrix = read_topo_matrix(
        "\tGPU0\tGPU1\tmlx5_bond_0\tibp12s0\tCPU Affinity\n"
        "GPU0\t X \tSOC\tPIX\tSYS\t0-7\nGPU1\tSOC\t X \tSYS\tPIX\t8-15\n"
    )
    assert matrix.nics == ("mlx5_bond_0", "ibp12s0")
    assert matrix.adjacency["GPU0"]["GPU1"] == "SOC"


def test_without_header_and_nic_rows_nvlinks_tell_which_columns_are_gpus():
    matrix = read_topo_matrix("GPU0 X NV2 SYS 0-7\nGPU1 NV2 X SYS 0-7\n")
    assert (matrix.gpu_count, matrix.nics) == (2, ("NIC0",))
    assert matrix.complete is False


@pytest.mark.parametrize(
    "text",
    [
        "",
        "GPU0",
        "GPU0 GPU1\nGPU0 0 15\nGPU1 15 0",
        "GPU0 GPU1\nGPU0 X OK\nGPU1 OK X",
        "GPU 0: NVIDIA H200",
        "| 0  NVIDIA H200  On |",
    ],
)
def test_what_is_no_matrix_is_not_read_as_one(text):
    assert read_topo_matrix(text) is None


def test_a_peer_matrix_is_read_by_itself():
    matrix = read_p2p_matrix(" \tGPU0\tGPU1\t\n GPU0\tX\tOK\t\n GPU1\tCNS\tX\t\n")
    assert matrix.status == {(0, 1): "OK", (1, 0): "CNS"}
    assert matrix.all_ok is False
    assert read_p2p_matrix("GPU0 X NV4") is None
    assert read_p2p_matrix("GPU1 X\n") is None
