"""Hosts that somebody only thinks of."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import ErrorCode, UserInputError
from app.core.hardware.fingerprint import GpuAccess, HostSource, LinkKind, UnknownReason
from app.core.hardware.what_if import make_what_if
from app.io.datafiles import data_root, load_gpu_catalogue

CATALOGUE = load_gpu_catalogue(data_root())


def what_if(text: str):
    return make_what_if(text, CATALOGUE, taken_at="2026-01-01T00:00:00Z")


def test_two_cards_on_pcie_have_no_nvlink_and_say_what_is_assumed():
    host = what_if("2x NVIDIA L40S, PCIe")
    assert host.source is HostSource.CATALOGUE
    assert host.simulated
    assert [gpu.catalogue_id for gpu in host.gpus] == ["l40s", "l40s"]
    assert host.gpus[0].compute_cap == "8.9"
    assert host.topology.nvlink_islands == ()
    assert host.unknown["driver_version"] is UnknownReason.NOT_ASKED
    assert host.unknown["gpus.0.uuid"] is UnknownReason.NOT_ASKED
    assert host.gpus[0].memory_used_mib is None
    assert "46,068 MiB" in host.warnings[0]


def test_all_parts_are_taken_in_any_order():
    host = what_if(
        "Docker 26.1, 2 sockets, driver 550.54.15, CUDA 12.4, 8x H100 80GB SXM, NVLink, 1TB RAM, "
        "Ubuntu 22.04, kernel 6.8.0-40, 128 cores, 3TB disk, CDI, x86_64"
    )
    assert len(host.gpus) == 8
    assert host.topology.nvlink_islands == (tuple(range(8)),)
    assert {link.nvlink_count for link in host.topology.links} == {18}
    assert [gpu.numa_node for gpu in host.gpus] == [0, 0, 0, 0, 1, 1, 1, 1]
    assert host.memory.total_bytes == 10**12
    assert (host.driver_version, host.cuda_version) == ("550.54.15", "12.4")
    assert (host.containers.name, host.containers.version) == ("docker", "26.1")
    assert host.containers.gpu_access is GpuAccess.CDI
    assert (host.machine.os_name, host.machine.kernel) == ("Ubuntu 22.04", "6.8.0-40")
    assert host.machine.architecture == "x86_64"
    assert host.cpu.cores == 128
    assert host.disks[0].total_bytes == 3 * 10**12
    assert not {"driver_version", "memory.total_bytes", "machine.kernel"} & set(host.unknown)
    assert host.sources["driver_version"] == "what-if"
    assert host.sources["gpus.0"] == "catalogue"


def test_chinese_words_and_signs_are_taken():
    host = what_if("4×RTX 4090，双路，512GB 内存，驱动 550.54")
    assert [gpu.name for gpu in host.gpus] == ["NVIDIA GeForce RTX 4090"] * 4
    assert host.cpu.sockets == 2
    assert host.memory.total_bytes == 512 * 10**9
    kinds = {(link.a, link.b): link.kind for link in host.topology.links}
    assert kinds["GPU0", "GPU1"] is LinkKind.NODE
    assert kinds["GPU0", "GPU3"] is LinkKind.SYS


@pytest.mark.parametrize(
    ("text", "islands"),
    [
        ("2x H200", ((0, 1),)),
        ("2x H200, no NVLink", ()),
        ("4x A100 80GB PCIe", ()),
        ("4x A100 80GB PCIe, NVLink", ((0, 1), (2, 3))),
        ("8x A100-SXM4-80GB + 1x L4", ()),
        ("1x H200", ()),
    ],
)
def test_nvlink_is_what_was_said_or_what_the_board_has(text, islands):
    assert what_if(text).topology.nvlink_islands == islands


def test_a_board_that_may_be_wired_either_way_has_no_link_count():
    assert {link.nvlink_count for link in what_if("4x V100-SXM2-32GB").topology.links} == {None}
    assert {link.nvlink_count for link in what_if("8x A100-SXM4-80GB").topology.links} == {12}


@pytest.mark.parametrize("text", ["A100", "2x H100", "8x A100 80GB", "RTX PRO 6000", "V100 32GB"])
def test_an_ambiguous_name_lists_what_it_can_be(text):
    with pytest.raises(UserInputError, match="can be") as refused:
        what_if(text)
    named = refused.value.remedy.rpartition(": ")[2]
    assert what_if(named).gpus, "the example can be used as it is"


@pytest.mark.parametrize(
    ("text", "meant"), [("2x L40X", "L40"), ("H20O", "H20"), ("8x B2000", "B200")]
)
def test_an_unknown_name_is_answered_with_what_was_meant(text, meant):
    with pytest.raises(UserInputError) as refused:
        what_if(text)
    assert refused.value.code is ErrorCode.NOT_FOUND
    assert meant in refused.value.remedy


@pytest.mark.parametrize("text", ["", "0x L4", "99x L4", "Docker 26"])
def test_a_host_without_gpus_or_with_too_many_is_refused(text):
    with pytest.raises(UserInputError) as refused:
        what_if(text)
    assert refused.value.code is ErrorCode.INVALID_INPUT


@pytest.mark.parametrize("model", CATALOGUE.gpu, ids=lambda model: model.id)
def test_every_product_can_be_named_by_its_id(model):
    assert what_if(f"2x {model.id}").gpus[0].catalogue_id == model.id


@given(st.text(max_size=60))
def test_no_text_raises_anything_but_a_typed_error(text):
    with contextlib.suppress(UserInputError):
        what_if(text)
