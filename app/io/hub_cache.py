"""Look into a Hugging Face cache on a host: one shell script that only lists."""

from typing import Final

from app.core.models.hub_cache import HubRevision, read_revisions
from app.io.host_script import run_script
from app.io.model_files import parse_listings
from app.io.transport.base import Transport

_MOST: Final = 400
_LOOK_S: Final = 20.0

_SCRIPT: Final = r"""
LC_ALL=C; export LC_ALL
root=$1; most=$2
case $root in '~') root=$HOME ;; '~/'*) root=$HOME/${root#'~/'} ;; esac
[ -d "$root" ] || exit 0
if [ -d "$root/snapshots" ]; then printf '%s\n' "$root"
else find "$root" -maxdepth 3 -type d -name 'models--*' -prune 2>/dev/null; fi |
  head -n "$most" | while IFS= read -r repo; do
    printf 'H %s\n' "$repo"
    find "$repo/refs" -type f 2>/dev/null | while IFS= read -r ref; do
      printf 'B %s %s\n' "$(head -c 64 "$ref" | tr -d '[:space:]')" "${ref#"$repo"/refs/}"
    done
    printf 'I %s\n' "$(find "$repo/blobs" -maxdepth 1 -name '*.incomplete' 2>/dev/null | wc -l)"
    for snapshot in "$repo"/snapshots/*/; do
      [ -d "$snapshot" ] || continue
      printf 'D %s\n' "${snapshot%/}"; ls -lLn "$snapshot" 2>/dev/null </dev/null; echo E
    done
  done
"""


async def find_revisions(transport: Transport, root: str) -> tuple[HubRevision, ...]:
    """Return the revisions below a cache's root, or of one repository's folder.

    Empty where there is no cache, or where the host runs no shell.

    Raises:
        HostError: COMMAND_TIMEOUT, CONNECTION_LOST.
    """
    result = await run_script(transport, _SCRIPT, root, str(_MOST), timeout_s=_LOOK_S)
    if result is None:
        return ()
    return parse_revisions(result.stdout.decode("utf-8", errors="surrogateescape"))


def parse_revisions(output: str) -> tuple[HubRevision, ...]:
    """Read what the script printed."""
    refs: dict[str, dict[str, str]] = {}
    unfinished: dict[str, int] = {}
    repository = ""
    for line in output.splitlines():
        key, _, value = line.partition(" ")
        if key == "H":
            repository = value
        elif key == "B":
            commit, _, name = value.partition(" ")
            refs.setdefault(repository, {})[name] = commit
        elif key == "I" and value.strip().isdigit():
            unfinished[repository] = int(value)
    return read_revisions(parse_listings(output), refs, unfinished)
