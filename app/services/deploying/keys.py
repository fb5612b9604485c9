"""The secrets that a container is made with: given ones, and its clients' API key."""

from app.core.deployment.spec import DeploymentSpec
from app.core.engines.spec import Server
from app.services.deploying import errors
from app.services.deploying.book import Deployment
from app.services.deploying.parts import DeployParts, KeyKeeper


async def fill_secrets(
    deployment: Deployment, spec: DeploymentSpec, server: Server | None, parts: DeployParts
) -> None:
    """Give a deployment an API key: what its clients know from before, else a new one.

    Raises:
        UserInputError: for another secret that nobody gave.
    """
    for name in spec.container.secret_environment:
        if name in deployment.secrets:
            continue
        if server is None or name != server.api_key_env:
            raise errors.secret_missing(name)
        known = await parts.keys.recall(*deployment.key)
        deployment.secrets[name] = known or parts.new_secret()


async def keep_key(deployment: Deployment, server: Server | None, keys: KeyKeeper) -> None:
    """Hold the key of a container that was made."""
    key = deployment.secrets.get(server.api_key_env) if server is not None else None
    if key:
        await keys.keep(*deployment.key, key)


async def carry_over(before: Deployment | None, keys: KeyKeeper) -> None:
    """Hold the key of an earlier revision's container for the next one."""
    if before is not None and before.api_key:
        await keys.keep(*before.key, before.api_key)
