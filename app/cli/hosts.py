"""``pitwall hosts add|list|test|remove|forget-secrets|import-ssh-config``."""

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from app.cli.connect import Answers, reach
from app.cli.context import EXIT_OK, run_command
from app.cli.fingerprint import load
from app.cli.hosts_import import import_ssh_config
from app.cli.options import accept_key_option, json_option, password_option
from app.cli.output import Output, as_started, table
from app.core.documents.hosts import HostEntry, HostRemovedDocument, HostsDocument, host_entry
from app.core.errors import ErrorCode, UserInputError
from app.core.events import AuthMethod, HostKind, HostSettings, HostSnapshot
from app.core.ids import HostId, check_host_name
from app.core.units import format_seconds
from app.services.host_secrets import keyring_unusable

if TYPE_CHECKING:
    from app.bootstrap import Application

_TARGET = re.compile(
    r"(?:(?P<user>[^@\s]+)@)?(?P<host>\[[^\]\s]+\]|[^:\s@]+)(?::(?P<port>\d{1,5}))?"
)


@click.group("hosts")
def hosts_command() -> None:
    """Hosts and their connection settings."""


@hosts_command.command("list")
@click.option("--group", metavar="GROUP", help='Only hosts of this group; "" is those of none.')
@json_option
def list_hosts(*, group: str | None, as_json: bool) -> None:
    """List all hosts."""
    output = Output("hosts", as_json=as_json)

    async def work(application: "Application") -> int:
        snapshots = tuple(
            snapshot
            for snapshot in application.hosts.snapshot()
            if group is None or snapshot.settings.group.casefold() == group.casefold()
        )
        output.document(_document(*snapshots), _text(snapshots))
        return EXIT_OK

    run_command(output, work)


@hosts_command.command("add")
@click.argument("name")
@click.option("--ssh", metavar="[USER@]HOST[:PORT]", help="Reach it over SSH.")
@click.option("--local", is_flag=True, help="It is this computer.")
@click.option("--demo", is_flag=True, help="The demo host: recorded hardware, simulated engine.")
@click.option("--from", "source", metavar="DIR|FILE|-", help="A record of what was sent.")
@click.option("--key", "key_file", type=click.Path(), help="Private key file.")
@click.option("--password", "ask_password", is_flag=True, help="Log in with a password.")
@click.option("--docker-socket", metavar="PATH", help="Socket of the container engine.")
@click.option("--group", default="", help="What it is listed under.")
@click.option("--notes", default="", help="Anything worth remembering.")
@json_option
def add_host(
    *,
    name: str,
    ssh: str | None,
    local: bool,
    demo: bool,
    source: str | None,
    key_file: str | None,
    ask_password: bool,
    docker_socket: str | None,
    group: str,
    notes: str,
    as_json: bool,
) -> None:
    """Add a host named NAME; nothing is contacted yet ("hosts test" does).

    With --from it is a record of what somebody sent: facts, checks and plans work on it.
    """
    output = Output("hosts", as_json=as_json)

    async def work(application: "Application") -> int:
        if source is not None and not (ssh or local or demo):
            fingerprint = await load(application, source)
            record = await application.hosts.add_record(fingerprint, check_host_name(name))
            output.document(_document(record), f"Added {record.settings.name}, a record.")
            return EXIT_OK
        settings = host_settings(
            name, ssh=ssh, local=local, demo=demo, key_file=key_file, ask_password=ask_password,
            docker_socket=docker_socket, notes=notes,
        )  # fmt: skip
        snapshot = await application.hosts.add(replace(settings, group=group.strip()))
        output.document(
            _document(snapshot),
            as_started(
                f"Added {snapshot.settings.name}. Next: pitwall hosts test {snapshot.settings.name}"
            ),
        )
        return EXIT_OK

    run_command(output, work)


@hosts_command.command("test")
@click.argument("name")
@accept_key_option
@password_option
@click.option(
    "--remember", is_flag=True, help="Keep password and passphrase in the system's keyring."
)
@json_option
def test_host(
    *, name: str, accept_key: str | None, password_stdin: bool, remember: bool, as_json: bool
) -> None:
    """Connect to NAME and say how it went; on first contact its key is shown and asked for."""
    output = Output("hosts", as_json=as_json)
    answers = Answers.from_options(accept_key=accept_key, password_stdin=password_stdin)

    async def work(application: "Application") -> int:
        found = application.hosts.find(name)
        if found.is_record:
            await application.hosts.connect(found.settings.id)  # says that it is none to reach
        snapshot = await reach(application, name, answers)
        if remember:
            await _remember(application, snapshot)
            snapshot = application.hosts.find(name)
        latency = "" if snapshot.latency_s is None else f", {format_seconds(snapshot.latency_s)}"
        hint = f"Next: pitwall plan --host {name} --model FOLDER"
        output.document(_document(snapshot), f"{name}: connected{latency}.\n{hint}")
        return EXIT_OK

    run_command(output, work)


