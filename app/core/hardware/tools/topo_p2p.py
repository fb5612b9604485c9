"""Read ``nvidia-smi topo -p2p r|w|n|a|p``: which GPU pairs may talk directly."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from app.core.hardware.tools.paste import clean_paste

_ROW = re.compile(r"^[\s|]*GPU([0-9]+)[\s|]+((?:(?:X|OK|CNS|GNS|TNS|NS|DR|U)\b[\s|]*)+)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class P2pMatrix:
    """Status words per pair of GPU indices, both directions; the diagonal is left out."""

    gpu_count: int
    status: Mapping[tuple[int, int], str]

    @property
    def all_ok(self) -> bool | None:
        """Whether every pair is OK; ``None`` with fewer than two GPUs."""
        return all(word == "OK" for word in self.status.values()) if self.status else None


def read_p2p_matrix(text: str) -> P2pMatrix | None:
    """Return the first peer-to-peer matrix in ``text``, ``None`` when there is none."""
    status: dict[tuple[int, int], str] = {}
    rows: set[int] = set()
    width = 0
    for line in clean_paste(text).splitlines():
        match = _ROW.match(line)
        if match is None or int(match[1]) in rows:
            continue
        words = match[2].replace("|", " ").split()
        index = int(match[1])
        if words == ["X"] and index != 0:
            continue
        rows.add(index)
        width = max(width, len(words))
        status.update({(index, j): w for j, w in enumerate(words) if w != "X"})
    is_p2p = bool(rows) and width > 1 and bool(status)
    return P2pMatrix(gpu_count=width, status=MappingProxyType(status)) if is_p2p else None
