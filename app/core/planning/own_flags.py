"""Flags that the user adds to a plan: checked against the version, put in place of planned ones.

What is wrong with them refuses the engine, with the sentences of the check and what else is known
of a saying that the flag comes from.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from app.core.deployment.spec import ProfileFlag
from app.core.engines.flags import FlagFinding, GivenFlag, check_flags, find_flag, read_flags
from app.core.engines.foreign import name_owners
from app.core.engines.parameters import ChosenFlag
from app.core.engines.spec import EngineData, PlanField
from app.core.planning.facts import Facts
from app.core.planning.flag_values import neutral_values
from app.core.planning.plan import Goal
from app.core.texts import Reason, Text


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnFlags:
    """The user's flags in one engine version."""

    given: tuple[GivenFlag, ...] = ()
    findings: tuple[FlagFinding, ...] = ()

    @property
    def facts(self) -> Facts:
        """Each flag as ``flag.--its-name``, for advice."""
        return {f"flag.{_plain(flag.name)}": _value(flag.value) for flag in self.given}

    @property
    def problems(self) -> str:
        """What is wrong with them, in sentences; empty when they can be used."""
        return " ".join(finding.sentence for finding in self.findings)

    def chosen(self, engine: EngineData, version: str) -> tuple[ChosenFlag, ...]:
        """Return them as flags of the plan, spelled as this version does."""
        found = []
        for flag in self.given:
            rule = find_flag(engine.flags, flag.name, engine.engine, version)
            negated = rule is not None and flag.name == rule.negation
            name = flag.name if rule is None or negated or "." in flag.name else rule.name
            found.append(ChosenFlag(name=name, value=flag.value, reason=_REASON))
        return tuple(found)


_REASON = Reason(
    code="own_flag",
    text=Text(en="Added by the user.", zh_CN="用户自行添加。"),
    source="the goal",
)


def read_own_flags(
    goal: Goal,
    engine: EngineData,
    version: str,
    others: Mapping[str, EngineData] = MappingProxyType({}),
) -> OwnFlags:
    """Read and check the goal's own flags for one version; ``others`` tells whose flag it is."""
    if not goal.own_flags:
        return OwnFlags()
    given = read_flags(goal.own_flags, engine.flags, engine.engine, version)
    findings = check_flags(given, engine.flags, engine.engine, version)
    return OwnFlags(given=given, findings=name_owners(findings, engine, version, others))


def own_values(goal: Goal, engine: EngineData, version: str) -> Mapping[PlanField, str]:
    """Return the plan fields that the goal's own flags set."""
    given = read_flags(goal.own_flags, engine.flags, engine.engine, version)
    flags = (ProfileFlag(name=flag.name, value=flag.value) for flag in given)
    return neutral_values(engine, version, flags)


def _value(value: str | None) -> bool | float | str:
    if value is None:
        return True
    try:
        return float(value)
    except ValueError:
        return value


def _plain(name: str) -> str:
    """Return one spelling: TensorRT-LLM writes underscores where others have hyphens."""
    return name.replace("_", "-")
