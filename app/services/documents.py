"""Documents for those who may not touch files: frozen values to JSON and back."""

from typing import TypeVar

from app.io.documents import from_json, to_json

T = TypeVar("T")


class DocumentService:
    """JSON of frozen values."""

    def to_json(self, value: object, *, indent: int | None = None) -> str:
        """Write a value as JSON."""
        return to_json(value, indent=indent)

    def from_json(self, shape: type[T], text: str | bytes) -> T:
        """Read a value.

        Raises:
            DataFileError: DATA_FILE_BROKEN with every problem.
        """
        return from_json(shape, text)
