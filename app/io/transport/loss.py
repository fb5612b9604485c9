"""Tell a connection that ended from a service on the host that ended."""

import asyncio

from app.io.transport import failures
from app.io.transport.base import Transport

_STEPS, _STEP_S = 10, 0.05
"""A stream breaks a moment before the connection under it is known to be gone."""


async def check_not_lost(transport: Transport, host: str, problem: BaseException) -> None:
    """Return when the connection lives, so that ``problem`` is the service's own.

    Raises:
        HostError: CONNECTION_LOST.
    """
    for _ in range(_STEPS):
        if not transport.is_alive:
            raise failures.connection_lost(host) from problem
        await asyncio.sleep(_STEP_S)
