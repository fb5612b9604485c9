"""Hosts of an SSH configuration, by our own reader and by OpenSSH."""

import getpass
import shutil
import sys

import pytest

from app.core.errors import ErrorCode, StoreError
from app.core.ssh_hosts import RemarkCode
from app.io import ssh_config_import
from app.io.ssh_config_file import read_ssh_config, split_line
from app.io.ssh_config_import import find_ssh_hosts
from app.io.ssh_config_lookup import look_up, matches
from app.io.transport import ssh_config

needs_ssh = pytest.mark.skipif(shutil.which("ssh") is None, reason="needs ssh")


@pytest.fixture
def folder(pitwall_home):
    folder = pitwall_home.parent / ".ssh"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def write(folder):
    """``write(text, name)``: a file in ~/.ssh; returns its path."""

    def write(text, name="config"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def no_ssh(monkeypatch):
    monkeypatch.setattr(ssh_config_import.shutil, "which", lambda _name: None)


def codes(entry):
    return {remark.code for remark in entry.remarks}


def looked_up(path, alias):
    return look_up(read_ssh_config(path), alias, local_user="me")


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("", ("", ())),
        ("  # Host no", ("", ())),
        ("HostName 10.0.0.7", ("hostname", ("10.0.0.7",))),
        ("Port=2222", ("port", ("2222",))),
        ("User = root", ("user", ("root",))),
        ('IdentityFile "~/my keys/a b"', ("identityfile", ("~/my keys/a b",))),
        ("Host a  b # both", ("host", ("a", "b"))),
        ("Host a#b", ("host", ("a#b",))),
        (r'Match exec "test \"x\" = x"', ("match", ("exec", 'test "x" = x'))),
        ("\tUser\tops\r", ("user", ("ops",))),
        ('Host ""', ("host", ("",))),
    ],
)
def test_lines_are_split_as_openssh_does(line, read):
    assert split_line(line) == read


@pytest.mark.parametrize(
    ("patterns", "text", "hit"),
    [
        (["gpu*"], "gpu-7", True),
        (["gpu?"], "gpu-7", False),
        (["*", "!bad"], "bad", False),
        (["!bad"], "good", False),
        (["GPU-7"], "gpu-7", True),
        (["a[b]"], "ab", False),
        ([], "x", False),
    ],
)
def test_pattern_lists(patterns, text, hit):
    assert matches(patterns, text) is hit


def test_aliases_are_names_without_wildcards_once(write):
    path = write("Host a b !c d*\nHost ? a\nHost *\nHost e\n")
    assert read_ssh_config(path).aliases == ("a", "b", "e")


def test_the_first_value_holds_and_keys_add_up(write):
    path = write(
        "Host gpu\n HostName 10.0.0.1\n IdentityFile ~/.ssh/one\n"
        "Host *\n HostName other\n User ops\n IdentityFile ~/.ssh/two\n"
    )
    found = looked_up(path, "gpu")
    assert found.first("hostname") == "10.0.0.1"
    assert found.first("user") == "ops"
    assert found.values["identityfile"] == ["~/.ssh/one", "~/.ssh/two"]


def test_includes_are_read_where_they_stand(write):
    write("Host in\n HostName 10.1.1.1\n", "conf.d/10.conf")
    write("User inside\n", "only-for-a")
    path = write("Include conf.d/*.conf missing\nHost a\n Include only-for-a\nHost b\n Port 3\n")
    assert read_ssh_config(path).aliases == ("in", "a", "b")
    assert looked_up(path, "a").first("user") == "inside"
    assert looked_up(path, "b").first("user") == ""
    assert looked_up(path, "in").first("hostname") == "10.1.1.1"


def test_a_file_that_includes_itself_comes_to_an_end(write):
    path = write("Host a\nInclude config\n")
    assert read_ssh_config(path).aliases == ("a",)


def test_a_folder_in_place_of_an_include_is_told(write, folder):
    (folder / "d").mkdir()
    assert read_ssh_config(write("Include d\nHost a\n")).skipped == (str(folder / "d"),)


@pytest.mark.parametrize(
    ("criteria", "user"),
    [
        ("all", "x"),
        ("host 10.*", "x"),
        ("originalhost gpu", "x"),
        ("!originalhost gpu", ""),
        ("localuser me host 10.0.0.1", "x"),
        ("localuser you", ""),
        ("user me", "x"),
        ("final all", ""),
        ("exec true", ""),
        ("tagged lab", ""),
    ],
)
def test_match_sections(write, criteria, user):
    path = write(f"Host gpu\n HostName 10.0.0.1\nMatch {criteria}\n User x\n")
    found = looked_up(path, "gpu")
    assert found.first("user") == user
    assert found.passed_exec is criteria.startswith("exec")
    assert found.passed_other is criteria.startswith("tagged")


