"""Judges of RDMA adapters and proxies."""

from typing import Final

from app.core.checks.host_view import HostView
from app.core.checks.registry import judge
from app.core.checks.spec import CheckData
from app.core.checks.verdict import (
    Verdict,
    failed,
    not_applicable,
    of_gpu,
    passed,
    unknown,
    warned,
    worst_of,
)
from app.core.hardware.fingerprint import Gpu, Link, LinkKind
from app.core.hardware.kernel_facts import ModuleFlavour
from app.core.texts import Text
from app.core.versions import driver_key

_DMA_BUF_KERNEL: Final = (5, 12)
_NEAR: Final = frozenset({LinkKind.PIX, LinkKind.PXB})
_ORDER: Final = (LinkKind.PIX, LinkKind.PXB, LinkKind.PHB, LinkKind.NODE, LinkKind.SYS)
_WITH: Final = Text(en="a proxy", zh_CN="使用代理")
_WITHOUT: Final = Text(en="no proxy", zh_CN="不使用代理")


@judge("peermem")
def peermem(view: HostView, _check: CheckData) -> Verdict:
    """RDMA adapters reach device memory."""
    if view.files is None:
        return view.why("files")
    adapters = [path for path in view.files if path.startswith("/sys/class/infiniband/")]
    if not adapters:
        return not_applicable("no_nic")
    names = ", ".join(sorted({path.split("/")[4] for path in adapters}))
    modules = view.book.text("modules")
    kernel = driver_key(view.fingerprint.machine.kernel)
    flavour = view.fingerprint.driver_module.flavour
    if flavour is ModuleFlavour.OPEN and kernel is not None and kernel >= _DMA_BUF_KERNEL:
        return passed(f"infiniband: {names}", how="DMA-BUF")
    if "nvidia_peermem" in modules:
        return passed(f"infiniband: {names}", "modules: nvidia_peermem", how="nvidia_peermem")
    if kernel is None or flavour is None or not modules:
        return view.why("driver-version", "uname", "modules")
    return warned(f"infiniband: {names}", f"kernel {view.fingerprint.machine.kernel}, {flavour}")


@judge("nic-affinity")
def nic_affinity(view: HostView, _check: CheckData) -> Verdict:
    """Every GPU has an adapter near it."""
    links = [link for link in view.fingerprint.topology.links if _is_to_nic(link)]
    if not links:
        if view.book.output("smi-topo-m") is None:
            return view.missing("topology.links", "smi-topo-m")
        return not_applicable("no_nic")
    return worst_of(of_gpu(gpu.index, _nearest(gpu, links)) for gpu in view.gpus)


def _is_to_nic(link: Link) -> bool:
    return {link.a[:3], link.b[:3]} == {"GPU", "NIC"}


def _nearest(gpu: Gpu, links: list[Link]) -> Verdict:
    kinds = [link.kind for link in links if f"GPU{gpu.index}" in {link.a, link.b}]
    known = [kind for kind in _ORDER if kind in kinds]
    if not known:
        return unknown("not_reported")
    evidence = f"smi-topo-m: GPU{gpu.index} nearest adapter {known[0].value}"
    if known[0] in _NEAR:
        return passed(evidence)
    if known[0] is LinkKind.SYS:
        return failed(evidence)
    return warned(evidence, kind=known[0].value)


@judge("proxy")
def proxy(view: HostView, _check: CheckData) -> Verdict:
    """Shell and engine use the same proxy, and not for themselves."""
    section = view.book.get("proxy")
    if section is None:
        return view.why("proxy")
    if not view.book.output("docker-info", "podman-info"):
        return view.why("docker-info")
    lines = [line.strip() for line in section.stdout.splitlines() if "=" in line]
    shell = any(not line.lower().startswith("no_proxy") for line in lines)
    used = view.fingerprint.containers.proxies
    engine = bool(used.get("http") or used.get("https"))
    evidence = [f"shell: {line[:120]}" for line in lines[:4]]
    evidence += [f"docker-info: {name} {value[:120]}" for name, value in used.items() if value]
    if shell and not engine:
        return warned(*evidence)
    excepted = used.get("no_proxy", "").lower()
    if engine and not any(word in excepted for word in ("localhost", "127.0.0")):
        return warned(*evidence, key="local")
    return passed(*evidence or ("no proxy variables",), kind=_WITH if engine else _WITHOUT)
