"""What is on record of a deployment: its spec, its container, why it ended, its secrets."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from app.core.deployment.spec import DeploymentSpec
from app.core.diagnosis.finding import Diagnosis, Verdict
from app.core.ids import HostId
from app.core.logs.actuals import Actual
from app.services.deploying import errors
from app.services.deploying.access import container_of
from app.services.deploying.book import Deployment, DeploymentBook
from app.services.deploying.logs import read_log
from app.services.deploying.parts import DeployParts
from app.services.deploying.saving import save_lines
from app.services.deploying.steps import DeploySteps


@dataclass(frozen=True, slots=True, kw_only=True)
class Particulars:
    """A deployment in full, for a support bundle; what it holds has to be redacted."""

    spec: DeploymentSpec | None
    actuals: tuple[Actual, ...]
    inspect: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    """The container engine's own document; empty when there is no container."""
    secrets: tuple[str, ...] = field(default=(), repr=False)


class Records:
    """Answers about single deployments; `spec` may be called from every thread."""

    def __init__(self, parts: DeployParts, book: DeploymentBook, steps: DeploySteps) -> None:
        self._parts = parts
        self._book = book
        self._steps = steps

    def spec(self, host_id: HostId, name: str) -> DeploymentSpec | None:
        """Return what a deployment was created from; ``None`` when another desk did it."""
        deployment = self._book.get(host_id, name)
        return deployment.spec if deployment is not None else None

    async def diagnose(self, host_id: HostId, name: str) -> Diagnosis:
        """Read the whole log of a deployment's container and say why it ended, if it did.

        What failed before it had a container is answered with what was found then.

        Raises:
            UserInputError: NOT_FOUND.
            DockerError, HostError: when the container or its log cannot be read.
            DataFileError: DATA_FILE_BROKEN.
        """
        deployment = self._book.need(host_id, name)
        if deployment.container_id is None:
            if deployment.diagnosis is not None:
                return deployment.diagnosis
            if deployment.failure is None:
                raise errors.gone(deployment.name, deployment.host_name)
            return Diagnosis(primary=None, verdict=Verdict.NOTHING_FOUND)
        containers = await self._steps.containers(deployment)
        info = await containers.inspect(deployment.container_id)
        return await self._steps.inquest.whole_log(deployment, containers, info)

    async def save_log(self, host_id: HostId, name: str, path: Path) -> Path:
        """Write the whole log, as the engine printed it, to a file: whole or not at all.

        Raises:
            UserInputError: NOT_FOUND.
            DockerError, HostError: when the log cannot be read to its end.
            StoreError: FILE_UNWRITABLE, STORE_FULL.
        """
        deployment = self._book.need(host_id, name)
        containers = await self._steps.containers(deployment)
        container, clock = container_of(deployment), self._parts.clock
        lines = read_log(containers, container, follow=False, tail=None, clock=clock)
        ref = f"{deployment.host_name}/{deployment.name}"
        return await save_lines(lines, path, self._parts.activities, ref)

    async def particulars(self, host_id: HostId, name: str) -> Particulars:
        """Return a deployment in full.

        Raises:
            UserInputError: NOT_FOUND.
            DockerError, HostError: when its container cannot be asked.
        """
        deployment = self._book.need(host_id, name)
        document: Mapping[str, object] = {}
        # A log may hold the key of its neighbour, too.
        secrets = {key for known in self._book.all() for key in _secrets_of(known)}
        if deployment.container_id is not None:
            containers = await self._steps.containers(deployment)
            document = await containers.raw_inspect(deployment.container_id)
            info = await containers.inspect(deployment.container_id)
            self._steps.note_container(deployment, info)
            names = deployment.spec.container.secret_environment if deployment.spec else ()
            secrets |= set(_values(info.environment, names))
        secrets |= set(_secrets_of(deployment))
        return Particulars(
            spec=deployment.spec,
            actuals=deployment.actuals,
            inspect=document,
            secrets=tuple(sorted(secret for secret in secrets if secret)),
        )


def _secrets_of(deployment: Deployment) -> tuple[str, ...]:
    return (deployment.api_key or "", *deployment.secrets.values())


def _values(environment: tuple[str, ...], names: tuple[str, ...]) -> tuple[str, ...]:
    pairs = (entry.partition("=") for entry in environment)
    return tuple(value for name, _, value in pairs if name in names)
