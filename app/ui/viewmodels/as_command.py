"""What the window does, as commands of the command line: quoted for a shell, without secrets.

Pure: nothing is asked, and nothing that a keyring or the memory holds is ever in it.
"""

import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from app.core.events import AuthMethod, HostKind, HostSettings, HostSnapshot

_DEFAULT_SSH_PORT: Final = 22


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandLine:
    """One command."""

    argv: tuple[str, ...]
    """Words after ``pitwall``."""

    @property
    def text(self) -> str:
        """The command as it is pasted into a shell."""
        return shlex.join(("pitwall", *self.argv))


def command(*words: str) -> CommandLine:
    """Return a command from its words; empty ones are left out."""
    return CommandLine(argv=tuple(word for word in words if word))


def parsed(text: str) -> CommandLine:
    """Return a command that another part of the window wrote as text."""
    return CommandLine(argv=tuple(shlex.split(text)[1:]))


def add_host(settings: HostSettings) -> CommandLine | None:
    """Return what adds a host again; ``None`` for a record, whose file is not known any more."""
    words = ["hosts", "add", settings.name]
    match settings.kind:
        case HostKind.SSH:
            words += ["--ssh", _ssh_target(settings)]
        case HostKind.LOCAL:
            words.append("--local")
        case HostKind.DEMO:
            words.append("--demo")
        case _:
            return None
    if settings.key_file:
        words += ["--key", settings.key_file]
    if settings.auth is AuthMethod.PASSWORD:
        words.append("--password")
    for option, value in (
        ("--docker-socket", settings.docker_socket),
        ("--group", settings.group),
        ("--notes", settings.notes),
    ):
        words += [option, value] if value else []
    return CommandLine(argv=tuple(words))


def host_commands(host: HostSnapshot) -> tuple[CommandLine, ...]:
    """Return what can be done with a host."""
    name = host.settings.name
    add = add_host(host.settings)
    asked = () if host.is_record else (command("hosts", "test", name), command("ps", name))
    return (
        *((add,) if add is not None else ()),
        *asked,
        command("fingerprint", name),
        command("check", name),
    )


def deployment_commands(ref: str) -> tuple[CommandLine, ...]:
    """Return what can be done with the deployment ``HOST/NAME``."""
    return (
        command("logs", ref, "--follow"),
        command("watch", ref),
        command("tunnel", ref, "--show-key"),
        command("diagnose", ref),
        command("diagnose", ref, "--slow"),
        command("restart", ref),
        command("stop", ref),
        command("stop", ref, "--remove"),
        command("report", "bundle", ref),
    )


def deploy_command(profile: str, host: str, name: str) -> tuple[CommandLine, ...]:
    """Return what puts a saved profile onto a host: first shown, then done."""
    words = ("deploy", profile, "--host", host, *(("--name", name) if name else ()))
    return command(*words, "--dry-run"), command(*words)


def diff_command(sides: Iterable[str], *, only_behaviour: bool = False) -> CommandLine:
    """Return what compares two sides: hosts, ``HOST@DATE``, ``HOST/NAME`` or files."""
    return command("diff", *sides, "--only-behaviour" if only_behaviour else "")


def _ssh_target(settings: HostSettings) -> str:
    address = f"[{settings.address}]" if ":" in settings.address else settings.address
    target = f"{settings.user}@{address}" if settings.user else address
    return target if settings.port == _DEFAULT_SSH_PORT else f"{target}:{settings.port}"
