"""Tell one model folder from another on a host: sizes, hashes, and the names a cache gives blobs.

One shell script over one channel; it reads and prints, nothing is changed or left behind. Small
files are hashed whole, of large ones the first MiB; whole weights only when asked for. Where the
host runs no shell (the demo host) the same is done with the files' contents.
"""

import hashlib
import json
import posixpath
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from app.core.deployment.record import FileIdentity, ModelIdentity
from app.core.errors import ErrorCode, HostError
from app.io.host_script import run_script
from app.io.transport.base import Transport

SMALL_BYTES: Final = 32 * 1024 * 1024
HEAD_BYTES: Final = 1024 * 1024
GENERATION: Final = "generation_config.json"

_SLOWEST_BYTES_PER_S: Final = 20 * 1024 * 1024
"""A disk slower than this is not waited for."""
_SHORTEST_WAIT_S: Final = 60.0
_REVISION: Final = re.compile(r"/snapshots/([0-9a-f]{40})(?:/|$)")
_BLOB: Final = re.compile(r"(?:^|/)blobs/([0-9a-f]{64})$")
_HASH: Final = re.compile(r"[0-9a-f]{64}")
_GENERATION_LIMIT: Final = 64 * 1024

# Exit codes as in `app.io.transport.shell`: 44 absent, 45 forbidden.
_HASH_OF: Final = r"""
LC_ALL=C; export LC_ALL
hash_of() {
  if command -v sha256sum >/dev/null 2>&1; then sha256sum
  elif command -v shasum >/dev/null 2>&1; then shasum -a 256
  elif command -v openssl >/dev/null 2>&1; then openssl dgst -sha256 -r
  fi 2>/dev/null | cut -c1-64
}
p=$1
case $p in '~') p=$HOME ;; '~/'*) p=$HOME/${p#'~/'} ;; esac
[ -e "$p" ] || exit 44
[ -r "$p" ] || exit 45
"""

_LIST_SCRIPT: Final = (
    _HASH_OF
    + r"""
small=$2 head=$3
show() {
  [ -f "$1" ] || return 0
  [ -r "$1" ] || { printf 'F -1 %s\n' "$1"; return 0; }
  size=$(wc -c <"$1" 2>/dev/null | tr -d ' ')
  printf 'F %s %s\n' "${size:--1}" "$1"
  link=$(readlink "$1" 2>/dev/null) && printf 'L %s\n' "$link"
  if [ "${size:-0}" -le "$small" ]; then printf 'H %s\n' "$(hash_of <"$1")"
  else printf 'B %s\n' "$(head -c "$head" <"$1" | hash_of)"
  fi
}
if [ -d "$p" ]; then
  cd "$p" || exit 45
  n=0
  for f in *; do n=$((n + 1)); [ "$n" -le 500 ] || break; show "$f"; done
else
  cd "$(dirname "$p")" || exit 45
  show "$(basename "$p")"
fi
exit 0
"""
)

_WHOLE_SCRIPT: Final = _HASH_OF + 'hash_of <"$p"\n'

Progress = Callable[[str, int, int], None]
"""Name of the file, bytes done and bytes to do of all files."""


async def read_identity(transport: Transport, path: str, *, timeout_s: float = 60) -> ModelIdentity:
    """Return which files lie at ``path`` on the host, a folder or one file.

    Raises:
        HostError: NOT_FOUND, PERMISSION_DENIED, COMMAND_TIMEOUT, CONNECTION_LOST.
    """
    output = await _ask(
        transport, _LIST_SCRIPT, path, str(SMALL_BYTES), str(HEAD_BYTES), timeout_s=timeout_s
    )
    files = parse_identity(output) if output is not None else await _read_files(transport, path)
    found = _REVISION.search(path)
    return ModelIdentity(
        path=path,
        revision=found[1] if found else None,
        files=files,
        generation=await _generation(transport, path, files),
    )


