"""What is asked of a host while it is watched, and how the answers are read.

Two commands, both read-only: one ``nvidia-smi`` query, and rarely a small script for clock, load
and the driver's lines of the kernel log. A column that a driver does not know is left out from
then on.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from app.core.hardware.fingerprint import Gpu, UnknownReason
from app.core.hardware.tools.csv_lines import split_line
from app.core.hardware.tools.kernel_log import XidEvent, read_xid_events
from app.core.hardware.tools.smi_columns import FIELDS, column_name
from app.core.hardware.tools.values import known_words
from app.core.slow.facts import HostLoad

COLUMNS: Final = (
    "index",
    "uuid",
    "memory.total",
    "memory.used",
    "utilization.gpu",
    "temperature.gpu",
    "power.draw",
    "power.limit",
    "power.default_limit",
    "clocks.sm",
    "clocks.max.sm",
    "pcie.link.gen.current",
    "pcie.link.gen.max",
    "pcie.link.width.current",
    "pcie.link.width.max",
    "ecc.errors.uncorrected.volatile.total",
    "clocks_event_reasons.active",
    "remapped_rows.uncorrectable",
    "remapped_rows.pending",
    "remapped_rows.failure",
    "gpu_recovery_action",
    "fabric.state",
    "fabric.status",
)
OLDER: Final[Mapping[str, str]] = {
    "clocks_event_reasons.active": "clocks_throttle_reasons.active",
}
"""What drivers before R535 call it."""
REMAP_COLUMNS: Final = (
    "gpu_uuid",
    "remapped_rows.uncorrectable",
    "remapped_rows.pending",
    "remapped_rows.failure",
)
"""Asked apart where ``--query-gpu`` does not know them (before R590)."""
APPS: Final = (
    "nvidia-smi",
    "--query-compute-apps=gpu_uuid,pid,process_name,used_gpu_memory",
    "--format=csv",
)
SCRIPT: Final = b"""\
LC_ALL=C; export LC_ALL
echo "now $(date +%s.%N)"
echo "load $(cat /proc/loadavg 2>/dev/null)"
echo "threads $(grep -c '^processor' /proc/cpuinfo 2>/dev/null)"
echo "log"
{ dmesg 2>/dev/null || journalctl -k -b -q --no-pager -n 2000 2>/dev/null; } |
  grep -E 'NVRM: Xid|SXid|fallen off the bus' | tail -n 100
"""
_REFUSED = re.compile(r'[Ff]ield "([^"]+)" is not a valid field')
_IDLE_WORDS: Final = "throttle_reasons"


def query(columns: Sequence[str]) -> tuple[str, ...]:
    """Return the command that asks for the columns."""
    return (
        "nvidia-smi",
        f"--query-gpu={','.join(columns)}",
        "--format=csv,noheader,nounits",
    )


def remap_query() -> tuple[str, ...]:
    """Return the command that asks for remapped rows on their own."""
    return (
        "nvidia-smi",
        f"--query-remapped-rows={','.join(REMAP_COLUMNS)}",
        "--format=csv,noheader,nounits",
    )


def without_refused(columns: Sequence[str], answer: str) -> tuple[str, ...] | None:
    """Return the columns without the one that the tool refused; ``None`` when it refused none."""
    match = _REFUSED.search(answer)
    if match is None:
        return None
    refused = next((c for c in columns if match[1] in {c, column_name(c)}), None)
    if refused is None:
        return None
    other = OLDER.get(refused)
    return tuple(
        other if column == refused and other else column
        for column in columns
        if column != refused or other
    )


def read_gpus(text: str, columns: Sequence[str]) -> tuple[Gpu, ...]:
    """Return the GPUs of an answer; lines that are none of its rows are left out."""
    found = []
    for line in text.splitlines():
        cells = split_line(line, len(columns))
        if len(cells) != len(columns):
            continue
        values = _values(dict(zip(columns, cells, strict=True)))
        if "index" in values or "uuid" in values:
            found.append(Gpu(**{"index": -1} | values))
    return tuple(found)


def _values(row: Mapping[str, str]) -> dict[str, Any]:  # fields of Gpu are of many types
    values: dict[str, Any] = {}
    for column, text in row.items():
        field, read = FIELDS[column_name(column)]
        cell = read(text)
        if isinstance(cell, UnknownReason):
            continue
        values[field] = known_words(cell) if field == _IDLE_WORDS else cell
    return values


@dataclass(frozen=True, slots=True, kw_only=True)
class HostAnswer:
    """What the script printed."""

    now_s: float | None
    load: float | None
    threads: int | None
    xids: tuple[XidEvent, ...]
    """Empty also where the kernel log may not be read."""

    def load_at(self, desk_s: float) -> HostLoad:
        """Return the load, with the clock's offset to the desk's time of the same moment."""
        offset = None if self.now_s is None else self.now_s - desk_s
        return HostLoad(load=self.load, threads=self.threads, clock_offset_s=offset)


def read_host(text: str) -> HostAnswer:
    """Read what the script printed; what is missing is unknown."""
    head, _, log = text.partition("\nlog\n")
    lines = dict(line.partition(" ")[::2] for line in head.splitlines())
    threads = _number(lines.get("threads", ""))
    return HostAnswer(
        now_s=_number(lines.get("now", "")),
        load=_number(lines.get("load", "").partition(" ")[0]),
        threads=int(threads) if threads else None,
        xids=read_xid_events(log),
    )


def _number(text: str) -> float | None:
    """A system without nanoseconds prints ``N`` for them."""
    match = re.match(r"\d+(?:\.\d+)?", text.strip())
    return float(match[0]) if match is not None else None
