"""Refuse to open a window where there is no display, with words instead of an abort."""

from collections.abc import Mapping

from app.core.errors import AppError, ErrorCode
from app.io.display import missing_display


def require_display(environment: Mapping[str, str], platform: str) -> None:
    """Return when a window can open.

    Raises:
        AppError: NO_DISPLAY.
    """
    reason = missing_display(environment, platform)
    if reason is not None:
        raise AppError(
            ErrorCode.NO_DISPLAY,
            {"reason": reason},
            cause=f"There is no display to open a window on: {reason}.",
            remedy=(
                "Log in with a desktop, forward X11 (ssh -X), or use the command line: "
                "“pitwall --help”; “pitwall tour DIR” needs no display."
            ),
        )
