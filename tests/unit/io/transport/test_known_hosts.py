"""Reading known_hosts the way OpenSSH does."""

import base64
import hashlib
import hmac
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import ErrorCode, HostError, StoreError
from app.io.transport.host_keys import HostKeyStore
from app.io.transport.known_hosts import HostKey, lookup_name, read_known_hosts

ED = HostKey(key_type="ssh-ed25519", blob=b"\0\0\0\x0bssh-ed25519" + b"a" * 32)
ED_2 = HostKey(key_type="ssh-ed25519", blob=b"\0\0\0\x0bssh-ed25519" + b"b" * 32)
RSA = HostKey(key_type="ssh-rsa", blob=b"\0\0\0\x07ssh-rsa" + b"c" * 64)
DSS = HostKey(key_type="ssh-dss", blob=b"\0\0\0\x07ssh-dss" + b"d" * 64)


def line(names, key=ED, marker=""):
    blob = base64.b64encode(key.blob).decode()
    return f"{marker} {names} {key.key_type} {blob} a comment\n".lstrip()


def hashed(name):
    salt = b"0123456789abcdefghij"
    digest = hmac.new(salt, name.encode(), hashlib.sha1).digest()
    return f"|1|{base64.b64encode(salt).decode()}|{base64.b64encode(digest).decode()}"


@pytest.fixture
def user_file(tmp_path):
    return tmp_path / "known_hosts"


@pytest.fixture
def own_file(tmp_path):
    return tmp_path / "state" / "known_hosts"


@pytest.fixture
def store(user_file, own_file):
    return HostKeyStore(own_file, [user_file])


def refusal(store, host, port, key):
    with pytest.raises(HostError) as caught:
        store.check(host, port, key)
    return caught.value


@pytest.mark.parametrize(
    ("names", "asked", "matches"),
    [
        ("gpu1", ("gpu1", 22), True),
        ("gpu1", ("GPU1", 22), True),
        ("GPU1", ("gpu1", 22), True),
        ("gpu1", ("gpu2", 22), False),
        ("gpu1", ("gpu1", 2222), False),
        ("[gpu1]:2222", ("gpu1", 2222), True),
        ("[gpu1]:2222", ("gpu1", 22), False),
        ("a,gpu1,b", ("gpu1", 22), True),
        ("*.lab.example", ("gpu1.lab.example", 22), True),
        ("gpu?", ("gpu1", 22), True),
        ("gpu?", ("gpu12", 22), False),
        ("*,!gpu1", ("gpu1", 22), False),
        ("!gpu1,*", ("gpu2", 22), True),
        ("!gpu1", ("gpu2", 22), False),
        ("[*.lab]:22??", ("x.lab", 2222), True),
        ("[gp]u1", ("gu1", 22), False),
        ("fe80::1", ("fe80::1", 22), True),
        (hashed("gpu1"), ("gpu1", 22), True),
        (hashed("[gpu1]:2222"), ("gpu1", 2222), True),
        (hashed("gpu1"), ("gpu2", 22), False),
        ("|1|broken", ("gpu1", 22), False),
        ("|1|%%%|%%%", ("gpu1", 22), False),
    ],
)
def test_names_match_as_in_openssh(store, user_file, names, asked, matches):
    user_file.write_text(line(names))
    if matches:
        store.check(*asked, ED)
    else:
        assert refusal(store, *asked, ED).code is ErrorCode.HOST_KEY_UNKNOWN


def test_hash_made_by_openssh_matches(store, user_file):
    user_file.write_text(line("gpu1") + line("[gpu1]:2222"))
    subprocess.run(["ssh-keygen", "-q", "-H", "-f", str(user_file)], check=True)
    assert "gpu1" not in user_file.read_text()
    store.check("gpu1", 22, ED)
    store.check("gpu1", 2222, ED)


def test_broken_and_foreign_lines_are_passed_over(store, user_file):
    junk = "# comment\n\nhost\nhost ssh-rsa\nhost ssh-rsa !!!\n@new-marker * ssh-rsa AAAA\n\xff\n"
    user_file.write_text(junk + line("gpu1"), encoding="latin-1")
    store.check("gpu1", 22, ED)
    (entry,) = read_known_hosts(user_file)
    assert entry.line == 8


@given(st.text())
def test_any_text_is_read_without_an_error(tmp_path_factory, text):
    file = tmp_path_factory.mktemp("keys") / "known_hosts"
    file.write_text(text, encoding="utf-8", errors="replace")
    for entry in read_known_hosts(file):
        entry.matches("host")


def test_missing_files_know_nobody(store):
    assert refusal(store, "gpu1", 22, ED).code is ErrorCode.HOST_KEY_UNKNOWN


def test_unknown_key_shows_its_openssh_fingerprint(store, tmp_path):
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    shown = subprocess.run(["ssh-keygen", "-lf", str(key)], capture_output=True, check=True)
    blob = base64.b64decode((tmp_path / "key.pub").read_text().split()[1])
    problem = refusal(store, "gpu1", 22, HostKey(key_type="ssh-ed25519", blob=blob))
    assert problem.params["sha256"] == shown.stdout.split()[1].decode()


