"""Mirrors of image registries: which other name an image is fetched by."""

import re
from collections.abc import Mapping
from typing import Final

from app.core.errors import ErrorCode, UserInputError

DOCKER_HUB: Final = "docker.io"
"""The registry of names without one. Source: reference grammar of ``distribution/reference``."""
_NAME: Final = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)*(?::\d{1,5})?(?:/[a-z0-9][a-z0-9._/-]*)?")


def read_mirrors(text: str) -> Mapping[str, str]:
    """Return registry → mirror from lines (or commas) of ``REGISTRY = MIRROR[/PATH]``.

    ``read_mirrors("docker.io = mirror.example:5000/hub")`` is one mirror of the Docker Hub.

    Raises:
        UserInputError: INVALID_INPUT, with the line that cannot be read.
    """
    found: dict[str, str] = {}
    for line in re.split(r"[\n,;]", text):
        if not line.strip():
            continue
        registry, equals, mirror = (
            part.strip().lower().rstrip("/") for part in line.partition("=")
        )
        if not (equals and _NAME.fullmatch(registry) and _NAME.fullmatch(mirror)):
            raise UserInputError(
                ErrorCode.INVALID_INPUT,
                {"field": "image_mirrors", "value": line.strip()},
                cause=f"“{line.strip()}” is not REGISTRY = MIRROR.",
                remedy="For example: docker.io = mirror.example:5000",
            )
        found[registry] = mirror
    return found


def registry_of(image: str) -> tuple[str, str]:
    """Return an image's registry and its name there.

    ``vllm/vllm-openai:v0.9`` is of ``docker.io``, ``ubuntu`` is ``library/ubuntu`` there. The first
    part is a registry when it holds a dot or a colon, or is ``localhost``.
    """
    first, slash, rest = image.partition("/")
    if slash and ("." in first or ":" in first or first == "localhost"):
        registry, name = first.removeprefix("index."), rest
    else:
        registry, name = DOCKER_HUB, image
    if registry == DOCKER_HUB and "/" not in name:
        name = f"library/{name}"
    return registry, name


def mirrored(image: str, mirrors: Mapping[str, str]) -> str | None:
    """Return the name by which a mirror has ``image``; ``None`` where none is set."""
    registry, name = registry_of(image)
    mirror = mirrors.get(registry)
    return None if mirror is None else f"{mirror}/{name}"
