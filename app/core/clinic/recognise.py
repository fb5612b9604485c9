"""Tell a launch text from everything else, and read it into starts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from app.core.clinic.commands import find_program
from app.core.clinic.compose import is_yaml, read_yaml
from app.core.clinic.damage import Damage, mended
from app.core.clinic.docker_words import find_docker_run, read_docker_run
from app.core.clinic.identify import parse_image
from app.core.clinic.launch import LaunchKind, Start, Variable
from app.core.clinic.nginx import is_nginx, read_nginx
from app.core.clinic.origin import Chars, Span
from app.core.clinic.shell import read_commands
from app.core.clinic.shell_commands import Command
from app.core.clinic.spec import ClinicData
from app.core.clinic.systemd import is_unit, read_unit

MOST_CHARACTERS: Final = 120_000
"""A launch is short; what is longer is something else, or its beginning says enough."""
_MOST_STARTS: Final = 60
_LOG_LINE: Final = re.compile(
    r"^.{0,60}?(?:\b(?:INFO|WARNING|ERROR|DEBUG)\b[ :]+\d\d-\d\d|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d|"
    r"\bTraceback \(most recent call last\))",
    re.MULTILINE,
)
_HINT: Final = re.compile(
    r"vllm|sglang|trtllm|tensorrt|lmdeploy|text-generation|ollama|llama|proxy_pass|tgi",
    re.IGNORECASE,
)
_HEREDOC: Final = re.compile(
    r"^(?P<head>[^\n]*)<<-?[ \t]*(?P<quote>[\"']?)(?P<end>[A-Za-z_]\w*)(?P=quote)[^\n]*\n",
    re.MULTILINE,
)
_FILE: Final = re.compile(r"^[ \t]*(?:services|apiVersion|containers|image)\s*:", re.MULTILINE)
_RUNS: Final = re.compile(
    r"\b(?:ba|z|da)?sh\b|\b(?:ssh|kubectl|docker|podman|systemctl)\b|"
    r"\.(?:sh|bash|ya?ml|service|conf)\b",
)
"""Before a here-document: what its text becomes is run, and no note or data."""
_MOST_BODIES: Final = 20
_FENCE: Final = re.compile(r"^[ \t]*(?:```|~~~)[^\n]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Launches:
    """What was read of one paste."""

    kind: LaunchKind
    starts: tuple[Start, ...]
    damages: tuple[Damage, ...] = ()
    """What kept a file from being read as a whole."""


def read_launches(text: str, data: ClinicData) -> Launches | None:
    """Read a launch text; ``None`` when it launches no engine, or is an engine's log."""
    text = text[:MOST_CHARACTERS]
    if not may_launch(text):
        return None
    plain = mended(_FENCE.sub(lambda found: " " * len(found[0]), text))
    parts = [read for part in _parts(plain) if (read := _read(part, data)) is not None]
    if not parts:
        return None
    return Launches(
        kind=parts[0].kind,
        starts=tuple(start for part in parts for start in part.starts)[:_MOST_STARTS],
        damages=tuple(damage for part in parts for damage in part.damages),
    )


def _parts(text: str) -> list[str]:
    """Return a text and each here-document that it writes or feeds to a shell.

    Everything stays at its place: what belongs to another part is blank.
    """
    bodies = list(_bodies(text))
    if not bodies:
        return [text]
    outside = text
    for begin, end in bodies:
        outside = outside[:begin] + _blank(outside[begin:end]) + outside[end:]
    inside = [_blank(text[:begin]) + text[begin:end] + _blank(text[end:]) for begin, end in bodies]
    return [outside, *inside]


