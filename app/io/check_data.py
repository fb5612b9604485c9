"""Load the data of the checks; every problem is reported with its file and key path."""

from collections import Counter
from pathlib import Path
from types import MappingProxyType
from typing import Final

from app.core.checks.spec import CheckFile, Checklist, ReasonFile, StackData
from app.io.data_reader import DataProblem, DataReader, broken_data

_ORDER: Final = (
    "driver", "health", "pcie", "nvlink", "topology", "memory", "sharing", "docker", "container",
    "thermal-power", "virtual", "host", "disk", "network", "security",
)  # fmt: skip
"""Categories as they are shown; those of a user's own files come behind."""
_NOT_CHECKS: Final = frozenset({"checks/reasons.toml", "checks/stack.toml"})


def load_checks(root: Path, overrides: Path | None = None) -> Checklist:
    """Return all checks, their reasons and the table of drivers and error codes.

    Raises:
        DataFileError: DATA_FILE_BROKEN with every problem of every file, also for an id that
            appears twice.
    """
    reader = DataReader(root, overrides)
    names = [name for name in reader.names("checks", "*.toml") if name not in _NOT_CHECKS]
    files = [file for name in names if (file := reader.read(CheckFile, name)) is not None]
    reasons = reader.read(ReasonFile, "checks/reasons.toml")
    stack = reader.read(StackData, "checks/stack.toml")
    counts = Counter(check.id for file in files for check in file.check)
    reader.problems += [
        DataProblem(
            file=root / "resources" / "checks", key="check", reason=f"“{name}” appears twice"
        )
        for name, count in counts.items()
        if count > 1
    ]
    if reader.problems or reasons is None or stack is None:
        raise broken_data(reader.problems)
    files.sort(key=lambda file: _place(file.category.id))
    return Checklist(
        categories=tuple(file.category for file in files),
        checks=tuple(check for file in files for check in file.check),
        reasons=MappingProxyType(dict(reasons.reason)),
        stack=stack,
    )


def _place(category: str) -> int:
    return _ORDER.index(category) if category in _ORDER else len(_ORDER)
