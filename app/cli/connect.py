"""Reaching a host from the command line: first contact and passwords are asked on the terminal."""

import sys
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
        """Read the password now when it comes on stdin."""
        password = sys.stdin.readline().rstrip("\r\n") if password_stdin else None
        return cls(accept_key=accept_key, password=password)


async def reach(application: "Application", name: str, answers: Answers) -> HostSnapshot:
    """Connect to a host; ask for what is missing when a person sits at the terminal.

    Raises:
        HostError: what connecting raises, when nobody can be asked or the answer was no.
    """
    host = application.hosts.find(name)
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
            elif error.code is ErrorCode.PASSWORD_NEEDED and sys.stdin.isatty():
                secret = click.prompt(_question(error, name), hide_input=True, err=True)
                if error.params.get("what") == "passphrase":
                    passphrase = secret
                else:
                    password = secret
            else:
                raise
    return application.hosts.find(name)


def _may_accept(error: AppError, answers: Answers) -> bool:
    presented = error.params["sha256"]
    if answers.accept_key is not None:
        return answers.accept_key == presented
    if not sys.stdin.isatty():
        return False
    click.echo(f"{error.cause}\n  {error.params.get('key_type', 'key')}  {presented}", err=True)
    return click.confirm("Is this the host's key? Accept it", default=False, err=True)


def _question(error: AppError, name: str) -> str:
    if error.params.get("what") == "passphrase":
        return f"Passphrase of the key for {name}"
    return f"Password for {name}"
