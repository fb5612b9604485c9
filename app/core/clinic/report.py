"""The clinic: from a paste to remarks, line by line, and a corrected text."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from app.core.clinic.correct import apply
from app.core.clinic.damage import Damage, damaged_signs
from app.core.clinic.fact_book import Facts
from app.core.clinic.facts import launch_facts
from app.core.clinic.facts_nginx import nginx_facts
from app.core.clinic.flag_remarks import FlagJudge
from app.core.clinic.identify import Launch, VersionSource, identify
from app.core.clinic.launch import LaunchKind, Start
from app.core.clinic.origin import Lines, Span
from app.core.clinic.recognise import read_launches
from app.core.clinic.remark import Remark
from app.core.clinic.rules import hold
from app.core.clinic.spec import ClinicData, Severity
from app.core.clinic.variable_remarks import variable_remarks
from app.core.engines.spec import EngineData
from app.core.versions import in_span, match_version

_ORDER: Final = {severity: number for number, severity in enumerate(Severity)}
_MOST_REMARKS: Final = 400
_OF_ONE_WORD: Final = frozenset({"wrong_value", "stray"})
"""Said of several words of a launch: only the one that the other remark stands at is explained."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clinic:
    """What is said of one paste."""

    kind: LaunchKind
    text: str
    launches: tuple[Launch, ...]
    """Empty for nginx."""
    starts: tuple[Start, ...]
    remarks: tuple[Remark, ...]
    """In the order of the lines."""

    @property
    def is_rejected(self) -> bool:
        """Whether something will be refused."""
        return any(remark.severity is Severity.REJECT for remark in self.remarks)

    @property
    def corrected(self) -> str | None:
        """The text with every mechanical correction; ``None`` where there is none."""
        edits = [edit for remark in self.remarks for edit in remark.edits]
        return apply(self.text, edits) if edits else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Knowledge:
    """The data that the clinic judges by."""

    engines: Mapping[str, EngineData]
    clinic: ClinicData


def examine(
    text: str,
    knowledge: Knowledge,
    *,
    version: str | None = None,
    around: Mapping[str, str | int | float | bool | None] | None = None,
) -> Clinic | None:
    """Judge a launch text; ``None`` when it is none.

    Args:
        text: the paste.
        knowledge: engines and rules.
        version: of the engine, where the paste does not tell.
        around: facts of the host (``host_gpus``, ``host_capability``, ``host_driver``).
    """
    read = read_launches(text, knowledge.clinic)
    if read is None:
        return None
    clinic = judge(text, read.kind, read.starts, knowledge, version=version, around=around)
    pods = [start for start in read.starts if start.kind is LaunchKind.KUBERNETES][:1]
    scope = [Remark.of(knowledge.clinic.said["kubernetes_scope"], pod.span, {}) for pod in pods]
    damages = (*read.damages, *damaged_signs(text, read.starts))
    told = [_of_damage(damage, knowledge.clinic) for damage in damages] + scope
    if clinic is None:
        return (
            None
            if not told
            else Clinic(
                kind=read.kind, text=text, launches=(), starts=(), remarks=_in_order(told, text)
            )
        )
    return replace(clinic, remarks=_in_order([*clinic.remarks, *told], text))


def judge(
    text: str,
    kind: LaunchKind,
    starts: tuple[Start, ...],
    knowledge: Knowledge,
    *,
    version: str | None = None,
    around: Mapping[str, str | int | float | bool | None] | None = None,
) -> Clinic | None:
    """Judge starts that were read already."""
    launches: list[Launch] = []
    remarks: list[Remark] = []
    for start in starts:
        if start.kind is LaunchKind.NGINX:
            facts = nginx_facts(start.settings)
            remarks += _unexplained(list(hold(knowledge.clinic.rules, facts, start, text)))
            continue
        launch = identify(start, knowledge.engines, knowledge.clinic, version)
        if launch is not None:
            launches.append(launch)
            remarks += _unexplained(list(_of_launch(text, launch, knowledge, around or {})))
    if not launches and kind is not LaunchKind.NGINX:
        return None
    return Clinic(
        kind=kind,
        text=text,
        launches=tuple(launches),
        starts=starts,
        remarks=_in_order(remarks, text),
    )


def _unexplained(remarks: list[Remark]) -> list[Remark]:
    """Leave out what another remark on the same launch explains."""
    explained = [(name, remark.span) for remark in remarks for name in remark.supersedes]
    return [
        remark
        for remark in remarks
        if not any(
            name == remark.id and (name not in _OF_ONE_WORD or _touch(span, remark.span))
            for name, span in explained
        )
    ]


def _touch(one: Span, other: Span) -> bool:
    return one.begin < other.end and other.begin < one.end


def _of_launch(
    text: str,
    launch: Launch,
    knowledge: Knowledge,
    around: Mapping[str, str | int | float | bool | None],
) -> Iterator[Remark]:
    facts = launch_facts(launch, knowledge.clinic.grammars.get(launch.engine_id))
    for name, value in around.items():
        facts.set(name, value)
    yield from _breaks(launch, knowledge.clinic)
    yield from _version(launch, facts, knowledge.clinic)
    yield from _container(launch, knowledge)
    yield from FlagJudge(text, launch, knowledge.engines, knowledge.clinic).remarks()
    yield from variable_remarks(text, launch, knowledge.clinic)
    yield from hold(
        knowledge.clinic.rules,
        facts,
        launch.start,
        text,
        version=launch.version,
        scheme=launch.engine.engine.version_scheme,
    )


