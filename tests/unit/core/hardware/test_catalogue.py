"""The GPU catalogue that ships."""

import re

import pytest

from app.core.hardware.catalogue import GpuCatalogue
from app.io.datafiles import data_root, load_gpu_catalogue


@pytest.fixture(scope="module")
def catalogue() -> GpuCatalogue:
    return load_gpu_catalogue(data_root())


def test_every_name_belongs_to_exactly_one_product_or_needs_its_memory(catalogue):
    assert len(catalogue.gpu) == 106
    for model in catalogue.gpu:
        for name in model.names:
            found = [m for m in catalogue.gpu if re.fullmatch(m.match, name, re.IGNORECASE)]
            assert model in found, name
            if len(found) > 1:
                assert all(m.memory_mib_variants for m in found), name


def test_every_product_has_a_known_source_and_a_date(catalogue):
    for model in catalogue.gpu:
        assert set(model.source.split(", ")) <= set(catalogue.sources), model.id
        assert re.fullmatch(r"20\d\d-\d\d-\d\d", model.checked)


def test_the_h200_is_known(catalogue):
    model = catalogue.match("NVIDIA H200", memory_mib=143771)
    assert (model.id, model.compute_cap, model.memory_mib) == ("h200-sxm", "9.0", 143771)
    assert (model.bandwidth_gbps, model.fp8, model.fp4) == (4800.0, True, False)
    assert (model.nvlink_gbps, model.has_nvlink) == (900.0, True)
    assert catalogue.by_id("h200-sxm") is model


def test_a_mig_suffix_and_odd_blanks_do_not_matter(catalogue):
    assert catalogue.match("NVIDIA  H200 MIG 1g.18gb").id == "h200-sxm"


@pytest.mark.parametrize("name", ["NVIDIA H100L-2-24C", "GRID T4-16Q", "", "NVIDIA H9999"])
def test_profiles_of_virtual_gpus_and_unknown_names_match_nothing(catalogue, name):
    assert catalogue.match(name) is None


def test_equal_names_are_told_apart_by_memory_or_not_at_all(catalogue):
    names = [n for m in catalogue.gpu for n in m.names]
    shared = {
        n for n in names
        if sum(bool(re.fullmatch(m.match, n, re.IGNORECASE)) for m in catalogue.gpu) > 1
    }  # fmt: skip
    for name in shared:
        assert catalogue.match(name) is None
        assert catalogue.match(name, memory_mib=1) is None
        for model in catalogue.gpu:
            if name in model.names and model.memory_mib:
                assert catalogue.match(name, memory_mib=model.memory_mib) is not None


def test_people_may_use_ids_names_and_unambiguous_words(catalogue):
    assert catalogue.find("h200-sxm").id == "h200-sxm"
    assert catalogue.find("nvidia h200 nvl").id == "h200-nvl"
    assert catalogue.find("NVIDIA H200").id == "h200-sxm"
    assert catalogue.find("h200-n").id == "h200-nvl"
    assert catalogue.find("rtx 4090").name == "NVIDIA GeForce RTX 4090"
    assert catalogue.find("nvidia") is None
    assert {model.id for model in catalogue.named_like("a100 80gb")} >= {
        "a100-sxm4-80gb", "a100-pcie-80gb",
    }  # fmt: skip
    assert catalogue.find(" ") is None
    unknown = [m for m in catalogue.gpu if m.nvlink_kind == "unknown"]
    assert all(m.has_nvlink is None for m in unknown)


def test_unified_memory_products_are_marked(catalogue):
    assert [m.id for m in catalogue.gpu if m.unified_memory] == [
        "gb10",
        "jetson-orin",
        "jetson-thor",
    ]
