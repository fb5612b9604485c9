"""Explain failures: a text, a file, standard input, or a deployment with its container."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from app.core.diagnosis.context import DiagnosisContext
from app.core.diagnosis.finding import Diagnosis
from app.core.diagnosis.log_diagnosis import LogDiagnosis
from app.core.ids import HostId
from app.services.activities import Activities
from app.services.diagnosing import NO_CONTEXT, Diagnoser, Progress


class Records(Protocol):
    """The part of the deployments service that is used here."""

    async def diagnose(self, host_id: HostId, name: str) -> Diagnosis:
        """Read a deployment's log and container."""


class DiagnosisService:
    """Answers why; reading never holds up the loop, cancelling ends it."""

    def __init__(
        self, *, diagnoser: Diagnoser, records: Callable[[], Records], activities: Activities
    ) -> None:
        self._diagnoser = diagnoser
        self._records = records
        self._activities = activities

    async def begin(self, context: DiagnosisContext = NO_CONTEXT) -> LogDiagnosis:
        """Return a diagnosis for a log that is followed: feed it, ask it again and again.

        Raises:
            DataFileError: DATA_FILE_BROKEN.
        """
        return await self._diagnoser.begin(context)

    async def text(self, text: str, context: DiagnosisContext = NO_CONTEXT) -> Diagnosis:
        """Explain a text.

        Raises:
            DataFileError: DATA_FILE_BROKEN.
        """
        return await self._diagnoser.text(text, context)

    async def file(
        self,
        source: str | Path,
        context: DiagnosisContext = NO_CONTEXT,
        *,
        progress: Progress | None = None,
    ) -> Diagnosis:
        """Explain a file of any size (``-`` is standard input), with progress in the activity bar.

        Raises:
            StoreError: FILE_UNREADABLE.
            DataFileError: DATA_FILE_BROKEN.
        """
        async with self._activities.run("diagnose", Path(source).name) as activity:

            def tell(done: int, total: int | None) -> None:
                activity.report(min(done / total, 1.0) if total else None)
                if progress is not None:
                    progress(done, total)

            return await self._diagnoser.file(source, context, progress=tell)

    async def deployment(self, host_id: HostId, name: str) -> Diagnosis:
        """Explain a deployment by its whole log and how its container ended.

        Raises:
            UserInputError: NOT_FOUND.
            DockerError, HostError: when it cannot be asked.
            DataFileError: DATA_FILE_BROKEN.
        """
        return await self._records().diagnose(host_id, name)
