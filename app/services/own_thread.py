"""Reading what may never end: a pipe that nobody writes to, a terminal, a mount that is gone.

The loop's own threads are waited for at the end of the program, so one that is stuck in a read
would outlive Ctrl-C. These threads are not waited for.
"""

import asyncio
import contextlib
import io
import sys
import threading
from collections.abc import Callable
from typing import TypeVar, cast

T = TypeVar("T")


async def on_own_thread(work: Callable[[], T]) -> T:
    """Run blocking ``work`` on a thread that does not keep the program from ending.

    Cancelling returns at once; the thread is left behind, and what it finds is dropped.

    Raises:
        Exception: whatever ``work`` raises.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(result: Callable[[], None]) -> None:
        if not future.done():
            result()

    def run() -> None:
        try:
            value = work()
        except BaseException as error:  # noqa: BLE001 - raised again where it is awaited
            failure = error
            deliver(lambda: future.set_exception(failure))
        else:
            deliver(lambda: future.set_result(value))

    def deliver(result: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop ended meanwhile
            loop.call_soon_threadsafe(settle, result)

    threading.Thread(target=run, name="pitwall-read", daemon=True).start()
    return await future


def standard_input() -> io.BufferedReader:
    """Return stdin's bytes with a buffer of its own; empty when there is no stdin.

    A thread that is stuck in ``sys.stdin`` itself holds its lock, and the interpreter then aborts
    at the end.
    """
    if sys.stdin is None:  # closed before the start
        return io.BufferedReader(cast("io.RawIOBase", io.BytesIO()))
    try:
        return open(sys.stdin.fileno(), "rb", closefd=False)
    except (OSError, AttributeError):  # a stand-in without a number
        return cast("io.BufferedReader", sys.stdin.buffer)
