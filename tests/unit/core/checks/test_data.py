"""The data of the checks: whole, in both languages, with sources; broken files name the place."""

import re
import shutil

import pytest

from app.core.checks.spec import CheckState
from app.core.errors import DataFileError
from app.io.check_data import load_checks
from app.io.datafiles import data_root


def test_every_text_is_there_in_both_languages(checklist):
    texts = [t for c in checklist.checks for t in (c.title, c.why, *c.said.values())]
    texts += [step.text for c in checklist.checks for step in c.remedy]
    texts += [c.title for c in checklist.categories]
    texts += [*checklist.reasons.values()]
    texts += [t for x in checklist.stack.xid for t in (x.meaning, x.action)]
    assert len(texts) > 500
    for text in texts:
        assert text.en.strip()
        assert text.zh_CN.strip()
        assert set(re.findall(r"\{(\w+)\}", text.en)) == set(re.findall(r"\{(\w+)\}", text.zh_CN))


def test_every_check_names_source_date_remedy_and_how_to_read_it(checklist):
    for check in checklist.checks:
        assert check.source
        assert re.fullmatch(r"2026-\d\d-\d\d", check.checked)
        assert check.remedy
        assert check.verify
        assert check.said


def test_remedies_belong_to_sentences_that_exist(checklist):
    for check in checklist.checks:
        for step in check.remedy:
            assert set(step.when) <= set(check.said), check.id


def test_no_remedy_weakens_the_host(checklist):
    commands = " ".join(s.command for c in checklist.checks for s in c.remedy)

    for bad in ("kill -9", "disable-validation", "chmod 777", "--privileged", "setenforce 0"):
        assert bad not in commands


def test_the_error_codes_that_cost_a_gpu_are_failures(checklist):
    stack = checklist.stack
    for code in (48, 62, 64, 74, 79, 95, 119, 120, 136, 140, 143, 144, 150, 155, 156, 158, 167):
        assert stack.xid_of(code).severity is CheckState.FAIL, code
    for code in (13, 31, 94):
        assert stack.xid_of(code).severity is CheckState.WARN
    for code in (43, 45, 63, 154):
        assert stack.xid_of(code).severity is None
    assert stack.xid_of(99999) is None


@pytest.fixture
def own_root(tmp_path):
    shutil.copytree(data_root() / "resources" / "checks", tmp_path / "resources" / "checks")
    return tmp_path


def test_a_broken_file_is_named_with_its_key_path(own_root):
    file = own_root / "resources" / "checks" / "disk.toml"
    file.write_text(file.read_text().replace('requires = ["containers"]', 'requires = ["magic"]'))

    with pytest.raises(DataFileError) as error:
        load_checks(own_root)

    assert "disk.toml" in error.value.details
    assert "check.0.requires.0" in error.value.details


def test_an_id_that_appears_twice_is_refused(own_root):
    file = own_root / "resources" / "checks" / "disk.toml"
    file.write_text(file.read_text().replace('id = "disk-read"', 'id = "xid"'))

    with pytest.raises(DataFileError, match="appears twice"):
        load_checks(own_root)


def test_a_users_own_file_adds_a_check_that_is_unknown_until_somebody_judges_it(own_root):
    own = own_root / "own"
    (own / "checks").mkdir(parents=True)
    shipped = (own_root / "resources" / "checks" / "container.toml").read_text()
    (own / "checks" / "ours.toml").write_text(
        shipped.replace('id = "container"', 'id = "ours"')
        .replace('id = "shm"', 'id = "our-own"')
        .replace('category = "container"', 'category = "ours"')
    )

    checklist = load_checks(own_root, own)

    assert checklist.checks[-1].id == "our-own"
    assert checklist.categories[-1].id == "ours"
