"""Texts: complete in both languages, and right about the case at hand."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

from app.core.errors import ErrorCode, ErrorInfo
from app.io.datafiles import data_root
from app.services.assets import load_assets
from app.ui.i18n import Translations
from app.ui.message_table import MESSAGES
from app.ui.messages import cause_text, details_text, is_english, remedy_text
from app.ui.pages.registry import load_pages

pytestmark = pytest.mark.usefixtures("qapp")
ROOT = Path(__file__).parents[2]


@pytest.fixture
def chinese() -> Iterator[Translations]:
    translations = Translations(data_root() / "resources" / "i18n")
    translations.choose("zh_CN")
    yield translations
    translations.choose("en")


def has_chinese(text: str) -> bool:
    return any("\u4e00" <= letter <= "\u9fff" for letter in text)


@pytest.mark.parametrize("code", list(ErrorCode))
def test_each_error_code_has_cause_and_remedy_in_both_languages(
    code: ErrorCode, chinese: Translations
) -> None:
    message = MESSAGES[code]
    error = ErrorInfo(code=code, cause="The English cause.", remedy="The English remedy.")

    assert message.cause
    assert message.remedy
    assert has_chinese(cause_text(error))
    assert has_chinese(remedy_text(error))
    chinese.choose("en")
    assert cause_text(error) == "The English cause."
    assert remedy_text(error) == "The English remedy."


def test_without_an_english_cause_the_table_answers() -> None:
    error = ErrorInfo(code=ErrorCode.STORE_FULL, cause="", remedy="")

    assert is_english()
    assert cause_text(error) == MESSAGES[ErrorCode.STORE_FULL].cause
    assert remedy_text(error) == MESSAGES[ErrorCode.STORE_FULL].remedy


@pytest.mark.usefixtures("chinese")
def test_the_specific_cause_names_the_case_when_all_names_are_known() -> None:
    known = ErrorInfo(
        code=ErrorCode.HOST_UNREACHABLE,
        params={"host": "h200-a", "port": "22"},
        cause="",
        remedy="",
    )
    partly = ErrorInfo(
        code=ErrorCode.HOST_UNREACHABLE, params={"host": "h200-a"}, cause="", remedy=""
    )

    assert cause_text(known) == "h200-a 在端口 22 上没有响应。"
    assert cause_text(partly) == "主机没有响应。"


@pytest.mark.usefixtures("chinese")
@pytest.mark.parametrize("code", list(ErrorCode))
def test_specific_causes_keep_their_names_when_translated(code: ErrorCode) -> None:
    message = MESSAGES[code]
    names = {name for _, name, _, _ in Formatter().parse(message.specific) if name}
    error = ErrorInfo(code=code, params={n: f"<{n}>" for n in names}, cause="", remedy="")

    assert all(f"<{name}>" in cause_text(error) for name in names)


def test_details_hold_what_a_report_needs() -> None:
    error = ErrorInfo(code=ErrorCode.INTERNAL, cause="C.", remedy="R.", details="trace")

    assert details_text(error) == "[internal]\nC.\nR.\ntrace"


def test_translations_are_complete_and_fresh() -> None:
    areas = ["hosts", "fingerprint", "topology", "settings", "help", "about", "shell"]
    done = subprocess.run(
        [sys.executable, str(ROOT / "packaging" / "tools" / "translations.py"), "check", *areas],
        capture_output=True,
        text=True,
        check=False,
        timeout=50,
    )

    assert done.returncode == 0, done.stdout + done.stderr


def test_a_missing_language_falls_back_to_english(tmp_path: Path) -> None:
    translations = Translations(tmp_path)
    translations.choose("fr")

    assert translations.language == "en"


def test_help_has_the_same_topics_in_both_languages() -> None:
    pages = load_assets(data_root()).help_pages

    assert list(pages["en"]) == list(pages["zh_CN"])
    assert all(has_chinese(text) for text in pages["zh_CN"].values())


@pytest.mark.usefixtures("chinese")
def test_every_page_has_a_word_in_both_languages() -> None:
    ours = [spec for spec in load_pages() if spec.order <= 3 or spec.order >= 90]

    assert [spec.id for spec in ours] == [
        "hosts",
        "fingerprint",
        "topology",
        "settings",
        "help",
        "about",
    ]
    assert all(has_chinese(spec.word) for spec in ours)
