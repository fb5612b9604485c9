"""Pitwall as a user runs it: a process for each command, folders of its own, real hosts."""

import base64
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

LIMIT_S = 60.0


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    code: int
    stdout: str
    stderr: str


class Pitwall:
    """Run commands against one PITWALL_HOME."""

    def __init__(self, home):
        self.home = Path(home)

    def environment(self, **changes):
        """Return the process's variables; ``None`` takes one out."""
        merged = {**os.environ, "PITWALL_HOME": str(self.home), **changes}
        return {name: value for name, value in merged.items() if value is not None}

    def argv(self, *arguments):
        return [sys.executable, "-m", "app", *map(os.fspath, map(_text, arguments))]

    def run(self, *arguments, code=0, stdin="", **environment):
        """Run one command to its end; the exit code must be ``code``."""
        given = stdin if isinstance(stdin, bytes) else stdin.encode()
        done = self._ended(arguments, given, self.environment(**environment))
        assert done.code == code, f"{arguments}\n{done.stdout}{done.stderr}"
        assert "Traceback" not in done.stdout + done.stderr, done.stderr
        return done

    def _ended(self, arguments, stdin, environment):
        done = subprocess.run(
            self.argv(*arguments),
            env=environment,
            input=stdin,
            capture_output=True,
            check=False,
            timeout=LIMIT_S,
        )
        return Ended(done.returncode, *map(_decoded, (done.stdout, done.stderr)))

    def json(self, *arguments, code=0, **options):
        """Run with --json and return the one document."""
        return json.loads(self.run(*arguments, "--json", code=code, **options).stdout)

    def lines(self, *arguments, code=0, **options):
        """Run with --json and return the lines of a stream."""
        text = self.run(*arguments, "--json", code=code, **options).stdout
        return [json.loads(line) for line in text.splitlines()]

    def error(self, *arguments, code=1, **options):
        """Run with --json; the last line must be an error that says cause and remedy."""
        last = self.lines(*arguments, code=code, **options)[-1]
        command = next(word for word in map(str, arguments) if not word.startswith("-"))
        error = last["error"]
        assert last["schema"] == f"pitwall.{command}/1"
        assert error["cause"]
        assert error["remedy"]
        assert error["code"] != "internal", error
        return error

    @contextmanager
    def started(self, *arguments, **options):
        """Start a command and end it with the block."""
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options}
        with subprocess.Popen(self.argv(*arguments), env=self.environment(), **options) as process:
            try:
                yield process
            finally:
                if process.poll() is None:
                    process.terminate()
                    process.communicate(timeout=20)

    @contextmanager
    def tunnel(self, ref, *options):
        with self.started("tunnel", ref, *options, "--json") as process:
            yield json.loads(process.stdout.readline())

    # Hosts.

    def add(self, host, name="gpu", *, password=False, docker_socket=None, trusted=True):
        """Add a host of the fixtures; ``trusted`` knows its key already."""
        target = f"{host.user}@{host.address}:{host.port}"
        way = ["--password"] if password else ["--key", host.client_key]
        if docker_socket is not None:
            way += ["--docker-socket", docker_socket]
        self.run("hosts", "add", name, "--ssh", target, *way)
        if trusted:
            self.trust(host)
        return name

    def trust(self, host):
        known = self.home / "config" / "known_hosts"
        known.parent.mkdir(parents=True, exist_ok=True)
        with known.open("a", encoding="utf-8") as file:
            file.write(host.known_hosts_line + "\n")


class QuickPitwall(Pitwall):
    """The same command line in this process: for the many commands that answer and end.

    What is about the process itself (signals, pipes, two at once) is still `started` as one.
    """

    def _ended(self, arguments, stdin, environment):
        from app.__main__ import main

        streams = [
            io.TextIOWrapper(io.BytesIO(text), encoding="utf-8") for text in (stdin, b"", b"")
        ]
        before = dict(os.environ)
        with pytest.MonkeyPatch.context() as patch:
            for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
                patch.setattr(sys, name, stream)
            try:
                _become(environment)
                code = main([os.fsdecode(_text(argument)) for argument in arguments])
            finally:
                _become(before)
        for stream in streams[1:]:
            stream.flush()
        return Ended(code, *(_decoded(stream.buffer.getvalue()) for stream in streams[1:]))


def _become(environment):
    os.environ.clear()
    os.environ.update(environment)


def sha256_of(host):
    """Return a host key's fingerprint as ssh-keygen writes it."""
    blob = base64.b64decode(host.host_public_key.split()[1])
    return "SHA256:" + base64.b64encode(hashlib.sha256(blob).digest()).decode().rstrip("=")


def _text(argument):
    return argument if isinstance(argument, bytes | os.PathLike) else str(argument)


def _decoded(text):
    return text.decode("utf-8", "replace")


@pytest.fixture
def pitwall(tmp_path):
    return Pitwall(tmp_path / "home")


@pytest.fixture
def quick_pitwall(tmp_path):
    return QuickPitwall(tmp_path / "home")


@pytest.fixture
def host_key_of():
    return sha256_of


@pytest.fixture
def known_host(pitwall, ssh_host):
    """The replayed GPU host, added and its key accepted by its fingerprint."""
    name = pitwall.add(ssh_host, trusted=False)
    pitwall.run("hosts", "test", name, "--accept-key", sha256_of(ssh_host))
    return name


@pytest.fixture(scope="session")
def host_models(ssh_host):
    """A folder on the session's host that its user may read."""
    folder = ssh_host.folder / "models"
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)
    return folder


@pytest.fixture
def model_on_host(host_models, tiny_model):
    """The tiny model where the host's user may read it."""
    return Path(shutil.copy(tiny_model.gguf, host_models / "tiny.gguf"))


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def open_desk(qtbot, home, heartbeat):
    """Open real windows on one home."""
    with heartbeat.paused():  # Loading the program's modules is not the window's work.
        from fixtures.real_window import desks

    with desks(qtbot, home, heartbeat) as make:
        yield make
