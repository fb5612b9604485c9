"""What the wizard asks of the services: plans for a model, what would be created for one."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.core.deployment.spec import DeploymentSpec
from app.core.engines.spec import EngineData
from app.core.events import DeploymentSnapshot
from app.core.hardware.fingerprint import Fingerprint
from app.core.ids import HostId
from app.core.models.architecture import ModelInfo
from app.core.planning.plan import Goal, Plan, PlanResult
from app.ui.viewmodels.plan_flags import FlagReport, judge_flags
from app.ui.viewmodels.plan_inputs import read_inputs
from app.ui.viewmodels.plan_state import PlanState

if TYPE_CHECKING:
    from app.bootstrap import Application


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """Plans with what they rest on."""

    fingerprint: Fingerprint
    result: PlanResult
    engines: Mapping[str, EngineData]
    flag_report: FlagReport | None


async def make_plans(
    app: "Application", host_id: HostId, model: ModelInfo, goal: Goal, flags_engine: str = ""
) -> Planned:
    """Plan for a host; its fingerprint is taken where there is none yet.

    ``flags_engine`` is the engine that the goal's own flags are meant for.
    """
    fingerprint = await app.hosts.fingerprint(host_id)
    if fingerprint is None:
        fingerprint = await app.hosts.take_fingerprint(host_id)
    result = await app.planning.plan(fingerprint, model, goal)
    # Reads data files the first time: not on the loop.
    engines = await asyncio.to_thread(lambda: dict(app.engines))
    report = await asyncio.to_thread(judge_flags, result, engines, goal.engine or flags_engine)
    return Planned(fingerprint=fingerprint, result=result, engines=engines, flag_report=report)


async def resolve_plan(
    app: "Application", state: PlanState, plan: Plan, model: ModelInfo, host_id: HostId
) -> DeploymentSpec:
    """Return what would be created, on the very GPUs of the plan."""
    kept = app.planning.profile(
        plan, name=state.name, model=model, goal=read_inputs(state.inputs)[0]
    )
    await app.deployments.refresh(host_id)
    known = app.deployments.snapshot(host_id)
    return await app.planning.resolve(
        replace(kept, port=read_inputs(state.inputs)[0].port),
        host_id,
        name=state.name,
        model_path=state.model_path,
        revision=lambda name: next_revision(known, name),
        gpu_uuids=plan.parameters.gpu_uuids,
    )


async def preview_profile(
    app: "Application", path: Path, host_id: HostId, model_path: str
) -> DeploymentSpec:
    """Return what a profile would create there."""
    profile = await app.profiles.load(path)
    await app.deployments.refresh(host_id)
    return await app.deployments.preview(profile, host_id, model_path=model_path or None)


def next_revision(known: tuple[DeploymentSnapshot, ...], name: str) -> int:
    """Return the revision that a new deployment of this name gets on its host."""
    for snapshot in known:
        if snapshot.name == name:
            made = snapshot.container_id is not None
            return snapshot.newest_revision + 1 if made else snapshot.deployment_revision
    return 1
