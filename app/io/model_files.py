"""Look into a host's model folders: one shell script over one channel, or folder by folder.

The script follows links (Hugging Face caches are made of them), goes a bounded depth and prints
listings; it changes nothing and is never saved on the host. Hosts without a shell (the demo host)
are walked by listing folders.
"""

import posixpath
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final

from app.core.errors import ErrorCode, HostError
from app.core.models.architecture import ModelFile
from app.core.models.folders import CONFIG, Folder
from app.io.host_script import run_script
from app.io.transport.base import Transport

MAX_DEPTH: Final = 6
MAX_HITS: Final = 600

_SCRIPT: Final = r"""
LC_ALL=C; export LC_ALL
mode=$1; root=$2; depth=$3; most=$4
case $root in
  '~') root=$HOME ;;
  '~/'*) root=$HOME/${root#'~/'} ;;
  /*) ;;
  *) root=./$root ;;
esac
if [ ! -e "$root" ]; then echo 'X missing'; exit 0; fi
if [ ! -d "$root" ]; then mode=file
elif [ ! -r "$root" ] || [ ! -x "$root" ]; then echo 'X denied'; exit 0; fi
show() { printf 'D %s\n' "$1"; ls -lLn "$1/" 2>/dev/null </dev/null; echo E; }
case $mode in
  file) printf 'R %s\n' "$root"; show "$(dirname "$root")" ;;
  one) printf 'R %s\n' "$root"; show "$root" ;;
  *)
    find -L "$root" -maxdepth "$depth" \( -name .git -o -name node_modules -o -name blobs \) \
      -prune -o -type f \( -name config.json -o -name '*.gguf' \) -print 2>/dev/null </dev/null |
      head -n "$most" | sed 's|/[^/]*$||' | sort -u |
      while IFS= read -r dir; do show "${dir:-/}"; done ;;
esac
"""

_LINE: Final = re.compile(
    r"(?P<kind>[-d])\S*\s+\d+\s+\d+\s+\d+\s+(?P<size>\d+)\s+\S+\s+\S+\s+\S+ (?P<name>.+)"
)
"""A line of ``ls -ln``: mode, links, owner, group, size, three words of date, name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A path as the host sees it, with the listing of its folder."""

    path: str
    is_file: bool
    folder: Folder


async def find_folders(
    transport: Transport, root: str, *, timeout_s: float = 30
) -> tuple[Folder, ...]:
    """Return the folders below ``root`` that hold a ``config.json`` or a GGUF file.

    Raises:
        HostError: NOT_FOUND, PERMISSION_DENIED, COMMAND_TIMEOUT, CONNECTION_LOST.
    """
    output = await _ask(transport, "all", root, timeout_s)
    if output is not None:
        return parse_listings(output)
    return tuple([folder async for folder in _walk(transport, root, MAX_DEPTH)])


async def look_at(transport: Transport, path: str, *, timeout_s: float = 15) -> Place:
    """Return what lies at ``path``.

    Raises:
        HostError: NOT_FOUND, PERMISSION_DENIED, COMMAND_TIMEOUT, CONNECTION_LOST.
    """
    output = await _ask(transport, "one", path, timeout_s)
    if output is None:
        return await _look_by_listing(transport, path)
    folders = parse_listings(output)
    shown = next((line[2:] for line in output.splitlines() if line.startswith("R ")), path)
    if not folders:
        raise _nothing(path)
    return Place(path=shown, is_file=folders[0].path != shown, folder=folders[0])


async def _ask(transport: Transport, mode: str, path: str, timeout_s: float) -> str | None:
    """Run the script; ``None`` where the host runs no shell."""
    limits = (str(MAX_DEPTH), str(MAX_HITS))
    result = await run_script(transport, _SCRIPT, mode, path, *limits, timeout_s=timeout_s)
    if result is None:
        return None
    output = result.stdout.decode("utf-8", errors="surrogateescape")
    if output.startswith("X missing"):
        raise _nothing(path)
    if output.startswith("X denied"):
        raise HostError(
            ErrorCode.PERMISSION_DENIED,
            {"path": path},
            cause=f"The user may not look into {path}.",
            remedy="Log in as a user who may, or have the folder's rights changed.",
        )
    return output


def _nothing(path: str) -> HostError:
    return HostError(
        ErrorCode.NOT_FOUND,
        {"path": path},
        cause=f"There is nothing at {path}.",
        remedy="Check the path on the host; “~” is the home of the user who is logged in.",
    )


def parse_listings(output: str) -> tuple[Folder, ...]:
    """Read what the script printed; lines that are no files or folders are passed over."""
    found: list[Folder] = []
    path: str | None = None
    files: list[ModelFile] = []
    folders: list[str] = []
    for line in output.split("\n"):
        if line.startswith(("D /", "D .")):
            path, files, folders = line[2:], [], []
        elif line == "E" and path is not None:
            found.append(Folder(path=path, files=tuple(files), folders=tuple(folders)))
            path = None
        elif path is not None and (match := _LINE.fullmatch(line)) is not None:
            if match["kind"] == "d":
                folders.append(match["name"])
            else:
                files.append(ModelFile(name=match["name"], size_bytes=int(match["size"])))
    return tuple(found)


async def _list(transport: Transport, path: str) -> Folder:
    entries = await transport.list_folder(path)
    return Folder(
        path=path.rstrip("/") or "/",
        files=tuple(
            ModelFile(name=entry.name, size_bytes=entry.size_bytes)
            for entry in entries
            if not entry.is_dir
        ),
        folders=tuple(entry.name for entry in entries if entry.is_dir),
    )


async def _walk(transport: Transport, path: str, depth: int) -> AsyncIterator[Folder]:
    folder = await _list(transport, path)
    if CONFIG in folder.names or any(name.lower().endswith(".gguf") for name in folder.names):
        yield folder
    if depth <= 1:
        return
    for name in folder.folders:
        if name not in {".git", "node_modules", "blobs"}:
            async for below in _walk(transport, posixpath.join(path, name), depth - 1):
                yield below


async def _look_by_listing(transport: Transport, path: str) -> Place:
    try:
        folder = await _list(transport, path)
    except HostError as exc:
        if exc.code is not ErrorCode.NOT_FOUND:
            raise
    else:
        return Place(path=folder.path, is_file=False, folder=folder)
    parent, name = posixpath.split(path)
    folder = await _list(transport, parent or "/")
    if name not in folder.names:
        raise _nothing(path)
    return Place(path=path, is_file=True, folder=folder)
