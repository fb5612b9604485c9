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
_HOST_NAME = re.compile(r"[^\s/\\:@\x00-\x1f-][^/\\:\x00-\x1f]{0,63}")


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
            cause=f"“{name}” cannot name a deployment.",
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
            cause=f"“{name}” cannot name a host.",
            remedy="Use 1 to 64 characters without slash or colon, not ending in .json.",
        )
    return name


def container_name(deployment: str, revision: int) -> str:
    """Return the container's name of one revision: ``pitwall-NAME-rN``."""
    return f"pitwall-{deployment}-r{revision}"
