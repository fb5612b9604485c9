"""Say which engine and version a start is of, and take its command line apart."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from app.core.clinic.commands import (
    Found,
    Split,
    find_program,
    inner_program,
    shell_text_of,
    split_flags,
)
from app.core.clinic.launch import Start
from app.core.clinic.origin import Word
from app.core.clinic.spec import ClinicData, ImageName
from app.core.engines.spec import EngineData, EngineFile, Entrypoint
from app.core.versions import in_span, match_version, newest_first, version_key


class VersionSource(StrEnum):
    """Where a version comes from."""

    TAG = "tag"
    STATED = "stated"
    """The user said it."""
    NEWEST = "newest"
    """Nothing says it: the newest examined one is taken, and that is said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageReference:
    """An image's name, taken apart."""

    repository: str
    tag: str
    digest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """A start, understood."""

    start: Start
    engine: EngineData
    version: str
    """Whose facts are used; one of the examined versions or what the tag says."""
    version_by: VersionSource
    nearest: str
    """The examined version that speaks for it."""
    image: ImageReference | None = None
    image_name: ImageName | None = None
    found: Found | None = None
    split: Split
    entry: tuple[str, ...] = ()
    """What the image starts by itself, when nothing replaces it."""
    has_positional_model: bool = False

    @property
    def engine_id(self) -> str:
        """The engine's id."""
        return self.engine.engine.id

    @property
    def model(self) -> Word | None:
        """The model's name or path."""
        for flag in self.split.flags:
            if flag.name in {"--model", "--model-path", "--model-id", "-m"} and flag.values:
                return flag.values[0]
        return self.split.strays[0] if self.has_positional_model and self.split.strays else None

    @property
    def strays(self) -> tuple[Word, ...]:
        """Words that neither a flag nor the model's place takes."""
        strays = self.split.strays
        model = self.model
        return strays[1:] if strays and model is strays[0] else strays


def parse_image(reference: str) -> ImageReference:
    """Take ``registry:5000/name:tag@sha256:…`` apart."""
    name, _, digest = reference.partition("@")
    head, slash, last = name.rpartition("/")
    last, colon, tag = last.partition(":")
    return ImageReference(
        repository=f"{head}{slash}{last}", tag=tag if colon else "", digest=digest
    )


def identify(
    start: Start,
    engines: Mapping[str, EngineData],
    data: ClinicData,
    stated: str | None = None,
) -> Launch | None:
    """Say what a start launches; ``None`` when it is no engine that Pitwall knows."""
    container = start.container
    image = parse_image(container.image.text) if container and container.image else None
    name = _image_name(image, data) if image else None
    entrypoint = container.entrypoint if container else None
    found = _find(start, entrypoint, data)
    engine_id = (
        found.program.engine if found else name.engine if name else _by_variables(start, data)
    )
    engine = engines.get(engine_id or "")
    if engine is None or not engine.engine.versions:
        return None
    version, by = _version(engine.engine, name, image, stated)
    entry = _entry(engine.engine, name, version) if name and entrypoint is None else ()
    arguments = found.arguments if found else start.words
    return Launch(
        start=start,
        engine=engine,
        version=version,
        version_by=by,
        nearest=match_version(
            version, engine.engine.versions, engine.engine.version_scheme
        ).nearest,
        image=image,
        image_name=name if name and name.engine == engine_id else None,
        found=found,
        split=split_flags(arguments, engine, version),
        entry=entry,
        has_positional_model=_positional(found, engine.engine, version, entry),
    )


def _find(start: Start, entrypoint: tuple[Word, ...] | None, data: ClinicData) -> Found | None:
    if text := shell_text_of(entrypoint or (), start.words):
        return inner_program(text, data)
    words = (*(entrypoint or ()), *start.words)
    found = find_program(words, data)
    if found is None and words and " " in words[0].text.strip():
        return inner_program(words[0], data)  # a whole line written as one word
    return found


def _image_name(image: ImageReference, data: ClinicData) -> ImageName | None:
    return next((n for n in data.images if re.search(n.repository, image.repository)), None)


def _by_variables(start: Start, data: ClinicData) -> str | None:
    """Recognise a drop-in that only sets an engine's variables."""
    for variable in start.variables if not start.words else ():
        for grammar in data.grammars.values():
            if grammar.env_prefix and variable.name.startswith(grammar.env_prefix):
                return grammar.engine
    return None


def _version(
    engine: EngineFile,
    name: ImageName | None,
    image: ImageReference | None,
    stated: str | None,
) -> tuple[str, VersionSource]:
    if stated and version_key(stated, engine.version_scheme) is not None:
        return stated, VersionSource.STATED
    if name is not None and name.engine == engine.id and name.tag and image is not None:
        found = re.match(name.tag, image.tag)
        if found and version_key(found["version"], engine.version_scheme) is not None:
            return found["version"], VersionSource.TAG
    newest = engine.default_version or newest_first(engine.versions, engine.version_scheme)[0]
    return newest, VersionSource.NEWEST


def _entry(engine: EngineFile, name: ImageName, version: str) -> tuple[str, ...]:
    if name.program or not name.serves:
        return name.program
    entry = entrypoint_of(engine, version)
    return entry.program if entry else ()


def entrypoint_of(engine: EngineFile, version: str) -> Entrypoint | None:
    """Return how an image of a version starts."""
    matching = [
        entry
        for entry in engine.entrypoint
        if in_span(version, entry.since, "", engine.version_scheme)
    ]
    return matching[-1] if matching else None


def _positional(
    found: Found | None, engine: EngineFile, version: str, entry: tuple[str, ...]
) -> bool:
    if found is not None:
        return found.program.model_positional
    point = entrypoint_of(engine, version)
    return bool(entry and point and point.model_positional)
