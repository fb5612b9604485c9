"""Find the lines that tell why an engine ended, while the log streams by.

The cause is rarely the last line: engines wrap it ("see root cause above") and clean up after
it. This keeps the first line that names a fault and the last few lines; it does not diagnose.
"""

import re
from collections import deque
from typing import Final

from app.core.logs.line import LogLevel, LogLine, is_serious

_KEPT: Final = 3
_LONGEST: Final = 400
_NAMED_FAULT: Final = re.compile(
    r"(?:^|[\s:])(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)\b: \S"
    r"|(?:^|: )(?:fatal )?error: |out of memory|No such file|couldn't "
    r"|\bfailed to (?:open|bind|load|allocate)",
)
_WRAPPER: Final = re.compile(
    r"[Rr]oot cause above|See stack trace|EngineCore failed to start|WorkerProc (?:failed|init)"
    r"|Traceback \(most recent|exiting due to|EngineDeadError"
)


class TellingLines:
    """Feed every line; ask for ``lines`` when the engine has ended."""

    def __init__(self) -> None:
        self._start = 1
        self._fault: list[str] = []
        self._may_continue = False
        self._serious: deque[str] = deque(maxlen=_KEPT)
        self._last: deque[str] = deque(maxlen=_KEPT)

    def feed(self, line: LogLine) -> None:
        """Take a line into account."""
        text = line.text.rstrip()[:_LONGEST]
        if not text.strip():
            return
        if line.start != self._start:
            self._begin_again(line.start)
        self._last.append(text)
        if self._may_continue and text.startswith("  "):
            self._fault.append(text)
        self._may_continue = False
        if _WRAPPER.search(text) or line.level in {LogLevel.DEBUG, LogLevel.INFO, LogLevel.WARNING}:
            return
        if is_serious(line) and not text.startswith(" "):
            self._serious.append(text)
        if not self._fault and _NAMED_FAULT.search(text) and not text.startswith(" "):
            self._fault.append(text)
            self._may_continue = True

    @property
    def lines(self) -> tuple[str, ...]:
        """What to show, the most telling first; empty when the log was empty."""
        return tuple(self._fault) or tuple(self._serious) or tuple(self._last)

    def _begin_again(self, start: int) -> None:
        self._start = start
        self._fault = []
        self._serious.clear()
        self._last.clear()
