"""Find out why an engine ended: its log, how its container ended, host, plan and kernel log."""

import logging
import re
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from app.core.diagnosis.context import DiagnosisContext
from app.core.diagnosis.finding import Diagnosis
from app.core.diagnosis.log_diagnosis import LogDiagnosis
from app.core.errors import AppError, ErrorCode
from app.core.logs.reader import LogReader
from app.core.logs.telling import TellingLines
from app.io.containers import ContainerEngine, ContainerInfo
from app.services.deploying import errors
from app.services.deploying.book import Deployment
from app.services.deploying.parts import DeployParts
from app.services.deploying.refusals import diagnose_refusal
from app.services.streams import ended

_log = logging.getLogger(__name__)

TAIL_LINES: Final = 5000
"""How much of a log is read for its last words and its cause."""
KERNEL_S: Final = 5.0
KERNEL_LINES: Final = 60

_KERNEL_WORDS: Final = re.compile(
    r"NVRM|Xid|nvidia|[Oo]ut of memory|oom[-_]kill|Killed process|segfault|general protection|trap"
)
_BEFORE: Final = timedelta(seconds=10)
_AFTER: Final = timedelta(seconds=30)
_KILLED: Final = frozenset({132, 134, 135, 136, 137, 139})
"""Exit codes of processes that a signal ended: the kernel may have said why."""


class Inquest:
    """Reads what is left of an engine; never fails because something cannot be read."""

    def __init__(self, parts: DeployParts) -> None:
        self._parts = parts

    async def prepare(self) -> None:
        """Read the rules before an engine starts: its first lines wait for nobody."""
        try:
            await self._parts.diagnoser.begin()
        except AppError as exc:
            _log.warning("Logs cannot be diagnosed: %s", exc)

    async def begin(self, deployment: Deployment) -> LogDiagnosis | None:
        """Return what a followed log is fed into; ``None`` when the rules are broken."""
        try:
            return await self._parts.diagnoser.begin(await self.context(deployment))
        except AppError as exc:
            _log.warning("Logs cannot be diagnosed: %s", exc)
            return None

    async def context(
        self, deployment: Deployment, info: ContainerInfo | None = None
    ) -> DiagnosisContext:
        """Return what is known beside the log."""
        context = DiagnosisContext(
            engine=deployment.engine or None,
            engine_version=deployment.engine_version or None,
            fingerprint=await self._parts.hosts.fingerprint(deployment.host_id),
            spec=deployment.spec,
        )
        if info is None:
            return context
        return replace(
            context,
            exit_code=info.exit_code if info.status != "running" else None,
            oom_killed=info.oom_killed,
            restart_count=info.restart_count,
            kernel_log=await self._kernel_log(deployment, info),
        )

    async def conclude(
        self, deployment: Deployment, diagnosis: LogDiagnosis | None, info: ContainerInfo | None
    ) -> Diagnosis | None:
        """Return what a followed log says, now that its container has ended."""
        if diagnosis is None:
            return None
        diagnosis.context = await self.context(deployment, info)
        return diagnosis.result()

    async def of_container(
        self,
        deployment: Deployment,
        containers: ContainerEngine,
        info: ContainerInfo,
    ) -> tuple[tuple[str, ...], Diagnosis | None]:
        """Read a container's log for the lines that tell why, and for its cause.

        Raises:
            HostError: when the host is lost meanwhile.
        """
        telling, diagnosis = TellingLines(), await self.begin(deployment)
        try:
            await _read(containers, info.id, telling, diagnosis, tail=TAIL_LINES)
        except AppError as exc:
            if exc.code in errors.LOST:
                raise
            _log.info("A log cannot be read: %s", exc)
        return telling.lines, await self.conclude(deployment, diagnosis, info)

    async def whole_log(
        self, deployment: Deployment, containers: ContainerEngine, info: ContainerInfo
    ) -> Diagnosis:
        """Read all of a container's log because somebody asks why.

        Raises:
            DockerError, HostError: when it cannot be read.
            DataFileError: DATA_FILE_BROKEN.
        """
        diagnosis = await self._parts.diagnoser.begin(await self.context(deployment, info))
        await _read(containers, info.id, TellingLines(), diagnosis, tail=None)
        return diagnosis.result()

    async def of_refusal(self, deployment: Deployment, error: AppError) -> Diagnosis | None:
        """Return the cause behind a step that was refused, where it is known."""
        try:
            diagnosis = await self._parts.diagnoser.text(
                f"{error.cause}\n{error.details}", await self.context(deployment)
            )
        except AppError as exc:
            _log.warning("A refusal cannot be diagnosed: %s", exc)
            return None
        if diagnosis.primary is None:
            return diagnose_refusal(error.info, self._parts.diagnoser.causes)
        # It is no log: its lines have no numbers that lead anywhere.
        findings = tuple(
            replace(f, evidence=tuple(replace(e, line=0) for e in f.evidence))
            for f in diagnosis.findings
        )
        return replace(diagnosis, primary=findings[0], findings=findings, lines_read=0)

    async def _kernel_log(self, deployment: Deployment, info: ContainerInfo) -> tuple[str, ...]:
        """Return what the kernel said while the engine ended; nothing where it may not be read."""
        if not (info.oom_killed or info.exit_code in _KILLED):
            return ()
        try:
            transport = self._parts.hosts.transport(deployment.host_id)
            result = await transport.run(["dmesg", "--time-format", "iso"], timeout_s=KERNEL_S)
        except AppError as exc:
            if exc.code in errors.LOST or exc.code is ErrorCode.CANCELLED:
                raise
            _log.info("The kernel's log cannot be read: %s", exc)
            return ()
        if result.exit_code != 0:
            return ()
        text = result.stdout.decode("utf-8", "replace")
        return kernel_lines(text, info.started_at, info.finished_at)


async def _read(
    containers: ContainerEngine,
    container: str,
    telling: TellingLines,
    diagnosis: LogDiagnosis | None,
    *,
    tail: int | None,
) -> None:
    reader = LogReader()
    async with ended(containers.logs(container, follow=False, tail=tail)) as chunks:
        async for chunk in chunks:
            line = reader.feed_line(chunk.text, at=chunk.at)
            telling.feed(line)
            if diagnosis is not None:
                diagnosis.feed_line(line)


def kernel_lines(text: str, started_at: str, finished_at: str) -> tuple[str, ...]:
    """Return the lines of ``dmesg --time-format iso`` that tell of the time of one run."""
    start, end = _moment(started_at), _moment(finished_at)
    found = []
    for line in text.splitlines():
        moment = _moment(line.split(" ", 1)[0].replace(",", "."))
        if moment is None or not _KERNEL_WORDS.search(line):
            continue
        if start is not None and moment < start - _BEFORE:
            continue
        if end is None or end.year < 1971 or moment <= end + _AFTER:
            found.append(line)
    return tuple(found[-KERNEL_LINES:])


def _moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(re.sub(r"(\.\d{6})\d*", r"\1", text))
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else None
