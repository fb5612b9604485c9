"""What ``pitwall inspect`` says of a launch text: launches, remarks, a corrected text."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from app.core.clinic.identify import Launch
from app.core.clinic.origin import Lines
from app.core.clinic.remark import Remark
from app.core.clinic.report import Clinic
from app.core.clinic.spec import Severity
from app.core.texts import Text


class Mask(Protocol):
    """Takes secrets out of texts."""

    def known(self, text: str) -> str:
        """Take out what is known by its place."""

    def whole(self, text: str) -> str:
        """Take out what has the looks of a secret as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchDocument:
    """One engine that the text starts; secrets are masked."""

    name: str | None
    engine: str
    version: str
    version_source: str
    """``tag``, ``stated`` or ``newest`` (nothing says it)."""
    image: str | None
    model: str | None
    argv: tuple[str, ...]
    environment: Mapping[str, str | None]
    options: Mapping[str, tuple[str, ...]]
    """Of the container, under docker run's names."""
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RemarkDocument:
    """One remark; lines and columns count from one, the end column is not part of it."""

    id: str
    severity: Severity
    line: int
    column: int
    end_line: int
    end_column: int
    words: str
    """What stands there."""
    text: Text
    instead: Text | None
    is_corrected: bool
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchResult:
    """``result`` of the kinds that launch an engine, and of ``nginx`` in front of one."""

    launches: tuple[LaunchDocument, ...]
    remarks: tuple[RemarkDocument, ...]
    counts: Mapping[str, int]
    """Remarks by severity."""
    corrected: str | None
    """The whole text with what can be corrected without thinking; secrets are masked."""


def launch_result(clinic: Clinic, mask: Mask) -> LaunchResult:
    """Return what is printed; no secret of the paste is in it."""
    lines = Lines(clinic.text)
    remarks = tuple(_remark(remark, clinic.text, lines, mask) for remark in clinic.remarks)
    corrected = clinic.corrected
    return LaunchResult(
        launches=tuple(_launch(launch, lines, mask) for launch in clinic.launches),
        remarks=remarks,
        counts={s.value: sum(r.severity is s for r in remarks) for s in Severity},
        corrected=None if corrected is None else mask.whole(corrected),
    )


def _launch(launch: Launch, lines: Lines, mask: Mask) -> LaunchDocument:
    start, container = launch.start, launch.start.container
    image = container.image.text if container and container.image else None
    options = container.options if container else {}
    return LaunchDocument(
        name=start.name or None,
        engine=launch.engine_id,
        version=launch.version,
        version_source=launch.version_by.value,
        image=image,
        model=mask.whole(launch.model.text) if launch.model else None,
        argv=tuple(mask.whole(word.text) for word in start.words),
        environment={
            v.name: mask.whole(v.value) if v.is_resolved else None for v in start.variables
        },
        options={
            name: tuple(mask.whole(option.value) for option in found)
            for name, found in options.items()
            if name != "env"
        },
        line=lines.line(start.span.begin),
    )


def _remark(remark: Remark, text: str, lines: Lines, mask: Mask) -> RemarkDocument:
    begin, end = remark.span.begin, remark.span.end
    return RemarkDocument(
        id=remark.id,
        severity=remark.severity,
        line=lines.line(begin),
        column=lines.column(begin),
        end_line=lines.line(max(end - 1, begin)),
        end_column=lines.column(max(end - 1, begin)) + 1,
        words=mask.whole(" ".join(text[begin:end].split())[:200]),
        text=_masked(remark.text, mask),
        instead=_masked(remark.instead, mask) if remark.instead else None,
        is_corrected=bool(remark.edits),
        source=remark.source,
        checked=remark.checked,
    )


def _masked(text: Text, mask: Mask) -> Text:
    return Text(en=mask.known(text.en), zh_CN=mask.known(text.zh_CN))
