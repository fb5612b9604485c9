"""What differs between two hosts, and that nothing is told that does not differ."""

from dataclasses import replace

import pytest
from fakes.diff_pairs import (
    catalogue,
    compare,
    elsewhere,
    found,
    h200,
    rules,
    with_gpus,
)

from app.core.diff.spec import Weight
from app.core.hardware.fingerprint import (
    ContainerRuntime,
    Gpu,
    GpuAccess,
    HostSource,
    Kernel,
    Link,
    LinkKind,
    MigDevice,
    Topology,
    UnknownReason,
)
from app.core.hardware.sections import RawSection

BEHAVIOUR, PERFORMANCE = Weight.BEHAVIOUR, Weight.PERFORMANCE
COSMETIC, UNKNOWN = Weight.COSMETIC, Weight.UNKNOWN


def l40s(count: int = 2) -> tuple[Gpu, ...]:
    return tuple(
        Gpu(
            index=index,
            name="NVIDIA L40S",
            compute_cap="8.9",
            memory_total_mib=46068,
            catalogue_id=catalogue().match("NVIDIA L40S", 46068).id,
        )
        for index in range(count)
    )


def paths(comparison, weight):
    return {d.path for d in comparison.weighing(weight)}


def test_a_host_does_not_differ_from_itself():
    for state in ("idle", "busy"):
        comparison = compare(h200(state), h200(state))
        assert comparison.differences == ()
        assert comparison.compared > 60


def test_load_is_no_difference_in_behaviour_or_speed():
    comparison = compare(h200("idle"), h200("busy"))
    assert not comparison.changes_behaviour
    assert paths(comparison, PERFORMANCE) == set()
    assert paths(comparison, UNKNOWN) == set()
    assert {"gpu.memory_used_mib", "gpu.temperature_c"} <= paths(comparison, COSMETIC)


def test_momentary_values_of_many_gpus_are_one_line_each():
    comparison = compare(h200("idle"), h200("busy"))
    assert found(comparison, "gpu.temperature_c").a == "34 °C – 35 °C"


def test_equal_hardware_elsewhere_differs_in_nothing_that_matters():
    comparison = compare(h200(), elsewhere(h200()))
    assert comparison.differences == ()


def test_another_product_tells_what_follows_from_it():
    other = replace(elsewhere(h200(), "edge"), gpus=l40s(), source=HostSource.CATALOGUE)
    comparison = compare(h200(), other)
    memory = found(comparison, "gpu.memory_total_mib")
    assert (memory.a, memory.b, memory.weight) == ("143,771 MiB", "46,068 MiB", BEHAVIOUR)
    assert "larger models do not fit" in memory.meaning.en
    assert "FlashAttention 3" in found(comparison, "gpu.compute_cap").meaning.en
    assert found(comparison, "sheet.bandwidth_gbps").weight is PERFORMANCE
    product = found(comparison, "gpus.product")
    assert (product.a, product.b) == ("2 × NVIDIA H200", "2 × NVIDIA L40S")


@pytest.mark.parametrize(
    ("capability", "word"),
    [("7.0", "bfloat16"), ("8.0", "Marlin"), ("8.6", "Marlin"), ("10.0", "FlashInfer")],
)
def test_capability_says_which_precision_and_kernels_change(capability, word):
    comparison = compare(h200(), with_gpus(elsewhere(h200()), compute_cap=capability))
    meaning = found(comparison, "gpu.compute_cap").meaning
    assert word in meaning.en
    assert "there" in meaning.en
    assert "{" not in meaning.en + meaning.zh_CN


def test_capability_within_one_generation_does_not_speak_of_fp8():
    a = with_gpus(h200(), compute_cap="8.0")
    b = with_gpus(elsewhere(h200()), compute_cap="8.6")
    meaning = found(compare(a, b), "gpu.compute_cap").meaning.en
    assert "FP8" not in meaning
    assert "8.6" in meaning


def test_old_driver_cannot_run_images_of_a_newer_cuda():
    old = replace(elsewhere(h200(), "old"), driver_version="535.104.05", cuda_version="12.2")
    comparison = compare(h200(), old)
    driver = found(comparison, "driver_version")
    assert driver.weight is BEHAVIOUR
    assert "old refuses them" in driver.meaning.en
    assert found(comparison, "cuda_version").weight is BEHAVIOUR


def test_driver_of_the_same_branch_changes_no_behaviour():
    newer = replace(h200(), driver_version="580.172.01", taken_at="2026-08-01T08:00:00Z")
    comparison = compare(h200(), newer)
    assert [d.path for d in comparison.differences] == ["driver_version"]
    assert not comparison.changes_behaviour


def test_two_times_of_one_host_are_told_apart_by_their_times():
    newer = replace(h200(), driver_version="535.54.03", taken_at="2026-08-01T08:00:00Z")
    meaning = found(compare(h200(), newer), "driver_version").meaning.en
    assert "here (2026-08-01 08:00:00) refuses" in meaning