@hosts_command.command("remove")
@click.argument("name")
@json_option
def remove_host(*, name: str, as_json: bool) -> None:
    """Take NAME off the list; what runs there goes on."""
    output = Output("hosts", as_json=as_json)

    async def work(application: "Application") -> int:
        snapshot = application.hosts.find(name)
        await application.hosts.remove(snapshot.settings.id)
        output.document(
            HostRemovedDocument(removed=snapshot.settings.name),
            f"Removed {snapshot.settings.name}; what runs there goes on.",
        )
        return EXIT_OK

    run_command(output, work)


@hosts_command.command("forget-secrets")
@click.argument("name")
@json_option
def forget_secrets(*, name: str, as_json: bool) -> None:
    """Take NAME's password and passphrase out of the system's keyring."""
    output = Output("hosts", as_json=as_json)

    async def work(application: "Application") -> int:
        host_id = application.hosts.find(name).settings.id
        await application.hosts.forget_secrets(host_id)
        snapshot = application.hosts.find(host_id)
        text = f"Nothing secret of {snapshot.settings.name} is kept any more."
        output.document(_document(snapshot), text)
        return EXIT_OK

    run_command(output, work)


async def _remember(application: "Application", host: HostSnapshot) -> None:
    """Keep a host's secrets.

    Raises:
        HostError: KEYRING_UNUSABLE; the host is connected all the same.
    """
    state = await application.hosts.keep_secrets(host.settings.id)
    if not state.is_usable:
        raise keyring_unusable(host.settings.name, state)


def host_settings(
    name: str,
    *,
    ssh: str | None,
    local: bool,
    demo: bool,
    key_file: str | None,
    ask_password: bool,
    docker_socket: str | None,
    notes: str,
) -> HostSettings:
    """Turn the options of ``hosts add`` into settings.

    Raises:
        UserInputError: when they contradict each other or the address cannot be read.
    """
    if sum((ssh is not None, local, demo)) != 1:
        raise _refuse(
            "kind",
            "Exactly one of --ssh, --local, --demo and --from is needed.",
            "Say how the host is reached.",
        )
    name = check_host_name(name)
    if ssh is None:
        kind = HostKind.LOCAL if local else HostKind.DEMO
        return HostSettings(
            id=HostId(""), name=name, kind=kind, docker_socket=docker_socket, notes=notes
        )
    target = _TARGET.fullmatch(ssh)
    if target is None or int(target["port"] or 22) > 65535:
        raise _refuse(
            "ssh", f"“{ssh}” is not [USER@]HOST[:PORT].", "For example: root@10.0.0.5 or gpu1:2222."
        )
    auth = AuthMethod.PASSWORD if ask_password else AuthMethod.KEY if key_file else AuthMethod.AUTO
    return HostSettings(
        id=HostId(""),
        name=name,
        kind=HostKind.SSH,
        address=target["host"].strip("[]"),
        port=int(target["port"] or 22),
        user=target["user"] or "",
        auth=auth,
        key_file=key_file,
        docker_socket=docker_socket,
        notes=notes,
    )


def _refuse(field: str, cause: str, remedy: str) -> UserInputError:
    return UserInputError(ErrorCode.INVALID_INPUT, {"field": field}, cause=cause, remedy=remedy)


def _document(*snapshots: HostSnapshot) -> HostsDocument:
    return HostsDocument(hosts=tuple(map(host_entry, snapshots)))


def _text(snapshots: tuple[HostSnapshot, ...]) -> str:
    if not snapshots:
        return as_started("No hosts yet. Try: pitwall hosts add demo --demo")
    grouped = any(snapshot.settings.group for snapshot in snapshots)
    rows = [
        (
            entry.name,
            *((entry.group or "–",) if grouped else ()),
            _where(entry),
            entry.gpus or "–",
            entry.driver or "–",
            entry.containers or "–",
            entry.last_seen_at or ("–" if entry.thought_of else "never"),
        )
        for entry in map(host_entry, snapshots)
    ]
    group = ("GROUP",) if grouped else ()
    return table(("NAME", *group, "WHERE", "GPUS", "DRIVER", "CONTAINERS", "LAST SEEN"), rows)


def _where(entry: HostEntry) -> str:
    if entry.thought_of:
        return "what if"
    if entry.kind != "ssh":
        return entry.kind
    user = f"{entry.user}@" if entry.user else ""
    return f"{user}{entry.address}:{entry.port}"


hosts_command.add_command(import_ssh_config)
