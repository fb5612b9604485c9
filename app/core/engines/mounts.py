"""Where a model stands on the host, and where the container sees it.

A folder of the Hugging Face cache holds links to ``../../blobs``: mounted alone they would point
nowhere, so the repository's folder is mounted and the snapshot is named inside it.
"""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from app.core.deployment.spec import Mount
from app.core.models.architecture import ModelFormat, ModelInfo

_TARGET: Final = "/models"
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")
_SHARD: Final = re.compile(r"-\d{5}-of-\d{5}\.gguf$")
_NOT_IN_NAME: Final = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPlace:
    """A mount and the path that the engine is given."""

    mount: Mount
    path: str


def place_model(model: ModelInfo, *, path: str | None = None) -> ModelPlace:
    """Return how the model is mounted read-only; ``path`` overrides where it is on the host."""
    source = PurePosixPath(path or model.path or f"{_TARGET}/{model.name}")
    repository = _hub_repository(source)
    if repository is not None:
        target = f"{_TARGET}/{_safe(repository.name)}"
        return ModelPlace(
            mount=Mount(source=str(repository), target=target),
            path=f"{target}/{source.relative_to(repository)}",
        )
    if is_split_gguf(model):
        target = f"{_TARGET}/{_safe(source.parent.name)}"
        return ModelPlace(
            mount=Mount(source=str(source.parent), target=target), path=f"{target}/{source.name}"
        )
    target = f"{_TARGET}/{_safe(source.name)}"
    return ModelPlace(mount=Mount(source=str(source), target=target), path=target)


def is_split_gguf(model: ModelInfo) -> bool:
    """Tell whether the model is one of several GGUF files that belong together."""
    return model.format is ModelFormat.GGUF and _SHARD.search(model.path or model.name) is not None


def served_name(model: ModelInfo) -> str:
    """Return the name that clients put into ``model``: the last part, without file ending."""
    return PurePosixPath(model.name).name.removesuffix(".gguf") or "model"


def deployment_slug(model: ModelInfo) -> str:
    """Return a deployment name made from the model's: ``qwen2-5-7b-instruct``."""
    slug = _NOT_IN_NAME.sub("-", served_name(model).lower()).strip("-")
    return slug[:40].strip("-") or "model"


def _hub_repository(path: PurePosixPath) -> PurePosixPath | None:
    for parent in path.parents:
        if parent.name == "snapshots" and parent.parent.name.startswith("models--"):
            return parent.parent
    return None


def _safe(name: str) -> str:
    """Return a name of plain letters with the ending kept: “千问.gguf” becomes “model.gguf”."""
    ending = ".gguf" if name.endswith(".gguf") else ""
    stem = _UNSAFE.sub("-", name.removesuffix(ending)).strip("-.")
    return (stem or "model") + ending
