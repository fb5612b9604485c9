"""Names, deployment references and labels."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core import labels
from app.core.errors import ErrorCode, UserInputError
from app.core.ids import (
    check_deployment_name,
    check_host_name,
    container_name,
    parse_deployment_ref,
)


def test_reference_splits_at_the_last_slash():
    ref = parse_deployment_ref("gpu host/chat-1")
    assert (ref.host, ref.name, str(ref)) == ("gpu host", "chat-1", "gpu host/chat-1")


@pytest.mark.parametrize("text", ["", "chat", "/chat", "host/", "host/UPPER", "a/b/c"])
def test_what_is_no_reference_is_refused_with_a_remedy(text):
    with pytest.raises(UserInputError) as caught:
        parse_deployment_ref(text)
    assert caught.value.code is ErrorCode.INVALID_INPUT
    assert caught.value.remedy


@pytest.mark.parametrize("name", ["a", "0", "a-b", "x" * 40])
def test_deployment_name_allows_lower_case_digits_and_inner_hyphens(name):
    assert check_deployment_name(name) == name


@pytest.mark.parametrize("name", ["", "-a", "a-", "x" * 41, "A", "a_b", "中", "a\n"])
def test_deployment_name_refuses_everything_else(name):
    with pytest.raises(UserInputError):
        check_deployment_name(name)


@pytest.mark.parametrize(
    "name",
    ["gpu1", "机房 A", "x" * 64, "مضيف", "\N{MAN}\u200d\N{PERSONAL COMPUTER}", "می\u200cخواهم"],
)
def test_host_name_allows_what_people_write(name):
    assert check_host_name(name) == name


@pytest.mark.parametrize(
    "name",
    ["", " a", "a ", "a/b", "fp.json", "x" * 65, "a\tb", "-", "a\nb", "\u202egnp.a", "a\u2066b",
     "a\x7f", "a\x9b31m", "a\u2028b"],
)  # fmt: skip
def test_host_name_refuses_what_looks_like_a_file_or_is_invisible(name):
    with pytest.raises(UserInputError):
        check_host_name(name)


@pytest.mark.parametrize("name", ["n" * 4000, "🙂" * 300, "a\n\x1b[31mb" * 90, "\u202e" * 200])
@pytest.mark.parametrize("check", [check_host_name, check_deployment_name])
def test_a_refused_name_is_told_as_one_short_line(check, name):
    with pytest.raises(UserInputError) as caught:
        check(name)
    assert len(caught.value.cause) < 130
    assert not set("\n\x1b\u202e") & set(caught.value.cause)


def test_container_name_carries_the_revision():
    assert container_name("chat", 3) == "pitwall-chat-r3"


def _labels(**changes):
    values = {
        "deployment": "chat", "revision": 2, "engine": "llamacpp", "engine_version": "b10434",
        "model": "tiny", "port": 18080, "plan_digest": "abc", "auth": "api-key",
    }  # fmt: skip
    return labels.DeploymentLabels(**(values | changes))


@pytest.mark.parametrize("simulated", [True, False])
def test_labels_survive_the_round_trip(simulated):
    written = _labels(simulated=simulated)
    assert labels.read_labels(written.to_labels()) == written


def test_foreign_and_newer_labels_are_not_ours():
    assert labels.read_labels({}) is None
    assert labels.read_labels(_labels().to_labels() | {labels.SCHEMA: "2"}) is None
    assert labels.read_labels(_labels().to_labels() | {labels.REVISION: "x"}) is None


@given(
    st.dictionaries(st.sampled_from([labels.SCHEMA, labels.DEPLOYMENT, labels.REVISION]), st.text())
)
def test_any_labels_are_read_without_raising(found):
    labels.read_labels(found)
