"""Run one of our read-only shell scripts on a host; it is piped in and never saved there."""

from app.core.errors import ErrorCode, HostError
from app.io.transport.base import CommandResult, Transport


async def run_script(
    transport: Transport, script: str, *arguments: str, timeout_s: float
) -> CommandResult | None:
    """Return what a script left behind; ``None`` where the host runs no shell.

    Raises:
        HostError: COMMAND_TIMEOUT, CONNECTION_LOST.
    """
    try:
        return await transport.run(
            ["sh", "-s", "--", *arguments], stdin=script.encode(), timeout_s=timeout_s
        )
    except HostError as exc:
        if exc.code is ErrorCode.TOOL_MISSING:
            return None
        raise
