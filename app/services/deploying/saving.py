"""Save a whole log to a file: line by line as it comes, whole or not at all."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

from app.core.logs.line import LogLine
from app.core.units import format_bytes
from app.io.files import unwritable, whole_file
from app.services.activities import NOTICED_S, Activities
from app.services.streams import ended

_BATCH_BYTES: Final = 1024 * 1024


async def save_lines(
    lines: AsyncIterator[LogLine], path: Path, activities: Activities, subject: str
) -> Path:
    """Write the lines as they were printed; cancelling leaves what was there before.

    Raises:
        StoreError: FILE_UNWRITABLE, STORE_FULL.
        DockerError, HostError: when the log cannot be read to its end.
    """
    target = await asyncio.to_thread(path.resolve)  # a link stays one
    async with (
        activities.run("save_log", subject, after_s=NOTICED_S) as activity,
        ended(lines) as arriving,
    ):
        try:
            with whole_file(target) as stream:
                written = waiting = 0
                async for line in arriving:
                    count = stream.write(line.raw.encode("utf-8", "replace") + b"\n")
                    written, waiting = written + count, waiting + count
                    if waiting > _BATCH_BYTES and activity.is_announced:
                        waiting = 0
                        activity.report(detail=format_bytes(written))
        except OSError as exc:
            raise unwritable(path, exc) from exc
    return path
