"""Is a model on disk whole and ready to be loaded? Findings, each with evidence, why and remedy.

Judges only what was read: listings, headers, small text files, where the folder is mounted. What
nobody could read is unknown, never a pass.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from app.core.checks.spec import SEVERITY, CheckState
from app.core.texts import Text


class PreflightId(StrEnum):
    """What is looked at, in the order it is told."""

    CONFIG = "config"
    SHARDS = "shards"
    WHOLE_FILES = "whole_files"
    POINTERS = "pointers"
    DOWNLOAD = "download"
    TOKENIZER = "tokenizer"
    CHAT_TEMPLATE = "chat_template"
    GENERATION_CONFIG = "generation_config"
    CUSTOM_CODE = "custom_code"
    QUANTIZATION = "quantization"
    FILE_SYSTEM = "file_system"
    LOAD_TIME = "load_time"


class Damage(StrEnum):
    """What is wrong with one file."""

    CUT_OFF = "cut_off"
    POINTER = "pointer"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True, kw_only=True)
class DamagedFile:
    """A file that cannot be loaded, and what says so."""

    name: str
    damage: Damage
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Storage:
    """Where the model's folder lies; ``None`` and a reason for what nobody could read."""

    kind: str | None = None
    """Type of the file system as the kernel names it: ``ext4``, ``nfs4``, ``overlay``."""
    device: str | None = None
    mount_point: str | None = None
    reason: str = ""
    read_bytes_per_s: float | None = None
    measured_bytes: int | None = None
    speed_reason: str = ""
    """Why there is no measured speed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """What was read of a model on a host."""

    path: str
    name: str
    is_gguf: bool = False
    config_problem: str = ""
    has_config: bool = True
    weight_files: tuple[str, ...] = ()
    weights_bytes: int | None = None
    missing_files: tuple[str, ...] = ()
    damaged: tuple[DamagedFile, ...] = ()
    unread: tuple[str, ...] = ()
    """Files whose headers the user may not read, and why."""
    has_index: bool = False
    headers_read: bool = True
    """False for formats whose headers are not read (``.bin``)."""
    broken_links: tuple[str, ...] | None = None
    """``None``: the host could not be asked."""
    unfinished: tuple[str, ...] | None = None
    has_tokenizer: bool | None = False
    """``None`` where a header that would say it was not read."""
    has_chat_template: bool | None = False
    has_generation_config: bool = False
    is_encoder: bool = False
    custom_classes: tuple[str, ...] = ()
    unsupported_format: str = ""
    storage: Storage = field(default_factory=Storage)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreflightFinding:
    """What came of one look at a model."""

    id: PreflightId
    state: CheckState
    title: Text
    said: Text
    why: Text
    remedy: Text
    """Empty sentences where nothing is to be done."""
    evidence: tuple[str, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadTime:
    """How long reading the weights takes."""

    least_s: float
    most_s: float
    weights_bytes: int
    read_bytes_per_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPreflight:
    """All findings about one model, in order."""

    path: str
    name: str
    findings: tuple[PreflightFinding, ...]
    load_time: LoadTime | None = None

    @property
    def worst(self) -> CheckState:
        """The worst state of all findings; unknown does not hide a warning."""
        return min((f.state for f in self.findings), key=SEVERITY.__getitem__)

    @property
    def counts(self) -> Mapping[CheckState, int]:
        """How many findings have each state."""
        states = [finding.state for finding in self.findings]
        return MappingProxyType({state: states.count(state) for state in CheckState})

    def stops_loading(self) -> bool:
        """Tell whether files are missing or damaged: no engine gets past that.

        A tokenizer may be given apart, and some engines need no config.
        """
        return any(finding.id in _OF_FILES for finding in self.failed())

    def failed(self) -> tuple[PreflightFinding, ...]:
        """Return the findings that keep the model from being loaded."""
        return tuple(f for f in self.findings if f.state is CheckState.FAIL)


_EVIDENCE: Final = 8
_OF_FILES: Final = frozenset(
    {PreflightId.SHARDS, PreflightId.WHOLE_FILES, PreflightId.POINTERS, PreflightId.DOWNLOAD}
)


def shown(names: Iterable[str]) -> tuple[str, ...]:
    """Return the first few of many lines of evidence, and how many more there are."""
    lines = tuple(names)
    if len(lines) <= _EVIDENCE:
        return lines
    return (*lines[:_EVIDENCE], f"+ {len(lines) - _EVIDENCE}")
