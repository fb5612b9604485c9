"""Ways to sign in, and what is said when it does not work."""

import shutil
import subprocess

import pytest

from app.core.errors import ErrorCode, HostError
from app.core.events import AuthMethod

_SECRET = "open sesame 芝麻"


@pytest.fixture
def ssh_folder(pitwall_home):
    folder = pitwall_home.parent / ".ssh"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def locked_key(ssh_host, tmp_path):
    """The host's client key, protected by a passphrase."""
    copy = tmp_path / "locked"
    shutil.copy(ssh_host.client_key, copy)
    copy.chmod(0o600)
    subprocess.run(["ssh-keygen", "-q", "-p", "-N", _SECRET, "-P", "", "-f", str(copy)], check=True)
    return copy


def _make_key(kind, path, passphrase=""):
    subprocess.run(["ssh-keygen", "-q", "-t", kind, "-N", passphrase, "-f", str(path)], check=True)


@pytest.fixture
def agent_with_key(ssh_host, tmp_path, monkeypatch):
    """An SSH agent that holds the host's client key."""
    command = ["ssh-agent", "-D", "-a", str(tmp_path / "agent")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as agent:
        agent.stdout.readline()
        monkeypatch.setenv("SSH_AUTH_SOCK", str(tmp_path / "agent"))
        key = tmp_path / "for-agent"
        shutil.copy(ssh_host.client_key, key)
        key.chmod(0o600)
        subprocess.run(["ssh-add", "-q", str(key)], check=True)
        yield
        agent.terminate()


async def _refusal(connecting):
    with pytest.raises(HostError) as caught:
        await connecting
    return caught.value


async def test_password_lets_us_in(ssh_host, connect):
    transport = await connect(ssh_host, auth=AuthMethod.PASSWORD, password=ssh_host.password)
    result = await transport.run(["id", "-un"], timeout_s=10)
    assert result.stdout.decode().strip() == ssh_host.user


async def test_wrong_password_is_said(ssh_host, connect):
    problem = await _refusal(connect(ssh_host, auth=AuthMethod.PASSWORD, password="wrong"))
    assert problem.code is ErrorCode.AUTH_FAILED
    assert problem.params["tried"] == "password"
    assert "wrong" not in str(problem) + problem.details


async def test_missing_password_is_asked_for(ssh_host, connect):
    problem = await _refusal(connect(ssh_host, auth=AuthMethod.PASSWORD))
    assert (problem.code, problem.params["what"]) == (ErrorCode.PASSWORD_NEEDED, "password")


async def test_keyboard_interactive_takes_the_password(ssh_host_factory, connect):
    host = ssh_host_factory(password_login=False, start=False)
    config = host.folder / "sshd_config"
    text = config.read_text().replace("UsePAM no", "UsePAM yes")
    question = "KbdInteractiveAuthentication"
    config.write_text(text.replace(f"{question} no", f"{question} yes"))
    host.start()
    transport = await connect(host, auth=AuthMethod.PASSWORD, password=host.password)
    assert transport.is_alive
    await transport.close()
    problem = await _refusal(connect(host, auth=AuthMethod.PASSWORD, password="wrong"))
    assert problem.code is ErrorCode.AUTH_FAILED


async def test_key_that_the_host_does_not_know_is_said(ssh_host, connect, tmp_path):
    stranger = tmp_path / "stranger"
    _make_key("ed25519", stranger)
    problem = await _refusal(connect(ssh_host, key_file=str(stranger)))
    assert problem.code is ErrorCode.AUTH_FAILED
    assert str(stranger) in problem.params["tried"]


@pytest.mark.parametrize("kind", ["ecdsa", "rsa"])
async def test_other_kinds_of_keys_let_us_in(ssh_host_factory, connect, tmp_path, kind):
    key = tmp_path / kind
    _make_key(kind, key)
    host = ssh_host_factory()
    with (host.folder / "authorized_keys").open("a") as file:
        file.write(key.with_suffix(".pub").read_text())
    assert (await connect(host, key_file=str(key))).is_alive


async def test_locked_key_asks_for_its_passphrase(ssh_host, connect, locked_key):
    problem = await _refusal(connect(ssh_host, key_file=str(locked_key)))
    assert (problem.code, problem.params["what"]) == (ErrorCode.PASSWORD_NEEDED, "passphrase")
    wrong = await _refusal(connect(ssh_host, key_file=str(locked_key), passphrase="nonsense"))
    assert (wrong.code, wrong.params["what"]) == (ErrorCode.AUTH_FAILED, "passphrase")
    assert (await connect(ssh_host, key_file=str(locked_key), passphrase=_SECRET)).is_alive


@pytest.mark.parametrize("content", [None, "this is no key\n"])
async def test_unusable_key_file_is_named(ssh_host, connect, tmp_path, content):
    file = tmp_path / "nokey"
    if content is not None:
        file.write_text(content)
    problem = await _refusal(connect(ssh_host, key_file=str(file)))
    assert problem.code is ErrorCode.KEY_FILE_UNREADABLE
    assert problem.params["path"] == str(file)


async def test_automatic_sign_in_finds_the_usual_key_file(ssh_host, connect, ssh_folder):
    shutil.copy(ssh_host.client_key, ssh_folder / "id_ed25519")
    transport = await connect(ssh_host, auth=AuthMethod.AUTO, key_file=None)
    assert transport.is_alive


async def test_automatic_sign_in_asks_for_the_passphrase_of_a_locked_key(
    ssh_host, connect, ssh_folder, locked_key
):
    shutil.copy(locked_key, ssh_folder / "id_ed25519")
    problem = await _refusal(connect(ssh_host, auth=AuthMethod.AUTO, key_file=None))
    assert (problem.code, problem.params["what"]) == (ErrorCode.PASSWORD_NEEDED, "passphrase")
    assert (
        await connect(ssh_host, auth=AuthMethod.AUTO, key_file=None, passphrase=_SECRET)
    ).is_alive


async def test_automatic_sign_in_without_keys_asks_for_the_password(ssh_host, connect):
    problem = await _refusal(connect(ssh_host, auth=AuthMethod.AUTO, key_file=None))
    assert (problem.code, problem.params["what"]) == (ErrorCode.PASSWORD_NEEDED, "password")
    transport = await connect(
        ssh_host, auth=AuthMethod.AUTO, key_file=None, password=ssh_host.password
    )
    assert transport.is_alive


@pytest.mark.usefixtures("agent_with_key")
async def test_automatic_sign_in_uses_the_agent(ssh_host, connect):
    assert (await connect(ssh_host, auth=AuthMethod.AUTO, key_file=None)).is_alive


async def test_host_without_passwords_refuses_one_clearly(ssh_host_factory, connect):
    host = ssh_host_factory(password_login=False)
    problem = await _refusal(connect(host, auth=AuthMethod.PASSWORD, password="x"))
    assert problem.code is ErrorCode.AUTH_FAILED
    assert "publickey" in problem.params["accepts"]


async def test_second_factor_is_refused_with_its_name(ssh_host_factory, connect):
    host = ssh_host_factory(extra="AuthenticationMethods publickey,password")
    problem = await _refusal(connect(host))
    assert problem.code is ErrorCode.AUTH_FAILED
    assert problem.params["next"] == "password"


async def test_refused_port_and_unknown_name_are_told_apart(ssh_host, connect, closed_port):
    refused = await _refusal(connect(ssh_host, port=closed_port))
    assert (refused.code, refused.params["reason"]) == (ErrorCode.HOST_UNREACHABLE, "refused")
    unknown = await _refusal(connect(ssh_host, address="no-such-host.invalid"))
    assert unknown.code is ErrorCode.HOST_NAME_UNKNOWN


async def test_something_else_on_the_port_is_said(ssh_host, connect, serve):
    web = serve(lambda connection: connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n"))
    problem = await _refusal(connect(ssh_host, port=web.port))
    assert (problem.code, problem.params["reason"]) == (ErrorCode.HOST_UNREACHABLE, "not-ssh")


async def test_server_with_only_old_ciphers_is_called_too_old(ssh_host_factory, connect):
    host = ssh_host_factory(extra="KexAlgorithms diffie-hellman-group1-sha1")
    problem = await _refusal(connect(host))
    assert (problem.code, problem.params["reason"]) == (ErrorCode.HOST_UNREACHABLE, "too-old")


@pytest.mark.usefixtures("agent_with_key")
async def test_a_chosen_key_that_is_locked_is_used_from_the_agent(ssh_host, connect, locked_key):
    transport = await connect(ssh_host, key_file=str(locked_key))
    assert transport.is_alive


@pytest.mark.usefixtures("agent_with_key")
async def test_a_locked_key_that_the_agent_lacks_asks_for_its_passphrase(
    ssh_host, connect, tmp_path
):
    other = tmp_path / "other"
    _make_key("ed25519", other, "x1234")
    problem = await _refusal(connect(ssh_host, key_file=str(other)))
    assert (problem.code, problem.params["what"]) == (ErrorCode.PASSWORD_NEEDED, "passphrase")
