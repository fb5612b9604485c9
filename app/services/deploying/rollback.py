"""Go back to an earlier revision that is still on the host; what fails to come back gives way.

Both containers stay, so that a rollback is itself taken back by another one.
"""

from collections.abc import Sequence
from typing import Final

from app.core.deployment import happenings as h
from app.core.deployment.state import UP, DeploymentStatus
from app.core.errors import AppError, ErrorCode, UserInputError
from app.core.events import DeploymentSnapshot, DeploymentState
from app.services.deploying import errors
from app.services.deploying.book import Deployment
from app.services.deploying.operations import Operations
from app.services.deploying.parts import DeployParts
from app.services.deploying.revisions import (
    Revision,
    by_name,
    others_of,
    verified_beside,
)
from app.services.deploying.watch import Adoption

_RUNS: Final = UP | {DeploymentState.CRASH_LOOPING}


class Rollback:
    """Puts another revision of a deployment in force."""

    def __init__(self, parts: DeployParts, operations: Operations, adoption: Adoption) -> None:
        self._parts = parts
        self._operations = operations
        self._adoption = adoption

    async def run(self, deployment: Deployment, to: int | None) -> DeploymentSnapshot:
        """Stop what runs, start the other revision, verify it.

        A revision that does not serve again is left, and what ran before is started anew.

        Args:
            deployment: Which; nobody else works on it.
            to: The revision; ``None`` takes the newest earlier one that has served.

        Raises:
            UserInputError: NOT_FOUND when there is no such revision.
            AppError: what it failed with.
        """
        target = _target(deployment, await self._revisions(deployment), to)
        before, kept = deployment.container_id, deployment.revision
        ran = deployment.status.state in _RUNS
        if ran:
            await self._operations.run(deployment, "stop", h.StopRequested())
        try:
            return await self._switch(deployment, target[1].id)
        except AppError as exc:
            if before is None or not ran or exc.code in errors.LOST:
                raise
            failure = exc
        await self._switch(deployment, before)
        raise _told(failure, target[0].revision, kept)

    async def _revisions(self, deployment: Deployment) -> Sequence[Revision]:
        containers = await self._parts.hosts.container_engine(deployment.host_id)
        return by_name(await containers.containers()).get(deployment.name, [])

    async def _switch(self, deployment: Deployment, container: str) -> DeploymentSnapshot:
        revisions = await self._revisions(deployment)
        chosen = next((pair for pair in revisions if pair[1].id == container), None)
        if chosen is None:
            raise errors.gone(deployment.name, deployment.host_name)
        labels, info = chosen
        deployment.api_key = None
        await self._adoption.take_on(deployment, labels, info)
        deployment.others = others_of(revisions, labels.revision)
        deployment.actuals, deployment.verified_text = (), ""
        deployment.status = DeploymentStatus(
            state=DeploymentState.STOPPED, has_container=True, verified=True
        )
        return await self._operations.run(deployment, "rollback", h.StartRequested())


def _target(deployment: Deployment, revisions: Sequence[Revision], to: int | None) -> Revision:
    found = verified_beside(revisions, deployment.revision)
    for pair in found:
        revision = pair[0].revision
        if revision == to or (to is None and revision < deployment.revision):
            return pair
    raise _nothing_to_go_back_to(deployment, [labels.revision for labels, _ in found], to)


def _nothing_to_go_back_to(
    deployment: Deployment, found: Sequence[int], to: int | None
) -> UserInputError:
    ref = f"{deployment.host_name}/{deployment.name}"
    wanted = "an earlier revision" if to is None else f"a revision {to}"
    others = ", ".join(map(str, sorted(found)))
    return UserInputError(
        ErrorCode.NOT_FOUND,
        {"field": "revision", "value": "" if to is None else str(to), "host": deployment.host_name},
        cause=f"{ref} is at revision {deployment.revision}, and {wanted} that has served is not on "
        f"{deployment.host_name}.",
        remedy=f"Revisions that can be put in force with --to: {others}."
        if found
        else f"“pitwall restart {ref}” starts the one that is there; a profile is deployed again "
        "with “pitwall deploy”.",
    )


def _told(failure: AppError, wanted: int, kept: int) -> AppError:
    """Say that nothing was lost by trying."""
    return type(failure)(
        failure.code,
        failure.params,
        cause=f"Revision {wanted} did not serve again: {failure.cause} Revision {kept} was started "
        "again and serves.",
        remedy=failure.remedy,
        details=failure.details,
    )
