"""Make the collector's script: the probe between a head and a tail, in fewer lines.

One source of truth: what an administrator runs by hand asks exactly what the probe asks. The
script must stay short enough to be read before it is run, so that short lines of the probe are
joined; wording and order stay as they are.
"""

import re
from typing import Final

LINE_LIMIT: Final = 300
"""An administrator reads the script before running it: it stays below this many lines."""
PROBE_MARK: Final = "#%probe"
"""The line of ``collector.sh`` in whose place the probe stands."""

_WIDTH: Final = 118
_LONGEST: Final = 160
"""A line that was broken is made whole up to this width."""
_CLOSERS: Final = frozenset({"fi", "done", "esac", "}"})
_STARTERS: Final = re.compile(
    r"(?:else|elif|case|if|for|while|until)\b|[\w.*|:\" -]+\)|[(){}]|trap "
)
_OPEN_ENDS: Final = ("{", "(", "do", "then", "else", "in", ";;", "&", "|", "&&", "||", "\\", "}")


def collector_script(wrapper: str, probe: str) -> str:
    """Return the script: ``wrapper`` with ``probe`` in the place of its mark."""
    head, _, tail = wrapper.partition(f"{PROBE_MARK}\n")
    return head + "\n".join(_packed(_body(probe))) + "\n" + tail


def _body(probe: str) -> list[str]:
    """Return the probe's lines without its head, its last call, comments and blanks."""
    lines = [
        line for line in probe.splitlines() if line.strip() and not line.lstrip().startswith("#")
    ]
    end = next(i for i, line in enumerate(lines) if line.startswith("main "))
    return lines[:end]


def _packed(lines: list[str]) -> list[str]:
    packed: list[str] = []
    for line in lines:
        joined = _joined(packed[-1], line) if packed else None
        if joined is None:
            packed.append(line)
        else:
            packed[-1] = joined
    return packed


def _joined(before: str, line: str) -> str | None:
    """Return both as one line, ``None`` when they cannot or should not be one."""
    text = line.strip()
    if before.endswith("\\"):
        whole = f"{before[:-1].rstrip()} {text}"
        return whole if len(whole) <= _LONGEST else None
    if " #" in before:
        return None
    if text in _CLOSERS:
        return f"{before} {text}" if before.endswith((";;", "&")) else f"{before}; {text}"
    is_plain = _indent(before) == _indent(line) and not _STARTERS.match(text)
    is_plain = is_plain and not _STARTERS.match(before.strip()) and not before.endswith(_OPEN_ENDS)
    if not is_plain or text.endswith(_OPEN_ENDS) or len(before) + len(text) > _WIDTH:
        return None
    return f"{before}; {text}"


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
