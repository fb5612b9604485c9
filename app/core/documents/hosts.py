"""Documents of ``pitwall hosts``."""

from dataclasses import dataclass
from typing import Literal

from app.core.events import HostSnapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class HostEntry:
    """One host as the list shows it."""

    id: str
    name: str
    kind: str
    address: str
    port: int
    user: str
    auth: str
    state: str
    latency_s: float | None
    gpus: str | None
    driver: str | None
    containers: str | None
    last_seen_at: str | None
    simulated: bool
    thought_of: bool
    """Made from the GPU catalogue: there is no such machine."""
    group: str
    notes: str
    keeps_secrets: bool
    """Its password or passphrase is in the system's keyring."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostsDocument:
    """All hosts, or the one that was added or tested."""

    schema: Literal["pitwall.hosts/1"] = "pitwall.hosts/1"
    hosts: tuple[HostEntry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HostRemovedDocument:
    """A host was taken off the list; nothing on it was changed."""

    schema: Literal["pitwall.hosts/1"] = "pitwall.hosts/1"
    removed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RemarkEntry:
    """Something worth knowing before a host is taken over."""

    code: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SshConfigEntry:
    """One name of an SSH configuration."""

    alias: str
    host: str
    port: int
    user: str
    identity_files: tuple[str, ...]
    proxy: str
    can_connect: bool
    """False when Pitwall cannot reach it the way the configuration says."""
    known_as: str
    """The host on the list that leads there already."""
    added: bool
    remarks: tuple[RemarkEntry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SshConfigDocument:
    """What an SSH configuration offers and what of it was added."""

    schema: Literal["pitwall.hosts/1"] = "pitwall.hosts/1"
    file: str
    by_openssh: bool
    match_exec: tuple[str, ...]
    entries: tuple[SshConfigEntry, ...]
    hosts: tuple[HostEntry, ...]
    """The hosts that were added; none on a dry run."""


def host_entry(snapshot: HostSnapshot) -> HostEntry:
    """Return what the list prints of a host; what is not known yet stays ``None``."""
    settings, summary = snapshot.settings, snapshot.summary
    thought_of = summary is not None and summary.is_thought_of
    return HostEntry(
        id=settings.id,
        name=settings.name,
        kind=settings.kind.value,
        address=settings.address,
        port=settings.port,
        user=settings.user,
        auth=settings.auth.value,
        state=snapshot.state.value,
        latency_s=snapshot.latency_s,
        gpus=summary.gpu_text if summary else None,
        driver=summary.driver_version if summary else None,
        containers=summary.container_text if summary else None,
        last_seen_at=None if thought_of else snapshot.last_seen_at,
        simulated=settings.kind.value == "demo" or (summary is not None and summary.simulated),
        thought_of=thought_of,
        group=settings.group,
        notes=settings.notes,
        keeps_secrets=settings.keeps_secrets,
    )
