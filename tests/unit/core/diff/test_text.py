"""The text for a customer: the answer first, then why, in either language."""

from dataclasses import replace

from fakes.diff_pairs import compare, elsewhere, h200, with_gpus

from app.core.diff.text import comparison_text, headline
from app.core.documents.diff import diff_document
from app.core.documents.encode import to_plain
from app.core.hardware.fingerprint import UnknownReason


def weaker():
    b = with_gpus(elsewhere(h200()), compute_cap="8.0", power_limit_w=500.0, mig_mode=None)
    b = replace(b, driver_version="580.99.1")
    failed = {f"gpus.{i}.mig_mode": UnknownReason.TOOL_FAILED for i in range(2)}
    return replace(b, unknown={**b.unknown, **failed})


def test_the_answer_comes_first_and_the_heaviest_difference_next():
    lines = comparison_text(compare(h200(), weaker())).splitlines()
    assert lines[0] == "here compared with there"
    assert lines[4].startswith("They do not behave the same.")
    assert lines[4].endswith("not known on one side: 1.")
    assert lines.index("Changes behaviour (1)") < lines.index("Changes speed (2)")
    assert "    Compute capability: 9.0 | 8.0" in lines
    assert any(line.strip().startswith("Source: ") for line in lines)


def test_the_text_is_whole_in_chinese():
    text = comparison_text(compare(h200(), weaker()), "zh_CN")
    assert "两者行为不同" in text
    assert "MIG: 关 | 未知" in text
    assert "Changes" not in text


def test_sources_and_lighter_differences_can_be_left_out():
    text = comparison_text(compare(h200(), weaker()), only_behaviour=True, with_sources=False)
    assert "Source" not in text
    assert "Changes speed" not in text


def test_nothing_found_is_said_plainly():
    assert headline(compare(h200(), h200()), "en") == (
        "Nothing was found that changes behaviour or speed."
    )
    slower = with_gpus(elsewhere(h200()), power_limit_w=500.0)
    assert headline(compare(h200(), slower), "en").endswith("change speed: 1.")


def test_one_reason_for_many_unknown_values_is_told_once():
    blind = with_gpus(elsewhere(h200()), power_limit_w=None, power_max_w=None, ecc_mode=None)
    text = comparison_text(compare(h200(), blind), with_sources=False)
    assert (
        text.count("Not known on there: it was not read. If it differs, that can change speed") == 1
    )
    assert "Highest power limit: 700 W | not known" in text


def test_load_is_named_as_not_mattering():
    assert "Does not matter: " in comparison_text(compare(h200("idle"), h200("busy")))


def test_the_document_counts_each_weight():
    document = to_plain(diff_document(compare(h200(), weaker())))
    assert document["schema"] == "pitwall.diff/1"
    assert document["kind"] == "host"
    assert document["same_behaviour"] is False
    assert document["counts"] == {"behaviour": 1, "performance": 2, "cosmetic": 0, "unknown": 1}
    assert document["differences"][0]["meaning"]["zh_CN"]


def test_what_one_side_does_not_know_is_not_called_the_same():
    blind = with_gpus(elsewhere(h200()), compute_cap=None)
    assert to_plain(diff_document(compare(h200(), blind)))["same_behaviour"] is None
    assert to_plain(diff_document(compare(h200(), elsewhere(h200()))))["same_behaviour"] is True
