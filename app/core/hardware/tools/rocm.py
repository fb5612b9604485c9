"""Recognise AMD's tools. Pitwall reads NVIDIA hosts only; this says so instead of misreading."""

import re
from dataclasses import dataclass

from app.core.hardware.tools.paste import clean_paste

_TITLE = re.compile(
    r"ROCm System Management Interface|ROCm SMI|\brocm-smi\b|\bamd-smi\b|\bAMD-SMI\b|"
    r"\bROCm version\b|(?:Weight|Hops|Link Type|Numa) between two GPUs|\bNuma Nodes\b\s*=|"
    r"AMD Instinct|\bXGMI\b",
    re.IGNORECASE,
)
_NUMBERS = re.compile(r"^\s*GPU([0-9]+)((?:\s+(?:[0-9]+|XGMI|PCIE|N/A))+)\s*$")
_HEADER = re.compile(r"^\s*GPU0(?:\s+GPU[0-9]+)*\s*$")
_DEVICE = re.compile(r"^\s*(?:GPU\s*\[([0-9]+)\]|([0-9]+)\s+(?:\[0x|[0-9]+\s+0x|AMD))")


@dataclass(frozen=True, slots=True, kw_only=True)
class RocmReading:
    """How many AMD GPUs the output speaks of; ``None`` when it does not say."""

    gpu_count: int | None


def read_rocm(text: str) -> RocmReading | None:
    """Return what is known when ``text`` comes from AMD's tools, else ``None``."""
    clean = clean_paste(text)
    lines = clean.splitlines()
    rows = [match for match in map(_NUMBERS.match, lines) if match is not None]
    widths = {len(match[2].split()) for match in rows}
    header = next((line for line in lines if _HEADER.match(line)), None)
    is_matrix = header is not None and bool(rows) and len(header.split()) in widths
    if _TITLE.search(clean) is None and not is_matrix:
        return None
    if is_matrix and header is not None:
        return RocmReading(gpu_count=len(header.split()))
    devices = {match[1] or match[2] for match in map(_DEVICE.match, lines) if match is not None}
    return RocmReading(gpu_count=len(devices) or None)
