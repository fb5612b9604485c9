"""What an engine prints only because Pitwall asks it once a second."""

import re

from app.core.engines.observed_spec import StartupFile
from app.core.logs.line import LogLevel, LogLine


class NoiseFilter:
    """Tells lines that would bury everything else while metrics are polled."""

    def __init__(self, startup: StartupFile) -> None:
        self._patterns = tuple(re.compile(rule.pattern) for rule in startup.noise)

    def __bool__(self) -> bool:
        """True when the engine has any such lines."""
        return bool(self._patterns)

    def is_noise(self, line: LogLine) -> bool:
        """True for a polling line; warnings and errors are never noise."""
        return line.level not in _TOLD and any(p.search(line.text) for p in self._patterns)


_TOLD = frozenset({LogLevel.WARNING, LogLevel.ERROR, LogLevel.FATAL})
