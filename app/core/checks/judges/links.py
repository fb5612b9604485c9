"""Judges of NVLink, its switches, and of how GPUs are joined."""

import re
from collections.abc import Sequence
from itertools import combinations
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
from app.core.hardware.tools.topo_p2p import read_p2p_matrix
from app.core.texts import Text
from app.core.versions import driver_key

_FAR = frozenset({LinkKind.SYS})
_THROUGH_CPU = frozenset({LinkKind.PHB, LinkKind.NODE, LinkKind.SYS})
_SWITCHED = "nvswitch"
_VERSION = re.compile(r"[0-9]{3}\.[0-9]{1,3}(?:\.[0-9]{1,2})?")


@judge("p2p")
def p2p(view: HostView, _check: CheckData) -> Verdict:
    """Every pair may talk directly."""
    answer = view.book.output("smi-topo-p2p-r", "smi-topo-p2p-w", "smi-topo-p2p-n")
    matrix = read_p2p_matrix(answer[1]) if answer is not None else None
    if answer is None or matrix is None:
        return view.why("smi-topo-p2p-r", "smi-topo-p2p-n")
    bad = {pair: word for pair, word in matrix.status.items() if word != "OK" and pair[0] < pair[1]}
    if not bad:
        return passed(f"{answer[0]}: OK for all pairs of {matrix.gpu_count} GPUs")
    pairs = ", ".join(f"GPU{a}–GPU{b}" for a, b in list(bad)[:6])
    lines = [f"{answer[0]}: GPU{a}–GPU{b} {word}" for (a, b), word in list(bad.items())[:8]]
    words = set(bad.values())
    if words <= {"U"}:
        return unknown("not_reported", *lines)
    if words <= {"CNS", "TNS", "U"}:
        return warned(*lines, key="chipset", pairs=pairs)
    said = ", ".join(sorted(words))
    if words <= {"GNS", "NS", "U"} and all(view.is_geforce(gpu) for gpu in view.gpus):
        return warned(*lines, key="consumer", words=said)
    return failed(*lines, pairs=pairs, words=said)


@judge("nvlink-links")
def nvlink_links(view: HostView, _check: CheckData) -> Verdict:
    """All links of all GPUs are up, and equally many."""
    listed = [gpu for gpu in view.gpus if gpu.nvlink_links]
    if any(gpu.mig_mode for gpu in view.gpus):
        return unknown("mig")
    if not listed:
        return _without_links(view)
    down = [
        of_gpu(g.index, _down(g)) for g in listed if (g.nvlink_active or 0) < (g.nvlink_links or 0)
    ]
    if down:
        return worst_of(down)
    numbers = [gpu.nvlink_active or 0 for gpu in view.gpus]
    lines = [f"smi-nvlink-s: GPU{gpu.index} {gpu.nvlink_active} up" for gpu in listed]
    same_model = len({gpu.name for gpu in view.gpus}) == 1
    if same_model and len(set(numbers)) > 1:
        return failed(*lines[:8], key="unequal", numbers=", ".join(map(str, numbers)))
    models = [model for gpu in listed if (model := view.model(gpu)) is not None]
    nominal = max((model.nvlink_links or 0 for model in models), default=0)
    active = min(numbers)
    if nominal and active < nominal:
        return warned(*lines[:8], active=active, nominal=nominal)
    return passed(*lines[:8], active=active)


def _down(gpu: Gpu) -> Verdict:
    active, listed = gpu.nvlink_active or 0, gpu.nvlink_links or 0
    evidence = f"smi-nvlink-s: GPU{gpu.index} {active} of {listed} links up"
    return failed(evidence, active=active, listed=listed)


def _without_links(view: HostView) -> Verdict:
    """No link is listed: the product has none, a bridge is not fitted, or nobody could say."""
    models = [view.model(gpu) for gpu in view.gpus]
    kinds = {model.nvlink_kind for model in models if model is not None}
    if all(model is not None and model.has_nvlink is False for model in models):
        return not_applicable("no_nvlink")
    section = view.section("smi-nvlink-s")
    if section is None or section.exit_code != 0:
        return view.why("smi-nvlink-s")
    if view.is_guest is not False or any("bridge" in kind for kind in kinds):
        return not_applicable("no_nvlink", "smi-nvlink-s: no link listed")
    if None in models:
        return unknown("model_unknown", "smi-nvlink-s: no link listed")
    gpus = ", ".join(f"GPU{gpu.index}" for gpu in view.gpus)
    return failed("smi-nvlink-s: no link listed", key="absent", gpus=gpus)


