"""Take off what logs, quotes and listings put in front of every line of a tool's output.

A prefix counts only in a run of lines that all carry it, so that nothing which a tool prints
itself is lost: tables begin lines with ``|`` and ``+``, lists with numbers.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

_ISO: Final = r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]{1,9})?"
_ZONE: Final = r"(?:Z|[+-][0-9]{2}:?[0-9]{2})"


@dataclass(frozen=True, slots=True)
class _Prefix:
    """One kind of prefix; group 1, where there is one, has to be the same in all of a run."""

    pattern: re.Pattern[str]
    least: int
    """Lines that a run has at least."""
    is_run: Callable[[Sequence[re.Match[str]]], bool] = lambda _: True


def _counts_up(run: Sequence[re.Match[str]]) -> bool:
    """Tell whether the numbers rise by one and start as line numbers do.

    A short run is one only from line 1 and with more than a blank behind the number.
    """
    numbers = [int(match[2]) for match in run]
    is_long = len(run) >= 5 or (numbers[0] == 1 and bool(run[0][0].strip(" 0123456789")))
    is_rising = numbers == list(range(numbers[0], numbers[0] + len(run)))
    return numbers[0] >= 1 and is_long and is_rising


def _comments_a_tool(run: Sequence[re.Match[str]]) -> bool:
    """Tell whether a tool's output was put into comments; metrics have comments of their own."""
    texts = [match.string for match in run]
    is_metrics = any(text.startswith(("# HELP", "# TYPE")) for text in texts)
    return not is_metrics and any("|" in text or "GPU" in text for text in texts)


_PREFIXES: Final = (
    # docker logs -t, kubectl logs --timestamps, the files of a container runtime
    _Prefix(re.compile(rf"{_ISO}{_ZONE} (?:(?:stdout|stderr) [FP] )?"), 2),
    # journalctl, syslog
    _Prefix(
        re.compile(
            r"[A-Z][a-z]{2} [ 0-9][0-9] [0-9:]{8}(?:\.[0-9]+)? \S+ [\w@./-]+(?:\[[0-9]+\])?: ?"
        ),
        2,
    ),
    # script and shell loggers
    _Prefix(re.compile(rf"\[{_ISO}{_ZONE}?\]:? ?"), 2),
    # Python's logging, engines' own
    _Prefix(
        re.compile(
            r"(?:INFO|DEBUG|WARNING|ERROR) +(?:[0-9]{2,4}-)?[0-9]{2}-[0-9]{2} [0-9:]{8}"
            r"(?:[.,][0-9]+)?(?: \[[^\]]*\])?:? ?"
        ),
        2,
    ),
    # docker compose: the service's name before a bar
    _Prefix(re.compile(r"([A-Za-z][\w.-]*) +\| ?"), 3),
    # numbered listings: cat -n, grep -n, editors
    _Prefix(re.compile(r"[ \t]*()([0-9]{1,5})(?:\t|:| \| ?| {1,2}|$)"), 2, _counts_up),
    # a bar that quotes a table
    _Prefix(re.compile(r"\| (?=[|+]|$)"), 3),
    # comments of a script
    _Prefix(re.compile(r"[ \t]*#(?: |$)"), 2, _comments_a_tool),
    # mail
    _Prefix(re.compile(r"[ \t]*(?:> ?)+"), 2),
    # a difference that adds the lines
    _Prefix(re.compile(r"\+(?!-*$)|\+(?=\+)"), 3),
)


def strip_prefixes(text: str) -> str:
    """Return ``text`` without what stands in front of runs of its lines."""
    lines = text.split("\n")
    for prefix in _PREFIXES:
        lines = _strip(lines, prefix)
    return "\n".join(lines)


def _strip(lines: Sequence[str], prefix: _Prefix) -> list[str]:
    result: list[str] = []
    run: list[re.Match[str]] = []
    waiting: list[str] = []  # the run's lines, with empty ones between them

    def end_run() -> None:
        is_run = len(run) >= prefix.least and prefix.is_run(run)
        cut = {match.string: match.end() for match in run} if is_run else {}
        result.extend(line[cut.get(line, 0) :] for line in waiting)
        run.clear()
        waiting.clear()

    for line in lines:
        match = prefix.pattern.match(line)
        if match is None and not run:
            result.append(line)
            continue
        if match is None and line.strip():
            end_run()
            result.append(line)
            continue
        if match is not None and run and _differs(run[-1], match):
            end_run()
        if match is not None:
            run.append(match)
        waiting.append(line)
    end_run()
    return result


def _differs(last: re.Match[str], match: re.Match[str]) -> bool:
    return bool(match.re.groups) and last[1] != match[1]
