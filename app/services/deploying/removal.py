"""Remove what a deployment left on its host: all of it, or only earlier revisions."""

from app.core.errors import AppError
from app.core.labels import read_labels
from app.services.deploying.book import Deployment
from app.services.deploying.parts import DeployParts
from app.services.deploying.revisions import by_name, ended_beside, in_force


class Removal:
    """Removes containers, announced and journalled; the model and the image stay."""

    def __init__(self, parts: DeployParts) -> None:
        self._parts = parts

    async def everything(self, deployment: Deployment) -> None:
        """Remove the containers of all revisions, running or not.

        Raises:
            DockerError, HostError: when they cannot be removed.
        """
        journal = self._parts.journal
        async with self._parts.activities.run("remove", _ref(deployment)):
            journal_id = await journal.begin(
                "remove",
                host_id=deployment.host_id,
                name=deployment.name,
                revision=deployment.revision,
            )
            try:
                containers = await self._parts.hosts.container_engine(deployment.host_id)
                for info in await containers.containers():
                    labels = read_labels(info.labels)
                    if labels is not None and labels.deployment == deployment.name:
                        await containers.remove(info.id, force=True)
            except AppError as exc:
                await journal.finish(journal_id, "failed", exc.info)
                raise
            await self._parts.keys.forget(*deployment.key)
            await journal.finish(journal_id, "done")

    async def older(self, deployment: Deployment) -> int:
        """Remove the ended containers of other revisions; return how many they were.

        Raises:
            DockerError, HostError: when they cannot be removed.
        """
        async with self._parts.activities.run("remove", _ref(deployment)):
            containers = await self._parts.hosts.container_engine(deployment.host_id)
            revisions = by_name(await containers.containers()).get(deployment.name, [])
            if not revisions:
                return 0
            labels, _ = in_force(revisions)
            ended = ended_beside(revisions, labels.revision)
            for info in ended:
                await containers.remove(info.id)
        return len(ended)


def _ref(deployment: Deployment) -> str:
    return f"{deployment.host_name}/{deployment.name}"
