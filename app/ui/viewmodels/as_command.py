"""What the window does, as commands of the command line: quoted for a shell, without secrets.

Pure: nothing is asked, and nothing that a keyring or the memory holds is ever in it.
"""

import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from app.core.events import AuthMethod, HostKind, HostSettings, HostSnapshot
from app.core.planning.plan import Goal
from app.core.units import KIB

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
        command("stop", ref),
        command("stop", ref, "--remove"),
        command("report", "bundle", ref),
    )


def plan_command(host: HostSnapshot, model_path: str, goal: Goal) -> CommandLine:
    """Return what makes a plan for a model of a host."""
    words = ["plan", "--host", host.settings.name, "--model", model_path, "--goal", goal.kind.value]
    for option, value in (
        ("--ttft", _seconds(goal.ttft_s)),
        ("--itl", _seconds(goal.itl_s)),
        ("--concurrency", _count(goal.concurrency)),
        ("--context", _count(goal.context_tokens)),
        ("--engine", goal.engine or ""),
        ("--engine-version", goal.engine_version or ""),
        ("--port", _count(goal.port)),
    ):
        words += [option, value] if value else []
    return command(*words, "--cpu" if goal.cpu_only else "")


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


def _seconds(value: float | None) -> str:
    return "" if value is None else f"{value * 1000:g}ms"


def _count(value: int | None) -> str:
    """Write a number of tokens as engineers do where nothing is lost: ``32Ki``."""
    if not value:
        return ""
    return f"{value // KIB}Ki" if value >= KIB and value % KIB == 0 else str(value)
