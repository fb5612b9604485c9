"""Support bundles: gather everything about one deployment, redact it, write one archive."""

import asyncio
import getpass
import logging
import platform
import sys
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Final, Protocol

from app.core.bundle.content import Bundle, Missing, Source, compose
from app.core.bundle.kinds import RedactionKind
from app.core.bundle.redact import Redactor
from app.core.bundle.secrets import KnownValue
from app.core.deployment.spec import DeploymentSpec
from app.core.diagnosis.finding import Diagnosis
from app.core.documents.diagnose import diagnose_document
from app.core.documents.encode import Plain, to_plain
from app.core.documents.findings import diagnosis_text
from app.core.documents.operate import deployment_entry
from app.core.errors import AppError
from app.core.events import DeploymentSnapshot, HostSettings, HostSnapshot
from app.core.hardware.fingerprint import Fingerprint
from app.core.ids import HostId
from app.core.logs.clean import clean
from app.core.metrics.rings import Series
from app.core.metrics.vocabulary import SeriesKey
from app.core.planning.changes import host_model_path
from app.core.texts import Text
from app.io.bundle_archive import write_zip
from app.io.store.journal import JournalEntry
from app.services.activities import Activities
from app.services.clock import Clock, utc_text
from app.services.deploying.records import Particulars
from app.services.deployments import DeploymentService
from app.services.diagnosis import DiagnosisService

_log = logging.getLogger(__name__)

HEAD_LINES: Final = 2_000
TAIL_LINES: Final = 10_000
"""A log that is longer keeps its beginning, where the engine says its settings, and its end."""
WINDOW_S: Final = 900.0


class Hosts(Protocol):
    """The part of the hosts service that is used here."""

    def find(self, name_or_id: str) -> HostSnapshot:
        """Return a host."""

    def snapshot(self) -> tuple[HostSnapshot, ...]:
        """Return all hosts."""

    async def fingerprint(self, host_id: HostId) -> Fingerprint | None:
        """Return the newest fingerprint."""


class Metrics(Protocol):
    """The part of the metrics service that is used here."""

    def keys(self, host_id: HostId, deployment: str | None = None) -> tuple[SeriesKey, ...]:
        """Return the series there are."""

    def series(self, key: SeriesKey) -> Series:
        """Return a copy of one series."""


