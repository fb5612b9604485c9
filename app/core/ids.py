"""Identities: what a host, a deployment and a run are called, and which names are allowed."""

import re
from dataclasses import dataclass
from typing import NewType

from app.core.errors import ErrorCode, UserInputError

HostId = NewType("HostId", str)
"""Immutable UUID text of a host; its name may change, this does not."""

RunId = NewType("RunId", str)
"""UUID text of one benchmark run."""

_DEPLOYMENT_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")
UNSEEN = r"\x00-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069"
"""For a regular expression: control characters, line ends, and what turns the direction of text.

A name with one of them could be shown as another. Joiners stay: emoji and some scripts need them.
"""
_HOST_NAME = re.compile(rf"[^\s/\\:@{UNSEEN}-][^/\\:{UNSEEN}]{{0,63}}")
_SHOWN = 80
"""Characters of a refused name that an error repeats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeploymentRef:
    """A deployment as a person writes it: ``HOST/NAME``."""

    host: str
    name: str

    def __str__(self) -> str:
        """Return ``HOST/NAME``."""
        return f"{self.host}/{self.name}"


def parse_deployment_ref(text: str) -> DeploymentRef:
    """Split ``HOST/NAME``.

    Raises:
        UserInputError: when the text is not of that form.
    """
    host, slash, name = text.rpartition("/")
    if not slash or not host:
        raise UserInputError(
            ErrorCode.INVALID_INPUT,
            {"field": "deployment", "value": text},
            cause=f"“{text}” is not a deployment: HOST/NAME is expected.",
            remedy="Write host, slash, deployment name; “pitwall ps” lists them.",
        )
    return DeploymentRef(host=check_host_name(host), name=check_deployment_name(name))


def check_deployment_name(name: str) -> str:
    """Return ``name`` if it may name a deployment: 1 to 40 of ``a-z 0-9 -``, no outer hyphen.

    Raises:
        UserInputError: when it may not.
    """
    if not _DEPLOYMENT_NAME.fullmatch(name):
        raise UserInputError(
            ErrorCode.INVALID_INPUT,
            {"field": "name", "value": name},
            cause=f"“{_shown(name)}” cannot name a deployment.",
            remedy="Use 1 to 40 of a-z, 0-9 and hyphens; no hyphen first or last.",
        )
    return name


def check_host_name(name: str) -> str:
    """Return ``name`` if it may name a host (1 to 64 characters, no slash, colon or blank first).

    Raises:
        UserInputError: when it may not.
    """
    if not _HOST_NAME.fullmatch(name) or name != name.strip() or name.endswith(".json"):
        raise UserInputError(
            ErrorCode.INVALID_INPUT,
            {"field": "name", "value": name},
            cause=f"“{_shown(name)}” cannot name a host.",
            remedy="Use 1 to 64 visible characters in one line, without slash or colon, not ending "
            "in .json.",
        )
    return name


def _shown(name: str) -> str:
    """Return a refused name as one short line that does what it says."""
    visible = re.sub(f"[{UNSEEN}]", lambda found: repr(found[0])[1:-1], name)
    return visible if len(visible) <= _SHOWN else f"{visible[:_SHOWN]}…"


def container_name(deployment: str, revision: int) -> str:
    """Return the container's name of one revision: ``pitwall-NAME-rN``."""
    return f"pitwall-{deployment}-r{revision}"
