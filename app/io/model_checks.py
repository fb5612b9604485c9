"""Ask a host what its model folder lies on, and what an unfinished download left there.

One shell script over one channel; it only looks. Measuring the disk is asked for apart: at most
256 MiB of one weight file are read past the page cache, and thrown away.
"""

import re
from dataclasses import dataclass
from typing import Final

from app.core.errors import ErrorCode, HostError
from app.core.models.preflight import Storage
from app.core.units import MIB
from app.io.host_script import run_script
from app.io.transport.base import Transport

MEASURED_BYTES: Final = 256 * MIB
_MOST: Final = 50
_LOOK_S: Final = 20.0
_MEASURE_S: Final = 40.0
_BLOCK: Final = 4 * MIB

_SCRIPT: Final = r"""
LC_ALL=C; export LC_ALL
dir=$1; most=$2
[ -d "$dir" ] || { echo 'X missing'; exit 0; }
cd -- "$dir" || { echo 'X denied'; exit 0; }
real=$(pwd -P)
printf 'K %s\n' "$(stat -f -c %T . 2>/dev/null)"
df -P . 2>/dev/null | tail -n 1 | {
  read -r device _ _ _ _ point
  printf 'M %s %s\n' "$device" "$point"
  while read -r _ at type _; do
    [ "$at" = "$point" ] && printf 'T %s\n' "$type"
  done </proc/mounts 2>/dev/null
}
find . -maxdepth 2 -type l 2>/dev/null | while IFS= read -r link; do
  [ -e "$link" ] || printf 'L %s\n' "${link#./}"
done | head -n "$most"
repo=
case $real in */models--*/snapshots/*) repo=${real%%/snapshots/*} ;; esac
{
  find . -maxdepth 5 -type f \( -name '*.incomplete' -o -name '*.part' -o -name '*.aria2' \
    -o -name '*.crdownload' -o -name '*.lock' -o -name '*.tmp' \) 2>/dev/null
  [ -z "$repo" ] || find "$repo/blobs" -maxdepth 1 -type f -name '*.incomplete' 2>/dev/null
} | head -n "$most" | while IFS= read -r file; do printf 'U %s\n' "${file#./}"; done
echo E
"""

_COPIED: Final = re.compile(r"(\d+) bytes")
_SECONDS: Final = re.compile(r"(?:copied|transferred)[^0-9]*([0-9.]+(?:e-?\d+)?) s", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Where a folder lies and what lies around in it; ``None`` for what nobody could ask."""

    storage: Storage
    broken_links: tuple[str, ...] | None = None
    unfinished: tuple[str, ...] | None = None


async def look_around(transport: Transport, folder: str) -> Surroundings:
    """Return what a folder lies on; hosts without a shell answer with a reason.

    Raises:
        HostError: COMMAND_TIMEOUT, CONNECTION_LOST.
    """
    result = await run_script(transport, _SCRIPT, folder, str(_MOST), timeout_s=_LOOK_S)
    if result is None:
        return Surroundings(storage=Storage(reason="the host runs no shell"))
    return parse_surroundings(result.stdout.decode("utf-8", errors="replace"))


def parse_surroundings(output: str) -> Surroundings:
    """Read what the script printed; without its last line nothing is taken for complete."""
    lines = [line.partition(" ") for line in output.splitlines()]
    if not any(key == "E" for key, _, _ in lines):
        return Surroundings(storage=Storage(reason="the folder could not be looked into"))
    said = {key: value.strip() for key, _, value in lines if key in {"K", "M", "T"}}
    device, _, point = said.get("M", "").partition(" ")
    kind = said.get("T") or said.get("K") or None
    return Surroundings(
        storage=Storage(
            kind=kind if kind and not kind.startswith("UNKNOWN") else None,
            device=device or None,
            mount_point=point or None,
            reason="" if kind else "neither stat nor df told it",
        ),
        broken_links=tuple(value for key, _, value in lines if key == "L"),
        unfinished=_unfinished([value for key, _, value in lines if key == "U"]),
    )


def _unfinished(names: list[str]) -> tuple[str, ...]:
    """Leave out locks: they stay behind after a good download too."""
    partial = [name for name in names if not name.endswith(".lock")]
    if not partial:
        return ()
    return (*partial, *(name for name in names if name.endswith(".lock")))


async def measure_reading(transport: Transport, file: str) -> tuple[float | None, int, str]:
    """Read the beginning of a file past the page cache.

    Returns:
        Bytes per second, bytes read, and why there is no speed (empty when there is one).

    Raises:
        HostError: CONNECTION_LOST.
    """
    blocks = MEASURED_BYTES // _BLOCK
    argv = ["env", "LC_ALL=C", "dd", f"if={file}", "of=/dev/null", f"bs={_BLOCK}",
            f"count={blocks}", "iflag=direct"]  # fmt: skip
    try:
        result = await transport.run(argv, timeout_s=_MEASURE_S)
    except HostError as exc:
        if exc.code in {ErrorCode.CONNECTION_LOST, ErrorCode.NOT_CONNECTED}:
            raise
        return None, 0, f"the disk could not be measured ({exc.code})"
    text = result.stderr.decode("utf-8", errors="replace")
    return parse_measure(text, result.exit_code)


def parse_measure(text: str, exit_code: int) -> tuple[float | None, int, str]:
    """Read the closing line of ``dd``.

    Example:
        >>> parse_measure("268435456 bytes (268 MB, 256 MiB) copied, 0.5 s, 537 MB/s", 0)
        (536870912.0, 268435456, '')
    """
    size, seconds = _COPIED.search(text), _SECONDS.search(text)
    if exit_code or size is None or seconds is None:
        last = text.strip().splitlines()[-1:] or ["dd said nothing"]
        return None, 0, f"the disk could not be read past the page cache ({last[0][:160]})"
    count, took = int(size[1]), float(seconds[1])
    if not count or took <= 0:
        return None, 0, "the file is too short to measure"
    return count / took, count, ""