class Journal(Protocol):
    """Where operations were noted."""

    async def entries(
        self, host_id: HostId, name: str | None = None, *, limit: int = 100
    ) -> tuple[JournalEntry, ...]:
        """Return entries, newest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleParts:
    """Everything from outside."""

    hosts: Hosts
    deployments: DeploymentService
    diagnosis: DiagnosisService
    metrics: Callable[[], Metrics | None]
    """The metrics service if it was used at all: a bundle does not begin to sample."""
    journal: Journal
    secrets: Callable[[], tuple[str, ...]]
    """Passwords and passphrases that are in memory."""
    clock: Clock
    activities: Activities


@dataclass(slots=True)
class _Gathered:
    sources: list[Source] = field(default_factory=list)
    missing: list[Missing] = field(default_factory=list)

    def add(self, path: str, en: str, zh: str, *, text: str = "", document: Plain = None) -> None:
        self.sources.append(
            Source(path=path, title=Text(en=en, zh_CN=zh), text=text, document=document)
        )

    def miss(self, path: str, en: str, zh: str) -> None:
        self.missing.append(Missing(path=path, reason=Text(en=en, zh_CN=zh)))


class BundleService:
    """Makes bundles; what a host cannot tell any more is named as missing."""

    def __init__(self, parts: BundleParts) -> None:
        self._parts = parts

    async def make(self, ref: str, *, redact: bool = True) -> Bundle:
        """Gather a deployment's bundle; nothing is written.

        Raises:
            UserInputError: NOT_FOUND.
        """
        found = self._parts.deployments.find(ref)
        async with self._parts.activities.run("bundle", ref):
            gathered = _Gathered()
            particulars = await self._container(found, gathered)
            await self._findings(found, gathered)
            await self._log_file(found, gathered)
            fingerprint = await self._host(found, gathered)
            self._metrics(found, gathered)
            await self._journal(found, gathered)
            gathered.add(
                "versions.json", "Versions on this computer", "本机软件版本", document=_versions()
            )
            redactor = self._redactor(found, particulars, fingerprint) if redact else None
            now = utc_text(self._parts.clock.now_s())
            return await asyncio.to_thread(
                lambda: compose(
                    gathered.sources,
                    redactor=redactor,
                    made_at=now,
                    version=version("pitwall-desk"),
                    missing=gathered.missing,
                )
            )

    async def save(self, bundle: Bundle, path: Path) -> Path:
        """Write a bundle as one zip file, whole or not at all.

        Raises:
            StoreError: FILE_UNWRITABLE, STORE_FULL.
        """
        files = [(file.path, file.content) for file in bundle.files]
        await asyncio.to_thread(write_zip, path, files)
        return path

    # Gathering

    async def _container(self, found: DeploymentSnapshot, to: _Gathered) -> Particulars:
        particulars = Particulars(spec=None, actuals=())
        try:
            particulars = await self._parts.deployments.records.particulars(
                found.host_id, found.name
            )
        except AppError as exc:
            to.miss(
                "container.json", f"The container cannot be asked: {exc.cause}", "无法查询容器。"
            )
            spec = self._parts.deployments.records.spec(found.host_id, found.name)
            particulars = Particulars(spec=spec, actuals=())
        to.add(
            "deployment.json",
            "The deployment, its state and phases",
            "部署、状态与启动阶段",
            document=to_plain(deployment_entry(found)),
        )
        if particulars.spec is not None:
            to.add(
                "plan.json",
                "What was created from the plan",
                "按方案创建的内容",
                document=to_plain(particulars.spec),
            )
        else:
            to.miss(
                "plan.json", "It was deployed from another computer.", "该部署由另一台电脑创建。"
            )
        if particulars.actuals:
            to.add(
                "reported.json",
                "What the engine said that it took",
                "引擎报告的实际用量",
                document=to_plain(particulars.actuals),
            )
        if particulars.inspect:
            to.add(
                "container.json",
                "The container as its engine describes it",
                "容器引擎给出的容器信息",
                document=to_plain(particulars.inspect),
            )
        return particulars

    async def _findings(self, found: DeploymentSnapshot, to: _Gathered) -> None:
        diagnosis: Diagnosis | None = found.diagnosis
        try:
            diagnosis = await self._parts.diagnosis.deployment(found.host_id, found.name)
        except AppError as exc:
            _log.info("The log of a bundle cannot be diagnosed: %s", exc)
        if diagnosis is None:
            to.miss("findings.json", "Its log could not be read.", "无法读取其日志。")
            return
        to.add(
            "findings.json",
            "Findings",
            "诊断结果",
            document=to_plain(diagnose_document(diagnosis, "en")),
        )
        text = f"{diagnosis_text(diagnosis)}\n\n{diagnosis_text(diagnosis, 'zh_CN')}\n"
        to.add("findings.txt", "Findings in words", "诊断结果（文字）", text=text)

    async def _log_file(self, found: DeploymentSnapshot, to: _Gathered) -> None:
        head: list[str] = []
        tail: deque[str] = deque(maxlen=TAIL_LINES)
        count = 0
        try:
            async for line in self._parts.deployments.logs(found.host_id, found.name):
                text = f"{line.at} {clean(line.raw)}" if line.at else clean(line.raw)
                count += 1
                if len(head) < HEAD_LINES:
                    head.append(text)
                else:
                    tail.append(text)
        except AppError as exc:
            to.miss("log.txt", f"The log cannot be read: {exc.cause}", "无法读取日志。")
            if not count:
                return
        left_out = count - len(head) - len(tail)
        middle = [f"[… {left_out:,} lines left out …]"] if left_out else []
        to.add(
            "log.txt",
            "The engine's log",
            "引擎日志",
            text="\n".join([*head, *middle, *tail, ""]),
        )

    async def _host(self, found: DeploymentSnapshot, to: _Gathered) -> Fingerprint | None:
        fingerprint = await self._parts.hosts.fingerprint(found.host_id)
        if fingerprint is None:
            to.miss("fingerprint.json", "None was taken of this host.", "尚未采集该主机的指纹。")
        else:
            to.add(
                "fingerprint.json",
                "Facts of the host, with what its tools printed",
                "主机信息及工具原始输出",
                document=to_plain(fingerprint),
            )
        return fingerprint

    def _metrics(self, found: DeploymentSnapshot, to: _Gathered) -> None:
        metrics = self._parts.metrics()
        keys = metrics.keys(found.host_id, found.name) if metrics is not None else ()
        if metrics is None or not keys:
            to.miss(
                "metrics.csv",
                "The host's metrics were not watched in this session.",
                "本次会话未监控该主机的指标。",
            )
            return
        series = {_label(key): metrics.series(key) for key in keys}
        to.add(
            "metrics.csv",
            "Metrics of the last 15 minutes",
            "最近 15 分钟的指标",
            text=metrics_csv(series, since_s=self._parts.clock.now_s() - WINDOW_S),
        )

    async def _journal(self, found: DeploymentSnapshot, to: _Gathered) -> None:
        try:
            entries = await self._parts.journal.entries(found.host_id, found.name, limit=20)
        except AppError as exc:
            to.miss("journal.json", f"It cannot be read: {exc.cause}", "无法读取操作记录。")
            return
        to.add(
            "journal.json",
            "Operations of this computer on the deployment",
            "本机对该部署执行过的操作",
            document=to_plain(entries),
        )

    # Redacting

    def _redactor(
        self,
        found: DeploymentSnapshot,
        particulars: Particulars,
        fingerprint: Fingerprint | None,
    ) -> Redactor:
        secrets = (*particulars.secrets, *self._parts.secrets())
        known = [KnownValue(value=secret, kind=RedactionKind.SECRET.value) for secret in secrets]
        redactor = Redactor(known, kept_paths=_inside(particulars.spec))
        for snapshot in self._parts.hosts.snapshot():
            _note_host(redactor, snapshot.settings)
        if fingerprint is not None:
            redactor.note(fingerprint.machine.hostname or "", RedactionKind.HOST)
            redactor.note(fingerprint.machine.user or "", RedactionKind.USER)
            redactor.note(fingerprint.host_name or "", RedactionKind.HOST)
        redactor.note(found.host_name, RedactionKind.HOST)
        redactor.note(platform.node(), RedactionKind.HOST)
        redactor.note(_own_name(), RedactionKind.USER)
        return redactor


def _note_host(redactor: Redactor, settings: HostSettings) -> None:
    redactor.note(settings.name, RedactionKind.HOST)
    if not settings.address.replace(".", "").isdigit() and ":" not in settings.address:
        redactor.note(settings.address, RedactionKind.HOST)
    redactor.note(settings.user, RedactionKind.USER)


def _own_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return ""


def _inside(spec: DeploymentSpec | None) -> tuple[str, ...]:
    """Return paths inside the container: they are Pitwall's own choice and name nobody."""
    if spec is None:
        return ()
    private = host_model_path(spec)
    return tuple(mount.target for mount in spec.container.mounts if mount.target != private)


def metrics_csv(series: Mapping[str, Series], *, since_s: float) -> str:
    """Return series side by side, one line a second; what is not known stays empty."""
    names = sorted(series)
    rows: dict[int, dict[str, float]] = {}
    for name in names:
        for at_s, value in zip(series[name].times_s, series[name].values, strict=True):
            if at_s >= since_s and value == value:  # noqa: PLR0124 - only NaN differs from itself
                rows.setdefault(round(at_s), {})[name] = value
    lines = [",".join(["at", *names])]
    for at, values in sorted(rows.items()):
        cells = (f"{values[name]:g}" if name in values else "" for name in names)
        lines.append(",".join([utc_text(at), *cells]))
    return "\n".join([*lines, ""])


def _label(key: SeriesKey) -> str:
    gpu = "" if key.gpu_index is None else f"GPU{key.gpu_index}"
    return " ".join(part for part in (key.metric.value, gpu) if part)


def _versions() -> Plain:
    return {
        "pitwall": version("pitwall-desk"),
        "python": sys.version.split()[0],
        "system": platform.system(),
        "release": platform.release(),
        "machine": platform.machine(),
    }
