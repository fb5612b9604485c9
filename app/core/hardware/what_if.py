"""A fingerprint of a host that nobody has yet, from the GPU catalogue.

What was said is known, what the catalogue says is assumed and named as such, the rest is unknown.
"""

import itertools
from collections import Counter
from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Final

from app.core.hardware.assemble import assemble_fingerprint
from app.core.hardware.catalogue import GpuCatalogue, GpuModel
from app.core.hardware.fingerprint import (
    ContainerRuntime,
    Cpu,
    Disk,
    Fingerprint,
    Gpu,
    GpuAccess,
    HostSource,
    Link,
    LinkKind,
    Memory,
    NumaNode,
    Topology,
    UnknownReason,
)
from app.core.hardware.topology import nvlink_islands
from app.core.hardware.what_if_text import WhatIf, read_what_if

SAID: Final = "what-if"
CATALOGUE: Final = "catalogue"
_NO_NVLINK: Final = "NVLink: 0"
_DIRECT_MOST: Final = 4
"""Up to so many GPUs of one board may be wired to each other instead of to a switch."""
_BOARD_MOST: Final = 8
_BOARD_MOST_UNTIL_3: Final = 16
"""GPUs that NVSwitches of one host join; 16 with NVLink 2 and 3.

Source: NVIDIA HGX H100, H200 and B200 (8 GPUs); DGX-2 and HGX A100 (up to 16 GPUs).
"""


def make_what_if(text: str, catalogue: GpuCatalogue, *, taken_at: str) -> Fingerprint:
    """Return the fingerprint of the host that ``text`` describes.

    Raises:
        UserInputError: as of `read_what_if`.
    """
    host = read_what_if(text, catalogue)
    bare = assemble_fingerprint([], source=HostSource.CATALOGUE, taken_at=taken_at, simulated=True)
    gpus = tuple(_gpu(host, index, model) for index, model in enumerate(host.gpus))
    topology, assumed_links = _topology(host)
    fingerprint = replace(
        bare,
        host_name=_name(host),
        gpus=gpus,
        topology=topology,
        cpu=Cpu(sockets=host.sockets, cores=host.cores),
        memory=Memory(total_bytes=host.ram_bytes, available_bytes=host.ram_bytes),
        disks=_disks(host),
        driver_version=host.driver,
        cuda_version=host.cuda,
        machine=replace(
            bare.machine, os_name=host.os_name, kernel=host.kernel, architecture=host.architecture
        ),
        containers=_containers(host),
        gpu_processes=(),
        warnings=(f"assumed: {'; '.join([*_assumed(host), *assumed_links])}",),
        sources={"gpus": CATALOGUE},
    )
    return replace(
        fingerprint, unknown=_still_unknown(fingerprint), sources=_sources(fingerprint, host)
    )


def _name(host: WhatIf) -> str:
    counts = Counter(model.name.removeprefix("NVIDIA ") for model in host.gpus)
    return " + ".join(f"{count} × {name}" for name, count in counts.items()) + " (what if)"


def _gpu(host: WhatIf, index: int, model: GpuModel) -> Gpu:
    total, _ = memory_mib(model)
    return Gpu(
        index=index,
        name=model.name,
        compute_cap=model.compute_cap,
        memory_total_mib=total,
        pcie_gen_max=host.pcie_gen or model.pcie_gen,
        pcie_width_max=host.pcie_width or model.pcie_lanes,
        power_limit_w=float(model.tdp_w) if model.tdp_w else None,
        mig_mode=host.mig,
        numa_node=_socket(host, index) if host.sockets else None,
        catalogue_id=model.id,
    )


def memory_mib(model: GpuModel) -> tuple[int | None, bool]:
    """Return a product's NVML total, and whether it is only its nominal size, taken low."""
    if model.memory_mib is not None:
        return model.memory_mib, False
    if model.memory_nominal_gb is None:
        return None, False
    return model.memory_nominal_gb * 10**9 // 2**20, True


def _socket(host: WhatIf, index: int) -> int:
    return index * (host.sockets or 1) // len(host.gpus)


def _topology(host: WhatIf) -> tuple[Topology, list[str]]:
    """Return links between all pairs, and what was assumed of them."""
    links, notes = [], []
    uses_nvlink, note = _uses_nvlink(host)
    if note:
        notes.append(note)
    for a, b in itertools.combinations(range(len(host.gpus)), 2):
        links.append(_link(host, a, b, uses_nvlink=uses_nvlink is True))
    if uses_nvlink and len(host.gpus) > _board_most(host.gpus[0]):
        most = _board_most(host.gpus[0])
        notes.append(f"NVLink ≤ {most} GPUs / host: {-(-len(host.gpus) // most)} hosts")
    pairs = [(int(k.a[3:]), int(k.b[3:])) for k in links if k.kind is LinkKind.NVLINK]
    nodes = tuple(NumaNode(id=i) for i in range(host.sockets or 0))
    if host.sockets:
        notes.append(f"{host.sockets} × NUMA")
    topology = Topology(
        links=tuple(links),
        numa_nodes=nodes,
        gpu_numa_affinity={
            f"GPU{i}": str(_socket(host, i)) if host.sockets else None
            for i in range(len(host.gpus))
        },
        nvlink_islands=nvlink_islands(pairs),
        complete=uses_nvlink is not None or len(host.gpus) == 1,
    )
    return topology, notes


