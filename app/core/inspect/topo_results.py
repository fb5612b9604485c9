"""Topology matrices as JSON values."""

from app.core.hardware.tools.other_accelerators import find_other_accelerator
from app.core.hardware.tools.rocm import read_rocm
from app.core.hardware.tools.smi_table import BANNER
from app.core.hardware.tools.topo_matrix import TopoMatrix, read_topo_matrix
from app.core.hardware.tools.topo_p2p import read_p2p_matrix
from app.core.hardware.topology import nvlink_islands
from app.core.inspect.kinds import Inspection, InspectKind


def inspect_topo(text: str) -> Inspection | None:
    """Read ``topo -m``."""
    matrix = read_topo_matrix(text)
    if matrix is None:
        return None
    links = matrix.nvlinks()
    result: dict[str, object] = {
        "gpu_count": matrix.gpu_count,
        "nic_count": len(matrix.nics),
        "nics": list(matrix.nics),
        "nic_devices": dict(matrix.nic_devices),
        "adjacency": _adjacency(matrix),
        "nvlinks": {f"GPU{a}-GPU{b}": count for (a, b), count in links.items()},
        "cpu_affinity": dict(matrix.cpu_affinity),
        "numa_affinity": dict(matrix.numa_affinity),
        "gpu_numa_id": dict(matrix.gpu_numa_id),
        "nvlink_islands": [list(island) for island in nvlink_islands(links)],
        "complete": matrix.complete,
    }
    return Inspection(kind=InspectKind.TOPO, result=result, warnings=matrix.missing)


def _adjacency(matrix: TopoMatrix) -> dict[str, dict[str, str | None]]:
    """Return all cells; a GPU pair that is not in the capture is ``None``."""
    gpus = [name for name in matrix.adjacency if name.startswith("GPU")]
    found: dict[str, dict[str, str | None]] = {}
    for name, cells in matrix.adjacency.items():
        row: dict[str, str | None] = {gpu: cells.get(gpu) for gpu in gpus}
        row.update({other: word for other, word in cells.items() if other not in row})
        found[name] = row
    return found


def inspect_p2p(text: str) -> Inspection | None:
    """Read ``topo -p2p``."""
    matrix = read_p2p_matrix(text)
    if matrix is None:
        return None
    status: dict[str, dict[str, str]] = {}
    for (a, b), word in matrix.status.items():
        status.setdefault(f"GPU{a}", {})[f"GPU{b}"] = word
    result = {"gpu_count": matrix.gpu_count, "status": status, "all_ok": matrix.all_ok}
    return Inspection(kind=InspectKind.P2P, result=result)


def inspect_rocm(text: str) -> Inspection | None:
    """Recognise AMD's tools: no NVIDIA GPU is in such output."""
    reading = read_rocm(text)
    if reading is None:
        return None
    return Inspection(
        kind=InspectKind.ROCM,
        result={"gpu_count": 0, "amd_gpu_count": reading.gpu_count, "gpus": []},
        warnings=("not_nvidia: this is output of AMD's tools, Pitwall reads NVIDIA hosts",),
    )


def inspect_other(text: str) -> Inspection | None:
    """Recognise the tools of other makers' accelerators, which look like nvidia-smi's table."""
    other = find_other_accelerator(text)
    if other is None or BANNER.search(text):
        return None
    whose = f"not_nvidia: this is output of {other.tool} ({other.vendor})"
    return Inspection(
        kind=InspectKind.OTHER_ACCELERATOR,
        result={"gpu_count": 0, "gpus": [], "tool": other.tool, "vendor": other.vendor},
        warnings=(f"{whose}; Pitwall reads NVIDIA hosts",),
    )
