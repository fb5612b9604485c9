"""Flags that the user adds to a plan: checked against the version, put in place of planned ones.

A flag that carries a plan field is the field's value from then on: sizes are searched around it.
What is wrong with them refuses the engine, with the sentences of the check and what else is known
of a saying that the flag comes from.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from app.core.deployment.spec import ProfileFlag
from app.core.engines.flag_texts import finding_text
from app.core.engines.flags import FlagFinding, GivenFlag, check_flags, find_flag, read_flags
from app.core.engines.foreign import name_owners
from app.core.engines.parameters import WORD_SEPARATOR, ChosenFlag
from app.core.engines.spec import EngineData, FlagRule, FlagType, PlanField
from app.core.planning.conditions import Facts
from app.core.planning.flag_values import neutral_values, whole_of
from app.core.planning.own_words import sort_words
from app.core.planning.plan import Goal
from app.core.planning.wording import Wording
from app.core.texts import Reason, Text

OWN_VALUE: Final = "own_value"
OWN_FLAG: Final = "own_flag"
OWN_VARIABLE: Final = "own_variable"
"""Codes of the reasons of what the user added: for a plan field, for nothing else, no flag."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnFlags:
    """The user's flags in one engine version, and the plan fields that they set."""

    given: tuple[GivenFlag, ...] = ()
    rules: tuple[FlagRule | None, ...] = ()
    """Of each given flag; ``None`` where the table only knows its name."""
    variables: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Variables for the container that stand for no flag."""
    findings: tuple[FlagFinding, ...] = ()
    values: Mapping[PlanField, str] = field(default_factory=lambda: MappingProxyType({}))
    """In the planner's own spelling."""

    @property
    def facts(self) -> Facts:
        """Each flag as ``flag.--its-name``, for advice."""
        return {f"flag.{_plain(flag.name)}": _value(flag.value) for flag in self.given}

    @property
    def problems(self) -> Text:
        """What is wrong with them, in sentences; empty when they can be used."""
        texts = [finding_text(finding) for finding in self.findings]
        return Text(
            en=" ".join(text.en for text in texts), zh_CN="".join(text.zh_CN for text in texts)
        )

    @property
    def is_any(self) -> bool:
        """Whether there is anything of the user's own."""
        return bool(self.given or self.variables)

    def text(self, wanted: PlanField) -> str | None:
        """Return a field's value; ``None`` when it is not set or left to the engine (``auto``)."""
        value = self.values.get(wanted)
        return None if value in (None, "auto") else value

    def whole(self, wanted: PlanField) -> int | None:
        """Return a field that is a count."""
        return whole_of(self.text(wanted) or "")

    def share(self, wanted: PlanField) -> float | None:
        """Return a field that is a fraction."""
        value = _value(self.text(wanted) or "")
        return value if isinstance(value, float) else None

    def yes(self, wanted: PlanField) -> bool | None:
        """Return a field that is a switch."""
        value = self.text(wanted)
        return None if value is None else value == "true"

    def words(self, wanted: PlanField) -> str:
        """Return the flags that set a field, as they were written."""
        return ", ".join(
            " ".join(words) for words in self._written() if words[0] in self.of(wanted)
        )

    def of(self, wanted: PlanField) -> tuple[str, ...]:
        """Return the names of the flags that set a field."""
        pairs = zip(self.given, self.rules, strict=True)
        return tuple(flag.name for flag, rule in pairs if rule and rule.plan_field is wanted)

    @property
    def all_words(self) -> str:
        """Everything, as it was written."""
        variables = [f"{name}={value}" for name, value in self.variables.items()]
        return " ".join([*(" ".join(words) for words in self._written()), *variables])

    def _written(self) -> Iterator[list[str]]:
        for flag in self.given:
            yield [flag.name] if flag.value is None else [flag.name, flag.value]

    @property
    def replaced(self) -> frozenset[str]:
        """Every spelling of the flags that were given: planned ones of them are left out."""
        rules = [rule for rule in self.rules if rule is not None and not _is_model(rule)]
        return frozenset(
            name for rule in rules for name in (rule.name, rule.negation, *rule.short) if name
        )

    def reasons(self, wording: Wording) -> Mapping[str, Reason]:
        """Return why each plan field that is set has its value."""
        return {
            each.value: wording.reason(OWN_VALUE, {"flags": self.words(each)}, parameter=each.value)
            for each in self.values
        }

    def chosen(self, wording: Wording) -> tuple[ChosenFlag, ...]:
        """Return them as flags of the plan, spelled as this version does."""
        reasons = self.reasons(wording)
        other = wording.reason(OWN_FLAG, {})
        found = []
        for flag, rule in zip(self.given, self.rules, strict=True):
            if _is_model(rule):
                continue
            carried = rule.plan_field.value if rule is not None and rule.plan_field else ""
            reason = reasons.get(carried, other)
            found.append(
                ChosenFlag(name=_spelled(flag, rule), value=_put(flag, rule), reason=reason)
            )
        found += [
            ChosenFlag(name=name, value=value, reason=replace(other, code=OWN_VARIABLE))
            for name, value in self.variables.items()
        ]
        return tuple(found)


def read_own_flags(
    goal: Goal,
    engine: EngineData,
    version: str,
    others: Mapping[str, EngineData] = MappingProxyType({}),
) -> OwnFlags:
    """Read and check the goal's own flags for one version; ``others`` tells whose flag it is."""
    if not goal.own_flags:
        return OwnFlags()
    words = sort_words(goal.own_flags, engine, version)
    given = read_flags(words.flags, engine.flags, engine.engine, version)
    findings = check_flags(given, engine.flags, engine.engine, version)
    flags = [ProfileFlag(name=flag.name, value=flag.value) for flag in given]
    return OwnFlags(
        given=given,
        rules=tuple(find_flag(engine.flags, flag.name, engine.engine, version) for flag in given),
        variables=words.variables,
        findings=name_owners(findings, engine, version, others),
        values=neutral_values(engine, version, flags),
    )


def _is_model(rule: FlagRule | None) -> bool:
    """The model's place in the container is Pitwall's own, however the user calls it."""
    return rule is not None and rule.plan_field is PlanField.MODEL


def _spelled(flag: GivenFlag, rule: FlagRule | None) -> str:
    kept = rule is None or flag.name == rule.negation or "." in flag.name
    return flag.name if kept or rule is None else rule.name


def _put(flag: GivenFlag, rule: FlagRule | None) -> str | None:
    """Return the value as the command has it: a list's words are words of their own."""
    if flag.value is None or rule is None or rule.type is not FlagType.LIST:
        return flag.value
    return flag.value.replace(" ", WORD_SEPARATOR)


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
