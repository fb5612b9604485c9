"""A small virtual file tree: files with a real beginning and a size, so headers can be read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from app.core.errors import ErrorCode, HostError
from app.io.transport.base import FileEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class VirtualFile:
    """A file whose bytes are made when read; beyond them there are zeros up to ``size_bytes``."""

    size_bytes: int
    head: Callable[[], bytes]


class VirtualTree:
    """Files by absolute path; folders exist because files lie in them."""

    def __init__(self, files: Mapping[str, VirtualFile]) -> None:
        self._files = dict(files)

    def has(self, path: str) -> bool:
        """Tell whether a file or folder is there."""
        clean = _clean(path)
        return clean in self._files or any(_inside(name, clean) for name in self._files)

    def size(self, path: str) -> int:
        """Return a file's size, 0 when there is none."""
        file = self._files.get(_clean(path))
        return 0 if file is None else file.size_bytes

    def list_folder(self, path: str) -> tuple[FileEntry, ...]:
        """Return a folder's entries, sorted by name.

        Raises:
            HostError: NOT_FOUND.
        """
        clean = _clean(path)
        entries: dict[str, FileEntry] = {}
        for name, file in self._files.items():
            if not _inside(name, clean):
                continue
            first, slash, _rest = name[len(clean.rstrip("/")) + 1 :].partition("/")
            size = 0 if slash else file.size_bytes
            entries[first] = FileEntry(name=first, is_dir=bool(slash), size_bytes=size)
        if not entries:
            raise _not_found(path)
        return tuple(entries[name] for name in sorted(entries))

    def read(self, path: str, *, offset: int, length: int | None) -> bytes:
        """Return part of a file.

        Raises:
            HostError: NOT_FOUND.
        """
        file = self._files.get(_clean(path))
        if file is None:
            raise _not_found(path)
        end = file.size_bytes if length is None else min(offset + length, file.size_bytes)
        part = file.head()[offset:end]
        return part + bytes(max(0, end - offset - len(part)))


def _clean(path: str) -> str:
    return "/" + "/".join(part for part in path.replace("~", "/root", 1).split("/") if part)


def _inside(name: str, folder: str) -> bool:
    return name.startswith(folder.rstrip("/") + "/")


def _not_found(path: str) -> HostError:
    return HostError(
        ErrorCode.NOT_FOUND,
        {"path": path, "host": "demo"},
        cause=f"There is nothing at {path} on the demo host.",
        remedy="Its models are in /models.",
    )
