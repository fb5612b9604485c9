"""What a deployment is, as one document: enough to compare it with another one far away.

Secrets are never in it: values of variables and flags that hold one are replaced by ``HIDDEN``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from app.core.hardware.fingerprint import Fingerprint

RECORD_SCHEMA: Final = "pitwall.deployment-record/1"
HIDDEN: Final = "(hidden)"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileIdentity:
    """One file of a model, and how surely it can be told from another."""

    name: str
    size_bytes: int
    sha256: str | None = None
    """Of the whole file; ``None`` when it was not computed and no cache names it."""
    head_sha256: str | None = None
    """Of the first MiB only; for large files whose whole hash is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelIdentity:
    """Which model it is: by its files, not by its name."""

    path: str
    """Where it lies on the host; empty when that could not be found out."""
    revision: str | None = None
    """Commit of a Hugging Face cache, where the path names one."""
    files: tuple[FileIdentity, ...] = ()
    generation: Mapping[str, str] | None = None
    """``generation_config.json``, values as JSON; ``None`` when there is none."""
    unreadable: str = ""
    """Why the files could not be looked at; empty when they could."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeploymentRecord:
    """Everything that decides how a deployment behaves, as found on the host."""

    schema: str = RECORD_SCHEMA
    host: str
    name: str
    taken_at: str
    """UTC, ISO 8601 with ``Z``."""
    simulated: bool = False
    engine: str
    engine_version: str
    image: str
    """The reference it was started with; a tag can move."""
    image_id: str
    """Content id of the image's configuration; equal ids are the same image."""
    image_digests: tuple[str, ...] = ()
    """Repository digests, where the image came from a registry."""
    entrypoint: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    gpu_count: int | None = None
    """How many GPUs it was given; ``None`` when that is not known."""
    shm_size_bytes: int | None = None
    model: ModelIdentity
    said: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """What the engine's own log says that it uses, by name; empty when it said nothing."""
    fingerprint: Fingerprint | None = None
    """The host at that time, without raw sections; ``None`` when none was taken."""

    @property
    def ref(self) -> str:
        """``HOST/NAME``."""
        return f"{self.host}/{self.name}"
