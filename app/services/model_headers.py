"""Read the beginnings of files in a model's folder: headers and small texts, nothing more."""

import asyncio
import posixpath
from collections.abc import Generator
from typing import Final, TypeVar

from app.core.models.architecture import ModelFile
from app.core.models.config_fields import broken
from app.core.models.folders import Folder
from app.io.transport.base import Transport

MAX_TEXT_BYTES: Final = 8 * 1024 * 1024
_READERS: Final = 4
"""Weight files whose headers are read at once: half of a host's channels."""

T = TypeVar("T")


class HeaderReader:
    """Reads parts of files over one connection, a few at once."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._slots = asyncio.Semaphore(_READERS)

    async def drive(self, steps: Generator[int, bytes, T], folder: Folder, file: ModelFile) -> T:
        """Feed a header's parser with the bytes it asks for.

        Raises:
            PlanError: what the parser found wrong.
            HostError: NOT_FOUND, PERMISSION_DENIED, COMMAND_TIMEOUT, CONNECTION_LOST.
        """
        path = posixpath.join(folder.path, file.name)
        async with self._slots:
            wanted = next(steps)
            while True:
                data = await self._transport.read_file(path, length=wanted)
                try:
                    wanted = steps.send(data)
                except StopIteration as done:
                    result: T = done.value
                    return result

    async def text(self, folder: Folder, name: str) -> str:
        """Return a small text file.

        Raises:
            PlanError: MODEL_CONFIG_BROKEN when it is far too large for what it claims to be.
        """
        path = posixpath.join(folder.path, name)
        data = await self._transport.read_file(path, length=MAX_TEXT_BYTES + 1)
        if len(data) > MAX_TEXT_BYTES:
            raise broken("file", f"is larger than {MAX_TEXT_BYTES} bytes", file=name)
        return data.decode("utf-8", errors="replace")

    async def head(self, folder: Folder, name: str, length: int) -> bytes:
        """Return the first bytes of a file."""
        async with self._slots:
            return await self._transport.read_file(posixpath.join(folder.path, name), length=length)