def test_other_key_of_the_same_kind_is_a_changed_key(store, user_file):
    user_file.write_text("\n" + line("gpu1", RSA) + line("gpu1", ED))
    problem = refusal(store, "gpu1", 22, ED_2)
    assert problem.code is ErrorCode.HOST_KEY_CHANGED
    assert problem.params["previous"] == ED.sha256
    assert problem.params["sha256"] == ED_2.sha256
    assert problem.params["line"] == "3"


def test_host_that_no_longer_has_its_known_kind_of_key_is_a_changed_one(store, user_file):
    user_file.write_text(line("gpu1", RSA))
    problem = refusal(store, "gpu1", 22, ED)
    assert problem.code is ErrorCode.HOST_KEY_CHANGED
    assert problem.params["previous_type"] == "ssh-rsa"


def test_host_known_only_by_a_kind_we_cannot_ask_for_is_unknown(store, user_file):
    user_file.write_text(line("gpu1", DSS))
    problem = refusal(store, "gpu1", 22, ED)
    assert problem.code is ErrorCode.HOST_KEY_UNKNOWN
    assert problem.params["previous"] == DSS.sha256


def test_known_kinds_of_keys_are_asked_for_first(store, user_file):
    assert store.preferred_types("gpu1", 22)[0] == "ssh-ed25519"
    user_file.write_text(line("gpu1", RSA))
    assert store.preferred_types("gpu1", 22)[0] == "ssh-rsa"
    assert set(store.preferred_types("gpu1", 22)) == set(store.preferred_types("other", 22))


def test_revoked_key_is_refused_even_when_it_is_known(store, user_file):
    user_file.write_text(line("gpu1") + line("*", ED, "@revoked"))
    problem = refusal(store, "gpu1", 22, ED)
    assert problem.code is ErrorCode.HOST_KEY_REVOKED
    assert problem.params["line"] == "2"


def test_revoked_key_is_refused_even_when_it_was_accepted_here(store, user_file):
    store.accept("gpu1", 22, ED)
    user_file.write_text(line("*", ED, "@revoked"))
    assert refusal(store, "gpu1", 22, ED).code is ErrorCode.HOST_KEY_REVOKED


def test_certificate_authority_is_no_host_key(store, user_file):
    user_file.write_text(line("*", ED, "@cert-authority"))
    problem = refusal(store, "gpu1", 22, ED)
    assert problem.code is ErrorCode.HOST_KEY_UNKNOWN
    assert "certificate authority" in problem.remedy


def test_accepting_needs_the_fingerprint_that_was_shown(store, own_file):
    with pytest.raises(HostError):
        store.accept_presented("gpu1", 22, ED.sha256)
    refusal(store, "gpu1", 22, ED)
    with pytest.raises(HostError):
        store.accept_presented("gpu1", 22, ED_2.sha256)
    assert not own_file.exists()
    store.accept_presented("GPU1", 22, ED.sha256)
    store.check("gpu1", 22, ED)


def test_accepting_by_the_entered_name_trusts_the_resolved_one(store):
    with pytest.raises(HostError):
        store.check("10.0.0.7", 2222, ED, asked=("gpu1", 22))
    store.accept_presented("gpu1", 22, ED.sha256)
    store.check("10.0.0.7", 2222, ED, asked=("gpu1", 22))


def test_accepted_key_outweighs_the_users_file_which_stays_untouched(store, user_file, own_file):
    user_file.write_text(line("gpu1", ED))
    refusal(store, "gpu1", 22, ED_2)
    store.accept_presented("gpu1", 22, ED_2.sha256)
    store.check("gpu1", 22, ED_2)
    assert user_file.read_text() == line("gpu1", ED)
    assert refusal(store, "gpu1", 22, ED).params["file"] == str(own_file)


def test_accepting_replaces_only_this_hosts_line(store, own_file):
    store.accept("gpu1", 22, ED)
    store.accept("gpu2", 2222, RSA)
    store.accept("gpu1", 22, ED_2)
    names = [text.split()[0] for text in own_file.read_text().splitlines()]
    assert names == ["[gpu2]:2222", "gpu1"]
    assert [entry.name for entry in own_file.parent.iterdir()] == ["known_hosts"]


def test_unwritable_folder_is_said(user_file, tmp_path):
    (tmp_path / "file").touch()
    store = HostKeyStore(tmp_path / "file" / "known_hosts", [user_file])
    with pytest.raises(StoreError) as caught:
        store.accept("gpu1", 22, ED)
    assert caught.value.code is ErrorCode.FILE_UNWRITABLE


def test_users_files_are_found(pitwall_home, own_file):
    ssh = pitwall_home.parent / ".ssh"
    ssh.mkdir()
    (ssh / "known_hosts").write_text(line("gpu1"))
    HostKeyStore.for_user(own_file).check("gpu1", 22, ED)


def test_port_is_part_of_the_name_unless_it_is_22():
    assert lookup_name("GPU1", 22) == "gpu1"
    assert lookup_name("gpu1", 2222) == "[gpu1]:2222"
