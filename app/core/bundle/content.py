"""What a support bundle holds: its files, redacted or not, and a manifest that proves them."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from app.core.bundle.kinds import RedactionKind
from app.core.bundle.redact import Redactor
from app.core.documents.encode import Plain, to_json, to_plain
from app.core.texts import Text

MANIFEST: Final = "manifest.json"
SCHEMA: Final = "pitwall.bundle/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Something that goes into a bundle, as it is."""

    path: str
    title: Text
    text: str = ""
    document: Plain = None
    """Written as JSON instead of ``text``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """Something that would belong into the bundle, and why it is not there."""

    path: str
    reason: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleFile:
    """One file of a bundle, ready to be written."""

    path: str
    title: Text
    content: bytes

    @property
    def sha256(self) -> str:
        """SHA-256 of the content, in hexadecimal."""
        return hashlib.sha256(self.content).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """A whole bundle; nothing is written yet."""

    files: tuple[BundleFile, ...]
    """In the order of reading; the manifest last."""
    redacted: bool
    replaced: Mapping[str, int] = field(default_factory=dict)
    """Places that were replaced, by kind."""
    missing: tuple[Missing, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestFile:
    """One file in the manifest."""

    path: str
    title: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestGap:
    """Something that is not in the bundle."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """``manifest.json``: what is in the bundle and what was done to it."""

    schema: Literal["pitwall.bundle/1"] = "pitwall.bundle/1"
    made_at: str
    pitwall: str
    redacted: bool
    replaced: Mapping[str, int]
    different: Mapping[str, int]
    files: tuple[ManifestFile, ...]
    missing: tuple[ManifestGap, ...]


def compose(
    sources: Sequence[Source],
    *,
    redactor: Redactor | None,
    made_at: str,
    version: str,
    missing: Iterable[Missing] = (),
) -> Bundle:
    """Return the files of a bundle.

    Args:
        sources: What goes in.
        redactor: Takes out what names somebody; ``None`` leaves everything as it is.
        made_at: UTC, ISO 8601.
        version: Pitwall's own.
        missing: What could not be had.
    """
    gaps = tuple(missing)
    if redactor is not None:
        for source in sources:
            if source.document is not None:
                redactor.learn_document(source.document)
            else:
                redactor.learn(source.text)
    files = tuple(_file(source, redactor) for source in sources)
    named = tuple(
        ManifestGap(path=gap.path, reason=_clean(gap.reason.en, redactor)) for gap in gaps
    )
    manifest = Manifest(
        made_at=made_at,
        pitwall=version,
        redacted=redactor is not None,
        replaced=_named(redactor.counts if redactor is not None else {}),
        different=_named(redactor.different if redactor is not None else {}),
        files=tuple(
            ManifestFile(
                path=file.path,
                title=file.title.en,
                bytes=len(file.content),
                sha256=file.sha256,
            )
            for file in files
        ),
        missing=named,
    )
    last = BundleFile(
        path=MANIFEST,
        title=Text(en="What is in this bundle, with checksums", zh_CN="本包内容清单与校验和"),
        content=_json(manifest).encode(),
    )
    return Bundle(
        files=(*files, last),
        redacted=redactor is not None,
        replaced=manifest.replaced,
        missing=gaps,
    )


def _file(source: Source, redactor: Redactor | None) -> BundleFile:
    document, text = source.document, source.text
    if redactor is not None:
        document = redactor.document(document) if document is not None else None
        text = redactor.text(text)
    written = _json(document) if document is not None else text
    if redactor is not None and redactor.left_in(written):
        # Cannot happen; and if it does, the file is worth less than what it would tell.
        written = "This file was left out: something that must not leave was still in it.\n"
    return BundleFile(path=source.path, title=source.title, content=written.encode())


def _json(value: object) -> str:
    return f"{to_json(to_plain(value), indent=2)}\n"


def _clean(text: str, redactor: Redactor | None) -> str:
    return text if redactor is None else redactor.text(text)


def _named(counts: Mapping[RedactionKind, int]) -> dict[str, int]:
    return {kind.value: counts[kind] for kind in RedactionKind if counts.get(kind)}
