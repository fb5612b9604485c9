"""API keys of deployments: in memory, and in the keyring of hosts whose secrets are kept there.

A container keeps its own key, so nothing is lost when Pitwall is closed. What is held here lets a
deployment that is made anew under the same name answer to the key that its clients have.
"""

import json
import logging
from collections.abc import Callable, Mapping

from app.core.events import HostSettings
from app.core.ids import HostId
from app.io.credentials import CredentialKind
from app.services.host_parts import Secrets

_log = logging.getLogger(__name__)


class ApiKeys:
    """All keys of a host are one secret of it: they are forgotten with its others."""

    def __init__(self, settings: Callable[[HostId], HostSettings], secrets: Secrets) -> None:
        self._settings = settings
        self._secrets = secrets

    async def recall(self, host_id: HostId, name: str) -> str | None:
        """Return the key that a deployment of this name had; ``None`` when none is known."""
        return (await self._all(host_id)).get(name)

    async def keep(self, host_id: HostId, name: str, key: str) -> None:
        """Keep a key as long as the host's other secrets are kept."""
        known = await self._all(host_id)
        if known.get(name) != key:
            await self._write(host_id, {**known, name: key})

    async def forget(self, host_id: HostId, name: str) -> None:
        """Drop a key; the deployment is removed."""
        known = await self._all(host_id)
        if name in known:
            await self._write(host_id, {n: key for n, key in known.items() if n != name})

    async def _all(self, host_id: HostId) -> Mapping[str, str]:
        kept = self._settings(host_id).keeps_secrets
        text = await self._secrets.recall(host_id, CredentialKind.API_KEY, from_keyring=kept)
        try:
            found = json.loads(text) if text else {}
        except ValueError:
            _log.info("The API keys of a host cannot be read and are made anew.")
            return {}
        return found if isinstance(found, dict) else {}

    async def _write(self, host_id: HostId, keys: Mapping[str, str]) -> None:
        kept = self._settings(host_id).keeps_secrets
        if keys:
            text = json.dumps(keys)
            await self._secrets.remember(host_id, CredentialKind.API_KEY, text, keep=kept)
        else:
            await self._secrets.forget(host_id, CredentialKind.API_KEY, from_keyring=kept)
