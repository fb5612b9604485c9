"""Planning as a service: plans, estimates, profiles, and profiles resolved on a host.

The thinking is in the core; this service brings data files, fingerprints and models together.
Planning is quick, yet runs on a worker thread so that the loop never waits for it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Protocol

from app.core.deployment.spec import ContainerSpec, DeploymentSpec, Profile
from app.core.diagnosis.finding import PlanChange
from app.core.engines.build import two_step_job, two_step_text
from app.core.engines.compose import compose_text
from app.core.engines.docker_run import docker_run_text
from app.core.engines.flags import FlagFinding, check_flags, read_flags
from app.core.engines.foreign import name_owners
from app.core.engines.mounts import deployment_slug
from app.core.engines.spec import EngineData
from app.core.errors import AppError, ErrorCode, PlanError, UserInputError
from app.core.hardware.catalogue import GpuCatalogue
from app.core.hardware.fingerprint import Fingerprint
from app.core.ids import HostId, check_deployment_name
from app.core.models.architecture import ModelInfo
from app.core.models.calibration import Calibration
from app.core.models.estimate import estimate_memory
from app.core.planning.changes import ChangedPlan, change_profile, profile_of
from app.core.planning.conditions import Constraint
from app.core.planning.evaluate import make_plan
from app.core.planning.plan import Goal, Plan, PlanResult
from app.core.planning.profile import ASK, profile_from_plan
from app.core.planning.resolve import resolve
from app.core.planning.rules import RuleSet
from app.core.planning.sizing import Estimator
from app.core.planning.speeds import SpeedKnowledge, with_speeds
from app.core.speed.measured import MeasuredRun
from app.core.speed.spec import SpeedData
from app.services.estimating import EstimatingService, engine_named
from app.services.goal_check import check_goal


class PlanningData(Protocol):
    """The data files that planning rests on; each property may raise DATA_FILE_BROKEN."""

    @property
    def engines(self) -> Mapping[str, EngineData]:
        """Engines by id."""

    @property
    def rules(self) -> RuleSet:
        """The decision tree."""

    @property
    def catalogue(self) -> GpuCatalogue:
        """GPU products."""

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """The hard limits among them."""

    @property
    def calibration(self) -> Calibration:
        """Measured values of the memory model."""

    @property
    def speed(self) -> SpeedData:
        """Constants of the speed model."""


class Fingerprints(Protocol):
    """Where fingerprints come from (the hosts service)."""

    async def fingerprint(self, host_id: HostId) -> Fingerprint | None:
        """Return the newest stored one."""

    async def take_fingerprint(self, host_id: HostId) -> Fingerprint:
        """Take one now."""


class Models(Protocol):
    """Where models are read (the models service)."""

    async def read(self, host_id: HostId, path: str) -> ModelInfo:
        """Read a model's headers on the host."""


class Corrections(Protocol):
    """What earlier starts taught (`app.services.lessons.Lessons`)."""

    async def load(self) -> None:
        """Read what is new; never fails."""

    def taught(self, alone: Estimator) -> Estimator:
        """Return the memory model with it."""


MeasuredRuns = Callable[[], Awaitable[tuple[MeasuredRun, ...]]]
"""Gives the runs that were measured here."""