def test_mig_says_which_side_is_split():
    mig = with_gpus(
        elsewhere(h200()), mig_mode=True, mig_devices=(MigDevice(index=0, profile="1g.18gb"),)
    )
    comparison = compare(h200(), mig)
    mode = found(comparison, "gpu.mig_mode")
    assert (mode.a, mode.b, mode.scope) == ("off", "on", "")
    assert mode.meaning.en.startswith("there splits this GPU by MIG")
    assert found(comparison, "gpu.mig_devices").b == "1g.18gb"


def test_a_device_without_a_switch_has_it_off():
    b = with_gpus(elsewhere(h200()), mig_mode=None)
    b = replace(b, unknown={f"gpus.{i}.mig_mode": UnknownReason.NOT_SUPPORTED for i in range(2)})
    assert not any(d.path == "gpu.mig_mode" for d in compare(h200(), b).differences)


def test_ecc_off_is_told_with_its_danger():
    ecc = found(compare(h200(), with_gpus(h200(), ecc_mode=False)), "gpu.ecc_mode")
    assert ecc.weight is BEHAVIOUR
    assert "flipped memory bits" in ecc.meaning.en


def test_uncorrected_errors_count_as_some_or_none():
    a = with_gpus(h200(), ecc_uncorrected_volatile=3)
    b = with_gpus(h200(), ecc_uncorrected_volatile=8)
    assert compare(a, b).differences == ()
    assert found(compare(h200(), b), "gpu.ecc_errors").weight is BEHAVIOUR


def test_a_lost_gpu_is_named_and_the_rest_still_compared():
    lost = replace(h200(), gpus=h200().gpus[:1])
    comparison = compare(h200(), lost)
    assert found(comparison, "gpus.count").weight is BEHAVIOUR
    (presence,) = (d for d in comparison.differences if d.path.startswith("gpus.presence"))
    assert "GPU1 NVIDIA H200" in presence.a
    assert presence.b == "–"
    assert comparison.compared > 60


def test_a_card_in_the_same_slot_with_another_uuid_was_replaced():
    first, second = h200().gpus
    swapped = replace(h200(), gpus=(first, replace(second, uuid="GPU-new-card")))
    comparison = compare(h200(), swapped)
    card = found(comparison, "gpu.card")
    assert card.scope == "GPU1"
    assert card.b.endswith("GPU-new-card")
    assert not any(d.path.startswith("gpus.presence") for d in comparison.differences)


def test_cards_that_only_changed_their_numbers_are_the_same_cards():
    first, second = h200().gpus
    turned = replace(h200(), gpus=(replace(second, index=0), replace(first, index=1)))
    comparison = compare(h200(), turned)
    assert not comparison.changes_behaviour
    assert {d.path for d in comparison.weighing(COSMETIC)} == {"gpu.index"}


def test_eight_equal_cards_are_one_line():
    one = h200().gpus[0]
    eight = tuple(replace(one, index=i, uuid=f"GPU-{i}") for i in range(8))
    h100 = tuple(
        replace(g, uuid=f"GPU-b{g.index}", memory_total_mib=81559, name="NVIDIA H100 80GB HBM3")
        for g in eight
    )
    h100 = tuple(replace(g, catalogue_id=None) for g in h100)
    a = replace(h200(), gpus=eight)
    comparison = compare(a, replace(elsewhere(h200()), gpus=h100))
    memory = found(comparison, "gpu.memory_total_mib")
    assert (memory.a, memory.b, memory.scope) == ("143,771 MiB", "81,559 MiB", "")
    assert found(comparison, "gpus.product").b == "8 × H100 80GB HBM3"


def test_one_gpu_on_fewer_lanes_is_named():
    first, second = elsewhere(h200()).gpus
    narrow = replace(elsewhere(h200()), gpus=(first, replace(second, pcie_width_current=8)))
    lanes = found(compare(h200(), narrow), "gpu.pcie_width_current")
    assert (lanes.scope, lanes.a, lanes.b, lanes.weight) == ("GPU1", "16", "8", PERFORMANCE)


def test_missing_nvlink_is_told_once():
    pcie = Topology(links=(Link(a="GPU0", b="GPU1", kind=LinkKind.SYS),), complete=True)
    comparison = compare(h200(), replace(elsewhere(h200()), topology=pcie))
    links = [d.path for d in comparison.differences if d.path.startswith("links")]
    assert links == ["links.nvlink"]
    assert "there has no NVLink" in found(comparison, "links.nvlink").meaning.en


def test_links_of_an_unknown_kind_are_not_taken_for_missing_nvlink():
    odd = Topology(links=(Link(a="GPU0", b="GPU1", kind=LinkKind.UNKNOWN),), complete=True)
    unread = replace(elsewhere(h200()), topology=odd)
    assert found(compare(h200(), unread), "links.nvlink").weight is UNKNOWN
    thought_of = replace(unread, source=HostSource.CATALOGUE)
    links = found(compare(h200(), thought_of), "links.nvlink")
    assert (links.weight, links.b) == (BEHAVIOUR, "1 × PCIe")


