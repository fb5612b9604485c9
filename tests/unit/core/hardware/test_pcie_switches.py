"""PCIe switches from the matrix and from the kernel's paths."""

from dataclasses import replace

import pytest

from app.core.hardware.fingerprint import (
    Fingerprint,
    Gpu,
    HostSource,
    Link,
    LinkKind,
    Nic,
    Topology,
)
from app.core.hardware.pcie_switches import pcie_switches
from app.core.hardware.sections import RawSection


def _host(gpus: int, nics: int, links: dict[tuple[str, str], LinkKind]) -> Fingerprint:
    return Fingerprint(
        source=HostSource.RECORDED,
        taken_at="2026-11-30T08:00:00Z",
        parser_version="test",
        gpus=tuple(Gpu(index=i, bus_id=f"00000000:{0x18 + i:02X}:00.0") for i in range(gpus)),
        topology=Topology(
            links=tuple(Link(a=a, b=b, kind=kind) for (a, b), kind in links.items()),
            nics=tuple(Nic(name=f"NIC{i}") for i in range(nics)),
        ),
    )


def _with_paths(host: Fingerprint, *paths: str) -> Fingerprint:
    lines = [
        f"/sys/bus/pci/devices/{path.rpartition('/')[2]} class=0x030200 path=/sys/devices/{path}"
        for path in paths
    ]
    section = RawSection(name="pci-sysfs", command="…", exit_code=0, stdout="\n".join(lines))
    return replace(host, sections=(section,))


def test_gpus_joined_by_nvlink_share_a_switch_through_their_nic() -> None:
    host = _host(
        4,
        2,
        {
            ("GPU0", "GPU1"): LinkKind.NVLINK,
            ("GPU0", "NIC0"): LinkKind.PXB,
            ("GPU1", "NIC0"): LinkKind.PXB,
            ("GPU2", "NIC1"): LinkKind.PIX,
            ("GPU3", "NIC1"): LinkKind.SYS,
        },
    )
    first, second = pcie_switches(host)
    assert first.members == ("GPU0", "GPU1", "NIC0")
    assert first.several
    assert second.members == ("GPU2", "NIC1")
    assert not second.several


def test_two_ports_of_one_network_card_are_no_switch() -> None:
    assert pcie_switches(_host(1, 2, {("NIC0", "NIC1"): LinkKind.PIX})) == ()


def test_paths_show_what_the_matrix_hides_behind_nvlink() -> None:
    host = _with_paths(
        _host(3, 0, {("GPU0", "GPU1"): LinkKind.NVLINK}),
        "pci0000:15/0000:15:01.0/0000:16:00.0/0000:17:00.0/0000:18:00.0",
        "pci0000:15/0000:15:01.0/0000:16:00.0/0000:17:01.0/0000:19:00.0",
        "pci0000:37/0000:37:01.0/0000:38:00.0/0000:39:00.0/0000:1a:00.0",
    )
    (switch,) = pcie_switches(host)
    assert switch.members == ("GPU0", "GPU1")
    assert switch.port == "0000:15:01.0"


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("pci0000:00/0000:00:{0}.0", id="virtual-machine"),
        pytest.param("pci0000:00/0000:00:01.0/0000:{0}:00.0", id="own-root-port"),
        pytest.param("somewhere else", id="garbage"),
    ],
)
def test_a_path_without_a_switch_joins_nothing(path: str) -> None:
    host = _with_paths(_host(2, 0, {}), path.format("18"), path.format("19"))
    assert pcie_switches(host) == ()
