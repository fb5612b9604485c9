"""The hosts of an SSH configuration, resolved by OpenSSH where it exists, else by our reader."""

import asyncio
import getpass
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.core.ssh_hosts import Remark, RemarkCode, SshHostEntry
from app.io.ssh_config_file import SshConfigFile, read_ssh_config
from app.io.ssh_config_lookup import Lookup, look_up
from app.io.transport.ssh_config import SshTarget, ask_openssh, expand, read_answer

AT_ONCE: Final = 4
SYSTEM_FILE: Final = Path("/etc/ssh/ssh_config")
_USUAL_KEYS: Final = frozenset(
    {"id_rsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519", "id_ed25519_sk", "id_xmss", "id_dsa"}
)
_NONE: Final = frozenset({"", "none"})


def default_file() -> Path:
    """Return where OpenSSH's client keeps its user's configuration."""
    return Path("~/.ssh/config").expanduser()


@dataclass(frozen=True, slots=True, kw_only=True)
class SshHosts:
    """What was found in a configuration."""

    file: Path
    entries: tuple[SshHostEntry, ...]
    commands: tuple[str, ...]
    """What ``Match exec`` would run; empty when there is none."""
    by_openssh: bool
    """OpenSSH answered; otherwise the built-in reader did."""


async def find_ssh_hosts(
    file: Path | None = None, *, run_commands: bool = False, ssh: str | None = None
) -> SshHosts:
    """Return every name of a configuration without wildcards, resolved.

    Args:
        file: The configuration; ``None`` is the user's own.
        run_commands: OpenSSH may run what ``Match exec`` says.
        ssh: The ssh program; ``None`` looks for it.

    Raises:
        StoreError: FILE_UNREADABLE.
    """
    path = file or default_file()
    config = await asyncio.to_thread(read_ssh_config, path)
    is_own = await asyncio.to_thread(_is_own, path)
    commands = (*config.commands, *(await asyncio.to_thread(_system_commands) if is_own else ()))
    program = ssh or shutil.which("ssh")
    may_ask = program is not None and (run_commands or not commands)
    options = () if is_own else ("-F", str(path))
    gate = asyncio.Semaphore(AT_ONCE)

    async def resolve(alias: str) -> SshHostEntry:
        if program is None or not may_ask:
            return await asyncio.to_thread(_by_reader, config, alias, silent=False)
        async with gate:
            said = read_answer(await ask_openssh(program, alias, *options))
        if not said:
            return await asyncio.to_thread(_by_reader, config, alias, silent=True)
        named = look_up(config, alias, local_user=_own_name()).first("user")
        if not named and said.get("user") == [_own_name()]:
            del said["user"]  # always printed; nobody asked for it
        return await asyncio.to_thread(_entry, alias, said, ())

    entries = await asyncio.gather(*map(resolve, config.aliases))
    return SshHosts(file=path, entries=tuple(entries), commands=commands, by_openssh=may_ask)


def _by_reader(config: SshConfigFile, alias: str, *, silent: bool) -> SshHostEntry:
    found = look_up(config, alias, local_user=_own_name())
    return _entry(alias, found.values, tuple(_reader_remarks(config, found, silent=silent)))


def _reader_remarks(config: SshConfigFile, found: Lookup, *, silent: bool) -> Iterator[Remark]:
    if silent:
        yield Remark(code=RemarkCode.SSH_SILENT)
    if found.passed_exec:
        yield Remark(code=RemarkCode.MATCH_EXEC)
    if found.passed_other:
        yield Remark(code=RemarkCode.MATCH_UNKNOWN)
    for file in config.skipped:
        yield Remark(code=RemarkCode.FILE_SKIPPED, value=file)


def _entry(
    alias: str, said: Mapping[str, Sequence[str]], remarks: tuple[Remark, ...]
) -> SshHostEntry:
    def first(keyword: str) -> str:
        return next(iter(said.get(keyword, ())), "")

    port = _port(first("port"))
    host = first("hostname").replace("%h", alias) or alias
    user = first("user")
    target = SshTarget(host=host, port=port or 22, user=user or _own_name())
    files = tuple(str(expand(text, target)) for text in _named(said.get("identityfile", ())))
    there = [name for name in files if Path(name).is_file()]
    proxy = [first(name) for name in ("proxyjump", "proxycommand") if first(name) not in _NONE]
    wrong = () if port else (Remark(code=RemarkCode.BAD_PORT, value=first("port")),)
    return SshHostEntry(
        alias=alias,
        host=host,
        port=port or 22,
        user=user,
        identity_files=files,
        key_file=there[0] if there else "",
        proxy=proxy[0] if proxy else "",
        remarks=(*remarks, *wrong, *_remarks(said, files, there)),
    )


def _remarks(
    said: Mapping[str, Sequence[str]], files: Sequence[str], there: Sequence[str]
) -> Iterator[Remark]:
    for keyword, code, usual in (
        ("proxyjump", RemarkCode.PROXY_JUMP, _NONE),
        ("proxycommand", RemarkCode.PROXY_COMMAND, _NONE),
        ("hostkeyalias", RemarkCode.HOST_KEY_ALIAS, _NONE),
        ("certificatefile", RemarkCode.CERTIFICATE, _NONE),
        ("pkcs11provider", RemarkCode.HARDWARE_KEY, _NONE),
        ("securitykeyprovider", RemarkCode.HARDWARE_KEY, _NONE | {"internal"}),
        ("identityagent", RemarkCode.IDENTITY_AGENT, _NONE | {"SSH_AUTH_SOCK", "$SSH_AUTH_SOCK"}),
    ):
        value = next(iter(said.get(keyword, ())), "")
        if value not in usual:
            yield Remark(code=code, value=value)
    if files and not there:
        yield Remark(code=RemarkCode.KEY_MISSING, value=files[0])
    if len(there) > 1:
        yield Remark(code=RemarkCode.SEVERAL_KEYS, value=there[0])


def _named(files: Sequence[str]) -> Sequence[str]:
    """Leave out the usual names that ``ssh -G`` lists when the configuration names none."""
    usual = all(name.startswith("~/.ssh/") and Path(name).name in _USUAL_KEYS for name in files)
    return () if usual and len(files) > 2 else [name for name in files if name != "none"]


def _port(text: str) -> int | None:
    if not text:
        return 22
    return int(text) if text.isdecimal() and 1 <= int(text) <= 65535 else None


def _is_own(path: Path) -> bool:
    """Tell whether OpenSSH itself would read this file; it looks in the account's home only."""
    try:
        import os
        import pwd

        home = Path(pwd.getpwuid(os.getuid()).pw_dir)
    except (ImportError, KeyError):
        home = Path.home()
    return path.absolute() == home / ".ssh" / "config"


def _system_commands() -> tuple[str, ...]:
    if not SYSTEM_FILE.is_file():
        return ()
    return read_ssh_config(SYSTEM_FILE, include_base=SYSTEM_FILE.parent).commands


def _own_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""
