"""Servers and folders that the contract suites use on this machine, which is also the SSH host."""

import socket
import tempfile
import threading
from pathlib import Path

import pytest


@pytest.fixture
def scratch():
    """A folder that every user of this machine may use (the SSH user is another one)."""
    with tempfile.TemporaryDirectory(prefix="pitwall-scratch-", ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o777)
        yield Path(name)


@pytest.fixture
def known_folder(scratch):
    """A folder on the host that holds a file."""
    (scratch / "config.json").write_bytes(b'{"a": 1}')
    (scratch / "another").write_bytes(b"12345678")
    return str(scratch)


def _serve(listener):
    def serve():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=_echo, args=(connection,), daemon=True).start()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    return thread


def _echo(connection):
    with connection:
        while data := connection.recv(65536):
            connection.sendall(data)


def _stop(listener, thread):
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join(5)


@pytest.fixture
def echo_server():
    """Port of a server that says back what it hears."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    thread = _serve(listener)
    yield listener.getsockname()[1]
    _stop(listener, thread)


@pytest.fixture
def unix_echo(scratch):
    """Path of a Unix socket that says back what it hears."""
    path = scratch / "echo.sock"
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen()
    path.chmod(0o777)
    thread = _serve(listener)
    yield path
    _stop(listener, thread)


@pytest.fixture
def closed_port():
    """A port on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        yield probe.getsockname()[1]
