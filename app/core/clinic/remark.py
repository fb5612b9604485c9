"""A remark on a stretch of a launch text, and the correction where none has to think."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.core.clinic.origin import Span
from app.core.clinic.spec import Saying, Severity
from app.core.texts import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One stretch of the paste, replaced."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """What a version makes of a stretch of text, and what to write instead."""

    id: str
    severity: Severity
    span: Span
    text: Text
    instead: Text | None
    source: str
    checked: str
    edits: tuple[Edit, ...] = ()
    supersedes: tuple[str, ...] = ()

    @staticmethod
    def of(
        said: Saying, span: Span, values: Mapping[str, object], edits: tuple[Edit, ...] = ()
    ) -> "Remark":
        """Fill a saying's places."""
        return Remark(
            id=said.id,
            severity=said.severity,
            span=span,
            text=said.text.filled(values),
            instead=said.instead.filled(values) if said.instead else None,
            source=said.source,
            checked=said.checked,
            edits=edits,
            supersedes=said.supersedes,
        )
