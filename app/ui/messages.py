"""What the window says about each error: cause and remedy, in the language in force.

Errors carry English written for the case at hand; in English that is shown. Other languages have
a sentence per code here, with the case's names where they are known. The table is complete: a
test holds it against `ErrorCode`.
"""

from string import Formatter
from typing import Final

from PySide6.QtCore import QCoreApplication

from app.core.errors import ErrorInfo
from app.ui.message_table import MESSAGES

CONTEXT: Final = "Messages"


def _translated(text: str) -> str:
    return QCoreApplication.translate(CONTEXT, text)


def is_english() -> bool:
    """True when the window speaks English."""
    return _translated(_MARK) == _MARK


def cause_text(error: ErrorInfo) -> str:
    """Return what happened and why."""
    if is_english() and error.cause:
        return error.cause
    said = _happened(error)
    found = error.params.get("finding_zh_CN", "")
    if not found:
        return said
    # What a diagnosis found says more than any sentence per code.
    return f"{said}{found}" if said.endswith("。") else f"{said} {found}"


def _happened(error: ErrorInfo) -> str:
    """Return the sentence of the error's code, with the names it knows."""
    message = MESSAGES[error.code]
    names = {name for _, name, _, _ in Formatter().parse(message.specific) if name}
    if message.specific and all(error.params.get(name) for name in names):
        return _translated(message.specific).format(**error.params)
    return _translated(message.cause)


def remedy_text(error: ErrorInfo) -> str:
    """Return what can be done now."""
    if is_english() and error.remedy:
        return error.remedy
    return error.params.get("todo_zh_CN") or _translated(MESSAGES[error.code].remedy)


def details_text(error: ErrorInfo) -> str:
    """Return what a bug report needs: code, English original, what tools printed."""
    parts = [f"[{error.code}]", error.cause, error.remedy, error.details]
    return "\n".join(part for part in parts if part)


# A text that every translation has another form of.
_MARK: Final = "Something inside Pitwall failed."
