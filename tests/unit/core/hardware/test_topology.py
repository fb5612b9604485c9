"""Islands and recommended groups."""

from dataclasses import replace

import pytest

from app.core.hardware.fingerprint import Fingerprint, Gpu, HostSource, Link, LinkKind, Topology
from app.core.hardware.tools.topo_matrix import read_topo_matrix
from app.core.hardware.topology import (
    GroupReason,
    build_topology,
    describe_group,
    link_kind,
    nvlink_islands,
    recommend_groups,
)


def host(*rows: str, names: tuple[str, ...] = ()) -> Fingerprint:
    """Build a host from the words of a matrix, one row a GPU."""
    links = tuple(
        Link(
            a=f"GPU{i}",
            b=f"GPU{j}",
            kind=link_kind(word),
            nvlink_count=int(word[2:]) if word.startswith("NV") else None,
        )
        for i, row in enumerate(rows)
        for j, word in enumerate(row.split())
        if i < j and word != "?"
    )
    names = names or ("NVIDIA H100",) * len(rows)
    return Fingerprint(
        source=HostSource.RECORDED,
        taken_at="",
        parser_version="1",
        gpus=tuple(Gpu(index=i, name=name) for i, name in enumerate(names)),
        topology=Topology(links=links),
    )


def groups(fingerprint):
    return {len(g.indices): (g.indices, g.reason_code) for g in recommend_groups(fingerprint)}


def test_islands_join_gpus_that_reach_each_other_through_others():
    assert nvlink_islands([(0, 1), (2, 3), (1, 4)]) == ((0, 1, 4), (2, 3))
    assert nvlink_islands([(2, 3), (0, 1), (1, 2)]) == ((0, 1, 2, 3),)
    assert nvlink_islands([]) == ()


def test_a_pair_is_taken_inside_an_island_and_never_across_sockets():
    two_pairs = host("X NV4 SYS SYS", "NV4 X SYS SYS", "SYS SYS X NV4", "SYS SYS NV4 X")
    assert groups(two_pairs) == {
        2: ((0, 1), GroupReason.NVLINK_FULL),
        4: ((0, 1, 2, 3), GroupReason.ACROSS_ISLANDS),
    }


def test_the_nearest_pcie_pair_is_taken_without_nvlink():
    uneven = host("X SYS SYS SYS", "SYS X PIX NODE", "SYS PIX X NODE", "SYS NODE NODE X")
    assert groups(uneven)[2] == ((1, 2), GroupReason.PCIE_NEAR)
    assert groups(uneven)[4] == ((0, 1, 2, 3), GroupReason.PCIE_FAR)


def test_an_island_with_gaps_is_called_partial():
    ring = host("X NV1 SYS NV1", "NV1 X NV1 SYS", "SYS NV1 X NV1", "NV1 SYS NV1 X")
    assert groups(ring)[4] == ((0, 1, 2, 3), GroupReason.NVLINK_PARTIAL)


def test_equal_cards_come_before_lower_indices_and_mixed_ones_are_said():
    mixed = host("X PHB PHB", "PHB X PHB", "PHB PHB X", names=("A", "B", "B"))
    assert groups(mixed)[2][0] == (1, 2)
    pair = host("X PHB", "PHB X", names=("A", "B"))
    (group,) = recommend_groups(pair)
    assert group.same_model is False
    assert "not of one kind" in group.text


def test_more_links_and_more_free_memory_decide_between_equals():
    wider = host("X NV1 NV2", "NV1 X NV1", "NV2 NV1 X")
    assert groups(wider)[2][0] == (0, 2)
    flat = host("X PHB PHB", "PHB X PHB", "PHB PHB X")
    used = tuple(replace(g, memory_used_mib=5000 if g.index == 0 else 0) for g in flat.gpus)
    assert groups(replace(flat, gpus=used))[2][0] == (1, 2)


def test_unknown_links_are_said():
    assert groups(host("X ?", "? X"))[2] == ((0, 1), GroupReason.LINKS_UNKNOWN)


def test_sixteen_gpus_are_grouped_without_trying_every_combination():
    rows = [" ".join("X" if i == j else "NV6" for j in range(16)) for i in range(16)]
    found = groups(host(*rows))
    assert found[8] == (tuple(range(8)), GroupReason.NVLINK_FULL)
    unknown = host(*[" ".join("X" if i == j else "?" for j in range(16)) for i in range(16)])
    assert groups(unknown)[8][1] is GroupReason.LINKS_UNKNOWN


def test_one_gpu_needs_no_group():
    assert recommend_groups(host("X")) == ()


def test_link_words_have_classes():
    assert link_kind("SOC") is LinkKind.SYS
    assert link_kind("NV12") is LinkKind.NVLINK
    assert link_kind("???") is LinkKind.UNKNOWN


def test_bandwidth_is_known_only_with_a_reported_speed():
    matrix = read_topo_matrix("\tGPU0\tGPU1\nGPU0\t X \tNV2\nGPU1\tNV2\t X \n")
    (known,) = build_topology(matrix, link_speed_gbps={0: 25.0}).links
    (unknown,) = build_topology(matrix).links
    assert (known.bandwidth_gbps, unknown.bandwidth_gbps) == (100.0, None)
    assert build_topology(None) == Topology()


@pytest.mark.parametrize("code", list(GroupReason))
def test_every_reason_has_words(code):
    from app.core.hardware.topology import _TEXTS

    assert _TEXTS[code].endswith(".")


def test_a_chosen_group_can_be_described_by_itself():
    assert describe_group((1, 0), {}, {0: "A", 1: "A"}).indices == (0, 1)