@judge("nvlink-errors")
def nvlink_errors(view: HostView, _check: CheckData) -> Verdict:
    """Error counts of the links, and whether they grow."""
    if not any(gpu.nvlink_links for gpu in view.gpus):
        verdict = nvlink_links(view, _check)
        return verdict if verdict.key == "no_nvlink" else view.why("smi-nvlink-e")
    return worst_of(of_gpu(g.index, _errors(view, i, g)) for i, g in enumerate(view.gpus))


def _errors(view: HostView, position: int, gpu: Gpu) -> Verdict:
    count = gpu.nvlink_errors
    if count is None:
        return view.missing(f"gpus.{position}.nvlink_errors", "smi-nvlink-e")
    evidence = f"smi-nvlink-e: GPU{gpu.index} {count} errors"
    if count == 0:
        return passed(evidence)
    before = view.context.earlier_nvlink_errors.get(gpu.index)
    if before is None or before > count:
        return unknown("one_reading", evidence)
    if before == count:
        return passed(evidence, key="quiet", count=count)
    return warned(f"{evidence}, before {before}", count=count)


@judge("fabric-state")
def fabric_state(view: HostView, _check: CheckData) -> Verdict:
    """Every GPU has joined the NVSwitch fabric, where there is one."""
    verdicts = [of_gpu(gpu.index, _fabric(view, i, gpu)) for i, gpu in enumerate(view.gpus)]
    return worst_of(verdicts)


def _fabric(view: HostView, position: int, gpu: Gpu) -> Verdict:
    state, status = gpu.fabric_state, gpu.fabric_status
    if state is None:
        has_xml = view.book.output("smi-q-x") is not None
        if has_xml and (view.switch_count == 0 or not _may_have_switch(view, gpu)):
            return not_applicable("no_nvswitch", f"smi-q-x: GPU{gpu.index} fabric N/A")
        return view.missing(f"gpus.{position}.fabric_state", "smi-q-x")
    evidence = f"smi-q-x: GPU{gpu.index} fabric {state} / {status or 'N/A'}"
    if "progress" in state.lower():
        return warned(evidence)
    is_done = state.lower() == "completed"
    if is_done and (status is None or status.lower() == "success"):
        return passed(evidence)
    return failed(evidence, state=state, status=status or "N/A")


def _may_have_switch(view: HostView, gpu: Gpu) -> bool:
    model = view.model(gpu)
    return model is None or _SWITCHED in model.nvlink_kind.lower()


@judge("fabric-manager")
def fabric_manager(view: HostView, _check: CheckData) -> Verdict:
    """The fabric manager runs where NVSwitch is."""
    switches, units = view.switch_count, view.units
    if switches is None:
        return view.why("pci-sysfs")
    unit = (units or {}).get("nvidia-fabricmanager")
    runs = unit is not None and unit.is_active
    said = f"services: nvidia-fabricmanager {'active' if runs else 'not active'}"
    if switches == 0:
        has_fabric = any(gpu.fabric_state is not None for gpu in view.gpus)
        if runs and not has_fabric:
            return warned(said, "pci-sysfs: no NVSwitch")
        return not_applicable("no_nvswitch", "pci-sysfs: no NVSwitch")
    if units is None:
        return view.why("services")
    lines = (f"pci-sysfs: {switches} NVSwitch", said)
    return _same_version(view, lines) if runs else failed(*lines)


def _same_version(view: HostView, lines: tuple[str, ...]) -> Verdict:
    """The fabric manager's version is the driver's, number by number."""
    found = _VERSION.search(view.book.text("fabric-manager"))
    driver = view.fingerprint.driver_version
    if found is None or driver is None:
        return unknown("not_reported", *lines)
    said = f"fabric-manager: {found[0]}"
    if driver_key(found[0]) == driver_key(driver):
        return passed(*lines, said)
    return failed(*lines, said, key="differs", found=found[0], version=driver)


@judge("topology")
def topology(view: HostView, _check: CheckData) -> Verdict:
    """How near the GPUs are to each other."""
    found = view.fingerprint.topology
    links = [
        link for link in found.links if _is_between_gpus(link) and link.kind is not LinkKind.UNKNOWN
    ]
    if not links:
        return view.missing("topology.links", "smi-topo-m")
    kinds = ", ".join(sorted({_said(link) for link in links}))
    lines = [f"smi-topo-m: {link.a}–{link.b} {_said(link)}" for link in links[:8]]
    chosen = view.context.gpu_indices
    if len(chosen) > 1 and _crosses_needlessly(links, chosen):
        far = [link for link in links if link.kind in _FAR and _within(link, chosen)]
        pairs = ", ".join(f"{link.a}–{link.b}" for link in far[:4])
        return failed(*lines, pairs=pairs)
    if all(link.kind is LinkKind.NVLINK for link in links) or not any(
        link.kind in _THROUGH_CPU for link in links
    ):
        return passed(*lines, kinds=kinds)
    if view.is_guest and not found.nvlink_islands:
        return warned(*lines, key="guest", kinds=kinds)
    if found.nvlink_islands:
        islands = "; ".join(
            " ".join(f"GPU{index}" for index in island) for island in found.nvlink_islands
        )
        return warned(*lines, key="islands", islands=islands)
    return warned(*lines, kinds=kinds)


