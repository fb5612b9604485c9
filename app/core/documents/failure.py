"""The document of a command that failed, the same for every command."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from app.core.errors import ErrorInfo


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorBody:
    """What went wrong, for programs."""

    code: str
    message: str
    cause: str
    remedy: str
    details: str = ""
    params: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """What the words are about: path, field, candidates (one a line) …"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorDocument:
    """The only document of a command that failed; ``schema`` is the command's own."""

    schema: str
    error: ErrorBody


def error_body(error: ErrorInfo) -> ErrorBody:
    """Return what is printed of an error."""
    return ErrorBody(
        code=error.code.value,
        message=f"{error.cause} {error.remedy}".rstrip(),
        cause=error.cause,
        remedy=error.remedy,
        details=error.details,
        params=error.params,
    )
