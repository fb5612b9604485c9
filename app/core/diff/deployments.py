"""Compare two deployments: model files, image, arguments, environment, defaults, engine's words."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from app.core.deployment.record import HIDDEN, DeploymentRecord, FileIdentity
from app.core.diff.arguments import MODEL, read_arguments
from app.core.diff.collect import Collector, distinct_names
from app.core.diff.difference import Comparison, Item, Raw, Side, SideKind
from app.core.diff.engine_words import ASKED, CONFIG
from app.core.diff.host_items import show
from app.core.diff.hosts import compare_hosts
from app.core.diff.spec import Compare, DiffRule, DiffRules
from app.core.engines.flag_spec import FlagsFile
from app.core.hardware.catalogue import GpuCatalogue
from app.core.hardware.fingerprint import UnknownReason
from app.core.texts import Text
from app.core.units import format_bytes

_ABSENT: Final = "–"
_NO_FLAGS: Final[Mapping[str, FlagsFile]] = {}
_SHOWN_HASH: Final = 12
_SAME_SIZE: Final = Text(
    en="contents of files of equal size that were not hashed whole ({count})",
    zh_CN="大小相同但未计算完整哈希的文件内容（{count} 个）",
)
_NOT_SAID: Final = Text(en="its log does not say so", zh_CN="其日志没有说明")
_NO_FILES: Final = Text(
    en="the model's files could not be looked at ({reason})", zh_CN="无法读取模型文件（{reason}）"
)


def diff_deployments(
    a: DeploymentRecord,
    b: DeploymentRecord,
    rules: DiffRules,
    *,
    catalogue: GpuCatalogue | None = None,
    flags: Mapping[str, FlagsFile] = _NO_FLAGS,
) -> Comparison:
    """Return what differs between two deployments and, where both are known, their hosts."""
    side_a, side_b = deployment_side(a), deployment_side(b)
    collector = Collector(rules, distinct_names(side_a, side_b))
    collector.compare(_image(a), _image(b))
    if a.model.revision is not None or b.model.revision is not None:
        collector.compare([_revision(a)], [_revision(b)])
    collector.compare(_files(a, b, rules), _files(b, a, rules))
    if alike := only_by_size(a, b):
        collector.not_compared["file"] = _SAME_SIZE.filled({"count": len(alike)})
    for family, values_a, values_b in _families(a, b, flags):
        why = (_no_files(a), _no_files(b)) if family == "generation" else (_NOT_SAID, _NOT_SAID)
        pairs = list(_named(family, values_a, values_b, rules, why))
        collector.compare([first for first, _ in pairs], [second for _, second in pairs])
    if a.fingerprint is not None and b.fingerprint is not None:
        compare_hosts(collector, a.fingerprint, b.fingerprint, catalogue)
    elif a.fingerprint is not b.fingerprint:
        known = (a.fingerprint is not None, b.fingerprint is not None)
        collector.compare([_host(known=known[0])], [_host(known=known[1])])
    return collector.result(side_a, side_b)


def deployment_side(record: DeploymentRecord) -> Side:
    """Return how a deployment is called."""
    return Side(
        name=record.ref,
        taken_at=record.taken_at,
        kind=SideKind.DEPLOYMENT,
        simulated=record.simulated,
    )


def _host(*, known: bool) -> Item:
    return _item("deployment.host", "known" if known else None, reason=UnknownReason.NOT_ASKED)


def _item(
    path: str,
    value: Raw,
    shown: str | None = None,
    *,
    rule: str = "",
    label: Text | None = None,
    reason: UnknownReason | Text | None = None,
) -> Item:
    return Item(
        path=path,
        rule=rule or path,
        value=value,
        shown=show(value) if shown is None else shown,
        label=label,
        reason=reason if value is None else None,
    )


def _image(record: DeploymentRecord) -> Iterator[Item]:
    yield _item("image.engine", record.engine or None)
    yield _item("image.engine_version", record.said.get("version") or record.engine_version or None)
    yield _item("image.id", record.image_id or None, _short(record.image_id))
    yield _item("image.reference", record.image or None)
    yield _item("image.entrypoint", record.entrypoint)
    yield _item("deployment.gpu_count", record.gpu_count, reason=UnknownReason.NOT_REPORTED)
    shm = record.shm_size_bytes
    yield _item("deployment.shm", shm, "" if shm is None else format_bytes(shm))
    yield _item("model.path", record.model.path or None)


def _revision(record: DeploymentRecord) -> Item:
    revision = record.model.revision
    return _item("model.revision", revision, _short(revision or ""))


def _short(digest: str) -> str:
    """Write a digest as far as people compare it."""
    kind, colon, rest = digest.rpartition(":")
    return f"{kind}{colon}{rest[:_SHOWN_HASH]}" if len(rest) > _SHOWN_HASH else digest


def _files(record: DeploymentRecord, other: DeploymentRecord, rules: DiffRules) -> Iterator[Item]:
    """Return the model's files as far as both sides can be compared by the same means."""
    own = {file.name: file for file in record.model.files}
    others = {file.name: file for file in other.model.files}
    unreadable = bool(record.model.unreadable) or not own
    for name in sorted(own.keys() | others.keys()):
        rule = rules.named("file", name)
        label = _named_label(rule, name)
        path = f"file.{name}"
        file = own.get(name)
        if file is None:
            value = None if unreadable else "absent"
            yield _item(path, value, _ABSENT, rule=rule.id, label=label, reason=_no_files(record))
        else:
            value, shown = _identity(file, others.get(name))
            yield _item(path, value, shown, rule=rule.id, label=label)


