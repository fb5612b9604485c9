"""What a host's settings must fulfil, all complaints at once, and finding hosts by name."""

import difflib
import re
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from app.core.errors import ErrorCode, UserInputError
from app.core.events import AuthMethod, HostKind, HostSettings, HostSnapshot
from app.core.ids import UNSEEN, HostId, check_host_name

_NOT_IN_NAMES: Final = re.compile(rf"[/:\\@{UNSEEN}]+")
_NAME_ROOM: Final = 56
"""A name may have 64 characters; a number must fit behind it."""
GROUP_ROOM: Final = 64
DEMO_MODELS: Final = "/models"
_ADDRESS: Final = re.compile(r"[^\s@/]+")


def check_settings(settings: HostSettings, others: Iterable[HostSettings]) -> None:
    """Refuse settings that cannot work.

    Raises:
        UserInputError: NAME_TAKEN, or INVALID_INPUT with one reason per field in ``params``.
    """
    reasons: dict[str, str] = {}
    try:
        check_host_name(settings.name)
    except UserInputError as exc:
        reasons["name"] = exc.remedy
    if len(settings.group) > GROUP_ROOM or not settings.group.isprintable():
        reasons["group"] = f"Give a group of at most {GROUP_ROOM} characters, in one line."
    if settings.kind is HostKind.SSH:
        reasons |= _ssh_reasons(settings)
    if reasons:
        raise UserInputError(
            ErrorCode.INVALID_INPUT,
            {"field": ",".join(reasons), **reasons},
            cause="These host settings cannot be used: " + ", ".join(reasons) + ".",
            remedy=" ".join(reasons.values()),
        )
    if any(o.name.casefold() == settings.name.casefold() for o in others if o.id != settings.id):
        raise UserInputError(
            ErrorCode.NAME_TAKEN,
            {"field": "name", "value": settings.name},
            cause=f"There is a host named “{settings.name}” already.",
            remedy="Choose another name.",
        )


def _ssh_reasons(settings: HostSettings) -> dict[str, str]:
    reasons: dict[str, str] = {}
    if not _ADDRESS.fullmatch(settings.address):
        reasons["address"] = "Give a host name or an IP address."
    if not 1 <= settings.port <= 65535:
        reasons["port"] = "Give a port from 1 to 65535."
    if re.search(rf"[\s@{UNSEEN}]", settings.user):
        reasons["user"] = "Give a user name without blanks and control characters."
    if settings.auth is AuthMethod.KEY and not settings.key_file:
        reasons["key_file"] = "Choose the private key file."
    return reasons


def completed(settings: HostSettings) -> HostSettings:
    """Fill in what a new host needs: an id, and where the demo's models are."""
    host_id = settings.id or HostId(str(uuid.uuid4()))
    folder = settings.model_folder
    if settings.kind is HostKind.DEMO:
        folder = folder or DEMO_MODELS
    auth = AuthMethod.KEY if settings.key_file and settings.auth is AuthMethod.AUTO else None
    return replace(settings, id=host_id, model_folder=folder, auth=auth or settings.auth)


def free_name(wanted: str, taken: Iterable[str]) -> str:
    """Return ``wanted`` made into a host's name that is not taken, with a number where needed."""
    base = _NOT_IN_NAMES.sub("-", wanted).removesuffix(".json").strip(" -.")[:_NAME_ROOM].strip()
    base = base or "host"
    known = {name.casefold() for name in taken}
    number, free = 2, base
    while free.casefold() in known:
        number, free = number + 1, f"{base}-{number}"
    return free


def find_host(name_or_id: str, snapshots: Sequence[HostSnapshot]) -> HostSnapshot:
    """Return the host with this name (case does not matter) or id.

    Raises:
        UserInputError: NOT_FOUND with ``suggestion`` when a name is close.
    """
    for snapshot in snapshots:
        if name_or_id in (snapshot.settings.id, snapshot.settings.name):
            return snapshot
    folded = name_or_id.casefold()
    for snapshot in snapshots:
        if snapshot.settings.name.casefold() == folded:
            return snapshot
    raise _not_found(name_or_id, [snapshot.settings.name for snapshot in snapshots])


def _not_found(name: str, names: list[str]) -> UserInputError:
    params: dict[str, object] = {"field": "host", "value": name}
    if not names:
        remedy = "There are no hosts yet; “pitwall hosts add” adds one."
    elif close := difflib.get_close_matches(name, names, n=1):
        params["suggestion"] = close[0]
        remedy = f"Did you mean “{close[0]}”?"
    else:
        remedy = "There are: " + ", ".join(names) + "."
    return UserInputError(
        ErrorCode.NOT_FOUND, params, cause=f"There is no host named “{name}”.", remedy=remedy
    )
