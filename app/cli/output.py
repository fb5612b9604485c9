"""How commands speak: documents or text on stdout, progress and messages on stderr."""

import contextlib
import io
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import click

from app.core.documents.encode import to_json
from app.core.documents.failure import ErrorDocument, error_body
from app.core.errors import AppError, ErrorCode, ErrorInfo, StoreError

_OWN_COMMAND: Final = re.compile(r"\bpitwall (?=[a-z-])")
_ENDLESS: Final = re.compile(r"(\S{200})\S{200,}(\S{40})")


class Output:
    """Print for people, or documents for programs; never both on stdout."""

    def __init__(self, command: str, *, as_json: bool) -> None:
        self.schema = f"pitwall.{command}/1"
        self.as_json = as_json
        self._lost: OSError | None = None
        self._is_answered = False

    def document(self, value: object, text: str) -> None:
        """Print the one document of a command, or its text.

        Raises:
            BrokenPipeError: the reader went away.
            StoreError: FILE_UNWRITABLE when stdout cannot be written.
        """
        self._write(to_json(value, indent=2) if self.as_json else text)
        self._is_answered = True

    def line(self, value: object, text: str | None) -> None:
        """Print one line of a stream; ``None`` as text prints nothing for people.

        Raises:
            BrokenPipeError: the reader went away.
            StoreError: FILE_UNWRITABLE when stdout cannot be written.
        """
        if self.as_json:
            self._write(to_json(value))
        elif text is not None:
            self._write(text)

    def news(self, value: object, text: str) -> None:
        """Print progress: a line for programs, on stderr for people.

        Never raises: that nobody reads any more does not stop what was begun. What comes to
        stdout after that raises what this did not.
        """
        if not self.as_json:
            self.progress(text)
        elif self._lost is None:
            try:
                click.echo(to_json(value))
            except OSError as exc:
                self._lost = exc

    def progress(self, text: str) -> None:
        """Say on stderr what goes on; that nobody hears it stops nothing."""
        with contextlib.suppress(OSError):
            click.echo(text, err=True)

    def notice(self, error: ErrorInfo) -> None:
        """Say on stderr what was found broken and was dealt with."""
        self._explain(error, click.style("Note", fg="yellow", bold=True))

    def failure(self, error: AppError) -> None:
        """Print an error as document or as what happened and what to do now; never raises.

        After the one document of a command the error goes to stderr.
        """
        info = replace(
            error.info, cause=_readable(error.info.cause), remedy=_readable(error.info.remedy)
        )
        if self.as_json and self._lost is None and not self._is_answered:
            try:
                document = ErrorDocument(schema=self.schema, error=error_body(info))
                click.echo(to_json(document))
            except OSError as exc:
                self._lost = exc
                close_quietly()
            return
        self._explain(info, click.style("Error", fg="red", bold=True))

    def _explain(self, error: ErrorInfo, head: str) -> None:
        self.progress(f"{head}: {error.cause}")
        if error.remedy:
            self.progress(f"  What to do: {as_started(error.remedy)}")
        if error.details:
            self.progress(_indent(error.details))

    def _write(self, text: str) -> None:
        try:
            if self._lost is not None:
                raise self._lost
            click.echo(text)
        except OSError as exc:
            self._lost = exc
            close_quietly()
            if isinstance(exc, BrokenPipeError):
                raise
            raise StoreError(
                ErrorCode.FILE_UNWRITABLE,
                {"file": "stdout"},
                cause=f"The output cannot be written: {exc.strerror or exc}.",
                remedy="Make room where it goes, or send it elsewhere, then run it again.",
            ) from exc


def as_started(text: str) -> str:
    """Name commands as the user can type them: ``packaging/run`` tells how it was started."""
    own = os.environ.get("PITWALL_COMMAND", "")
    return _OWN_COMMAND.sub(lambda _: f"{own} ", text) if own else text


def _readable(text: str) -> str:
    """Cut words without an end, as a slip of the clipboard gives; no path is that long."""
    return _ENDLESS.sub(r"\1…\2", text)


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
    if text.isascii():
        return len(text)
    from unicodedata import east_asian_width

    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)


def prepare_stdout(*, as_json: bool) -> None:
    """Let stdout take every text: JSON is UTF-8 always, and nothing stops at a character."""
    stream = sys.stdout
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(
            encoding="utf-8" if as_json else stream.encoding, errors="backslashreplace"
        )


def close_quietly() -> None:
    """Point stdout to nowhere after it failed, so that the interpreter ends silently."""
    with contextlib.suppress(OSError, AttributeError, ValueError):  # closed, or none at all
        devnull = os.open(os.devnull, os.O_WRONLY)
        os.dup2(devnull, sys.stdout.fileno())
        os.close(devnull)
