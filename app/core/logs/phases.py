"""Follow a start through its phases, from the lines that say that a phase has begun.

Phases only move forward; one that an engine skips stays unreached. How long the rest will take
is told from an earlier start on this installation; before the first one from the durations that
the engine's data gives, where it gives any.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from app.core.deployment.stage import PhaseProgress
from app.core.engines.spec import PhaseRule, StartupFile
from app.core.logs.line import LogLine

_NO_DURATIONS: Final[Mapping[str, float]] = MappingProxyType({})
_DETAIL_LIMIT: Final = 160


def typical_durations(
    startup: StartupFile, *, on_cpu: bool, simulated: bool = False
) -> dict[str, float]:
    """Return the durations that the engine's data gives, by phase id.

    Args:
        startup: The engine's data.
        on_cpu: The engine computes on processors.
        simulated: The engine is played by the demo host, which takes a fraction of the real time.
    """
    found = {rule.id: _typical_s(rule, on_cpu, simulated) for rule in startup.phase}
    return {phase: seconds for phase, seconds in found.items() if seconds is not None}


def _typical_s(rule: PhaseRule, on_cpu: bool, simulated: bool) -> float | None:
    if simulated:
        return rule.typical_simulated_s
    return rule.typical_cpu_s if on_cpu else rule.typical_gpu_s


@dataclass(slots=True)
class _Reached:
    started_s: float
    progress: float | None = None
    detail: str = ""


class PhaseTracker:
    """Feed it the log of one start; it knows the phases reached and, if it can, the rest's time.

    Args:
        startup: The engine's data; the first phase begins with the container itself.
        learned: Durations of an earlier start by phase id; it skipped the phases without one.
    """

    def __init__(
        self, startup: StartupFile, *, learned: Mapping[str, float] = _NO_DURATIONS
    ) -> None:
        self._rules = startup.phase
        self._patterns = tuple(re.compile(rule.pattern) for rule in startup.phase)
        self._learned = learned
        self._reached: dict[str, _Reached] = {}
        self._index = -1
        self._ended_s: float | None = None

    def begin(self, at_s: float) -> None:
        """Tell when the container was started; clears what an earlier start had reached."""
        self._reached.clear()
        self._index = -1
        self._ended_s = None
        if self._rules:
            self._enter(0, at_s, "")

    def feed(self, line: LogLine, at_s: float) -> bool:
        """Take a line into account; True when a phase or its progress changed.

        Args:
            line: A cleaned line.
            at_s: When it was printed, on the same clock as ``begin``.
        """
        if self._ended_s is not None or not line.text:
            return False
        for index in range(len(self._rules) - 1, max(self._index, 0) - 1, -1):
            found = self._patterns[index].search(line.text)
            if found:
                return self._see(index, found, at_s, line.text)
        return False

    def end(self, at_s: float) -> None:
        """Tell that the start is over, well or not: the current phase ends now."""
        if self._ended_s is None:
            self._ended_s = at_s

    @property
    def current(self) -> PhaseRule | None:
        """The phase that runs, ``None`` before the beginning and after the end."""
        return None if self._index < 0 or self._ended_s is not None else self._rules[self._index]

    @property
    def is_at_last(self) -> bool:
        """True when no phase can follow the one that was reached."""
        return self._index == len(self._rules) - 1

    def phases(self) -> tuple[PhaseProgress, ...]:
        """Return every phase of this engine in order, reached or not."""
        return tuple(self._progress_of(rule) for rule in self._rules)

    def durations(self) -> dict[str, float]:
        """Return the durations of the phases that are over, to learn from."""
        return {
            phase.phase: phase.duration_s for phase in self.phases() if phase.duration_s is not None
        }

    def remaining_s(self, at_s: float) -> float | None:
        """Return the expected time until the last phase begins; ``None`` when it is not known."""
        if self._index < 0 or self._ended_s is not None or not self._learned:
            return None
        return sum(self._rest_of(index, at_s) for index in range(self._index, len(self._rules) - 1))

    def _rest_of(self, index: int, at_s: float) -> float:
        rule = self._rules[index]
        reached = self._reached.get(rule.id)
        elapsed = at_s - reached.started_s if reached and index == self._index else 0.0
        if reached and index == self._index and reached.progress:
            return elapsed * (1 - reached.progress) / reached.progress
        return max(self._learned.get(rule.id, 0.0) - elapsed, 0.0)

    def _see(self, index: int, found: re.Match[str], at_s: float, text: str) -> bool:
        if index > self._index:
            self._enter(index, at_s, text)
            self._note_progress(index, found)
            return True
        return self._note_progress(index, found)

    def _enter(self, index: int, at_s: float, text: str) -> None:
        self._index = index
        self._reached[self._rules[index].id] = _Reached(at_s, detail=text[:_DETAIL_LIMIT].strip())

    def _note_progress(self, index: int, found: re.Match[str]) -> bool:
        group = self._rules[index].progress_group
        if not group or found.groupdict().get(group) is None:
            return False
        try:
            percent = float(found[group])
        except ValueError:
            return False
        reached = self._reached[self._rules[index].id]
        progress = min(max(percent / 100, 0.0), 1.0)
        changed = progress != reached.progress
        reached.progress = progress
        return changed

    def _progress_of(self, rule: PhaseRule) -> PhaseProgress:
        reached = self._reached.get(rule.id)
        if reached is None:
            return PhaseProgress(phase=rule.id, started_s=None, duration_s=None)
        ended_s = self._end_of(rule)
        return PhaseProgress(
            phase=rule.id,
            started_s=reached.started_s,
            duration_s=None if ended_s is None else max(ended_s - reached.started_s, 0.0),
            progress=reached.progress,
            detail=reached.detail,
        )

    def _end_of(self, rule: PhaseRule) -> float | None:
        """A phase ends where the next one that was reached begins."""
        seen = False
        for other in self._rules:
            if seen and other.id in self._reached:
                return self._reached[other.id].started_s
            seen = seen or other.id == rule.id
        return self._ended_s
