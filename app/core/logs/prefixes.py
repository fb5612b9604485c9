"""Take a cleaned line apart: who printed it, when, how serious, and the message itself.

The shapes are those of container engines, system logs and the engines Pitwall knows, as found in
recorded logs. What matches none of them is a message without a level, never an error.
"""

import json
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

from app.core.logs.line import LogLevel


class Parts(NamedTuple):
    """A line taken apart (a tuple, because millions are made)."""

    at: str
    source: str
    rank: int | None
    level: LogLevel
    text: str
    location: str


_D, _I, _W = LogLevel.DEBUG, LogLevel.INFO, LogLevel.WARNING
_E, _F, _U = LogLevel.ERROR, LogLevel.FATAL, LogLevel.UNKNOWN

LEVELS: Final[dict[str, LogLevel]] = {
    "TRACE": _D,
    "DEBUG": _D,
    "INFO": _I,
    "NOTICE": _I,
    "WARN": _W,
    "WARNING": _W,
    "ERROR": _E,
    "ERR": _E,
    "CRITICAL": _F,
    "FATAL": _F,
    "D": _D,
    "I": _I,
    "W": _W,
    "E": _E,
    "F": _F,
    "C": _F,
}
_WORDS = "TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERR|ERROR|CRITICAL|FATAL"

# fmt: off
_ISO: Final = re.compile(
    r"\[?(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)"
    r"(?: ((?:TP|DP|PP|EP)\d[\w ]*))?\]?(?:[ \t](?:(?:stdout|stderr) [FP] | (?=(?:INFO|WARN) ))?|$)"
)
_JOURNAL: Final = re.compile(
    r"([A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d) \S+ [\w./@-]+(?:\[\d+\])?: ?"
)
_COMPOSE: Final = re.compile(r"[A-Za-z][\w.-]*\s*\| ")
_KUBECTL: Final = re.compile(r"\[pod/[\w./-]+\] ")
_MPIRUN: Final = re.compile(r"\[\d+,(\d+)\]<std(?:out|err)>: ?")
_NAMED: Final = re.compile(rf"- (\S+) - ({_WORDS}) - ")
_LEVEL_FIRST: Final = re.compile(rf"\[?({_WORDS})\]?(?:[: ]\s*|$)", re.IGNORECASE)

_PROCESS: Final = re.compile(
    r"\((?:([A-Za-z][\w.-]*) )?(?:rank=(\d+) )?pid=(\d+)(?:, ip=[^)]*)?\) ?"
)
_VLLM: Final = re.compile(
    r"(DEBUG|INFO|WARNING|ERROR|CRITICAL) (\d\d-\d\d \d\d:\d\d:\d\d) \[?([\w./-]+:\d+)\] ?"
)
_UVICORN: Final = re.compile(r"(DEBUG|INFO|WARNING|ERROR|CRITICAL): {1,5}")
_LLAMA: Final = re.compile(
    r"(\d+\.\d\d\.\d{3}\.\d{3}) ([DIWEF]) (?:([a-z]{3,4}) +(?=\S+: ))?"
)
_LLAMA_PLAIN: Final = re.compile(r"(srv|slot|cmn|que|res) +(?=\S+: )")
_GLOG: Final = re.compile(
    r"\[?([IWEF])(\d\d\d\d \d\d:\d\d:\d\d\.\d+) (?:\d+ )?([\w./-]+:\d+)\] ?"
)
_TRT_DATED: Final = re.compile(
    r"\[(\d\d/\d\d/\d{4}-\d\d:\d\d:\d\d)\] \[TRT-LLM\] (?:\[RANK (\d+)\] )?\[([DIWEF])\] ?"
)
_TRT: Final = re.compile(rf"\[TensorRT-LLM\](?:\[({_WORDS})\])? ?")
_LOGFMT: Final = re.compile(r"time=(\S+) level=(\w+)(?: source=(\S+))? msg=")
_NCCL: Final = re.compile(r"\S+:\d+:\d+ \[(\d+)\] (?=NCCL (INFO|WARN|ERROR)?)")
_TORCH_RANK: Final = re.compile(r"\[rank(\d+)\]:\s?")

_RANK_PART: Final = re.compile(r"(TP|DP|PP|EP)(\d+)")
_RANK_TAIL: Final = re.compile(r"[-_](\d+)$")
_SAYS_LEVEL: Final = re.compile(
    rf"\[?({_WORDS})\]?(?=[:\s])"
    r"|([Ww]arn(?:ing)?|[Ii]nfo|[Dd]ebug|[Ee]rror|[Ff]atal|[Cc]ritical)(?=: )"
)
_WARNS: Final = re.compile(r"(?:\S+:\d+: )?(?:[A-Za-z_]\w*\.)*[A-Z]\w*Warning: ")
_LOOKS_BAD: Final = re.compile(
    r"(?:[\w./-]+: )?(?:fatal )?error: |Traceback \(most recent call last\)|(?:[A-Za-z_]\w*\.)*"
    r"[A-Z]\w*(?:Error|Exception)\b(?::|$)|panic: |terminate called|Segmentation fault",
    re.IGNORECASE,
)
# fmt: on


def take_apart(text: str) -> Parts:
    """Return the parts of a cleaned line; never fails."""
    at, rank = "", None
    level, source = _U, ""
    if text and (text[0] in "[{2" or text[0].isalpha()):
        at, source, level, rank, text = _outer(text)
    if text.startswith("("):
        process = _PROCESS.match(text)
        if process:
            source, text = process[1] or f"pid {process[3]}", text[process.end() :]
            rank = int(process[2]) if process[2] else rank_of(source)
    inner = _inner(text)
    if inner is None:
        return Parts(at, source, rank, level or _guess(text), text, "")
    return Parts(
        at or inner.at,
        source or inner.source,
        inner.rank if rank is None else rank,
        inner.level or level,
        inner.text,
        inner.location,
    )


