"""Whose flag is it: a flag that this engine does not know, but another one does."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from app.core.engines.flag_spec import FlagRule, FlagsFile
from app.core.engines.flags import FlagFinding, FlagProblem
from app.core.engines.spec import EngineData
from app.core.versions import in_span


def name_owners(
    findings: Iterable[FlagFinding],
    engine: EngineData,
    version: str,
    others: Mapping[str, EngineData],
) -> tuple[FlagFinding, ...]:
    """Turn unknown flags that belong to other engines into findings that say so.

    Args:
        findings: What `check_flags` found.
        engine: The engine that was asked for.
        version: Its version, for the flag that does the same there.
        others: All engines by id; looked into only when a flag is unknown.
    """
    return tuple(
        _owned(finding, engine, version, others)
        if finding.problem is FlagProblem.UNKNOWN
        else finding
        for finding in findings
    )


def _owned(
    finding: FlagFinding, engine: EngineData, version: str, others: Mapping[str, EngineData]
) -> FlagFinding:
    owners = [
        other
        for name, other in others.items()
        if name != engine.engine.id and _knows(other.flags, finding.flag)
    ]
    if not owners:
        return finding
    return replace(
        finding,
        problem=FlagProblem.FOREIGN,
        engine=", ".join(owner.engine.name for owner in owners),
        suggestion=_same_purpose(owners, finding.flag, engine, version),
    )


def _knows(flags: FlagsFile, name: str) -> bool:
    return _rule(flags, name) is not None or any(name in known.every for known in flags.also_known)


def _rule(flags: FlagsFile, name: str) -> FlagRule | None:
    for rule in flags.flag:
        if name in (rule.name, rule.negation, *rule.short):
            return rule
    return None


def _same_purpose(owners: Iterable[EngineData], name: str, engine: EngineData, version: str) -> str:
    """Return the engine's own flag for the same value of a plan; empty when it has none."""
    for owner in owners:
        rule = _rule(owner.flags, name)
        if rule is None or rule.plan_field is None:
            continue
        for own in engine.flags.flag:
            is_there = in_span(version, own.since, own.until, engine.engine.version_scheme)
            if own.plan_field is rule.plan_field and is_there:
                return own.name
    return ""