def _of_damage(damage: Damage, data: ClinicData) -> Remark:
    return Remark.of(data.said[damage.id], damage.span, {"detail": damage.detail}, damage.edits)


def _breaks(launch: Launch, data: ClinicData) -> Iterator[Remark]:
    for problem in launch.start.problems:
        yield Remark.of(data.said[problem.id], problem.span, {})
    for variable in launch.start.outside:
        values = {"name": variable.name, "value": variable.value[:60]}
        yield Remark.of(data.said["variable_outside"], variable.span, values)
    container = launch.start.container
    for word in container.unknown if container else ():
        yield Remark.of(data.said["docker_unknown"], word.span, {"flag": word.text})


def _version(launch: Launch, facts: Facts, data: ClinicData) -> Iterator[Remark]:
    engine = launch.engine.engine
    match = match_version(launch.version, engine.versions, engine.version_scheme)
    values = {
        "engine": engine.name,
        "version": launch.version,
        "nearest": match.nearest,
        "newest": engine.versions[-1],
    }
    oldest = engine.flags_since or engine.versions[0]
    values["oldest"] = oldest
    span = facts.places.get("image") or facts.places.get("program") or launch.start.span
    if launch.version_by is VersionSource.NEWEST:
        said = "version_floating" if facts.values.get("floating") else "version_unknown"
        yield Remark.of(data.said[said], span, values)
    elif match.is_newer:
        yield Remark.of(data.said["version_newer"], span, values)
    elif not in_span(launch.version, oldest, "", engine.version_scheme):
        yield Remark.of(data.said["version_older"], span, values)


def _container(launch: Launch, knowledge: Knowledge) -> Iterator[Remark]:
    """Judge what the image starts by itself against what the command says."""
    data, start, found = knowledge.clinic, launch.start, launch.found
    values = {
        "engine": launch.engine.engine.name,
        "version": launch.version,
        "entry": " ".join(launch.entry),
    }
    if launch.image_name is None or start.container is None:
        return
    words = start.words
    if words and _is_doubled(launch):
        is_plain = found is not None and not found.in_shell
        span = found.words[0].span if found is not None and is_plain else words[0].span
        yield Remark.of(data.said["entry_doubled"], span, values)
    elif (
        not launch.entry and not launch.image_name.serves and found is None and words
        and start.container.entrypoint is None and words[0].text.startswith("-")
    ):  # fmt: skip
        yield Remark.of(data.said["entry_missing"], words[0].span, values)
    elif launch.entry and not launch.has_positional_model and launch.split.strays:
        first = launch.split.strays[0]
        if first is words[0] and launch.engine_id == "vllm" and first.is_resolved:
            yield Remark.of(data.said["model_by_position"], first.span, values)
    yield from _tag(launch, data, values)


def _is_doubled(launch: Launch) -> bool:
    """Tell whether the command names again what the image's entry point starts already."""
    first = launch.start.words[0].text
    if not launch.entry:
        return False
    if launch.found is None:
        return len(launch.entry) > 1 and first == launch.entry[-1]
    words = launch.found.program.words
    goes_on = len(launch.entry) < len(words) and first == words[len(launch.entry)]
    return launch.found.in_shell or not goes_on


_NUMBERED: Final = re.compile(r"\d+\.\d+\.\d+")


def _tag(launch: Launch, data: ClinicData, values: Mapping[str, str]) -> Iterator[Remark]:
    """Tell a tag that the registry does not have: with or without its ``v``."""
    image, container = launch.image, launch.start.container
    rules = launch.engine.engine.image
    if image is None or container is None or container.image is None or not rules:
        return
    repository = rules[0].reference.partition(":")[0]
    has_v = ":v{version}" in rules[0].reference
    if not image.repository.endswith(repository) or not _NUMBERED.match(image.tag.lstrip("v")):
        return
    if image.tag.startswith("v") != has_v:
        right = f"v{image.tag}" if has_v else image.tag.lstrip("v")
        word = container.image
        edits = ()
        made = Remark.of(
            data.said["tag_without_v" if has_v else "tag_with_v"],
            word.span,
            {**values, "tag": right},
            edits,
        )
        yield made


def _in_order(remarks: list[Remark], text: str) -> tuple[Remark, ...]:
    """Sort by line; what is said twice is left out."""
    lines = Lines(text)
    kept: dict[tuple[str, int, int, str], Remark] = {}
    for remark in remarks:
        key = (remark.id, remark.span.begin, remark.span.end, remark.text.en)
        kept.setdefault(key, remark)
    return tuple(
        sorted(
            kept.values(),
            key=lambda r: (lines.line(r.span.begin), _ORDER[r.severity], r.span.begin),
        )[:_MOST_REMARKS]
    )
