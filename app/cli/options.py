"""Options that several commands share, and quantities with units as click types."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from app.core.errors import AppError
from app.core.units import parse_bytes, parse_count, parse_seconds

F = TypeVar("F", bound=Callable[..., Any])

json_option: Callable[[F], F] = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document (streams: JSON Lines)."
)
password_option: Callable[[F], F] = click.option(
    "--password-stdin", is_flag=True, help="Read the SSH password from the first line of stdin."
)
accept_key_option: Callable[[F], F] = click.option(
    "--accept-key",
    metavar="SHA256:…",
    help="Accept exactly this host key on first contact, without asking.",
)


class Quantity(click.ParamType[Any, Any]):
    """A number with an optional unit."""

    def __init__(
        self, name: str, parse: Callable[[str], float], *, least: float = 0, most: float = 2**48
    ) -> None:
        self.name = name
        self._parse = parse
        self._least = least
        self._most = most

    def convert(
        self,
        value: Any,  # noqa: ANN401 - click's signature
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:  # noqa: ANN401 - click's signature
        """Return the number; a usage error names what was expected."""
        if not isinstance(value, str):
            return value
        try:
            number = self._parse(value)
        except AppError as error:
            self.fail(str(error), param, ctx)
        if number < self._least:
            self.fail(f"“{value}” is less than {self._least:g}.", param, ctx)
        if number > self._most:
            self.fail(f"“{_cut(value)}” is more than {self._most:,.0f}.", param, ctx)
        return number


def _cut(text: str) -> str:
    """Show no more of a nonsensical word than tells which one it is."""
    return text if len(text) <= 40 else f"{text[:40]}…"


BYTES = Quantity("size", parse_bytes)
COUNT = Quantity("count", parse_count)
SOME_BYTES = Quantity("size", parse_bytes, least=1)
"""A size that is never zero."""
SOME = Quantity("count", parse_count, least=1)
"""A count that is never zero."""
SECONDS = Quantity("time", parse_seconds, most=10**9)
GPUS = Quantity("count", parse_count, least=1, most=1024)
"""How many GPUs one engine is spread over."""


WHAT_IF = "what-if:"
"""In the place of a file: a host made from the catalogue, ``what-if:2x L40S``."""
_WHOLE_BYTES = 256 * 1024 * 1024
_ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2")


def is_file_argument(text: str) -> bool:
    """Tell a file from a host name: a slash, the ending ``.json``, or ``-`` for stdin.

    A host that is only thought of stands in the place of a file.
    """
    return text == "-" or "/" in text or text.endswith(".json") or text.startswith(WHAT_IF)


def is_archive(text: str) -> bool:
    """Tell whether an argument names an archive, by its ending."""
    return text.lower().endswith(_ARCHIVES)


def is_folder(text: str) -> bool:
    """Tell whether an argument is a folder on this computer."""
    from stat import S_ISDIR

    return _is_of_kind(text, S_ISDIR)  # an empty path would be the current folder


def is_file(text: str) -> bool:
    """Tell whether an argument is a file on this computer."""
    from stat import S_ISREG

    return _is_of_kind(text, S_ISREG)


def _is_of_kind(text: str, is_kind: Callable[[int], bool]) -> bool:
    from pathlib import Path

    try:
        return bool(text) and is_kind(Path(text).stat().st_mode)
    except (OSError, ValueError):  # not there, a name that is too long, a null byte
        return False


def read_text(source: str) -> str:
    """Return a file's text, or stdin for ``-``; undecodable bytes are replaced, never fatal.

    What is longer than anything that is read whole is cut: a device never ends.

    Raises:
        UserInputError: when the file cannot be read.
    """
    from pathlib import Path

    from app.core.decoding import decode_text
    from app.core.errors import ErrorCode, UserInputError

    try:
        if source == "-":
            from app.services.own_thread import standard_input

            data = standard_input().read(_WHOLE_BYTES)
        else:
            with Path(source).open("rb") as stream:
                data = stream.read(_WHOLE_BYTES)
    except (OSError, ValueError) as error:  # ValueError: a null byte in the path
        raise UserInputError(
            ErrorCode.FILE_UNREADABLE,
            {"field": "file", "path": source},
            cause=f"“{source}” cannot be read: {getattr(error, 'strerror', None) or error}.",
            remedy="Check the path and its rights; “-” reads from standard input.",
        ) from error
    return decode_text(_unpacked(data))


def _unpacked(data: bytes) -> bytes:
    """Return what is inside gzip, as logs often are; what is broken stays as it is."""
    import gzip
    import io
    import zlib

    if not data.startswith(b"\x1f\x8b"):
        return data
    try:
        with gzip.open(io.BytesIO(data)) as stream:
            return stream.read(_WHOLE_BYTES)
    except (OSError, EOFError, zlib.error):
        return data


async def read_source(source: str) -> str:
    """Return what `read_text` does, so that Ctrl-C ends the wait for a pipe's writer.

    Raises:
        UserInputError: when the file cannot be read.
    """
    from app.services.own_thread import on_own_thread

    return await on_own_thread(lambda: read_text(source))