def test_fewer_nvlinks_change_speed():
    weak = Topology(
        links=(Link(a="GPU0", b="GPU1", kind=LinkKind.NVLINK, nvlink_count=12),),
        nvlink_islands=((0, 1),),
        numa_nodes=h200().topology.numa_nodes,
        complete=True,
    )
    comparison = compare(h200(), replace(elsewhere(h200()), topology=weak))
    assert found(comparison, "links.classes").b == "1 × NV12"
    assert not comparison.changes_behaviour


def test_driver_reserve_is_a_difference_and_used_memory_is_none():
    b = with_gpus(elsewhere(h200()), memory_reserved_mib=950)
    assert found(compare(h200(), b), "gpu.memory_reserved_mib").weight is PERFORMANCE


def test_a_little_less_memory_changes_speed_not_what_fits():
    b = with_gpus(elsewhere(h200()), memory_total_mib=143156)
    assert found(compare(h200(), b), "gpu.memory_total_mib").weight is PERFORMANCE


def test_a_value_that_one_side_does_not_know_is_never_equal():
    b = with_gpus(elsewhere(h200()), power_limit_w=None)
    b = replace(b, unknown={f"gpus.{i}.power_limit_w": UnknownReason.TOOL_FAILED for i in range(2)})
    power = found(compare(h200(), b), "gpu.power_limit_w")
    assert (power.weight, power.would_weigh) == (UNKNOWN, PERFORMANCE)
    assert power.b is None
    assert "the tool failed" in power.meaning.en


def test_what_neither_side_knows_is_said_to_be_not_compared():
    a = with_gpus(h200(), power_limit_w=None)
    b = with_gpus(elsewhere(h200()), power_limit_w=None)
    comparison = compare(a, b)
    assert "Power limit" in {text.en for text in comparison.not_compared}
    assert comparison.differences == ()


def test_gpus_that_could_not_be_listed_are_unknown_not_none():
    blind = replace(elsewhere(h200()), gpus=(), unknown={"gpus": UnknownReason.TOOL_TIMEOUT})
    count = found(compare(h200(), blind), "gpus.count")
    assert (count.weight, count.would_weigh) == (UNKNOWN, BEHAVIOUR)


def test_container_engines_differ_in_how_they_hand_over_gpus():
    a = replace(
        h200(),
        containers=ContainerRuntime(
            name="docker",
            version="28.4.0",
            reachable=True,
            gpu_access=GpuAccess.NVIDIA_RUNTIME,
            toolkit_version="1.17.8",
        ),
    )
    b = replace(
        a,
        host_name="there",
        containers=replace(a.containers, gpu_access=GpuAccess.CDI, toolkit_version="1.18.1"),
    )
    comparison = compare(a, b)
    assert "there hands GPUs over by CDI" in found(comparison, "containers.gpu_access").meaning.en
    assert found(comparison, "containers.toolkit_version").weight is BEHAVIOUR
    none = replace(b, containers=replace(a.containers, gpu_access=GpuAccess.NONE))
    assert "get no GPU" in found(compare(a, none), "containers.gpu_access").meaning.en


def test_strict_overcommit_is_the_setting_that_matters():
    def host(value: str):
        return replace(h200(), system=Kernel(settings={"vm.overcommit_memory": value}))

    path = "sysctl.vm.overcommit_memory"
    assert found(compare(host("0"), host("1")), path).weight is COSMETIC
    assert found(compare(host("0"), host("2")), path).weight is BEHAVIOUR


def test_a_gpu_that_is_slowed_down_by_heat_is_told_and_a_power_cap_is_not():
    capped = with_gpus(h200(), throttle_reasons=("sw_power_cap",))
    assert compare(h200(), capped).differences == ()
    hot = with_gpus(h200(), throttle_reasons=("hw_slowdown", "sw_power_cap"))
    assert found(compare(h200(), hot), "gpu.throttle").b == "hw_slowdown"


def test_the_iommu_is_read_from_the_kernel_arguments():
    a = replace(h200(), system=Kernel(options=("quiet", "iommu=pt")))
    b = replace(h200(), system=Kernel(options=("quiet", "splash")))
    difference = found(compare(a, b), "kernel.iommu")
    assert (difference.a, difference.b, difference.weight) == ("iommu=pt", "none", PERFORMANCE)


def test_processor_flags_come_from_lscpu():
    lines = "Architecture: x86_64\nFlags: fpu sse4_2\n"
    bare = RawSection(name="lscpu", command="lscpu", exit_code=0, stdout=lines)
    others = tuple(s for s in h200().sections if s.name not in {"lscpu", "lscpu-J"})
    comparison = compare(h200(), replace(h200(), sections=(*others, bare)))
    assert found(comparison, "cpu.flag.avx2").weight is BEHAVIOUR
    assert found(comparison, "cpu.flag.avx512f").weight is PERFORMANCE


def test_every_rule_speaks_both_languages_and_names_its_source():
    for rule in rules().rules:
        for text in (rule.label, rule.meaning, *(case.meaning for case in rule.case)):
            assert text.en
            assert text.zh_CN
        assert rule.source
        assert rule.checked
    assert len({rule.id for rule in rules().rules}) == len(rules().rules)