def _no_files(record: DeploymentRecord) -> Text:
    return _NO_FILES.filled({"reason": record.model.unreadable.rstrip(".") or "–"})


def _identity(file: FileIdentity, other: FileIdentity | None) -> tuple[str, str]:
    """Return the surest identity that both files have; sizes alone where there is nothing else."""
    size = format_bytes(file.size_bytes)
    if other is None or (file.sha256 and other.sha256):
        value = file.sha256 or f"{file.size_bytes}"
        return value, f"{size} · {value[:_SHOWN_HASH]}" if file.sha256 else size
    if file.size_bytes == other.size_bytes and file.head_sha256 and other.head_sha256:
        value = file.head_sha256
        return value, f"{size} · {value[:_SHOWN_HASH]}… (first MiB)"
    return f"{file.size_bytes}", f"{file.size_bytes:,} B"


def only_by_size(a: DeploymentRecord, b: DeploymentRecord) -> tuple[str, ...]:
    """Return the files of both that could only be compared by their size or beginning."""
    others = {file.name: file for file in b.model.files}
    return tuple(
        file.name
        for file in a.model.files
        if (other := others.get(file.name)) is not None
        and not (file.sha256 and other.sha256)
        and file.size_bytes == other.size_bytes
    )


_Values = Mapping[str, str] | None


def _families(
    a: DeploymentRecord, b: DeploymentRecord, flags: Mapping[str, FlagsFile]
) -> Iterator[tuple[str, _Values, _Values]]:
    """Yield what is compared name by name; ``None`` for what a side does not know."""
    yield "flag", _flags(a, flags), _flags(b, flags)
    yield "env", a.environment, b.environment
    yield "generation", _generation(a), _generation(b)
    yield "said", _said(a), _said(b)


def _flags(record: DeploymentRecord, flags: Mapping[str, FlagsFile]) -> dict[str, str]:
    return read_arguments(record.command, flags.get(record.engine))


def _generation(record: DeploymentRecord) -> _Values:
    if record.model.generation is not None:
        return record.model.generation
    return None if record.model.unreadable or not record.model.files else {}


def _said(record: DeploymentRecord) -> _Values:
    """Leave out what repeats the command line; an engine that said nothing is not known."""
    said = {name: text for name, text in record.said.items() if not name.startswith(ASKED)}
    said.pop("version", None)
    return said or None


def _named(
    family: str, a: _Values, b: _Values, rules: DiffRules, why: tuple[Text, Text]
) -> Iterator[tuple[Item, Item]]:
    if a is None and b is None:
        return
    for name in sorted((a or {}).keys() | (b or {}).keys()):
        plain = name.removeprefix(CONFIG)
        rule = rules.named(family, plain)
        if family == "said" and rule.id == "said.other" and not (_has(a, name) and _has(b, name)):
            continue  # engines of different versions list different settings
        first = _value(family, name, a, rule, why[0])
        second = _value(family, name, b, rule, why[1])
        if first.value == second.value == HIDDEN:  # nobody can tell whether they are the same
            first, second = (replace(i, value=None, reason=None) for i in (first, second))
        yield first, second


def _has(values: _Values, name: str) -> bool:
    return values is not None and name in values


def _value(family: str, name: str, values: _Values, rule: DiffRule, why: Text) -> Item:
    path, plain = f"{family}.{name}", name.removeprefix(CONFIG)
    label = _named_label(rule, "model" if name == MODEL else plain)
    text = (values or {}).get(name)
    if text is None:
        absent = None if values is None or family == "said" else "absent"
        return _item(path, absent, _ABSENT, rule=rule.id, label=label, reason=why)
    return _item(path, _typed(text, rule), text, rule=rule.id, label=label)


def _typed(text: str, rule: DiffRule) -> Raw:
    """Numbers are compared as numbers, JSON by its content, all else word by word."""
    try:
        if rule.compare is Compare.NUMBER:
            return float(text.replace(",", ""))
        if text[:1] in "{[":
            return json.dumps(json.loads(text), sort_keys=True)
    except ValueError:
        return text
    return text


def _named_label(rule: DiffRule, name: str) -> Text:
    """Return the rule's label with the name where the rule speaks of many."""
    return rule.label.filled({"name": name})
