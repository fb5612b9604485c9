"""Document of ``pitwall report``."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class BundledFile:
    """One file of a bundle."""

    path: str
    title: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleDocument:
    """A support bundle that was written, or with ``--preview`` would be."""

    schema: Literal["pitwall.report/1"] = "pitwall.report/1"
    ref: str
    file: str | None
    """Where it was written; ``null`` for a preview."""
    redacted: bool
    replaced: Mapping[str, int]
    """Places that were replaced, by kind."""
    files: tuple[BundledFile, ...]
    missing: Mapping[str, str]
    """What could not be had, and why."""
