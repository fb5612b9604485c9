"""Take over hosts from an SSH configuration: look first, then add what was chosen."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from app.core.events import HostKind, HostSettings, HostSnapshot
from app.core.ids import HostId
from app.core.ssh_hosts import SshHostEntry
from app.services.host_checks import free_name
from app.services.hosts import HostService


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportChoice:
    """One name of the configuration."""

    entry: SshHostEntry
    known_as: str = ""
    """The host on the list that leads to the same place already."""

    @property
    def is_wanted(self) -> bool:
        """Whether it is chosen to begin with: new, and Pitwall can reach it."""
        return not self.known_as and self.entry.can_connect


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportPreview:
    """What a configuration offers; nothing is taken over yet."""

    file: Path
    choices: tuple[ImportChoice, ...]
    commands: tuple[str, ...] = ()
    """What ``Match exec`` would run; OpenSSH is asked only when that is allowed."""
    by_openssh: bool = False


class HostImportService:
    """Hosts from ``~/.ssh/config`` or another file of its kind."""

    def __init__(self, hosts: HostService) -> None:
        self._hosts = hosts

    async def preview(
        self, file: Path | None = None, *, run_commands: bool = False
    ) -> ImportPreview:
        """Return the hosts of a configuration, resolved; nothing is changed.

        Args:
            file: ``None`` is the user's own configuration.
            run_commands: OpenSSH may run what ``Match exec`` says.

        Raises:
            StoreError: FILE_UNREADABLE.
        """
        from app.io.ssh_config_import import find_ssh_hosts

        found = await find_ssh_hosts(file, run_commands=run_commands)
        known = {_place(s.settings): s.settings.name for s in self._hosts.snapshot()}
        return ImportPreview(
            file=found.file,
            choices=tuple(
                ImportChoice(entry=entry, known_as=known.get(_place(_settings(entry)), ""))
                for entry in found.entries
            ),
            commands=found.commands,
            by_openssh=found.by_openssh,
        )

    async def take(
        self, entries: Iterable[SshHostEntry], *, group: str = ""
    ) -> tuple[HostSnapshot, ...]:
        """Add hosts; a name that is taken gets a number. Nothing is contacted.

        Raises:
            UserInputError: INVALID_INPUT; the hosts before the wrong one are added.
            StoreError: when they cannot be kept.
        """
        added: list[HostSnapshot] = []
        for entry in entries:
            taken = (snapshot.settings.name for snapshot in self._hosts.snapshot())
            settings = replace(_settings(entry), name=free_name(entry.alias, taken), group=group)
            added.append(await self._hosts.add(settings))
        return tuple(added)


def _settings(entry: SshHostEntry) -> HostSettings:
    """Return a host's settings; one behind a proxy keeps its alias, so that connecting says so."""
    return HostSettings(
        id=HostId(""),
        name=entry.alias,
        kind=HostKind.SSH,
        address=entry.alias if entry.proxy else entry.host,
        port=entry.port,
        user=entry.user,
        key_file=entry.key_file or None,
    )


def _place(settings: HostSettings) -> tuple[str, int, str]:
    return settings.address.casefold(), settings.port, settings.user
