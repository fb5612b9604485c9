import re

import pytest
from fakes.planning_world import rules

from app.core.planning.conditions import Condition, Operator, holds
from app.core.planning.rules import Default, ReasonText, RuleSet
from app.core.planning.tree import SHOWN_PARAMETERS
from app.core.planning.wording import Wording
from app.core.texts import Text, sourced

CHINESE = re.compile(r"[\u4e00-\u9fff]")
TEXT = Text(en="{value} of {engine}", zh_CN="{engine} 的 {value}")
FACTS = {"n": 5, "name": "vllm", "yes": True, "none": None, "m": 7.0, "engine": "vllm"}


@pytest.mark.parametrize(
    ("op", "fact", "value", "answer"),
    [
        ("eq", "n", 5, True),
        ("eq", "name", "vllm", True),
        ("eq", "yes", True, True),
        ("ne", "n", 5, False),
        ("ne", "name", "tgi", True),
        ("lt", "n", 6, True),
        ("le", "n", 5, True),
        ("gt", "n", 5, False),
        ("ge", "m", 7, True),
        ("in", "name", ("vllm", "tgi"), True),
        ("in", "name", ("tgi",), False),
        ("not_in", "name", ("tgi",), True),
        ("not_in", "name", ("vllm",), False),
        ("eq", "name", ("vllm",), False),
        ("gt", "name", 5, False),
        ("in", "n", 5, False),
        ("known", "n", None, True),
        ("known", "none", None, False),
        ("unknown", "none", None, True),
        ("unknown", "never-heard-of", None, True),
    ],
)
def test_condition_compares_a_fact(op, fact, value, answer):
    assert holds((Condition(fact=fact, op=Operator(op), value=value),), FACTS) is answer


@pytest.mark.parametrize("op", ["eq", "ne", "lt", "le", "gt", "ge", "in", "not_in"])
def test_unknown_fact_fulfils_no_comparison(op):
    value = ("5",) if op in ("in", "not_in") else 5
    assert not holds((Condition(fact="none", op=Operator(op), value=value),), FACTS)


def test_fact_can_be_compared_with_another_fact():
    assert holds((Condition(fact="n", op=Operator.LT, other="m"),), FACTS)
    assert not holds((Condition(fact="n", op=Operator.LT, other="none"),), FACTS)


def test_all_conditions_have_to_hold_and_none_is_always_true():
    assert holds((), FACTS)
    yes = Condition(fact="yes", value=True)
    assert not holds((yes, Condition(fact="n", value=6)), FACTS)


def test_first_matching_default_is_taken_and_its_sentence_filled():
    def default(value, **changes):
        return Default(
            code="c", parameter="p", value=value, text=TEXT, source="s", checked="d", **changes
        )

    wording = Wording(
        RuleSet(
            defaults=(
                default(1, when=(Condition(fact="n", value=6),)),
                default(2, engine="tgi"),
                default(3),
                default(4),
            )
        )
    )
    value, reason = wording.number("p", FACTS)
    assert value == 3
    assert reason.text.en == "3 of vllm"
    assert reason.source == "s (d)"
    assert wording.default("q", FACTS) is None


def test_number_is_not_made_of_words_or_truth():
    for value in ("many", True):
        rule = Default(code="c", parameter="p", value=value, text=TEXT, source="s", checked="")
        assert Wording(RuleSet(defaults=(rule,))).number("p", FACTS) is None


def test_unknown_code_speaks_for_itself_and_unknown_place_stays_visible():
    assert Wording(RuleSet()).reason("odd", {}).text.en == "odd"
    rule = ReasonText(code="c", text=TEXT, source="s", checked="")
    reason = Wording(RuleSet(reasons=(rule,))).reason("c", {"value": 1})
    assert reason.text.en == "1 of {engine}"
    assert sourced("s", "") == "s"


def test_every_shipped_rule_has_both_languages_source_and_date():
    shipped = rules()
    listed = (
        *shipped.constraints,
        *shipped.scores,
        *shipped.defaults,
        *shipped.reasons,
        *shipped.advice,
        *shipped.questions,
    )
    for rule in listed:
        assert rule.source
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", rule.checked)
        assert rule.text.en
        assert CHINESE.search(rule.text.zh_CN), rule


def test_both_languages_have_the_same_places():
    shipped = rules()
    for rule in (*shipped.constraints, *shipped.scores, *shipped.reasons, *shipped.advice):
        assert set(re.findall(r"{(\w+)}", rule.text.zh_CN)) <= set(
            re.findall(r"{(\w+)}", rule.text.en)
        ), rule


def test_every_drawn_value_has_a_label_and_a_question():
    codes = {reason.code for reason in rules().reasons}
    for name in SHOWN_PARAMETERS:
        assert {f"label.{name}", f"question.{name}"} <= codes


def test_codes_of_reasons_are_unique():
    codes = [reason.code for reason in rules().reasons]
    assert len(codes) == len(set(codes))
