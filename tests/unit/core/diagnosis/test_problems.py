"""What is wrong with rules that have the right shape."""

import pytest
from fakes.diagnosis_rules import WHERE, advice_for, causes_of, rule, rule_set, text

from app.core.diagnosis.finding import ParameterChange, PlanChange
from app.core.diagnosis.problems import rule_problems
from app.core.diagnosis.rules import Advice, LogFact, Marker, MarkerKind
from app.core.errors import DataFileError
from app.io.datafiles import data_root, load_diagnosis


def problems(rules, causes=None):
    return dict(rule_problems(rules, causes_of(rules) if causes is None else causes))


def test_good_rules_have_none():
    assert problems(rule_set(rule())) == {}


@pytest.mark.parametrize(
    ("kept", "key"),
    [
        ({"any": ("out of [memory",)}, "any"),
        ({"any": ("(?:of)?",)}, "any"),
        ({"any": (r"\d+ MiB|ab",)}, "any"),
        ({"any": ()}, "any"),
        ({"none_after": ("*",)}, "none_after"),
        ({"frames": ("(",)}, "frames"),
        ({"facts": ("driver",)}, "facts"),
        ({"needs": ("driver is old",)}, "needs"),
        ({"versions": "0.8 or so"}, "versions"),
        ({"levels": ("loud",)}, "levels"),
        ({"sources": ()}, "sources"),
        ({"advice": "unheard of"}, "advice"),
        ({"supersedes": ("unheard_of",)}, "supersedes"),
        (
            {"change": PlanChange(parameters=(ParameterChange(parameter="tp", action="twist"),))},
            "change",
        ),
    ],
)
def test_each_problem_names_rule_and_key(kept, key):
    made = rule(**kept)
    rules = rule_set(made, advice=advice_for([rule()]))

    assert list(problems(rules)) == [f"rule.r.no_room.{key}"]


def test_short_frames_are_fine():
    assert problems(rule_set(rule(frames=(":run$", ":x"), not_frames=("y",)))) == {}


def test_cause_must_be_known():
    assert list(problems(rule_set(rule()), causes={})) == ["rule.r.no_room.cause"]


def test_id_must_not_appear_twice():
    assert problems(rule_set(rule(), rule())) == {"rule.r.no_room": "appears twice"}


def test_change_of_shared_advice_is_checked_too():
    change = PlanChange(parameters=(ParameterChange(parameter="tp", action="twist"),))
    advice = Advice(id="no_room", title=text("t"), explanation=text("e"), change=change)

    assert list(problems(rule_set(rule(), advice={"no_room": advice}))) == ["rule.r.no_room.change"]


def test_markers_and_facts_are_checked():
    marker = Marker(kind=MarkerKind.PHASE, phase="load", any=("(",), **WHERE)
    fact = LogFact(name="tp", any=(r"tensor size \d+",))

    found = problems(rule_set(rule(), markers=(marker,), facts=(fact,)))

    assert list(found) == ["marker.load.any", "fact.tp.any"]


def test_shipped_rules_are_read_with_a_users_own(tmp_path):
    folder = tmp_path / "diagnosis"
    folder.mkdir()
    (folder / "mine.toml").write_text(
        """schema_version = 1
[[advice]]
id = "mine"
title = { en = "Mine", zh_CN = "我的" }
explanation = { en = "Because", zh_CN = "因为" }
[[rule]]
id = "mine.rule"
cause = "shm_too_small"
advice = "mine"
any = ["my own words"]
confidence = "low"
sources = ["me"]
checked = "2026-11-30"
""",
        encoding="utf-8",
    )

    rules = load_diagnosis(data_root(), tmp_path)

    assert [one.id for one in rules.rules].count("mine.rule") == 1
    assert rules.advice["mine"].title.en == "Mine"


def test_problems_stop_the_loading_and_are_all_told(tmp_path):
    folder = tmp_path / "diagnosis"
    folder.mkdir()
    (folder / "mine.toml").write_text(
        """schema_version = 1
[[rule]]
id = "mine.rule"
cause = "no_such_cause"
any = ["my own (words"]
confidence = "low"
sources = ["me"]
checked = "2026-11-30"
""",
        encoding="utf-8",
    )

    with pytest.raises(DataFileError) as caught:
        load_diagnosis(data_root(), tmp_path)

    assert "no_such_cause" in caught.value.details
    assert "my own (words" in caught.value.details
