"""Container labels: they make a host its own source of truth, so their meaning never changes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

PREFIX: Final = "io.pitwall."
SCHEMA: Final = PREFIX + "schema"
DEPLOYMENT: Final = PREFIX + "deployment"
REVISION: Final = PREFIX + "revision"
ENGINE: Final = PREFIX + "engine"
ENGINE_VERSION: Final = PREFIX + "engine-version"
MODEL: Final = PREFIX + "model"
PORT: Final = PREFIX + "port"
PLAN_DIGEST: Final = PREFIX + "plan-digest"
AUTH: Final = PREFIX + "auth"
"""How a client proves itself: ``none`` or ``api-key``."""
SIMULATED: Final = PREFIX + "simulated"
"""Present with value ``true`` on what is not a real engine."""

SCHEMA_VERSION: Final = "1"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeploymentLabels:
    """What the labels of one of our containers say."""

    deployment: str
    revision: int
    engine: str
    engine_version: str
    model: str
    port: int
    plan_digest: str
    auth: str = "none"
    simulated: bool = False

    def to_labels(self) -> dict[str, str]:
        """Return the labels to put on the container."""
        labels = {
            SCHEMA: SCHEMA_VERSION,
            DEPLOYMENT: self.deployment,
            REVISION: str(self.revision),
            ENGINE: self.engine,
            ENGINE_VERSION: self.engine_version,
            MODEL: self.model,
            PORT: str(self.port),
            PLAN_DIGEST: self.plan_digest,
            AUTH: self.auth,
        }
        if self.simulated:
            labels[SIMULATED] = "true"
        return labels


def read_labels(labels: Mapping[str, str]) -> DeploymentLabels | None:
    """Return what our labels say; ``None`` when it is not ours or a newer Pitwall's."""
    if labels.get(SCHEMA) != SCHEMA_VERSION or DEPLOYMENT not in labels:
        return None
    try:
        return DeploymentLabels(
            deployment=labels[DEPLOYMENT],
            revision=int(labels[REVISION]),
            engine=labels[ENGINE],
            engine_version=labels.get(ENGINE_VERSION, ""),
            model=labels.get(MODEL, ""),
            port=int(labels.get(PORT, "0")),
            plan_digest=labels.get(PLAN_DIGEST, ""),
            auth=labels.get(AUTH, "none"),
            simulated=labels.get(SIMULATED) == "true",
        )
    except (KeyError, ValueError):
        return None
