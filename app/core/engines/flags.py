"""Reading a user's own flags and checking them against an engine's flag table.

Answers are codes with parameters: unknown (did you mean), removed (replaced by), not there yet,
wrong value, conflict, secret on a command line. Nothing is corrected silently.
"""

import difflib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from app.core.engines.spec import EngineFile, FlagRule, FlagsFile, FlagType, KnownFlags
from app.core.versions import in_span, version_key

_SIZE: Final = re.compile(r"-?[0-9]+[kKmMgG]?|[0-9]+\.[0-9]+[kmg]")
_MOST: Final = 2**63 - 1
"""No engine holds a larger number."""
_NUMBER: Final = re.compile(r"-\d+(?:\.\d+)?")
_NO_VALUE: Final = frozenset({FlagType.SWITCH, FlagType.BOOL})


class FlagProblem(StrEnum):
    """What is wrong with a flag."""

    UNKNOWN = "unknown"
    FOREIGN = "foreign"
    """Unknown here, but another engine has it; only `name_owners` says so."""
    REMOVED = "removed"
    NOT_YET = "not_yet"
    WRONG_VALUE = "wrong_value"
    NEEDS_VALUE = "needs_value"
    TAKES_NO_VALUE = "takes_no_value"
    CONFLICT = "conflict"
    SECRET = "secret"  # noqa: S105 - a problem's name


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenFlag:
    """A flag as somebody wrote it."""

    name: str
    value: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagFinding:
    """One problem of one flag."""

    problem: FlagProblem
    flag: str
    value: str = ""
    suggestion: str = ""
    """The flag that was meant, that replaces it, or that it conflicts with."""
    version: str = ""
    """The version that matters: since when it exists, or until when it did."""
    allowed: str = ""
    """What the value has to be, in words."""
    engine: str = ""
    """Names of the engines whose flag it is."""

    @property
    def sentence(self) -> str:
        """The problem in English, for errors and the command line."""
        hint = _HINTS.get(self.problem, " Use {suggestion} instead.") if self.suggestion else ""
        sentence = _SENTENCES[self.problem] + hint
        return sentence.format(
            flag=self.flag,
            value=self.value,
            version=self.version,
            suggestion=self.suggestion,
            allowed=self.allowed,
            engine=self.engine,
        )


_SENTENCES: Final = {
    FlagProblem.UNKNOWN: "{flag} is not known.",
    FlagProblem.FOREIGN: "{flag} is a flag of {engine}.",
    FlagProblem.REMOVED: "{flag} was last accepted by {version}.",
    FlagProblem.NOT_YET: "{flag} exists from {version} on.",
    FlagProblem.WRONG_VALUE: "{flag} does not take “{value}”: {allowed} is expected.",
    FlagProblem.NEEDS_VALUE: "{flag} needs a value: {allowed}.",
    FlagProblem.TAKES_NO_VALUE: "{flag} takes no value, “{value}” was given.",
    FlagProblem.CONFLICT: "{flag} cannot be combined with {suggestion}.",
    FlagProblem.SECRET: "{flag} would show a secret in the process list.",
}
_HINTS: Final = {FlagProblem.UNKNOWN: " Did you mean {suggestion}?", FlagProblem.CONFLICT: ""}


def find_flag(flags: FlagsFile, name: str, engine: EngineFile, version: str) -> FlagRule | None:
    """Find the rule of a flag by any of its spellings, the one valid in ``version`` first.

    ``--flag.key`` (a key of a JSON value) is looked up as ``--flag``.
    """
    plain = name.partition(".")[0] if name.startswith("--") else name
    spellings = {plain, plain.replace("_", "-")}
    matches = [rule for rule in flags.flag if spellings & _spellings(rule)]
    for rule in matches:
        if in_span(version, rule.since, rule.until, engine.version_scheme):
            return rule
    return matches[0] if matches else None


def read_flags(
    words: Sequence[str], flags: FlagsFile, engine: EngineFile, version: str
) -> tuple[GivenFlag, ...]:
    """Split words such as ``--ctx-size 4096 --metrics`` or ``--ctx-size=4096`` into flags."""
    given: list[GivenFlag] = []
    position = 0
    while position < len(words):
        word = words[position]
        position += 1
        name, equals, value = word.partition("=")
        if equals and (name.startswith("--") or find_flag(flags, name, engine, version)):
            given.append(GivenFlag(name=name, value=value))
            continue
        rule = find_flag(flags, word, engine, version)
        takes_value = rule.type not in _NO_VALUE if rule else not is_known_switch(flags, word)
        values: list[str] = []
        while takes_value and position < len(words) and not is_flag(words[position]):
            values.append(words[position])
            position += 1
            takes_value = takes_several(rule, flags, word)
        given.append(GivenFlag(name=word, value=" ".join(values) if values else None))
    return tuple(given)


