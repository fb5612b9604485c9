"""What the command line reads and how it writes."""

import click
import pytest

from app.cli.hosts import host_settings
from app.cli.main import run
from app.cli.options import BYTES, COUNT, SECONDS, SOME, SOME_BYTES, is_file_argument, read_text
from app.cli.output import Output, table
from app.core.errors import ErrorCode, HostError, UserInputError
from app.core.events import AuthMethod, HostKind
from app.io.datafiles import data_root, load_engines
from app.services.estimating import check_version


def _settings(**changes):
    values = {
        "ssh": None, "local": False, "demo": False, "key_file": None, "ask_password": False,
        "docker_socket": None, "notes": "",
    }  # fmt: skip
    return host_settings("gpu1", **(values | changes))


def test_ssh_target_gives_user_host_and_port():
    settings = _settings(ssh="admin@10.0.0.5:2222")
    assert (settings.user, settings.address, settings.port) == ("admin", "10.0.0.5", 2222)
    assert settings.auth is AuthMethod.AUTO


def test_ssh_target_takes_ipv6_in_brackets():
    assert _settings(ssh="[fe80::1]:22").address == "fe80::1"


def test_key_and_password_choose_the_method():
    assert _settings(ssh="h", key_file="/k").auth is AuthMethod.KEY
    assert _settings(ssh="h", ask_password=True).auth is AuthMethod.PASSWORD


def test_local_and_demo_need_no_address():
    assert _settings(local=True).kind is HostKind.LOCAL
    assert _settings(demo=True).kind is HostKind.DEMO


@pytest.mark.parametrize(
    "changes", [{}, {"local": True, "demo": True}, {"ssh": "a b"}, {"ssh": "h:99999"}, {"ssh": ""}]
)
def test_contradictions_and_bad_targets_are_refused(changes):
    with pytest.raises(UserInputError):
        _settings(**changes)


@pytest.mark.parametrize(
    ("text", "is_file"), [("fp.json", True), ("a/b", True), ("-", True), ("gpu1", False)]
)
def test_files_are_told_from_host_names(text, is_file):
    assert is_file_argument(text) is is_file


def test_a_file_that_is_not_there_is_a_user_error(tmp_path):
    with pytest.raises(UserInputError) as caught:
        read_text(str(tmp_path / "none"))
    assert caught.value.code is ErrorCode.FILE_UNREADABLE


def test_undecodable_bytes_are_read_all_the_same(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"a\xff\xfeb")
    assert read_text(str(path)).startswith("a")


def test_quantities_with_units_and_the_error_names_the_form():
    assert COUNT.convert("32k", None, None) == 32_000
    assert SECONDS.convert("200ms", None, None) == pytest.approx(0.2)
    assert BYTES.convert(5, None, None) == 5
    with pytest.raises(click.BadParameter, match="80GiB"):
        BYTES.convert("x", None, None)


def test_table_aligns_wide_characters_by_columns():
    text = table(("A", "N"), [("机房", "1"), ("x", "20")], right=(1,))
    assert text.splitlines() == ["A      N", "机房   1", "x     20"]


def test_failure_for_people_says_what_to_do(capsys):
    error = HostError(ErrorCode.AUTH_FAILED, cause="No.", remedy="Do this.", details="x")
    Output("ps", as_json=False).failure(error)
    shown = capsys.readouterr()
    assert "No." in shown.err
    assert "What to do: Do this." in shown.err
    assert not shown.out


def _run(*arguments):
    return run(list(arguments), open_window=lambda: 7, run_tour=lambda _request: None)


def test_without_a_command_the_window_is_opened():
    assert _run() == 7


def test_help_lists_the_commands_without_importing_them(capsys):
    assert _run("--help") == 0
    assert "fingerprint" in capsys.readouterr().out


def test_version_is_the_distributions(capsys):
    assert _run("--version") == 0
    assert capsys.readouterr().out.startswith("pitwall ")


def test_unknown_command_suggests_the_nearest_and_is_wrong_use(capsys):
    assert _run("deplyo") == 2
    assert "deploy" in capsys.readouterr().err


def test_wrong_use_with_json_is_one_document_with_the_commands_schema(capsys):
    assert _run("estimate", "--json") == 2
    shown = capsys.readouterr().out
    assert '"schema": "pitwall.estimate/1"' in shown
    assert "--engine" in shown


@pytest.mark.parametrize("kind", [SOME, SOME_BYTES])
def test_nothing_is_no_size(kind):
    with pytest.raises(click.BadParameter):
        kind.convert("0", None, None)
    assert kind.convert("2", None, None) == 2


@pytest.mark.parametrize("version", ["0.8.5", "v1.0.0rc3", "0.8.x", "0.5.0.post1"])
def test_versions_are_read_as_releases_write_them(version):
    assert check_version(version, load_engines(data_root())["vllm"])


@pytest.mark.parametrize("version", ["b10434", "10434", "b9800-cuda"])
def test_llama_cpp_counts_builds(version):
    assert check_version(version, load_engines(data_root())["llamacpp"])


@pytest.mark.parametrize(
    "version", ["0.1O.0", "latest", "", "-1", "0.8 5", "b10434", "٠.٨.٥", "0.8.5-" + "a" * 99]
)
def test_a_slip_in_a_version_is_refused(version):
    with pytest.raises(UserInputError) as caught:
        check_version(version, load_engines(data_root())["vllm"])
    assert caught.value.params["field"] == "engine-version"