@lru_cache(maxsize=256)
def rank_of(source: str) -> int | None:
    """Return the rank a process name tells, ``None`` when it cannot be told from the name.

    ``Worker_TP1`` is rank 1. With pipeline or data parallel indices above 0 the rank depends on
    sizes that the name does not give.
    """
    parts = dict(_RANK_PART.findall(source))
    if parts:
        if any(int(parts.get(kind, "0")) for kind in ("DP", "PP")):
            return None
        return int(parts["TP"]) if "TP" in parts else None
    tail = _RANK_TAIL.search(source)
    return int(tail[1]) if tail and "orker" in source else None


def _outer(text: str) -> tuple[str, str, LogLevel, int | None, str]:
    """Strip what container engines and system logs put in front."""
    at, source, level, rank = "", "", _U, None
    if text.startswith('{"log":'):
        at, text = _docker_json(text)
    for _ in range(4):
        if journal := _JOURNAL.match(text):
            at, text = at or journal[1], text[journal.end() :]
        elif iso := _ISO.match(text):
            at, text = at or iso[1].replace(",", "."), text[iso.end() :]
            if iso[2]:
                source, rank = iso[2], rank_of(iso[2])
            level, source, text = _after_iso(text, level, source)
        elif outer := _COMPOSE.match(text) or _KUBECTL.match(text):
            text = text[outer.end() :]
        elif mpi := _MPIRUN.match(text):
            rank, text = int(mpi[1]), text[mpi.end() :]
        else:
            break
    return at, source, level, rank, text


def _after_iso(text: str, level: LogLevel, source: str) -> tuple[LogLevel, str, str]:
    named = _NAMED.match(text)
    if named:
        return LEVELS[named[2]], named[1], text[named.end() :]
    first = _LEVEL_FIRST.match(text)
    if first and _VLLM.match(text) is None:
        return LEVELS[first[1].upper()], source, text[first.end() :]
    return level, source, text


def _docker_json(text: str) -> tuple[str, str]:
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        return "", text
    log, time = record.get("log"), record.get("time")
    if not isinstance(log, str):
        return "", text
    return (time if isinstance(time, str) else ""), log.rstrip("\r\n")


def _vllm(text: str) -> Parts | None:
    if found := _VLLM.match(text):
        return Parts(found[2], "", None, LEVELS[found[1]], text[found.end() :], found[3])
    return None


def _uvicorn(text: str) -> Parts | None:
    if found := _UVICORN.match(text):
        return Parts("", "", None, LEVELS[found[1]], text[found.end() :], "")
    return None


def _llama(text: str) -> Parts | None:
    if found := _LLAMA.match(text):
        return Parts(found[1], found[3] or "", None, LEVELS[found[2]], text[found.end() :], "")
    return None


def _llama_plain(text: str) -> Parts | None:
    if found := _LLAMA_PLAIN.match(text):
        return Parts("", found[1], None, _U, text[found.end() :], "")
    return None


def _glog(text: str) -> Parts | None:
    if found := _GLOG.match(text):
        return Parts(found[2], "", None, LEVELS[found[1]], text[found.end() :], found[3])
    return None


def _trt(text: str) -> Parts | None:
    if found := _TRT_DATED.match(text):
        rank = int(found[2]) if found[2] else None
        return Parts(found[1], "TRT-LLM", rank, LEVELS[found[3]], text[found.end() :], "")
    if found := _TRT.match(text):
        return Parts("", "TensorRT-LLM", None, LEVELS.get(found[1], _U), text[found.end() :], "")
    return None


def _logfmt(text: str) -> Parts | None:
    if found := _LOGFMT.match(text):
        level = LEVELS.get(found[2].upper(), _U)
        return Parts(found[1], "", None, level, text[found.end() :], found[3] or "")
    return None


def _nccl(text: str) -> Parts | None:
    if found := _NCCL.match(text):
        level = LEVELS.get(found[2] or "", _U)
        return Parts("", "NCCL", int(found[1]), level, text[found.end() :], "")
    return None


def _torch_rank(text: str) -> Parts | None:
    if found := _TORCH_RANK.match(text):
        rest = text[found.end() :]
        inner = _glog(rest)
        if inner:
            return inner._replace(rank=int(found[1]))
        return Parts("", "", int(found[1]), _guess(rest), rest, "")
    return None


_BRACKET: Final = (_torch_rank, _glog, _trt)
_CAPITAL: Final = (_vllm, _uvicorn, _glog, _nccl)
_SMALL: Final = (_llama_plain, _logfmt, _nccl)


def _inner(text: str) -> Parts | None:
    """Try the engines' own shapes; the first character decides which, for speed."""
    first = text[:1]
    shapes: tuple[Callable[[str], Parts | None], ...]
    if "0" <= first <= "9":
        shapes = (_llama,)
    elif first == "[":
        shapes = _BRACKET
    elif "A" <= first <= "Z":
        shapes = _CAPITAL
    elif "a" <= first <= "z":
        shapes = _SMALL
    else:
        return None
    for shape in shapes:
        parts = shape(text)
        if parts is not None:
            return parts
    return None


def _guess(text: str) -> LogLevel:
    """Return ERROR or WARNING for what only such a line looks like, else UNKNOWN."""
    if text[:1].isspace():
        return _U
    if said := _SAYS_LEVEL.match(text):
        return LEVELS[(said[1] or said[2]).upper()]
    if "Warning: " in text and _WARNS.match(text):
        return _W
    return _E if _LOOKS_BAD.match(text) else _U