def _bodies(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the texts of here-documents stand that may start an engine."""
    place = 0
    for _ in range(_MOST_BODIES):
        head = _HEREDOC.search(text, place)
        if head is None:
            return
        last = re.compile(rf"^[ \t]*{head['end']}[ \t]*$", re.MULTILINE).search(text, head.end())
        place = last.end() if last else head.end()
        end = last.start() if last else head.end()
        if _RUNS.search(head["head"]) and may_launch(text[head.end() : end]):
            yield head.end(), end


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _read(text: str, data: ClinicData) -> Launches | None:
    if is_nginx(text):
        return _made(LaunchKind.NGINX, read_nginx(text))
    if is_unit(text):
        return _made(LaunchKind.SYSTEMD, _units(text, data))
    if not is_yaml(text):
        return _shell(text, data)
    read = read_yaml(text)
    starts = tuple(start for start in read.starts if _is_engine(start, data))
    if starts:
        return Launches(kind=starts[0].kind, starts=starts, damages=read.damages)
    shell = _shell(text, data)
    if shell is None and read.damages and _FILE.search(text):
        kind = LaunchKind.KUBERNETES if "apiVersion" in text else LaunchKind.COMPOSE
        return Launches(kind=kind, starts=(), damages=read.damages)
    return shell


def may_launch(text: str) -> bool:
    """Tell quickly whether it is worth looking: an engine is named, and it is no log."""
    head = text[:MOST_CHARACTERS]
    return _HINT.search(head) is not None and len(_LOG_LINE.findall(head)) <= 2


def _made(kind: LaunchKind, starts: tuple[Start, ...]) -> Launches | None:
    return Launches(kind=kind, starts=starts[:_MOST_STARTS]) if starts else None


def _units(text: str, data: ClinicData) -> tuple[Start, ...]:
    """Read a unit; what it starts may be a docker run line."""
    made = []
    for unit in read_unit(text):
        command = Command(words=unit.words, problems=unit.problems)
        begin = find_docker_run(unit.words)
        if begin is not None:
            start = read_docker_run(command, begin, data)
            unit = replace(  # noqa: PLW2901 - the same start, read further
                start,
                kind=LaunchKind.SYSTEMD,
                settings=unit.settings,
                variables=start.variables,
            )
        if _is_engine(unit, data):
            made.append(unit)
    return tuple(made)


def _shell(text: str, data: ClinicData) -> Launches | None:
    starts: list[Start] = []
    for command in read_commands(Chars.whole(text)):
        if len(starts) >= _MOST_STARTS:
            break
        start = _start(command, data)
        if start is not None and _is_engine(start, data):
            starts.append(start)
    if not starts:
        return None
    is_docker = starts[0].kind is LaunchKind.DOCKER_RUN
    return _made(LaunchKind.DOCKER_RUN if is_docker else LaunchKind.SCRIPT, tuple(starts))


def _start(command: Command, data: ClinicData) -> Start | None:
    begin = find_docker_run(command.words)
    if begin is not None:
        return read_docker_run(command, begin, data)
    if find_program(command.words, data) is None:
        return None
    variables = tuple(
        Variable(
            name=a.name,
            value=a.value.text,
            span=a.value.span if a.value.text else a.whole,
            whole=a.whole,
            is_resolved=a.value.is_resolved,
        )
        for a in (*command.exported, *command.assignments)
    )
    last = command.words[-1].span
    return Start(
        kind=LaunchKind.SCRIPT,
        words=command.words,
        variables=variables,
        problems=command.problems,
        span=Span(begin=command.words[0].span.begin, end=max(last.end, last.begin)),
    )


def _is_engine(start: Start, data: ClinicData) -> bool:
    container = start.container
    if container is not None and container.image is not None:
        repository = parse_image(container.image.text).repository
        if any(re.search(name.repository, repository) for name in data.images):
            return True
    words = (*(container.entrypoint or ()), *start.words) if container else start.words
    if find_program(words, data) is not None:
        return True
    prefixes = tuple(g.env_prefix for g in data.grammars.values() if g.env_prefix)
    return not words and any(v.name.startswith(prefixes) for v in start.variables)
