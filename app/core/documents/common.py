"""Documents that every command shares."""

from dataclasses import dataclass

from app.core.errors import AppError


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorBody:
    """What went wrong, for programs."""

    code: str
    message: str
    cause: str
    remedy: str
    details: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorDocument:
    """The only document of a command that failed; ``schema`` is the command's own."""

    schema: str
    error: ErrorBody


def error_document(schema: str, error: AppError) -> ErrorDocument:
    """Return the document for ``error`` of the command with this schema."""
    return ErrorDocument(
        schema=schema,
        error=ErrorBody(
            code=error.code.value,
            message=str(error),
            cause=error.cause,
            remedy=error.remedy,
            details=error.details,
        ),
    )
