"""Explain failures: a text, a file, standard input, or a deployment with its container."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from app.core.deployment.spec import DeploymentSpec
from app.core.deployment.state import UP
from app.core.diagnosis.context import DiagnosisContext
from app.core.diagnosis.finding import Diagnosis, PlanChange
from app.core.diagnosis.log_diagnosis import LogDiagnosis
from app.core.errors import ErrorCode, PlanError
from app.core.events import DeploymentSnapshot
from app.core.ids import HostId
from app.core.planning.changes import ChangedPlan
from app.services.activities import Activities
from app.services.diagnosing import NO_CONTEXT, Diagnoser, Progress


class Records(Protocol):
    """What is on record of deployments (`app.services.deploying.records.Records`)."""

    def spec(self, host_id: HostId, name: str) -> DeploymentSpec | None:
        """Return what a deployment was created from."""

    async def diagnose(self, host_id: HostId, name: str) -> Diagnosis:
        """Read a deployment's log and container."""


class Deployments(Protocol):
    """The part of the deployments service that is used here."""

    @property
    def records(self) -> Records:
        """What is on record."""

    def next_revision(self, host_id: HostId, name: str) -> int:
        """Return the revision that the next deployment of a name gets."""

    def find(self, ref: str) -> DeploymentSnapshot:
        """Return a deployment."""

    async def api_key(self, host_id: HostId, name: str) -> str | None:
        """Return the key that its clients send."""

    async def stop(self, host_id: HostId, name: str) -> DeploymentSnapshot:
        """Stop it."""

    async def deploy(
        self, spec: DeploymentSpec, *, secrets: Mapping[str, str] | None = None
    ) -> DeploymentSnapshot:
        """Deploy a plan."""


class Planner(Protocol):
    """The part of the planning service that is used here."""

    async def change(
        self,
        spec: DeploymentSpec,
        change: PlanChange,
        *,
        chosen: Mapping[str, str] | None = None,
        revision: Callable[[str], int],
    ) -> ChangedPlan:
        """Apply a remedy to a deployed plan."""


class DiagnosisService:
    """Answers why; reading never holds up the loop, cancelling ends it."""

    def __init__(
        self,
        *,
        diagnoser: Diagnoser,
        deployments: Callable[[], Deployments],
        planner: Callable[[], Planner],
        activities: Activities,
    ) -> None:
        self._diagnoser = diagnoser
        self._deployments = deployments
        self._planner = planner
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
        return await self._deployments().records.diagnose(host_id, name)

    async def changed_plan(
        self,
        host_id: HostId,
        name: str,
        change: PlanChange,
        *,
        chosen: Mapping[str, str] | None = None,
    ) -> ChangedPlan | None:
        """Return a deployed plan with a remedy applied; ``None`` where its plan is not known here.

        Raises:
            UserInputError: INVALID_INPUT for a value that is no size.
            HostError: when the host cannot be asked.
        """
        deployments = self._deployments()
        spec = deployments.records.spec(host_id, name)
        if spec is None:
            return None
        return await self._planner().change(
            spec,
            change,
            chosen=chosen,
            revision=lambda wanted: deployments.next_revision(host_id, wanted),
        )

    async def apply(self, ref: str, plan: ChangedPlan) -> DeploymentSnapshot:
        """Deploy a changed plan as a new revision; what runs is stopped first, its key stays.

        Raises:
            UserInputError: NOT_FOUND.
            AppError: what it failed with.
        """
        if plan.new is None:
            raise _cannot_run(ref, plan)
        deployments = self._deployments()
        before = deployments.find(ref)
        key = None
        if before.container_id is not None:
            key = await deployments.api_key(before.host_id, before.name)
        if before.state in UP:
            await deployments.stop(before.host_id, before.name)
        names = plan.new.container.secret_environment
        secrets = {names[0]: key} if key and len(names) == 1 else None
        return await deployments.deploy(plan.new, secrets=secrets)


def _cannot_run(ref: str, plan: ChangedPlan) -> PlanError:
    error = plan.error
    return PlanError(
        error.code if error is not None else ErrorCode.NO_PLAN,
        error.params if error is not None else None,
        cause=error.cause if error is not None else f"The changed plan of {ref} cannot run.",
        remedy=error.remedy if error is not None else "Change another value.",
    )
