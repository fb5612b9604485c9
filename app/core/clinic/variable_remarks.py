"""What an engine makes of its environment: variables it never read, reads no more, or not yet."""

import difflib
from collections.abc import Iterator
from typing import Final

from app.core.clinic.identify import Launch
from app.core.clinic.launch import Variable
from app.core.clinic.origin import Span
from app.core.clinic.remark import Edit, Remark
from app.core.clinic.spec import ClinicData, VariableRule
from app.core.engines.flags import (
    FlagFinding,
    FlagProblem,
    GivenFlag,
    check_flags,
    find_flag,
    find_known,
)
from app.core.engines.spec import FlagsFile
from app.core.versions import in_span

_LONG_ENOUGH: Final = 8
_SLIP: Final = 0.92


def variable_remarks(paste: str, launch: Launch, data: ClinicData) -> Iterator[Remark]:
    """Judge one variable after another."""
    for variable in launch.start.variables:
        rules = [
            rule
            for rule in data.variables
            if rule.engine == launch.engine_id and rule.name == variable.name
        ]
        if rules:
            for rule in rules:
                yield from _by_rule(variable, rule, launch, data)
        elif meant := _slip(variable.name, data.common):
            yield _near(paste, variable, meant, launch, data)
        else:
            yield from _by_table(paste, variable, launch, data)


def _by_rule(
    variable: Variable, rule: VariableRule, launch: Launch, data: ClinicData
) -> Iterator[Remark]:
    engine = launch.engine.engine
    values = {
        **_values(variable, launch),
        "until": rule.until,
        "since": rule.since,
        "instead": rule.instead,
    }
    extra = "_instead" if rule.instead else ""
    if not rule.exists:
        yield _say(data, f"variable_never{extra}", variable, values)
    elif not in_span(launch.version, rule.since, rule.until, engine.version_scheme):
        is_early = not in_span(launch.version, rule.since, "", engine.version_scheme)
        said = "variable_not_yet" if is_early else f"variable_removed{extra}"
        yield _say(data, said, variable, values)


def _by_table(paste: str, variable: Variable, launch: Launch, data: ClinicData) -> Iterator[Remark]:
    """Ask the flag table, which names variables where an engine takes nothing else."""
    engine, flags = launch.engine.engine, launch.engine.flags
    grammar = data.grammars.get(engine.id)
    if not grammar or not grammar.env_prefix or not variable.name.startswith(grammar.env_prefix):
        return
    if not _is_listed(variable.name, launch):
        known = _variables(flags)
        if variable.name not in known and grammar.variables_complete:
            yield _unknown(paste, variable, known, launch, data)
        return
    value = variable.value if variable.is_resolved and variable.value else "1"
    given = GivenFlag(name=variable.name, value=value)
    for finding in check_flags((given,), flags, engine, launch.version):
        yield from _of_finding(variable, finding, launch, data)


def _is_listed(name: str, launch: Launch) -> bool:
    flags = launch.engine.flags
    rule = find_flag(flags, name, launch.engine.engine, launch.version)
    return rule is not None or find_known(flags, name) is not None


def _variables(flags: FlagsFile) -> set[str]:
    """Return the variables that an engine reads, those of its flags too."""
    named = [rule.name for rule in flags.flag] + [n for k in flags.also_known for n in k.every]
    return {name for name in named if not name.startswith("-")} | {
        rule.env for rule in flags.flag if rule.env
    }


def _unknown(
    paste: str, variable: Variable, known: set[str], launch: Launch, data: ClinicData
) -> Remark:
    near = difflib.get_close_matches(variable.name, sorted(known), n=1, cutoff=0.85)
    if near:
        return _near(paste, variable, near[0], launch, data)
    return _say(data, "variable_unknown", variable, _values(variable, launch))


def _slip(name: str, common: frozenset[str]) -> str:
    """Return the variable that was meant where all but a letter or two are right."""
    if name in common or len(name) < _LONG_ENOUGH:
        return ""
    near = difflib.get_close_matches(name, sorted(common), n=1, cutoff=_SLIP)
    return near[0] if near and abs(len(near[0]) - len(name)) <= 1 else ""


def _near(paste: str, variable: Variable, meant: str, launch: Launch, data: ClinicData) -> Remark:
    values = {**_values(variable, launch), "instead": meant}
    end = variable.span.begin - 1  # NAME=value: the name ends at the sign
    span = Span(begin=max(end - len(variable.name), 0), end=max(end, 0))
    is_here = paste[span.begin : span.end] == variable.name
    edits = (Edit(span=span, text=meant),) if is_here else ()
    return _say(data, "variable_near", variable, values, edits)


def _of_finding(
    variable: Variable, finding: FlagFinding, launch: Launch, data: ClinicData
) -> Iterator[Remark]:
    values = {
        **_values(variable, launch),
        "until": finding.version,
        "since": finding.version,
        "instead": finding.suggestion,
        "allowed": finding.allowed,
    }
    match finding.problem:
        case FlagProblem.REMOVED:
            extra = "_instead" if finding.suggestion else ""
            yield _say(data, f"variable_removed{extra}", variable, values)
        case FlagProblem.NOT_YET:
            yield _say(data, "variable_not_yet", variable, values)
        case FlagProblem.WRONG_VALUE if variable.is_resolved:
            yield _say(data, "variable_value", variable, values)
        case _:
            return


def _values(variable: Variable, launch: Launch) -> dict[str, str]:
    return {
        "name": variable.name,
        "value": variable.value[:60],
        "engine": launch.engine.engine.name,
        "version": launch.version,
    }


def _say(
    data: ClinicData,
    said: str,
    variable: Variable,
    values: dict[str, str],
    edits: tuple[Edit, ...] = (),
) -> Remark:
    return Remark.of(data.said[said], variable.whole, values, edits)
