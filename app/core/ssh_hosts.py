"""What an OpenSSH configuration says about a host, and what of it Pitwall cannot do."""

from dataclasses import dataclass
from enum import StrEnum


class RemarkCode(StrEnum):
    """Things worth knowing before a host is taken over from an SSH configuration."""

    PROXY_JUMP = "proxy_jump"
    """Reached through another host, which Pitwall cannot do yet; ``value`` names it."""
    PROXY_COMMAND = "proxy_command"
    HOST_KEY_ALIAS = "host_key_alias"
    """Its key is kept under another name; Pitwall will show it once as a new one."""
    CERTIFICATE = "certificate"
    """Only a certificate that lies beside its key is used."""
    HARDWARE_KEY = "hardware_key"
    """A PKCS#11 or security-key provider is named."""
    IDENTITY_AGENT = "identity_agent"
    """An agent of its own; Pitwall asks the one of this session."""
    SEVERAL_KEYS = "several_keys"
    """``value`` is the one that is taken."""
    KEY_MISSING = "key_missing"
    MATCH_EXEC = "match_exec"
    """A ``Match exec`` was passed over because nobody allowed to run it."""
    MATCH_UNKNOWN = "match_unknown"
    """A ``Match`` that the built-in reader does not know was passed over."""
    SSH_SILENT = "ssh_silent"
    """OpenSSH gave no answer in time, so the built-in reader was used."""
    BAD_PORT = "bad_port"
    FILE_SKIPPED = "file_skipped"
    """An included file could not be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """One thing worth knowing, and what it is about."""

    code: RemarkCode
    value: str = ""


_BARRED = frozenset({RemarkCode.PROXY_JUMP, RemarkCode.PROXY_COMMAND, RemarkCode.BAD_PORT})


@dataclass(frozen=True, slots=True, kw_only=True)
class SshHostEntry:
    """One ``Host`` name of an SSH configuration, resolved."""

    alias: str
    host: str
    port: int = 22
    user: str = ""
    identity_files: tuple[str, ...] = ()
    """Those that the configuration names; the usual ones are tried anyway."""
    key_file: str = ""
    """The one that is taken over: the first that exists."""
    proxy: str = ""
    """Jump hosts, or the command that makes the connection; empty is none."""
    remarks: tuple[Remark, ...] = ()

    @property
    def can_connect(self) -> bool:
        """False when Pitwall could not reach it as the configuration says."""
        return not any(remark.code in _BARRED for remark in self.remarks)
