"""Ask a host what is watched: GPUs often, clock, load, kernel log and processes rarely.

What cannot be asked is ``None``; a host that is slow to answer is left alone until the next time.
"""

import logging
from typing import Final

from app.core.errors import AppError
from app.core.hardware.fingerprint import Gpu, GpuProcess
from app.core.hardware.tools.smi_apps import read_apps
from app.core.slow.host_look import (
    APPS,
    COLUMNS,
    REMAP_COLUMNS,
    SCRIPT,
    HostAnswer,
    query,
    read_gpus,
    read_host,
    remap_query,
    without_refused,
)
from app.io.transport.base import CommandResult, Transport

_log = logging.getLogger(__name__)

TIMEOUT_S: Final = 10.0


class HostLooker:
    """Asks one host; remembers which columns its driver knows."""

    def __init__(self) -> None:
        self._columns: tuple[str, ...] = COLUMNS
        self._asks_remap: bool | None = None

    async def gpus(self, transport: Transport) -> tuple[Gpu, ...] | None:
        """Return the GPUs as they are now; ``None`` when they cannot be asked."""
        while True:
            answer = await self._run(transport, query(self._columns))
            if answer is None:
                return None
            text = answer.stdout.decode("utf-8", "replace")
            if answer.exit_code == 0:
                gpus = read_gpus(text, self._columns)
                return gpus or None
            told = text + answer.stderr.decode("utf-8", "replace")
            fewer = without_refused(self._columns, told)
            if fewer is None:
                return None
            self._columns = fewer

    async def remapped(self, transport: Transport) -> tuple[Gpu, ...]:
        """Return remapped rows by UUID, where the query of GPUs does not know them."""
        if self._asks_remap is None:
            self._asks_remap = "remapped_rows.pending" not in self._columns
        if not self._asks_remap:
            return ()
        answer = await self._run(transport, remap_query())
        if answer is None or answer.exit_code != 0:
            self._asks_remap = False
            return ()
        return read_gpus(answer.stdout.decode("utf-8", "replace"), REMAP_COLUMNS)

    async def processes(self, transport: Transport) -> tuple[GpuProcess, ...]:
        """Return the processes that hold GPU memory; none when they cannot be seen."""
        answer = await self._run(transport, APPS)
        if answer is None or answer.exit_code != 0:
            return ()
        return read_apps(answer.stdout.decode("utf-8", "replace")).processes or ()

    async def host(self, transport: Transport) -> HostAnswer | None:
        """Return clock, load and the driver's lines of the kernel log."""
        answer = await self._run(transport, ("sh", "-s"), stdin=SCRIPT)
        if answer is None:
            return None
        return read_host(answer.stdout.decode("utf-8", "replace"))

    async def _run(
        self, transport: Transport, argv: tuple[str, ...], *, stdin: bytes = b""
    ) -> CommandResult | None:
        try:
            return await transport.run(argv, stdin=stdin, timeout_s=TIMEOUT_S)
        except AppError as exc:
            _log.debug("%s was not answered: %s", argv[0], exc)
            return None
