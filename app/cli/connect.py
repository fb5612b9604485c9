"""Reaching a host from the command line: first contact and passwords are asked on the terminal."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from app.core.errors import AppError, ErrorCode, HostError
from app.core.events import HostSnapshot

if TYPE_CHECKING:
    from app.bootstrap import Application


@dataclass(slots=True, kw_only=True)
class Answers:
    """What was given on the command line, so that nothing needs to be asked."""

    accept_key: str | None = None
    password: str | None = None

    @classmethod
    def from_options(cls, *, accept_key: str | None, password_stdin: bool) -> "Answers":
        """Read the password now when it comes on stdin.

        Raises:
            click.UsageError: when there is none, or it is no text.
        """
        password = _password_from_stdin() if password_stdin else None
        # Copied from a sentence, the key may bring its full stop along.
        key = None if accept_key is None else accept_key.rstrip(".")
        return cls(accept_key=key, password=password)


async def reach(application: "Application", name: str, answers: Answers) -> HostSnapshot:
    """Connect to a host; ask for what is missing when a person sits at the terminal.

    Raises:
        HostError: what connecting raises, when nobody can be asked or the answer was no.
    """
    host = application.hosts.find(name)
    if host.is_record:
        return host
    passphrase: str | None = None
    password = answers.password
    for _attempt in range(4):  # key, password, passphrase: each is asked at most once
        try:
            return await application.hosts.connect(
                host.settings.id, password=password, passphrase=passphrase
            )
        except HostError as error:
            if error.code is ErrorCode.HOST_KEY_UNKNOWN and _may_accept(error, answers):
                await application.hosts.accept_key(host.settings.id, error.params["sha256"])
            elif error.code is ErrorCode.PASSWORD_NEEDED and _somebody_is_there():
                with _interruptible():
                    secret = click.prompt(_question(error, name), hide_input=True, err=True)
                if error.params.get("what") == "passphrase":
                    passphrase = secret
                else:
                    password = secret
            else:
                raise with_options(error, answers) from error
    return application.hosts.find(name)


def _may_accept(error: AppError, answers: Answers) -> bool:
    presented = error.params["sha256"]
    if answers.accept_key is not None:
        return answers.accept_key == presented
    if not _somebody_is_there():
        return False
    with _interruptible():
        click.echo(f"{error.cause}\n  {error.params.get('key_type', 'key')}  {presented}", err=True)
        return click.confirm("Is this the host's key? Accept it", default=False, err=True)


def _question(error: AppError, name: str) -> str:
    if error.params.get("what") == "passphrase":
        return f"Passphrase of the key for {name}"
    return f"Password for {name}"


def with_options(error: HostError, answers: Answers) -> HostError:
    """Name the options that answer what a window would ask."""
    cause, remedy = error.cause, error.remedy
    if error.code is ErrorCode.HOST_KEY_UNKNOWN:
        if answers.accept_key is not None:
            cause += f" --accept-key names another one: {answers.accept_key}."
        remedy = (
            "Compare it with what the host's administrator says; if it is the same, run this again"
            f" with --accept-key {error.params['sha256']}"
        )
    elif error.code is ErrorCode.PASSWORD_NEEDED and error.params.get("what") != "passphrase":
        remedy = "Run this in a terminal, or give the password with --password-stdin."
    return HostError(error.code, error.params, cause=cause, remedy=remedy, details=error.details)


def _somebody_is_there() -> bool:
    # There is no stdin at all when it was closed before the start.
    return sys.stdin is not None and sys.stdin.isatty()


def _password_from_stdin() -> str:
    try:
        line = sys.stdin.buffer.readline().decode("utf-8") if sys.stdin is not None else ""
    except UnicodeDecodeError as error:
        msg = "--password-stdin: what came is not UTF-8 text."
        raise click.UsageError(msg) from error
    password = line.rstrip("\r\n")
    if not password:
        msg = "--password-stdin: no password came on standard input."
        raise click.UsageError(msg)
    return password


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let the first Ctrl-C end a question: the loop's own handler would wait for the answer."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
