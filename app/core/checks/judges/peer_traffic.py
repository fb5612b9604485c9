"""Judges of what stands between GPUs on the PCI bus: ACS and IOMMU."""

from app.core.checks.host_view import HostView
from app.core.checks.registry import judge
from app.core.checks.spec import CheckData
from app.core.checks.verdict import Verdict, failed, not_applicable, passed, unknown, warned
from app.core.hardware.fingerprint import LinkKind, UnknownReason
from app.core.hardware.tools.host_lines import read_counted
from app.core.hardware.tools.kernel_log import lines_with
from app.core.hardware.tools.lspci_links import read_acs

_SWITCHED = frozenset({LinkKind.PIX, LinkKind.PXB})
_PASSING = ("iommu=pt", "iommu.passthrough=1", "iommu=off", "intel_iommu=off", "amd_iommu=off")


@judge("acs")
def acs(view: HostView, _check: CheckData) -> Verdict:
    """No bridge redirects peer traffic; only root may see it, and guests must not touch it."""
    if view.is_guest:
        return not_applicable("guest")
    section = view.section("lspci-vv")
    if section is None or section.exit_code != 0:
        return view.why("lspci-vv")
    reading = read_acs(section.stdout)
    if reading.is_denied or (not reading.bridges and not view.fingerprint.machine.is_root):
        return unknown(UnknownReason.NEEDS_ROOT, "lspci-vv: Capabilities: <access denied>")
    active = [bridge for bridge in reading.bridges if bridge.redirects]
    if not active:
        return passed(f"lspci-vv: {len(reading.bridges)} bridges with ACS, none redirects")
    lines = [f"lspci-vv: {b.bus_id} {', '.join(b.redirects)}" for b in active[:8]]
    links = view.fingerprint.topology.links
    shares = any(
        link.kind in _SWITCHED for link in links if link.a[:3] == "GPU" and link.b[:3] == "GPU"
    )
    return (failed if shares else warned)(*lines, count=len(active))


@judge("iommu")
def iommu(view: HostView, _check: CheckData) -> Verdict:
    """Off, or passing traffic through."""
    if view.is_guest:
        return not_applicable("guest")
    options = view.fingerprint.system.options
    passing = [word for word in options or () if word in _PASSING]
    if passing:
        return passed(f"cmdline: {' '.join(passing)}")
    section = view.book.get("iommu")
    types = read_counted(section.stdout) if section is not None else {}
    if types:
        evidence = "iommu_groups: " + ", ".join(f"{name} × {n}" for name, n in types.items())
        translates = any(name.upper().startswith("DMA") for name in types)
        return warned(evidence) if translates else passed(evidence)
    if section is not None and options is not None:
        return passed("iommu_groups: none")
    log = view.kernel_log
    lines = lines_with(log[1], ("default domain type",)) if log is not None else ()
    if lines and options is not None:
        return warned(lines[0]) if "translated" in lines[0].lower() else passed(lines[0])
    return view.why("iommu", "cmdline")