def _uses_nvlink(host: WhatIf) -> tuple[bool | None, str]:
    """Return whether NVLink joins the GPUs, and what was assumed."""
    models = set(host.gpus)
    if len(host.gpus) == 1:
        return False, ""
    if any(model.has_nvlink is False for model in models) or len(models) > 1:
        return False, _NO_NVLINK
    model = host.gpus[0]
    count = _link_count(host)
    note = f"NVLink: NV{'?' if count is None else count}"
    if host.nvlink is not None:
        return host.nvlink, note if host.nvlink else ""
    if _is_switched(model):
        return True, note
    if model.nvlink_kind.startswith("bridge"):
        return False, _NO_NVLINK
    return None, ""


def _is_switched(model: GpuModel) -> bool:
    return "NVSwitch" in model.nvlink_kind or model.nvlink_kind.startswith("NVLink")


def _link_count(host: WhatIf) -> int | None:
    """Return the links of one pair; where GPUs may be wired to each other, nobody said how."""
    model = host.gpus[0]
    is_switched = "4-way" in model.nvlink_kind and len(host.gpus) > _DIRECT_MOST
    may_be_direct = "direct" in model.nvlink_kind and not is_switched
    return None if may_be_direct else model.nvlink_links


def _board_most(model: GpuModel) -> int:
    """Return how many GPUs one host joins by NVLink; a rack's own links are not one host's."""
    generation = model.nvlink_generation
    return _BOARD_MOST_UNTIL_3 if generation is not None and generation <= 3 else _BOARD_MOST


def _link(host: WhatIf, a: int, b: int, *, uses_nvlink: bool) -> Link:
    model = host.gpus[a]
    size = 2 if model.nvlink_kind.startswith("bridge") else _board_most(model)
    is_joined = a // size == b // size
    if uses_nvlink and is_joined:
        count, speed = _link_count(host), model.nvlink_link_gbps
        return Link(
            a=f"GPU{a}", b=f"GPU{b}", kind=LinkKind.NVLINK, nvlink_count=count,
            bandwidth_gbps=round(2 * count * speed, 3) if count and speed else None,
        )  # fmt: skip
    kind = LinkKind.UNKNOWN
    if host.sockets:
        kind = LinkKind.NODE if _socket(host, a) == _socket(host, b) else LinkKind.SYS
    return Link(a=f"GPU{a}", b=f"GPU{b}", kind=kind)


def _containers(host: WhatIf) -> ContainerRuntime:
    access = host.gpu_access or GpuAccess.UNKNOWN
    return ContainerRuntime(
        name=host.engine,
        version=host.engine_version,
        reachable=True if host.engine else None,
        gpu_access=access,
    )


def _disks(host: WhatIf) -> tuple[Disk, ...]:
    if host.disk_bytes is None:
        return ()
    size = host.disk_bytes
    return (Disk(mount="/", device="", fs_type="", total_bytes=size, free_bytes=size),)


def _assumed(host: WhatIf) -> Iterable[str]:
    for model in dict.fromkeys(host.gpus):
        total, is_nominal = memory_mib(model)
        facts = [f"CC {model.compute_cap}"]
        if total is not None:
            facts.insert(0, f"{total:,} MiB" + (" (≥)" if is_nominal else ""))
        if model.pcie_gen and not host.pcie_gen:
            facts.append(f"PCIe {model.pcie_gen}.0 ×{model.pcie_lanes or '?'}")
        yield f"{model.name}: {', '.join(facts)}"


def _still_unknown(fingerprint: Fingerprint) -> dict[str, UnknownReason]:
    """Return the reasons of what nobody said and the catalogue does not hold."""
    unknown = {
        path: reason
        for path, reason in fingerprint.unknown.items()
        if not _known(fingerprint, path)
    }
    for position, gpu in enumerate(fingerprint.gpus):
        for field in fields(gpu):
            if getattr(gpu, field.name) is None:
                unknown[f"gpus.{position}.{field.name}"] = UnknownReason.NOT_ASKED
    if fingerprint.topology.complete:
        unknown.pop("topology.links", None)
    return dict(sorted(unknown.items()))


def _known(fingerprint: Fingerprint, path: str) -> bool:
    value: object = fingerprint
    for name in path.split("."):
        value = getattr(value, name, None)
    return value not in (None, (), GpuAccess.UNKNOWN)


def _sources(fingerprint: Fingerprint, host: WhatIf) -> dict[str, str]:
    """Return where each value is from: what was said, or the catalogue."""
    sources = {f"gpus.{position}": CATALOGUE for position in range(len(fingerprint.gpus))}
    said = {
        "cpu": host.sockets or host.cores, "memory": host.ram_bytes, "disks": host.disk_bytes,
        "driver_version": host.driver, "cuda_version": host.cuda, "containers": host.engine,
        "machine.os_name": host.os_name, "machine.kernel": host.kernel,
        "machine.architecture": host.architecture,
    }  # fmt: skip
    sources |= {path: SAID for path, value in said.items() if value is not None}
    sources["topology.links"] = SAID if host.nvlink is not None else CATALOGUE
    return dict(sorted(sources.items()))