class PlanningService:
    """Answer what to run, how, and why."""

    def __init__(
        self,
        *,
        data: PlanningData,
        hosts: Fingerprints,
        models: Models,
        learned: Corrections | None = None,
        runs: MeasuredRuns | None = None,
    ) -> None:
        self._data = data
        self._hosts = hosts
        self._models = models
        self._learned = learned
        self._runs = runs

    async def plan(self, fingerprint: Fingerprint, model: ModelInfo, goal: Goal) -> PlanResult:
        """Return ranked plans, refusals and the tree.

        Raises:
            UserInputError: NOT_FOUND for an engine that does not exist, INVALID_INPUT for what is
                no version of it or no time.
            PlanError: NOT_FOUND for a GPU that was asked for and does not exist.
            DataFileError: DATA_FILE_BROKEN.
        """
        check_goal(goal, self._data.engines)
        await self._load_corrections()
        runs = await self._runs() if self._runs is not None else ()
        return await asyncio.to_thread(self._planned, fingerprint, model, goal, runs)

    def _planned(
        self,
        fingerprint: Fingerprint,
        model: ModelInfo,
        goal: Goal,
        runs: tuple[MeasuredRun, ...],
    ) -> PlanResult:
        result = make_plan(
            fingerprint=fingerprint,
            model=model,
            goal=goal,
            engines=self._data.engines,
            rules=self._data.rules,
            estimator=self._estimator(),
            catalogue=self._data.catalogue,
            runs=runs,
        )
        known = SpeedKnowledge(
            data=self._data.speed,
            catalogue=self._data.catalogue,
            engines=self._data.engines,
            runs=runs,
        )
        return with_speeds(result, fingerprint=fingerprint, model=model, known=known)

    @property
    def estimating(self) -> EstimatingService:
        """Estimates by names and flags, without what this installation learned."""
        return EstimatingService(self._data)

    async def learned_estimator(self) -> Estimator:
        """Return the memory model with its calibration and what this installation learned."""
        await self._load_corrections()
        return self._estimator()

    def check_flags(
        self, engine: str, version: str, words: Sequence[str]
    ) -> tuple[FlagFinding, ...]:
        """Check a user's own flags; an empty answer means that all are fine."""
        data = self._engine(engine)
        given = read_flags(words, data.flags, data.engine, version)
        findings = check_flags(given, data.flags, data.engine, version)
        return name_owners(findings, data, version, self._data.engines)

    def profile(
        self, plan: Plan, *, name: str, model: ModelInfo, goal: Goal | None = None
    ) -> Profile:
        """Return a plan as a profile to save."""
        kind = goal.kind.value if goal is not None else "throughput"
        adapters = goal.adapters if goal is not None else ()
        return profile_from_plan(plan, name=name, model=model, goal=kind, adapters=adapters)

    def docker_run_text(self, container: ContainerSpec) -> str:
        """Return a container as a ``docker run`` line."""
        return docker_run_text(container)

    def two_step_text(self, plan: Plan, model: ModelInfo) -> str:
        """Return the build and the serve step of a plan whose engine is built beforehand.

        Raises:
            PlanError: UNSUPPORTED_COMBINATION where nothing can be built.
        """
        job = two_step_job(
            self._engine(plan.engine),
            plan.version,
            parameters=plan.parameters,
            container=plan.container,
            model=model,
        )
        return two_step_text(job)

    def compose_text(self, container: ContainerSpec) -> str:
        """Return a container as a compose file."""
        return compose_text(container)

    async def resolve(
        self,
        profile: Profile,
        host_id: HostId,
        *,
        name: str | None = None,
        model_path: str | None = None,
        revision: Callable[[str], int] = lambda _name: 1,
        gpu_uuids: tuple[str, ...] = (),
    ) -> DeploymentSpec:
        """Read model and fingerprint of the host, then resolve the profile there.

        Raises:
            PlanError: MODEL_NOT_FOUND without a model, and whatever the host cannot do.
            UserInputError: INVALID_INPUT for the name or the port.
        """
        path = self._model_path(profile, model_path)
        await self._load_corrections()
        model = await self._models.read(host_id, path)
        fingerprint = await self._hosts.fingerprint(host_id)
        if fingerprint is None:
            fingerprint = await self._hosts.take_fingerprint(host_id)
        chosen = name or _default_name(profile, model)
        return self.resolve_with(
            profile,
            fingerprint=fingerprint,
            model=model,
            host_id=host_id,
            name=chosen,
            revision=revision(chosen),
            gpu_uuids=gpu_uuids,
        )

    async def change(
        self,
        spec: DeploymentSpec,
        change: PlanChange,
        *,
        chosen: Mapping[str, str] | None = None,
        revision: Callable[[str], int] = lambda _name: 1,
    ) -> ChangedPlan:
        """Apply a remedy to a deployed plan and resolve it anew on its host.

        Args:
            spec: What is deployed.
            change: The remedy.
            chosen: Values that a person gave, by parameter, instead of the proposed ones.
            revision: Gives the revision of the changed one.

        What the host, the model or the flags do not allow stands in the answer, so that another
        value can be tried.

        Raises:
            UserInputError: INVALID_INPUT for a value that is no size.
            HostError: when the host cannot be asked for the model.
        """
        engine = self._engine(spec.engine)
        profile, values = change_profile(profile_of(spec, engine), change, engine, chosen=chosen)
        uuids = spec.container.gpu_uuids
        try:
            new = await self.resolve(
                profile,
                HostId(spec.host_id),
                name=spec.name,
                model_path=profile.model,
                revision=revision,
                gpu_uuids=uuids[: profile.gpu_count] if profile.gpu_count <= len(uuids) else (),
            )
        except (PlanError, UserInputError) as exc:
            return ChangedPlan(old=spec, new=None, values=values, error=exc.info)
        return ChangedPlan(old=spec, new=new, values=values)

    def resolve_with(
        self,
        profile: Profile,
        *,
        fingerprint: Fingerprint,
        model: ModelInfo,
        host_id: str,
        name: str,
        revision: int,
        gpu_uuids: tuple[str, ...] = (),
    ) -> DeploymentSpec:
        """Resolve with what is already known of host and model.

        Raises:
            PlanError: the host, the model or the flags do not allow it.
            UserInputError: INVALID_INPUT for the name or the port.
        """
        return resolve(
            profile,
            engine=self._engine(profile.engine),
            fingerprint=fingerprint,
            model=model,
            host_id=host_id,
            name=name,
            revision=revision,
            gpu_uuids=gpu_uuids,
            estimator=self._estimator(),
            catalogue=self._data.catalogue,
            others=self._data.engines,
        )

    def _engine(self, engine_id: str) -> EngineData:
        return engine_named(self._data.engines, engine_id)

    async def _load_corrections(self) -> None:
        if self._learned is not None:
            await self._learned.load()

    def _estimator(self) -> Estimator:
        """Return the memory model with its calibration and what this installation learned."""
        alone = partial(estimate_memory, calibration=self._data.calibration)
        return alone if self._learned is None else self._learned.taught(alone)

    def _model_path(self, profile: Profile, model_path: str | None) -> str:
        path = model_path or profile.model
        if path == ASK or not path.startswith("/"):
            raise PlanError(
                ErrorCode.MODEL_NOT_FOUND,
                {"model": path},
                cause="The profile leaves the model open."
                if path == ASK
                else f"Where “{path}” is on the host is not known.",
                remedy="Name the model's folder or GGUF file on the host (--model /path).",
            )
        return path


def _default_name(profile: Profile, model: ModelInfo) -> str:
    try:
        return check_deployment_name(profile.name)
    except AppError:
        return deployment_slug(model)
