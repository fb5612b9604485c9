"""What a customer sent as files of any names: sections, what was not understood, contradictions.

Files that come from two hosts contradict each other: other GPUs, drivers or host names. That is
said, never smoothed over; the first file of each kind counts.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from app.core.hardware.assemble import assemble_fingerprint
from app.core.hardware.fingerprint import Fingerprint, HostSource
from app.core.hardware.frame import CUT, decode_frames
from app.core.hardware.recording import COMMANDS, sections_from_recording
from app.core.hardware.sections import RawSection
from app.core.inspect.paste_sections import sections_of_text
from app.core.inspect.recognise import inspect_long

_BESIDE: Final = frozenset({".rc", ".err"})
_ABOUT = re.compile(r"taken_at=([0-9T:Z-]{20})")


@dataclass(frozen=True, slots=True, kw_only=True)
class SentFiles:
    """What could be read of them."""

    sections: tuple[RawSection, ...]
    warnings: tuple[str, ...] = ()
    """``pastes_contradict``, ``not_read``, ``cut``, each with its evidence."""
    taken_at: str | None = None


def read_sent_files(files: Mapping[str, str]) -> SentFiles:
    """Read files by what is in them; ``NAME.rc`` and ``NAME.err`` belong to ``NAME.txt``."""
    read: dict[str, tuple[RawSection, ...]] = {}
    warnings: list[str] = []
    for name in sorted(files):
        if PurePosixPath(name).suffix in _BESIDE or "readme" in name.lower():
            continue
        sections = _sections(name, files)
        if sections:
            read[name] = sections
        elif files[name].strip():
            warnings.append(f"not_read: {name} ({_what(files[name])})")
    sections = tuple(section for part in read.values() for section in part)
    return SentFiles(
        sections=sections,
        warnings=(*contradictions(read), *_cut(sections), *warnings),
        taken_at=next((m[1] for s in sections if (m := _taken(s))), None),
    )


def _sections(name: str, files: Mapping[str, str]) -> tuple[RawSection, ...]:
    """Return one file's sections: a probe's output, a recording by its name, or a paste."""
    text = files[name]
    if framed := decode_frames(text):
        return framed
    path = PurePosixPath(name)
    beside = [
        file
        for file in (f"{name.removesuffix(path.suffix)}{end}" for end in _BESIDE)
        if file in files
    ]
    own = {name: text} | {file: files[file] for file in beside}
    recorded = sections_from_recording({PurePosixPath(file).name: own[file] for file in own})
    if beside:
        return recorded
    pasted = sections_of_text(text)
    if path.stem in COMMANDS and (not pasted or path.stem in {s.name for s in pasted}):
        return recorded or pasted
    return pasted


def _what(text: str) -> str:
    kind = inspect_long(text).kind
    return kind.value


def _taken(section: RawSection) -> re.Match[str] | None:
    return _ABOUT.search(section.stdout) if section.name == "collector" else None


def _cut(sections: Iterable[RawSection]) -> list[str]:
    names = [section.name for section in sections if section.stderr.endswith(CUT)]
    return [f"cut: {name} …" for name in names]


def contradictions(read: Mapping[str, tuple[RawSection, ...]]) -> tuple[str, ...]:
    """Say which files cannot come from one host at one time."""
    facts = {
        name: assemble_fingerprint(sections, source=HostSource.RECORDED, taken_at="")
        for name, sections in read.items()
    }
    if len(facts) < 2:
        return ()
    return tuple(
        f"pastes_contradict: {first}: {what} {a} ≠ {second}: {what} {b}"
        for what, values in _claims(facts)
        for (first, a), (second, b) in _clash(values)
    )


_Claims = dict[str, frozenset[str]]


def _claims(facts: Mapping[str, Fingerprint]) -> Iterable[tuple[str, _Claims]]:
    """Yield what is claimed: file → values, for each fact that one host has once."""
    yield (
        "UUID",
        {name: frozenset(gpu.uuid for gpu in fp.gpus if gpu.uuid) for name, fp in facts.items()},
    )
    yield "driver", {name: _one(fp.driver_version) for name, fp in facts.items()}
    yield (
        "hostname",
        {name: _one((fp.machine.hostname or "").partition(".")[0]) for name, fp in facts.items()},
    )
    yield (
        "name",
        {
            name: frozenset(gpu.name.removeprefix("NVIDIA ") for gpu in fp.gpus if gpu.name)
            for name, fp in facts.items()
        },
    )


def _one(value: str | None) -> frozenset[str]:
    return frozenset({value}) if value else frozenset()


def _clash(values: _Claims) -> Iterable[tuple[tuple[str, str], tuple[str, str]]]:
    """Yield each file that says something else than the first one; a part of it is no clash."""
    known = [(name, value) for name, value in values.items() if value]
    if not known:
        return
    first, claimed = known[0]
    for name, value in known[1:]:
        if value <= claimed or claimed <= value or _only_cut(value, claimed):
            claimed = claimed | value
        else:
            yield (first, _say(claimed)), (name, _say(value))


def _only_cut(a: frozenset[str], b: frozenset[str]) -> bool:
    """Tell whether names differ only because a table cut them: “NVIDIA H100 80G...”."""
    return all(
        any(x.startswith(y.rstrip(".")) or y.startswith(x.rstrip(".")) for y in b) for x in a
    )


def _say(values: frozenset[str]) -> str:
    ordered = sorted(values)
    return ", ".join(ordered[:2]) + (" …" if len(ordered) > 2 else "")