def check_flags(
    given: Iterable[GivenFlag],
    flags: FlagsFile,
    engine: EngineFile,
    version: str,
    *,
    planned: Iterable[str] = (),
) -> tuple[FlagFinding, ...]:
    """Check flags against the table of one version; an empty answer means that all are fine.

    ``planned`` names flags that are written as well: none of the given ones may contradict them.
    """
    listed = tuple(given)
    findings: list[FlagFinding] = []
    rules: list[FlagRule] = []
    for flag in listed:
        rule = find_flag(flags, flag.name, engine, version)
        if rule is None:
            if finding := _unlisted(flag, flags, engine, version):
                findings.append(finding)
            continue
        rules.append(rule)
        if _is_between(flag.name, flags, engine, version):
            continue
        if finding := _check_span(flag, rule, engine, version) or _check_value(flag, rule):
            findings.append(finding)
    beside = (find_flag(flags, name, engine, version) for name in planned)
    findings.extend(_conflicts(rules, [rule for rule in beside if rule is not None]))
    return tuple(findings)


def _is_between(name: str, flags: FlagsFile, engine: EngineFile, version: str) -> bool:
    """Tell whether a version lies between two forms of a flag: which one it takes is not known."""
    spellings, scheme = {name, name.replace("_", "-")}, engine.version_scheme
    rules = [rule for rule in flags.flag if spellings & _spellings(rule)]
    if any(in_span(version, rule.since, rule.until, scheme) for rule in rules):
        return False
    begun = any(in_span(version, rule.since, "", scheme) for rule in rules)
    return begun and any(in_span(version, "", rule.until, scheme) for rule in rules)


def _spellings(rule: FlagRule) -> set[str]:
    negation = {rule.negation} if rule.negation else set()
    return {rule.name, *rule.short, *negation}


def is_flag(word: str) -> bool:
    """Tell a flag from a value: a negative number is none."""
    return len(word) > 1 and word.startswith("-") and _NUMBER.fullmatch(word) is None


def find_known(flags: FlagsFile, name: str) -> KnownFlags | None:
    """Find the group of a flag that is known without a rule; underscores pass for hyphens."""
    spellings = {name, name.replace("_", "-")}
    for known in flags.also_known:
        if not spellings.isdisjoint(known.every):
            return known
    return None


def is_known_switch(flags: FlagsFile, name: str) -> bool:
    """Tell whether a flag without a rule is known to take no value."""
    known = find_known(flags, name)
    return known is not None and _is_in(known.switches, name)


def takes_several(rule: FlagRule | None, flags: FlagsFile, name: str) -> bool:
    """Tell whether more than one word may follow a flag."""
    if rule is not None:
        return rule.type is FlagType.LIST
    known = find_known(flags, name)
    return known is not None and _is_in(known.with_values, name)


def _is_in(names: Iterable[str], name: str) -> bool:
    return not {name, name.replace("_", "-")}.isdisjoint(names)


def _unlisted(
    flag: GivenFlag, flags: FlagsFile, engine: EngineFile, version: str
) -> FlagFinding | None:
    known = find_known(flags, flag.name)
    if known is None:
        return _unknown(flag, flags, engine, version)
    if outside := _check_span(flag, known, engine, version):
        return outside
    if _is_in(known.switches, flag.name) and flag.value is not None:
        return FlagFinding(problem=FlagProblem.TAKES_NO_VALUE, flag=flag.name, value=flag.value)
    if _is_in((*known.with_value, *known.with_values), flag.name) and flag.value is None:
        return FlagFinding(problem=FlagProblem.NEEDS_VALUE, flag=flag.name, allowed="a value")
    return None


def _unknown(flag: GivenFlag, flags: FlagsFile, engine: EngineFile, version: str) -> FlagFinding:
    names = [name for known in flags.also_known for name in known.every]
    names += [
        spelling
        for rule in flags.flag
        if in_span(version, rule.since, rule.until, engine.version_scheme)
        for spelling in _spellings(rule)
    ]
    near = difflib.get_close_matches(flag.name.replace("_", "-"), sorted(names), n=1, cutoff=0.7)
    return FlagFinding(
        problem=FlagProblem.UNKNOWN, flag=flag.name, suggestion=near[0] if near else ""
    )


