"""The errors a transport raises, each with what happened and what to do now.

One function per kind, so that this machine, SSH and their callers say the same thing the same way.
"""

from collections.abc import Sequence

from app.core.errors import ErrorCode, HostError


def connection_lost(host: str, reason: str = "") -> HostError:
    """The connection ended under a call."""
    why = f": {reason}" if reason else ""
    return HostError(
        ErrorCode.CONNECTION_LOST,
        {"host": host, "reason": reason},
        cause=f"The connection to {host} was lost{why}.",
        remedy="Check the network and that the host is up; Pitwall can connect again.",
    )


def command_timeout(host: str, what: str, timeout_s: float) -> HostError:
    """A call did not end within its deadline."""
    return HostError(
        ErrorCode.COMMAND_TIMEOUT,
        {"host": host, "command": what, "timeout_s": f"{timeout_s:g}"},
        cause=f"{what} on {host} did not end within {timeout_s:g} s.",
        remedy="The host may be overloaded or a driver may hang; try again, or look there.",
    )


def command_failed(host: str, argv: Sequence[str], exit_code: int, stderr: str) -> HostError:
    """A command ended with an error that nobody expected."""
    return HostError(
        ErrorCode.COMMAND_FAILED,
        {"host": host, "command": argv[0], "exit_code": exit_code},
        cause=f"“{argv[0]}” on {host} ended with exit code {exit_code}.",
        remedy="See the details for what it printed.",
        details=stderr[-2000:],
    )


def tool_missing(host: str, tool: str) -> HostError:
    """The host has no such command."""
    return HostError(
        ErrorCode.TOOL_MISSING,
        {"host": host, "tool": tool},
        cause=f"{host} has no command “{tool}”.",
        remedy="Install it there or put it into the PATH of a non-interactive login.",
    )


def permission_denied(host: str, what: str, *, details: str = "") -> HostError:
    """The user may not do that on the host."""
    return HostError(
        ErrorCode.PERMISSION_DENIED,
        {"host": host, "what": what},
        cause=f"The user may not use “{what}” on {host}.",
        remedy="Log in as another user or have the rights on the host changed.",
        details=details,
    )


def path_not_found(host: str, path: str) -> HostError:
    """There is no such file or folder on the host."""
    return HostError(
        ErrorCode.NOT_FOUND,
        {"host": host, "path": path},
        cause=f"{host} has no “{path}”.",
        remedy="Check the path; it is read as the user who is logged in there.",
    )


def channel_refused(host: str, target: str, reason: str, said: str = "") -> HostError:
    """The host refuses a channel.

    Args:
        host: The host's name.
        target: Where the channel should lead.
        reason: ``connect-failed`` (nothing listens there), ``forbidden`` (sshd's settings) or
            ``sessions`` (no more sessions on this connection).
        said: The server's own words.
    """
    remedies = {
        "connect-failed": "Check that the service runs there and listens on that address.",
        "forbidden": "The host's sshd forbids forwarding: allow AllowTcpForwarding and "
        "AllowStreamLocalForwarding for this user in its sshd_config.",
        "sessions": "The host allows few sessions on one connection (sshd's MaxSessions): "
        "close log windows and live views, or have the limit raised.",
    }
    causes = {
        "connect-failed": f"Nothing answers at {target} on {host}",
        "forbidden": f"{host} forbids a channel to {target}",
        "sessions": f"{host} allows no further session for {target}",
    }
    words = f" ({said})" if said else ""
    return HostError(
        ErrorCode.CHANNEL_REFUSED,
        {"host": host, "target": target, "reason": reason},
        cause=f"{causes[reason]}{words}.",
        remedy=remedies[reason],
    )


def too_much_output(host: str, path: str, limit_bytes: int) -> HostError:
    """A file or folder is larger than what Pitwall reads over a connection."""
    return HostError(
        ErrorCode.COMMAND_FAILED,
        {"host": host, "path": path, "limit_bytes": limit_bytes},
        cause=f"“{path}” on {host} is larger than the {limit_bytes} bytes Pitwall reads at once.",
        remedy="Read a part of it, or choose a smaller file or folder.",
    )
