"""Sentences of the rule files, looked up by code and filled with values."""

from collections.abc import Mapping
from dataclasses import replace

from app.core.planning.conditions import Value, holds
from app.core.planning.rules import Advice, Default, RuleSet
from app.core.texts import Reason, Text, sourced


class Wording:
    """Finds defaults, reasons and advice in a rule set."""

    def __init__(self, rules: RuleSet) -> None:
        self._rules = rules
        self._reasons = {reason.code: reason for reason in rules.reasons}

    def reason(self, code: str, values: Mapping[str, object], *, parameter: str = "") -> Reason:
        """Return the sentence of a code; a code without one speaks for itself."""
        found = self._reasons.get(code)
        if found is None:
            return Reason(
                code=code, text=Text(en=code, zh_CN=code), source="pitwall", parameter=parameter
            )
        return Reason(
            code=code,
            text=found.text.filled(values),
            source=sourced(found.source, found.checked),
            parameter=parameter or found.parameter,
        )

    def default(
        self, parameter: str, facts: Mapping[str, Value]
    ) -> tuple[bool | float | str, Reason] | None:
        """Return the first default of a parameter whose conditions hold, with its reason."""
        for rule in self._rules.defaults:
            if rule.parameter == parameter and _concerns(rule, facts):
                reason = Reason(
                    code=rule.code,
                    text=rule.text.filled({**facts, "value": rule.value}),
                    source=sourced(rule.source, rule.checked),
                    parameter=parameter,
                )
                return rule.value, reason
        return None

    def number(self, parameter: str, facts: Mapping[str, Value]) -> tuple[int, Reason] | None:
        """Return a default that has to be a whole number."""
        found = self.default(parameter, facts)
        if found is None or isinstance(found[0], bool | str):
            return None
        return int(found[0]), found[1]

    def with_advice(self, reason: Reason, facts: Mapping[str, Value]) -> Reason:
        """Add to a refusal of flags what is known of the sayings that they come from."""
        about = [entry.text for entry in self.advice(facts) if entry.parameter.startswith("--")]
        return replace(
            reason,
            text=Text(
                en=" ".join([reason.text.en, *(text.en for text in about)]),
                zh_CN="".join([reason.text.zh_CN, *(text.zh_CN for text in about)]),
            ),
        )

    def advice(self, facts: Mapping[str, Value]) -> tuple[Reason, ...]:
        """Return every warning whose conditions hold."""
        return tuple(
            Reason(
                code=rule.code,
                text=rule.text.filled(facts),
                source=sourced(rule.source, rule.checked),
                parameter=rule.parameter,
            )
            for rule in self._rules.advice
            if _concerns(rule, facts)
        )


def _concerns(rule: Default | Advice, facts: Mapping[str, Value]) -> bool:
    return rule.engine in ("", facts.get("engine")) and holds(rule.when, facts)