async def hash_whole(
    transport: Transport,
    model: ModelIdentity,
    progress: Progress | None = None,
) -> ModelIdentity:
    """Hash every file of a model that is not known whole yet; cancelling ends the hash there.

    Raises:
        HostError: COMMAND_TIMEOUT for a file that takes far too long, CONNECTION_LOST.
    """
    total = sum(file.size_bytes for file in model.files if file.sha256 is None)
    done, hashed = 0, []
    for file in model.files:
        if file.sha256 is not None or file.size_bytes < 0:
            hashed.append(file)
            continue
        if progress is not None:
            progress(file.name, done, total)
        digest = await _whole(transport, model.path, file)
        hashed.append(replace(file, sha256=digest))
        done += file.size_bytes
    if progress is not None and total:
        progress("", done, total)
    return replace(model, files=tuple(hashed))


async def _whole(transport: Transport, path: str, file: FileIdentity) -> str | None:
    place = path if posixpath.basename(path) == file.name else posixpath.join(path, file.name)
    wait_s = max(_SHORTEST_WAIT_S, file.size_bytes / _SLOWEST_BYTES_PER_S)
    output = await _ask(transport, _WHOLE_SCRIPT, place, timeout_s=wait_s)
    found = _HASH.match(output or "")
    return found[0] if found else None


async def _ask(
    transport: Transport, script: str, path: str, *more: str, timeout_s: float
) -> str | None:
    """Run a script; ``None`` where the host runs no shell."""
    result = await run_script(transport, script, path, *more, timeout_s=timeout_s)
    if result is None:
        return None
    if result.exit_code == 44:
        raise HostError(
            ErrorCode.NOT_FOUND,
            {"path": path},
            cause=f"There is nothing at {path}.",
            remedy="Check that the model still lies there on the host.",
        )
    if result.exit_code == 45:
        raise HostError(
            ErrorCode.PERMISSION_DENIED,
            {"path": path},
            cause=f"The user may not read {path}.",
            remedy="Log in as a user who may, or have the folder's rights changed.",
        )
    return result.stdout.decode("utf-8", errors="replace")


def parse_identity(output: str) -> tuple[FileIdentity, ...]:
    """Read what the script printed; lines of another form are passed over."""
    files: list[FileIdentity] = []
    for line in output.splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "F":
            size, _, name = rest.partition(" ")
            if name and size.lstrip("-").isdigit():
                files.append(FileIdentity(name=name, size_bytes=int(size)))
        elif files and kind == "L" and (blob := _BLOB.search(rest)) is not None:
            files[-1] = replace(files[-1], sha256=blob[1])
        elif files and kind == "H" and _HASH.fullmatch(rest):
            files[-1] = replace(files[-1], sha256=rest)
        elif files and kind == "B" and _HASH.fullmatch(rest):
            files[-1] = replace(files[-1], head_sha256=rest)
    return tuple(sorted(files, key=lambda file: file.name))


async def _read_files(transport: Transport, path: str) -> tuple[FileIdentity, ...]:
    """Do the script's work by reading."""
    folder = path
    try:
        entries: Sequence[tuple[str, int]] = [
            (entry.name, entry.size_bytes)
            for entry in await transport.list_folder(folder)
            if not entry.is_dir
        ]
    except HostError as exc:
        if exc.code is not ErrorCode.NOT_FOUND:
            raise
        folder, wanted = posixpath.split(path)
        found = await transport.list_folder(folder)
        entries = [(entry.name, entry.size_bytes) for entry in found if entry.name == wanted]
        if not entries:
            raise
    files = []
    for name, size in sorted(entries):
        is_small = size <= SMALL_BYTES
        data = await transport.read_file(
            posixpath.join(folder, name), length=size if is_small else HEAD_BYTES
        )
        digest = hashlib.sha256(data).hexdigest()
        files.append(
            FileIdentity(
                name=name,
                size_bytes=size,
                sha256=digest if is_small else None,
                head_sha256=None if is_small else digest,
            )
        )
    return tuple(files)


async def _generation(
    transport: Transport, path: str, files: Sequence[FileIdentity]
) -> dict[str, str] | None:
    """Return the defaults that lie beside the weights; what is no JSON object is no default."""
    if not any(file.name == GENERATION for file in files):
        return None
    data = await transport.read_file(posixpath.join(path, GENERATION), length=_GENERATION_LIMIT)
    try:
        document = json.loads(data)
    except ValueError:
        return None
    if not isinstance(document, dict):
        return None
    return {str(name): _plain(value) for name, value in document.items()}


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
