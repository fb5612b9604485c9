"""Documents of ``deploy ps logs stop restart rollback tunnel`` and ``watch``."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from app.core.deployment.spec import DeploymentSpec
from app.core.documents.actuals import StartEntry
from app.core.documents.failure import ErrorBody, error_body
from app.core.documents.findings import FindingEntry, finding_entry
from app.core.events import DeploymentSnapshot, PhaseProgress


@dataclass(frozen=True, slots=True, kw_only=True)
class DeploymentEntry:
    """One deployment as ``ps`` shows it."""

    ref: str
    host: str
    name: str
    state: str
    engine: str
    engine_version: str
    model: str
    image: str
    deployment_revision: int
    host_port: int | None
    container_id: str | None
    started_at: str | None
    verified: bool
    verified_text: str
    restart_count: int
    exit_code: int | None
    simulated: bool
    phases: tuple[PhaseProgress, ...]
    error: ErrorBody | None
    primary: str | None = None
    """Cause of its failure, where its log told one."""
    findings: tuple[FindingEntry, ...] = ()
    collect: tuple[str, ...] = ()
    """What to get next when the cause is not in its log."""
    start: StartEntry | None = None
    """Its last start: predicted against actual; ``null`` when none was seen from here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PsDocument:
    """Deployments of one or all hosts; hosts that could not be asked stand in ``unreachable``."""

    schema: Literal["pitwall.ps/1"] = "pitwall.ps/1"
    deployments: tuple[DeploymentEntry, ...]
    unreachable: Mapping[str, ErrorBody] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True, kw_only=True)
class DeployLine:
    """One line of ``deploy``: ``changed`` while it goes on, then exactly one ``done``."""

    schema: Literal["pitwall.deploy/1"] = "pitwall.deploy/1"
    event: Literal["changed", "done"]
    deployment: DeploymentEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class DeployPreviewDocument:
    """``deploy --dry-run``: what would be created; nothing was changed."""

    schema: Literal["pitwall.deploy/1"] = "pitwall.deploy/1"
    event: Literal["preview"] = "preview"
    spec: DeploymentSpec
    docker_run: str
    compose: str = ""
    """The same container as a compose file; empty unless it was asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLineDocument:
    """One line of ``logs``."""

    schema: Literal["pitwall.logs/1"] = "pitwall.logs/1"
    at: str | None
    level: str | None
    source: str | None
    rank: int | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StopDocument:
    """The deployment after it was stopped, or ``removed``."""

    schema: Literal["pitwall.stop/1"] = "pitwall.stop/1"
    ref: str
    removed: bool
    deployment: DeploymentEntry | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RestartDocument:
    """The deployment after it was stopped and started."""

    schema: Literal["pitwall.restart/1"] = "pitwall.restart/1"
    ref: str
    deployment: DeploymentEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class RollbackDocument:
    """The deployment with another revision in force."""

    schema: Literal["pitwall.rollback/1"] = "pitwall.rollback/1"
    ref: str
    revision_before: int
    """The one that was in force; its container stays, stopped."""
    deployment: DeploymentEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class TunnelDocument:
    """Where the engine answers on this desktop while the command runs."""

    schema: Literal["pitwall.tunnel/1"] = "pitwall.tunnel/1"
    ref: str
    url: str
    local_port: int
    api_base: str
    """Base URL for clients of the OpenAI API; ends in ``/v1``."""
    model: str
    needs_api_key: bool
    api_key: str | None
    """Only with ``--show-key``; also ``null`` when the engine wants none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchLine:
    """One sample; a value that is not known is ``null``, its reason stands in ``not_exposed``."""

    schema: Literal["pitwall.watch/1"] = "pitwall.watch/1"
    at: str
    host: str
    deployment: str | None
    gpus: tuple[Mapping[str, float | None], ...]
    engine: Mapping[str, float | None]
    not_exposed: Mapping[str, str]
    simulated: bool


def deployment_entry(
    snapshot: DeploymentSnapshot, start: StartEntry | None = None
) -> DeploymentEntry:
    """Return what is printed of a deployment."""
    error, diagnosis = snapshot.error, snapshot.diagnosis
    primary = diagnosis.primary if diagnosis is not None else None
    return DeploymentEntry(
        ref=snapshot.ref,
        host=snapshot.host_name,
        name=snapshot.name,
        state=snapshot.state.value,
        engine=snapshot.engine,
        engine_version=snapshot.engine_version,
        model=snapshot.model_name,
        image=snapshot.image,
        deployment_revision=snapshot.deployment_revision,
        host_port=snapshot.host_port,
        container_id=snapshot.container_id,
        started_at=snapshot.started_at,
        verified=snapshot.verified,
        verified_text=snapshot.verified_text,
        restart_count=snapshot.restart_count,
        exit_code=snapshot.exit_code,
        simulated=snapshot.simulated,
        phases=snapshot.phases,
        error=None if error is None else error_body(error),
        primary=None if primary is None else primary.cause,
        findings=tuple(finding_entry(finding) for finding in snapshot.findings),
        collect=tuple(text.en for text in diagnosis.collect) if diagnosis is not None else (),
        start=start,
    )
