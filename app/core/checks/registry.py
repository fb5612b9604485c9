"""Judges by the id of their check; a judge is a small pure function of the host and the data."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from app.core.checks.host_view import HostView
from app.core.checks.spec import CheckData
from app.core.checks.verdict import Verdict

Judge = Callable[[HostView, CheckData], Verdict]

_JUDGES: Final[dict[str, Judge]] = {}
JUDGES: Final[Mapping[str, Judge]] = MappingProxyType(_JUDGES)


def judge(check_id: str) -> Callable[[Judge], Judge]:
    """Register the decorated function as the judge of a check."""

    def register(function: Judge) -> Judge:
        _JUDGES[check_id] = function
        return function

    return register
