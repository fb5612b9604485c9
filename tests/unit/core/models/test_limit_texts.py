"""Every limit has a sentence in both languages."""

import pytest

from app.core.models.limit_texts import limit_text
from app.core.models.memory import Limit, limit


@pytest.mark.parametrize("code", list(Limit))
def test_each_limit_has_a_sentence_in_both_languages(code):
    text = limit_text(limit(code, "x_y"))
    assert text.en.endswith(".")
    assert text.zh_CN.endswith("。")
    assert "{" not in text.en + text.zh_CN


def test_sizes_are_written_for_people():
    assert "2.0 GiB" in limit_text(limit(Limit.MEMORY_IN_USE, 2 * 2**30)).en


def test_what_was_not_measured_is_named_in_words():
    gpu, heads = (limit_text(limit(Limit.OUTSIDE_CALIBRATION, what)) for what in ("gpu", "new_one"))

    assert gpu.en == "Not measured for this GPU: the error band is wider."
    assert gpu.zh_CN == "没有针对该 GPU 的实测数据：误差范围更大。"
    assert "for new one:" in heads.en


def test_a_code_of_a_newer_version_stays_readable():
    assert limit_text("new_code:7").en == "new_code:7"