@pytest.mark.usefixtures("no_ssh")
async def test_without_openssh_the_reader_answers(write, folder):
    (folder / "lab").write_text("key")
    write(
        "Host gpu-a\n HostName %h.lab.example\n Port 2222\n User ops\n IdentityFile ~/.ssh/lab\n"
        "Host far\n HostName 10.9.9.9\n ProxyJump jump.example\n HostKeyAlias far-key\n"
        " IdentityFile ~/.ssh/not-there\n IdentityAgent ~/agent\n"
        "Host odd\n Port many\n CertificateFile x-cert.pub\n PKCS11Provider /lib/p.so\n"
    )
    found = await find_ssh_hosts()
    near, far, odd = found.entries
    assert not found.by_openssh
    assert (near.host, near.port, near.user) == ("gpu-a.lab.example", 2222, "ops")
    assert near.key_file == str(folder / "lab")
    assert near.can_connect
    assert not near.remarks
    assert far.proxy == "jump.example"
    assert not far.can_connect
    assert codes(far) == {
        RemarkCode.PROXY_JUMP,
        RemarkCode.HOST_KEY_ALIAS,
        RemarkCode.KEY_MISSING,
        RemarkCode.IDENTITY_AGENT,
    }
    assert codes(odd) == {RemarkCode.BAD_PORT, RemarkCode.CERTIFICATE, RemarkCode.HARDWARE_KEY}


@needs_ssh
async def test_openssh_answers_the_same_as_the_reader(write, folder, monkeypatch):
    for name in ("one", "two"):
        (folder / name).write_text("key")
    path = write(
        f"Host a\n HostName a.example\n User ops\n IdentityFile {folder}/one\n"
        f" IdentityFile {folder}/two\nHost b\n Port 2200\nHost c\n ProxyCommand nc %h %p\n"
        f"Host *\n User {getpass.getuser()}\n"
    )
    asked = await find_ssh_hosts(path)
    assert asked.by_openssh
    monkeypatch.setattr(ssh_config_import.shutil, "which", lambda _name: None)
    read = await find_ssh_hosts(path)
    assert asked.entries == read.entries
    assert codes(asked.entries[0]) == {RemarkCode.SEVERAL_KEYS}
    assert asked.entries[1].user == getpass.getuser()


@needs_ssh
async def test_a_user_that_nobody_named_stays_open(write):
    (entry,) = (await find_ssh_hosts(write("Host plain\n"))).entries
    assert (entry.host, entry.port, entry.user, entry.identity_files) == ("plain", 22, "", ())


@needs_ssh
async def test_match_exec_runs_only_when_allowed(write, tmp_path):
    ran = tmp_path / "ran"
    path = write(f'Match originalhost gpu exec "touch {ran}"\n User secret\nHost gpu\n')
    found = await find_ssh_hosts(path)
    assert found.commands == (f"touch {ran}",)
    assert not ran.exists()
    assert codes(found.entries[0]) == {RemarkCode.MATCH_EXEC}
    allowed = await find_ssh_hosts(path, run_commands=True)
    assert ran.exists()
    assert allowed.entries[0].user == "secret"


async def test_openssh_that_hangs_is_given_up(write, tmp_path, monkeypatch):
    monkeypatch.setattr(ssh_config, "DEADLINE_S", 0.1)
    slow = tmp_path / "ssh"
    slow.write_text(f"#!{sys.executable}\nimport time\ntime.sleep(60)\n")
    slow.chmod(0o755)
    found = await find_ssh_hosts(write("Host a\n HostName b\n"), ssh=str(slow))
    assert codes(found.entries[0]) == {RemarkCode.SSH_SILENT}
    assert found.entries[0].host == "b"


async def test_a_missing_file_is_told(folder):
    with pytest.raises(StoreError) as missing:
        await find_ssh_hosts()
    assert missing.value.code is ErrorCode.FILE_UNREADABLE
    assert str(folder / "config") in missing.value.cause


async def test_the_system_file_counts_for_the_accounts_own_configuration(
    write, monkeypatch, tmp_path
):
    system = tmp_path / "ssh_config"
    system.write_text("Match exec true\n User x\n")
    monkeypatch.setattr(ssh_config_import, "SYSTEM_FILE", system)
    monkeypatch.setattr(ssh_config_import, "_is_own", lambda _path: True)
    found = await find_ssh_hosts(write("Host a\n"))
    assert found.commands == ("true",)
    assert not found.by_openssh
