"""What a command gets: the built application on one loop, and errors turned into exit codes."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from app.cli.output import Output, close_quietly
from app.core.errors import AppError, ErrorCode, UserInputError

if TYPE_CHECKING:
    from app.bootstrap import Application
    from app.core.documents.tour import TourDocument, TourRequest

EXIT_OK = 0
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_NEGATIVE = 3
EXIT_INTERRUPTED = 130


@dataclass(frozen=True, slots=True, kw_only=True)
class Launchers:
    """The commands that need Qt, handed in so that this package never imports it."""

    open_window: Callable[[], int]
    run_tour: Callable[["TourRequest"], "TourDocument"]


Work = Callable[["Application"], Awaitable[int]]


def run_command(output: Output, work: Work) -> None:
    """Build the application, run ``work`` on a fresh loop, close everything, exit with its code."""
    import asyncio

    raise SystemExit(guard(output, lambda: asyncio.run(_with_application(output, work))))


def guard(output: Output, action: Callable[[], int]) -> int:
    """Run ``action``; every failure becomes a message and an exit code, never a traceback."""
    try:
        code = action()
    except AppError as error:
        if error.code is not ErrorCode.CANCELLED:
            output.failure(error)
        code = _exit_code(error)
    except _interruptions():
        code = EXIT_INTERRUPTED
    except BrokenPipeError:  # whoever read had enough
        close_quietly()
        code = EXIT_OK
    except UnicodeEncodeError as error:  # a name or path of the command line in another encoding
        output.failure(_no_text(error))
        code = EXIT_USAGE
    except Exception as error:  # noqa: BLE001 - the outermost handler
        output.failure(_internal(error))
        code = EXIT_FAILED
    return code


def _interruptions() -> tuple[type[BaseException], ...]:
    """Return what ends a command from outside; looked up only when something was raised."""
    from asyncio import CancelledError

    return (KeyboardInterrupt, CancelledError, click.Abort)


def _exit_code(error: AppError) -> int:
    if error.code is ErrorCode.CANCELLED:
        return EXIT_INTERRUPTED
    return EXIT_USAGE if isinstance(error, UserInputError) else EXIT_FAILED


def _no_text(error: UnicodeEncodeError) -> AppError:
    start = max(0, error.start - 40)
    shown = error.object[start : error.end + 20].encode("utf-8", "backslashreplace").decode()
    return UserInputError(
        ErrorCode.INVALID_INPUT,
        {"field": "arguments"},
        cause=f"“…{shown}…” holds bytes that are not UTF-8 text.",
        remedy="Use a name or path that is UTF-8; rename the file or make a link to it.",
    )


def _internal(error: Exception) -> AppError:
    import traceback

    return AppError(
        ErrorCode.INTERNAL,
        {"type": type(error).__name__},
        cause=f"Pitwall itself failed: {type(error).__name__}: {error}",
        remedy="Please report this with these lines; “pitwall ps” shows what runs on the hosts.",
        details="".join(traceback.format_exception(error)[-6:]).strip(),
    )


async def _with_application(output: Output, work: Work) -> int:
    import asyncio
    import signal

    from app.bootstrap import build

    task = asyncio.current_task()
    loop = asyncio.get_running_loop()
    if task is not None:
        # SIGTERM ends a command as Ctrl-C does, so that tunnels and channels are closed.
        loop.add_signal_handler(signal.SIGTERM, task.cancel)
    application = build(only_what_is_used=True)
    await application.start()
    for notice in application.notices():
        output.notice(notice)
    try:
        return await work(application)
    finally:
        await application.close()
