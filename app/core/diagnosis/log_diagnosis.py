"""Diagnose a log while it streams: feed it, ask for the result as often as wanted."""

from collections.abc import Mapping
from functools import lru_cache

from app.core.causes import Cause
from app.core.diagnosis.compiled import CompiledRules, compile_rules
from app.core.diagnosis.context import DiagnosisContext
from app.core.diagnosis.finding import Diagnosis
from app.core.diagnosis.reading import LogReading
from app.core.diagnosis.rules import DiagnosisRules
from app.core.diagnosis.verdict import judge
from app.core.logs.line import LogLine

_NO_CONTEXT = DiagnosisContext()


class LogDiagnosis:
    """One log, read in constant memory.

    Args:
        rules: All rules.
        causes: Causes by id.
        context: What is known beside the log; `context` may be replaced before each result.
    """

    def __init__(
        self,
        rules: DiagnosisRules,
        causes: Mapping[str, Cause],
        context: DiagnosisContext = _NO_CONTEXT,
    ) -> None:
        self._compiled = compiled_rules(rules)
        self._causes = causes
        self._reading = LogReading(self._compiled)
        self._kernel_lines = 0
        self.context = context

    def feed(self, chunk: str | bytes) -> None:
        """Add any piece of output."""
        self._reading.feed(chunk)

    def feed_line(self, line: LogLine) -> None:
        """Add a line of a followed log."""
        self._reading.feed_line(line.raw, line.number)

    def close(self) -> None:
        """Say that the log is over: its last line may lack an end."""
        self._reading.close()

    def result(self) -> Diagnosis:
        """Return the diagnosis of what was fed so far."""
        kernel = self.context.kernel_log[self._kernel_lines :]
        self._kernel_lines += len(kernel)
        self._reading.feed_kernel(kernel)
        return judge(self._reading, self._compiled, self._causes, self.context)


def diagnose_text(
    text: str,
    *,
    rules: DiagnosisRules,
    causes: Mapping[str, Cause],
    context: DiagnosisContext = _NO_CONTEXT,
) -> Diagnosis:
    """Diagnose a whole log."""
    diagnosis = LogDiagnosis(rules, causes, context)
    diagnosis.feed(text)
    diagnosis.close()
    return diagnosis.result()


class _ById:
    """A key that holds its value alive, so that its identity stays its own."""

    __slots__ = ("rules",)

    def __init__(self, rules: DiagnosisRules) -> None:
        self.rules = rules

    def __hash__(self) -> int:
        return id(self.rules)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ById) and other.rules is self.rules


def compiled_rules(rules: DiagnosisRules) -> CompiledRules:
    """Return rules made ready; the same ones are compiled once."""
    return _compiled(_ById(rules))


@lru_cache(maxsize=4)
def _compiled(key: _ById) -> CompiledRules:
    return compile_rules(key.rules)