def _is_between_gpus(link: Link) -> bool:
    return link.a.startswith("GPU") and link.b.startswith("GPU")


def _said(link: Link) -> str:
    return f"{link.kind.value}{link.nvlink_count or ''}"


def _within(link: Link, chosen: Sequence[int]) -> bool:
    names = {f"GPU{index}" for index in chosen}
    return link.a in names and link.b in names


def _crosses_needlessly(links: Sequence[Link], chosen: Sequence[int]) -> bool:
    """Tell whether the group crosses sockets while another of its size does not."""
    if not any(link.kind in _FAR and _within(link, chosen) for link in links):
        return False
    indices = sorted({int(name[3:]) for link in links for name in (link.a, link.b)})[:16]
    return any(
        not any(link.kind in _FAR and _within(link, group) for link in links)
        for group in combinations(indices, len(chosen))
    )


@judge("numa-affinity")
def numa_affinity(view: HostView, _check: CheckData) -> Verdict:
    """The NUMA node of each GPU."""
    nodes = view.fingerprint.topology.numa_nodes
    if len(nodes) == 1:
        return not_applicable("one_node", f"numa-sysfs: node {nodes[0].id}")
    if not nodes:
        return view.why("numa-sysfs", "numactl")
    lines = [
        f"GPU{gpu.index}: node {'not reported' if gpu.numa_node is None else gpu.numa_node}"
        for gpu in view.gpus
    ]
    without = [gpu for gpu in view.gpus if gpu.numa_node is None]
    if without:
        asked = view.book.output("smi-topo-m", "pci-sysfs") is not None
        gpus = ", ".join(f"GPU{gpu.index}" for gpu in without)
        return warned(*lines[:8], gpus=gpus) if asked else view.why("smi-topo-m", "pci-sysfs")
    used = sorted({gpu.numa_node for gpu in view.gpus if gpu.numa_node is not None})
    sockets = view.fingerprint.cpu.sockets or 1
    crossing = any(
        link.kind in _FAR for link in view.fingerprint.topology.links if _is_between_gpus(link)
    )
    if len(used) == 1 and sockets > 1 and len(view.gpus) > 1 and crossing:
        return failed(*lines[:8], node=used[0], sockets=sockets)
    by_node = "; ".join(
        f"{node}: " + " ".join(f"GPU{g.index}" for g in view.gpus if g.numa_node == node)
        for node in used
    )
    return passed(*lines[:8], nodes=by_node)


_WORDS: Final = {
    "name": Text(en="model", zh_CN="型号"),
    "memory_total_mib": Text(en="memory", zh_CN="显存"),
    "compute_cap": Text(en="compute capability", zh_CN="计算能力"),
    "vbios_version": Text(en="firmware (VBIOS)", zh_CN="固件（VBIOS）"),
    "pcie_width_current": Text(en="PCIe width", zh_CN="PCIe 通道数"),
}


@judge("gpu-homogeneous")
def gpu_homogeneous(view: HostView, _check: CheckData) -> Verdict:
    """All GPUs are of one kind."""
    chosen = view.context.gpu_indices
    gpus = [gpu for gpu in view.gpus if not chosen or gpu.index in chosen]
    hard = [n for n in ("name", "memory_total_mib", "compute_cap") if _differ(gpus, n)]
    soft = [n for n in ("vbios_version", "pcie_width_current") if _differ(gpus, n)]
    lines = [f"GPU{g.index}: {g.name}, {g.memory_total_mib} MiB, {g.vbios_version}" for g in gpus]
    if hard:
        return failed(*lines[:8], fields=_named(hard))
    if soft:
        return warned(*lines[:8], fields=_named(soft))
    if any(gpu.name is None or gpu.memory_total_mib is None for gpu in gpus):
        return unknown("not_reported", *lines[:8])
    if any(gpu.vbios_version is None or gpu.pcie_width_current is None for gpu in gpus):
        return passed(*lines[:8], key="plain")
    return passed(*lines[:8])


def _named(names: Sequence[str]) -> Text:
    words = [_WORDS[name] for name in names]
    return Text(
        en=", ".join(word.en for word in words), zh_CN="、".join(word.zh_CN for word in words)
    )


def _differ(gpus: Sequence[Gpu], field: str) -> bool:
    values = {getattr(gpu, field) for gpu in gpus} - {None}
    return len(values) > 1
