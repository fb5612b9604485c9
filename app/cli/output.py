"""How commands speak: documents or text on stdout, progress and messages on stderr."""

import os
import sys
from collections.abc import Sequence

import click

from app.core.documents.common import error_document
from app.core.documents.encode import to_json
from app.core.errors import AppError


class Output:
    """Print for people, or documents for programs; never both on stdout."""

    def __init__(self, command: str, *, as_json: bool) -> None:
        self.schema = f"pitwall.{command}/1"
        self.as_json = as_json

    def document(self, value: object, text: str) -> None:
        """Print the one document of a command, or its text."""
        click.echo(to_json(value, indent=2) if self.as_json else text)

    def line(self, value: object, text: str | None) -> None:
        """Print one line of a stream; ``None`` as text prints nothing for people."""
        if self.as_json:
            click.echo(to_json(value))
        elif text is not None:
            click.echo(text)
        sys.stdout.flush()

    def progress(self, text: str) -> None:
        """Say on stderr what goes on."""
        click.echo(text, err=True)

    def failure(self, error: AppError) -> None:
        """Print an error as document or as what happened and what to do now."""
        if self.as_json:
            click.echo(to_json(error_document(self.schema, error), indent=None))
            return
        click.echo(f"{click.style('Error', fg='red', bold=True)}: {error.cause}", err=True)
        if error.remedy:
            click.echo(f"  What to do: {error.remedy}", err=True)
        if error.details:
            click.echo(_indent(error.details), err=True)


def _indent(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())


def table(
    header: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int] = ()
) -> str:
    """Align columns by display width; the columns in ``right`` are aligned to the right."""
    grid = [list(header), *[list(row) for row in rows]]
    widths = [max(_width(row[column]) for row in grid) for column in range(len(header))]
    return "\n".join(
        "  ".join(
            _pad(cell, widths[column], to_right=column in right) for column, cell in enumerate(row)
        ).rstrip()
        for row in grid
    )


def _pad(cell: str, width: int, *, to_right: bool) -> str:
    blank = " " * (width - _width(cell))
    return blank + cell if to_right else cell + blank


def _width(text: str) -> int:
    """Return how many terminal columns a text takes; wide East Asian characters take two."""
    from unicodedata import east_asian_width

    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)


def close_quietly() -> None:
    """Point stdout to nowhere after a reader went away, so that the interpreter ends silently."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, sys.stdout.fileno())
