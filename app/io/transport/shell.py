"""How a command line is written for a host whose login shell we do not know.

Works with dash, bash, busybox and others: no shell syntax outside single quotes, a fixed locale,
and a small watcher that ends a command when its channel goes, since sshd does not.
"""

import re
import shlex
from collections.abc import Sequence

from app.io.transport import failures
from app.io.transport.base import CommandResult, FileEntry

# sshd without a terminal leaves a command running after its channel was closed. The command gets
# no input; a subshell waits on our input and ends the command at its end. `read` is a builtin,
# so killing the subshell leaves no child behind that would hold the channel open.
_WATCHED = (
    'exec 3<&0; "$@" </dev/null 3<&- & p=$!; '
    "(read -r _ <&3; kill $p) >/dev/null 2>&1 & w=$!; exec 3<&-; "
    "wait $p; c=$?; kill $w 2>/dev/null; exit $c"
)
_NOT_FOUND = re.compile(r"not found|No such file or directory|can't execute")
_MISSING_EXIT = 127
_NOT_EXECUTABLE_EXIT = 126


def direct_command(argv: Sequence[str]) -> str:
    """Return the line that runs ``argv`` with its standard input."""
    return shlex.join(("env", "LC_ALL=C", *argv))


def watched_command(argv: Sequence[str]) -> str:
    """Return the line that runs ``argv`` without input and ends it when the channel is closed."""
    return shlex.join(("env", "LC_ALL=C", "sh", "-c", _WATCHED, "sh", *argv))


def check_started(host: str, argv: Sequence[str], exit_code: int, stderr: str) -> None:
    """Raise when the shell says that the command could not be started at all.

    Raises:
        HostError: TOOL_MISSING, PERMISSION_DENIED.
    """
    if exit_code not in {_MISSING_EXIT, _NOT_EXECUTABLE_EXIT}:
        return
    tool = argv[0]
    for line in stderr.splitlines():
        if tool not in line:
            continue
        if exit_code == _MISSING_EXIT and _NOT_FOUND.search(line):
            raise failures.tool_missing(host, tool)
        if exit_code == _NOT_EXECUTABLE_EXIT and "ermission denied" in line:
            raise failures.permission_denied(host, tool, details=line)


# Exit codes of the scripts: 44 absent, 45 forbidden, 46 the wrong kind of thing.
_RESOLVE = """
p=$1
case $p in "~") p=$HOME;; "~/"*) p=$HOME/${p#??};; esac
case $p in -*) p=./$p;; esac
[ -e "$p" ] || { d=$p
  while case $d in */*) :;; *) false;; esac; do
    d=${d%/*}; [ -n "$d" ] || d=/
    if [ -d "$d" ]; then [ -x "$d" ] || exit 45; break; fi
    [ "$d" = / ] && break
  done; exit 44; }
"""

# A name cannot hold a slash, so "//" and a line end close an entry whatever the name is.
LIST_SCRIPT = (
    _RESOLVE
    + """
[ -d "$p" ] || exit 46
[ -r "$p" ] && [ -x "$p" ] || exit 45
cd "$p" || exit 45
stat -L -c '%s/%F/%n//' -- * .[!.]* ..?* 2>/dev/null
exit 0
"""
)

READ_SCRIPT = (
    _RESOLVE
    + """
[ -d "$p" ] && exit 46
[ -r "$p" ] || exit 45
if [ "$2" -gt 0 ]; then tail -c "+$(($2 + 1))" "$p" | head -c "$3"; else head -c "$3" "$p"; fi
"""
)


def script_argv(*arguments: str) -> list[str]:
    """Return the command that runs a script from standard input with arguments."""
    return ["sh", "-s", "--", *arguments]


def check_path_result(host: str, path: str, result: CommandResult) -> None:
    """Turn the exit codes of the scripts above into errors.

    Raises:
        HostError: NOT_FOUND, PERMISSION_DENIED, COMMAND_FAILED.
    """
    match result.exit_code:
        case 0:
            return
        case 44 | 46:
            raise failures.path_not_found(host, path)
        case 45:
            raise failures.permission_denied(host, path)
        case code:
            stderr = result.stderr.decode("utf-8", "replace")
            raise failures.command_failed(host, ["sh"], code, stderr)


def parse_listing(host: str, path: str, result: CommandResult) -> tuple[FileEntry, ...]:
    """Read what `LIST_SCRIPT` printed.

    Raises:
        HostError: as `check_path_result`; COMMAND_FAILED when the output was cut off.
    """
    check_path_result(host, path, result)
    if result.truncated:
        raise failures.too_much_output(host, path, len(result.stdout))
    entries = []
    for record in result.stdout.decode("utf-8", "surrogateescape").split("//\n"):
        size, _, rest = record.partition("/")
        kind, _, name = rest.partition("/")
        if name:
            is_dir = kind == "directory"
            entries.append(
                FileEntry(name=name, is_dir=is_dir, size_bytes=0 if is_dir else int(size))
            )
    return tuple(sorted(entries, key=lambda entry: entry.name))
