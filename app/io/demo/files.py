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


Maker = Callable[[], Mapping[str, VirtualFile]]


class VirtualTree:
    """Folders of files by absolute path; files are made when a folder is first asked for."""

    def __init__(self, folders: Mapping[str, Maker]) -> None:
        self._makers = dict(folders)
        self._made: dict[str, Mapping[str, VirtualFile]] = {}

    def size(self, path: str) -> int:
        """Return a file's size, 0 when there is none."""
        file = self._find(_clean(path))
        return 0 if file is None else file.size_bytes

    def list_folder(self, path: str) -> tuple[FileEntry, ...]:
        """Return a folder's entries, sorted by name.

        Raises:
            HostError: NOT_FOUND.
        """
        clean = _clean(path)
        if clean in self._makers:
            entries = [
                FileEntry(name=name, is_dir=False, size_bytes=file.size_bytes)
                for name, file in self._files(clean).items()
            ]
        else:
            start = clean.rstrip("/") + "/"
            inside = {
                f[len(start) :].partition("/")[0] for f in self._makers if f.startswith(start)
            }
            entries = [FileEntry(name=name, is_dir=True, size_bytes=0) for name in inside]
        if not entries:
            raise _not_found(path)
        return tuple(sorted(entries, key=lambda entry: entry.name))

    def read(self, path: str, *, offset: int, length: int | None) -> bytes:
        """Return part of a file.

        Raises:
            HostError: NOT_FOUND.
        """
        file = self._find(_clean(path))
        if file is None:
            raise _not_found(path)
        end = file.size_bytes if length is None else min(offset + length, file.size_bytes)
        part = file.head()[offset:end]
        return part + bytes(max(0, end - offset - len(part)))

    def _files(self, folder: str) -> Mapping[str, VirtualFile]:
        if folder not in self._made:
            self._made[folder] = self._makers[folder]()
        return self._made[folder]

    def _find(self, path: str) -> VirtualFile | None:
        folder, _, name = path.rpartition("/")
        return self._files(folder).get(name) if folder in self._makers else None


def _clean(path: str) -> str:
    return "/" + "/".join(part for part in path.replace("~", "/root", 1).split("/") if part)


def _not_found(path: str) -> HostError:
    return HostError(
        ErrorCode.NOT_FOUND,
        {"path": path, "host": "demo"},
        cause=f"There is nothing at {path} on the demo host.",
        remedy="Its models are in /models.",
    )
