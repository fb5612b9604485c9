"""Prove who we are on a connection whose host key was checked already."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import paramiko
from paramiko.ssh_exception import AuthenticationException, BadAuthenticationType, SSHException

from app.core.errors import ErrorCode, HostError
from app.core.events import AuthMethod
from app.io.transport import failures, ssh_keys

_log = logging.getLogger(__name__)

MAX_KEYS_TRIED = 5
"""sshd ends the connection after MaxAuthTries (6) failures; the last is left for a password."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignIn:
    """Who wants in, and with what."""

    user: str
    method: AuthMethod
    key_file: Path | None = None
    identity_files: tuple[Path, ...] = ()
    password: str | None = field(default=None, repr=False)
    passphrase: str | None = field(default=None, repr=False)


class Authenticator:
    """One sign-in on one connection. Blocking."""

    def __init__(self, transport: paramiko.Transport, host: str, sign_in: SignIn) -> None:
        self._transport = transport
        self._host = host
        self._sign_in = sign_in
        self._tried: list[str] = []

    def run(self) -> None:
        """Sign in.

        Raises:
            HostError: AUTH_FAILED, PASSWORD_NEEDED, KEY_FILE_UNREADABLE, CONNECTION_LOST.
        """
        try:
            allowed = self._allowed_methods()
            if allowed is None or self._try_methods(allowed):
                return
        except SSHException as problem:
            raise self._ended(problem) from problem
        finally:
            _forget_password(self._transport)
        raise self._failed(allowed)

    def _allowed_methods(self) -> Sequence[str] | None:
        """Ask what the server accepts; ``None`` when it lets us in without proof."""
        try:
            self._transport.auth_none(self._sign_in.user)
        except BadAuthenticationType as answer:
            return answer.allowed_types
        return None

    def _try_methods(self, allowed: Sequence[str]) -> bool:
        match self._sign_in.method:
            case AuthMethod.PASSWORD:
                return self._try_password(allowed, required=True)
            case AuthMethod.KEY:
                return self._try_key_file(allowed)
            case AuthMethod.AUTO:
                return self._try_keys(allowed) or self._try_password(allowed, required=True)

    def _try_key_file(self, allowed: Sequence[str]) -> bool:
        path = self._sign_in.key_file
        if path is None:
            return self._try_keys(allowed)
        file = path.expanduser()
        try:
            key = ssh_keys.load_key(file, self._sign_in.passphrase)
        except HostError as problem:
            # A key that is locked here may lie open in the agent.
            if "publickey" in allowed and _is_locked(problem) and self._try_in_agent(file):
                return True
            raise
        return "publickey" in allowed and self._try_key(key, str(path))

    def _try_in_agent(self, file: Path) -> bool:
        wanted = ssh_keys.public_part(file)
        keys, agent = ssh_keys.agent_keys()
        try:
            same = (key for key in keys if key.asbytes() == wanted)
            return any(self._try_key(key, f"agent key {key.fingerprint}") for key in same)
        finally:
            if agent is not None:
                agent.close()

    def _try_keys(self, allowed: Sequence[str]) -> bool:
        """Try the agent's keys, then key files; a locked file is asked for at the end."""
        if "publickey" not in allowed:
            return False
        keys, agent = ssh_keys.agent_keys()
        try:
            for key in keys[:MAX_KEYS_TRIED]:
                if self._try_key(key, f"agent key {key.fingerprint}"):
                    return True
        finally:
            if agent is not None:
                agent.close()
        locked: list[HostError] = []
        for key, path in self._file_keys(locked):
            if len(self._tried) >= MAX_KEYS_TRIED:
                break
            if self._try_key(key, str(path)):
                return True
        if locked and not self._sign_in.password:
            raise locked[0]
        return False

    def _file_keys(self, locked: list[HostError]) -> Iterator[tuple[paramiko.PKey, Path]]:
        wanted = (*self._sign_in.identity_files, *ssh_keys.default_key_files())
        for path in dict.fromkeys(wanted):
            if not path.is_file():
                continue
            try:
                yield ssh_keys.load_key(path, self._sign_in.passphrase), path
            except HostError as problem:
                if problem.params.get("what") == "passphrase":
                    locked.append(problem)
                self._tried.append(f"{path} (not usable)")

    def _try_key(self, key: paramiko.PKey, name: str) -> bool:
        self._tried.append(name)
        try:
            return self._is_done(self._transport.auth_publickey(self._sign_in.user, key))
        except AuthenticationException as refusal:
            self._check_alive(refusal)
            return False

    def _try_password(self, allowed: Sequence[str], *, required: bool) -> bool:
        if not {"password", "keyboard-interactive"} & set(allowed):
            return False
        if self._sign_in.password is None:
            if required:
                raise self._password_needed()
            return False
        self._tried.append("password")
        try:
            # Falls back to keyboard-interactive with one question.
            return self._is_done(
                self._transport.auth_password(self._sign_in.user, self._sign_in.password)
            )
        except AuthenticationException as refusal:
            self._check_alive(refusal)
            return False

    def _is_done(self, next_steps: Sequence[str]) -> bool:
        """A server may want a second proof after an accepted one."""
        if not next_steps:
            return True
        raise HostError(
            ErrorCode.AUTH_FAILED,
            {"host": self._host, "user": self._sign_in.user, "next": ", ".join(next_steps)},
            cause=f"{self._host} wants a further proof ({', '.join(next_steps)}).",
            remedy="Sign-in with two factors cannot be done yet: use an account with one.",
        )

    def _check_alive(self, refusal: AuthenticationException) -> None:
        if not self._transport.is_active():
            raise self._ended(refusal) from refusal

    def _ended(self, problem: SSHException) -> HostError:
        if self._tried:
            return self._failed((), f"; the host then ended the connection ({problem})")
        return failures.connection_lost(self._host, f"while signing in ({problem})")

    def _failed(self, allowed: Sequence[str], more: str = "") -> HostError:
        tried = ", ".join(self._tried) or "nothing that it accepts"
        accepts = f" It accepts: {', '.join(allowed)}." if allowed else ""
        return HostError(
            ErrorCode.AUTH_FAILED,
            {
                "host": self._host,
                "user": self._sign_in.user,
                "tried": tried,
                "accepts": ", ".join(allowed),
            },
            cause=f"{self._host} does not let {self._sign_in.user} in (tried: {tried}){more}."
            + accepts,
            remedy="Check the user name, and the password or key; the host's log says more.",
        )

    def _password_needed(self) -> HostError:
        return HostError(
            ErrorCode.PASSWORD_NEEDED,
            {"what": "password", "host": self._host, "user": self._sign_in.user},
            cause=f"{self._host} asks for the password of {self._sign_in.user}.",
            remedy="Enter it, or have a public key added there.",
        )


def _is_locked(problem: HostError) -> bool:
    return problem.code is ErrorCode.PASSWORD_NEEDED


def _forget_password(transport: paramiko.Transport) -> None:
    """Drop paramiko's own reference to the password once it is not needed."""
    handler = transport.auth_handler
    if handler is not None:
        handler.password = None
