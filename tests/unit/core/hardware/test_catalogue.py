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


@pytest.mark.parametrize(
    ("name", "memory_mib", "device", "expected"),
    [
        ("NVIDIA A100-SXM4-40GB", 40960, None, "a100-sxm4-40gb"),
        ("A100-SXM4-80GB", 81251, None, "a100-sxm4-80gb"),  # before R510 without prefix
        ("NVIDIA A100-SXM4", 81920, None, "a100-sxm4-80gb"),
        ("NVIDIA A100-SXM4", None, None, None),
        ("NVIDIA A100-PCIE-40GB", None, None, "a100-pcie-40gb"),
        ("NVIDIA A100 80GB PCIe", 81920, "20B510DE", "a100-pcie-80gb"),
        ("NVIDIA H100 80GB HBM3", 81559, None, "h100-sxm5-80gb"),
        ("NVIDIA-H100-80GB-HBM3", 81559, None, "h100-sxm5-80gb"),  # a label of Kubernetes
        ("NVIDIA H100 PCIe", 81559, None, "h100-pcie-80gb"),
        ("NVIDIA H100 NVL", 95830, None, "h100-nvl-94gb"),
        ("NVIDIA H100", 81559, "233010DE", None),  # the name and the device differ
        ("Tesla V100-PCIE...", 16160, None, None),  # its totals were never recorded
        ("Tesla V100-SXM2...", 32480, None, "v100-sxm2-32gb"),
        ("Tesla V100-SXM2...", 16160, None, "v100-sxm2-16gb"),
        ("Tesla V100-SXM2-16GB", 16160, None, "v100-sxm2-16gb"),
        ("Quadro RTX 6000", 24576, None, "quadro-rtx-6000"),
        ("NVIDIA RTX 6000 Ada Generation", 46068, None, "rtx-6000-ada"),
        ("NVIDIA RTX PRO 6000 Blackwell Server Edition", 97887, None, "rtx-pro-6000-server"),
        ("NVIDIA RTX PRO 6000 Blac...", 97887, None, None),
        ("NVIDIA RTX PRO 6000 Blac...", 97887, "2BB110DE", "rtx-pro-6000-ws"),
        ("NVIDIA GeForce RTX 3080 ...", 16384, None, None),  # a laptop's
        ("NVIDIA RTX PRO 5000 72GB Blackwell", 73415, "2BB310DE", "rtx-pro-5000-72gb"),
        ("NVIDIA H20", 97871, "232910DE", "h20-96gb"),
        ("NVIDIA H20-3e", 143771, None, "h20-3e-141gb"),
        ("NVIDIA GH200 480GB", 97871, None, "gh200-96gb"),
        ("Orin (nvgpu)", None, None, "jetson-orin"),
        ("NVIDIA GB10", None, None, "gb10"),
    ],
)
def test_names_are_told_apart_by_memory_and_device_or_stay_open(
    catalogue, name, memory_mib, device, expected
):
    found = catalogue.identify(name, memory_mib=memory_mib, pci_device_id=device)
    assert (found.model.id if found.model else None) == expected


def test_an_open_name_tells_its_candidates(catalogue):
    def ids(name, **known):
        return {model.id for model in catalogue.identify(name, **known).candidates}

    assert ids("NVIDIA A100-SXM4") == {"a100-sxm4-40gb", "a100-sxm4-80gb"}
    assert ids("NVIDIA RTX PRO 6000 Blac...", memory_mib=97887) == {
        "rtx-pro-6000-server", "rtx-pro-6000-ws", "rtx-pro-6000-maxq",
    }  # fmt: skip
    assert ids("NVIDIA H100", pci_device_id="233010DE") == {"h100-sxm5-other", "h100-sxm5-80gb"}
    assert ids("NVIDIA Unheard Of") == set()


def test_a_card_with_other_memory_than_its_name_is_a_finding(catalogue):
    modified = catalogue.identify("NVIDIA GeForce RTX 4090", memory_mib=49140)
    assert modified.model.id == "rtx-4090"
    assert modified.conflicts == ("memory_total_mib",)
    assert catalogue.identify("NVIDIA GeForce RTX 4090", memory_mib=24564).conflicts == ()


@pytest.mark.parametrize(
    "name",
    ["NVIDIA A40-48Q", "GRID T4-16Q", "NVIDIA H100L-2-24C", "GRID A100D-40C", "GRID V100D-8A"],
)
def test_a_virtual_gpu_is_no_product(catalogue, name):
    found = catalogue.identify(name, memory_mib=24576)
    assert found.is_virtual
    assert found.candidates == ()


def test_products_cut_for_some_markets_say_from_what_and_how(catalogue):
    cut = {m.id: m for m in catalogue.gpu if m.export_of}
    assert {
        "a800-sxm4-80gb", "h800-sxm5-80gb", "h20-96gb", "h20-3e-141gb", "l20", "rtx-5090-d",
    } <= cut.keys()  # fmt: skip
    assert all(m.export_limit and m.export_limit.zh_CN for m in cut.values())
    assert cut["h800-sxm5-80gb"].nvlink_gbps == 400.0
    assert cut["h20-96gb"].export_compute_cut is True


def test_products_at_the_end_of_their_drivers_say_so(catalogue):
    assert catalogue.by_id("v100-sxm2-32gb").last_driver_branch == "R580"
    assert catalogue.by_id("h200-sxm").last_driver_branch is None


@pytest.mark.parametrize("text", ["GPU", "(", "*", ".", "", "  ", "Ｈ200", "00"])
def test_words_that_no_product_begins_with_mean_none(catalogue, text):
    assert catalogue.find(text) is None
    assert catalogue.named_like(text) == ()
