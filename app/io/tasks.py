"""End a task that somebody owns, without losing a cancellation on the way."""

import asyncio


async def end_task(task: "asyncio.Task[None]") -> None:
    """Cancel a task and wait until it has ended; an error of its own is raised.

    ``suppress(CancelledError)`` around ``await task`` would also swallow the caller's own
    cancellation, and whoever waits for the caller to end would wait for ever.
    """
    task.cancel()
    await asyncio.wait({task})
    if not task.cancelled():
        task.result()
