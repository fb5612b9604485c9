"""Recognise the tools of other makers' accelerators, so that their tables are not misread.

Several imitate nvidia-smi's table down to the words. Each is known by the name in its own banner.
"""

import re
from dataclasses import dataclass
from typing import Final

from app.core.hardware.tools.paste import clean_paste


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherAccelerator:
    """A tool that is not NVIDIA's."""

    tool: str
    vendor: str


def _banner(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.MULTILINE)


_EDGE = r"^[ |+=-]{0,9}"
_TOOLS: Final = (
    (
        _banner(rf"{_EDGE}npu-smi\s+v?[0-9]|\bNPU\s+Name\s*\|\s*Health\b"),
        "npu-smi",
        "Huawei Ascend",
    ),
    (
        _banner(rf"\bDevice Name:\s*Intel\(R\)|{_EDGE}xpu-smi\b.*\bversion\b"),
        "xpu-smi",
        "Intel",
    ),
    (_banner(r"\bHL-SMI\s+Version\b"), "hl-smi", "Intel Gaudi"),
    (_banner(r"\bmthreads-gmi\s*:?\s*v?[0-9]"), "mthreads-gmi", "Moore Threads"),
    (_banner(r"\bMX-SMI\s+(?:version\s*:\s*)?v?[0-9]"), "mx-smi", "MetaX"),
    (_banner(r"\bCNMON\s+v?[0-9]"), "cnmon", "Cambricon"),
    (_banner(rf"{_EDGE}(?:IX-ML|ixsmi)\s*:?\s*v?[0-9]"), "ixsmi", "Iluvatar CoreX"),
    (_banner(rf"\bHY-SMI\b|{_EDGE}HCU\s+Temp\b|{_EDGE}DCU\s+Temp\b"), "hy-smi", "Hygon"),
    (_banner(rf"{_EDGE}NEURON\s*\|\s*NEURON\b"), "neuron-ls", "AWS Neuron"),
)


def find_other_accelerator(text: str) -> OtherAccelerator | None:
    """Return whose tool printed ``text``; ``None`` when it is none of the known others."""
    clean = clean_paste(text)
    for pattern, tool, vendor in _TOOLS:
        if pattern.search(clean) is not None:
            return OtherAccelerator(tool=tool, vendor=vendor)
    return None