def _check_span(
    flag: GivenFlag, rule: FlagRule | KnownFlags, engine: EngineFile, version: str
) -> FlagFinding | None:
    if in_span(version, rule.since, rule.until, engine.version_scheme):
        return None
    scheme = engine.version_scheme
    key, since = version_key(version, scheme), version_key(rule.since, scheme)
    if rule.since and key is not None and since is not None and key < since:
        return FlagFinding(problem=FlagProblem.NOT_YET, flag=flag.name, version=rule.since)
    return FlagFinding(
        problem=FlagProblem.REMOVED,
        flag=flag.name,
        version=rule.until,
        suggestion=rule.replaced_by if isinstance(rule, FlagRule) else "",
    )


def _check_value(flag: GivenFlag, rule: FlagRule) -> FlagFinding | None:
    if rule.secret and flag.value is not None:
        return FlagFinding(problem=FlagProblem.SECRET, flag=flag.name, suggestion=rule.env)
    if "." in flag.name and rule.type is FlagType.JSON:
        return None
    if rule.type in _NO_VALUE and flag.value is not None:
        return FlagFinding(problem=FlagProblem.TAKES_NO_VALUE, flag=flag.name, value=flag.value)
    if rule.type in _NO_VALUE or (flag.value is not None and value_fits(rule, flag.value)):
        return None
    return FlagFinding(
        problem=FlagProblem.NEEDS_VALUE if flag.value is None else FlagProblem.WRONG_VALUE,
        flag=flag.name,
        value=flag.value or "",
        allowed=describe_value(rule),
    )


def value_fits(rule: FlagRule, value: str) -> bool:
    """Tell whether a flag's value has the right form."""
    if value in rule.choices:
        return True
    match rule.type:
        case FlagType.INT | FlagType.FLOAT:
            return _number_fits(rule, value)
        case FlagType.SIZE:
            return _SIZE.fullmatch(value) is not None and _size_fits(rule, value)
        case FlagType.ENUM:
            return value != "" and (rule.open_choices or not rule.choices)
        case FlagType.JSON:
            return _is_json(value)
        case _:
            return value != ""


def describe_value(rule: FlagRule) -> str:
    """Say what a flag's value has to be, in English."""
    words = ", ".join(rule.choices)
    kind = {
        FlagType.INT: "a whole number",
        FlagType.FLOAT: "a number",
        FlagType.SIZE: "a number such as 4096 or 32k",
        FlagType.JSON: "JSON",
        FlagType.PATH: "a path",
        FlagType.ENUM: "",
    }.get(rule.type, "a word")
    bounds = [
        f"{word} {bound:g}"
        for word, bound in (("from", rule.minimum), ("to", rule.maximum))
        if bound is not None
    ]
    parts = [" ".join([kind, *bounds]).strip(), f"one of {words}" if words else ""]
    return " or ".join(part for part in parts if part)


def _number_fits(rule: FlagRule, value: str) -> bool:
    try:
        number = float(int(value)) if rule.type is FlagType.INT else float(value)
    except (ValueError, OverflowError):
        return False
    return _is_within(rule, number)


def _size_fits(rule: FlagRule, value: str) -> bool:
    """Compare without the unit: no bound of a size lies between a number and its thousand."""
    return _is_within(rule, float(value.rstrip("kKmMgG")))


def _is_within(rule: FlagRule, number: float) -> bool:
    least = -_MOST if rule.minimum is None else rule.minimum
    return least <= number <= (_MOST if rule.maximum is None else rule.maximum)


def _is_json(value: str) -> bool:
    try:
        json.loads(value)
    except ValueError:
        return False
    return True


def _conflicts(rules: Sequence[FlagRule], planned: Sequence[FlagRule]) -> list[FlagFinding]:
    """Return contradictions among the given flags, and of them with planned ones."""
    given = {rule.name for rule in rules}
    names = given | {rule.name for rule in planned}
    found = [(rule.name, other) for rule in rules for other in rule.conflicts if other in names]
    found += [
        (other, rule.name)
        for rule in planned
        for other in rule.conflicts
        if other in given and rule.name not in given
    ]
    return [
        FlagFinding(problem=FlagProblem.CONFLICT, flag=flag, suggestion=other)
        for flag, other in dict.fromkeys(found)
        if flag != other
    ]
