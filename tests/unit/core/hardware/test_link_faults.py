"""Faults of links: judged against equal GPUs of the same host."""

from dataclasses import replace
from itertools import combinations

from app.core.hardware.fingerprint import (
    Fingerprint,
    Gpu,
    HostSource,
    Link,
    LinkKind,
    Topology,
)
from app.core.hardware.link_faults import (
    LinkFault,
    LinkFaultKind,
    link_faults,
    unfit_for_groups,
)
from app.core.hardware.topology import recommend_groups


def _host(count: int, *, per_pair: int, without: frozenset[int] = frozenset()) -> Fingerprint:
    links = [
        Link(a=f"GPU{a}", b=f"GPU{b}", kind=LinkKind.SYS)
        if {a, b} & without
        else Link(a=f"GPU{a}", b=f"GPU{b}", kind=LinkKind.NVLINK, nvlink_count=per_pair)
        for a, b in combinations(range(count), 2)
    ]
    return Fingerprint(
        source=HostSource.RECORDED,
        taken_at="2026-11-30T08:00:00Z",
        parser_version="test",
        gpus=tuple(Gpu(index=i, name="NVIDIA H100 80GB HBM3") for i in range(count)),
        topology=Topology(links=tuple(links), complete=True),
    )


def _change(host: Fingerprint, index: int, **values: object) -> Fingerprint:
    gpus = list(host.gpus)
    gpus[index] = replace(gpus[index], **values)  # type: ignore[arg-type]  # checked by the reader
    return replace(host, gpus=tuple(gpus))


def test_a_sound_nvswitch_machine_has_no_fault() -> None:
    host = _host(8, per_pair=18)
    assert link_faults(host) == ()
    assert [group.indices for group in recommend_groups(host)][-1] == tuple(range(8))


def test_a_gpu_off_the_fabric_is_named_and_left_out_of_groups() -> None:
    host = _host(8, per_pair=18, without=frozenset({5}))
    assert link_faults(host) == (
        LinkFault(kind=LinkFaultKind.OFF_FABRIC, gpus=(5,), have=0, expected=18),
    )
    groups = recommend_groups(host)
    assert [len(group.indices) for group in groups] == [2, 4]
    assert all(5 not in group.indices for group in groups)


def test_cards_without_a_bridge_are_no_fault() -> None:
    host = _host(4, per_pair=12, without=frozenset({2, 3}))
    assert link_faults(host) == ()


def test_an_unregistered_gpu_is_not_ready() -> None:
    host = _change(_host(8, per_pair=18), 2, fabric_state="In Progress")
    (fault,) = link_faults(host)
    assert fault.kind is LinkFaultKind.FABRIC_NOT_READY
    assert fault.state == "In Progress"
    assert unfit_for_groups(host) == {2}


def test_a_registration_that_failed_is_not_ready() -> None:
    host = _change(_host(2, per_pair=18), 1, fabric_state="Completed", fabric_status="Unknown")
    (fault,) = link_faults(host)
    assert fault.kind is LinkFaultKind.FABRIC_NOT_READY
    assert fault.state == "Unknown"


def test_a_registered_gpu_is_ready() -> None:
    host = _change(_host(2, per_pair=18), 0, fabric_state="Completed", fabric_status="Success")
    assert link_faults(host) == ()


def test_inactive_links_show_against_the_equals() -> None:
    host = _host(8, per_pair=18)
    for index in range(8):
        host = _change(host, index, nvlink_active=16 if index == 3 else 18)
    assert link_faults(host) == (
        LinkFault(kind=LinkFaultKind.LINKS_INACTIVE, gpus=(3,), have=16, expected=18),
    )


def test_a_weaker_pair_on_a_switch_is_named() -> None:
    host = _host(8, per_pair=18)
    links = list(host.topology.links)
    links[0] = replace(links[0], nvlink_count=17)
    host = replace(host, topology=replace(host.topology, links=tuple(links)))
    assert link_faults(host) == (
        LinkFault(kind=LinkFaultKind.FEWER_LINKS, gpus=(0, 1), have=17, expected=18),
    )


def test_a_narrow_slot_shows_against_the_equals() -> None:
    host = _host(2, per_pair=18)
    host = _change(_change(host, 0, pcie_width_current=16), 1, pcie_width_current=8)
    (fault,) = link_faults(host)
    assert (fault.kind, fault.gpus, fault.have) == (LinkFaultKind.PCIE_NARROW, (1,), 8)


def test_mig_keeps_a_gpu_out_of_groups_without_being_a_fault() -> None:
    host = _change(_host(8, per_pair=18, without=frozenset({0})), 0, mig_mode=True)
    assert link_faults(host) == ()
    assert unfit_for_groups(host) == {0}
