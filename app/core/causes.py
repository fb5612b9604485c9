"""Names of causes: what diagnosis, checks and readers of tool errors call the same trouble."""

from dataclasses import dataclass

from app.core.texts import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """One cause; its id is stable and shared by findings, tests and reports."""

    id: str
    family: str
    """Group such as ``driver_stack`` or ``memory_at_start``."""
    meaning: Text
    remedy: Text | None = None
    """What to do now, where that does not depend on the finding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseFile:
    """Shape of ``resources/causes.toml``."""

    schema_version: int
    source: str
    checked: str
    cause: tuple[Cause, ...]
