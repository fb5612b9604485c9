"""What a demo host remembers between sessions: its containers, as one small file.

A real host keeps its containers when Pitwall is closed, and so does this one. Several Pitwalls may
use the same demo host; each plays the engines itself, the file says which there are.
"""

from dataclasses import dataclass
from pathlib import Path

from app.core.deployment.spec import ContainerSpec
from app.core.errors import AppError
from app.io.documents import from_json, to_json
from app.io.files import write_whole
from app.io.folders import make_folder


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberedContainer:
    """A container without what only a running process has."""

    id: str
    spec: ContainerSpec
    image_id: str
    created_at: str
    status: str
    exit_code: int | None
    started_at: str
    finished_at: str
    restart_policy: str
    host_port: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberedHost:
    """Shape of the file."""

    schema_version: int = 1
    containers: tuple[RememberedContainer, ...] = ()


class DemoMemory:
    """One demo host's file. Without a path nothing is kept."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._seen: tuple[int, int] | None = None

    def read_changes(self) -> tuple[RememberedContainer, ...] | None:
        """Return what the file holds when it changed since we last looked, else ``None``."""
        mark = self._mark()
        if self._file is None or mark is None or mark == self._seen:
            return None
        self._seen = mark
        try:
            return from_json(RememberedHost, self._file.read_bytes()).containers
        except (AppError, OSError):
            return None  # a simulated host without its past is better than none

    def write(self, containers: tuple[RememberedContainer, ...]) -> None:
        """Keep the containers.

        Raises:
            StoreError: STORE_FULL, FILE_UNWRITABLE.
        """
        if self._file is None:
            return
        make_folder(self._file.parent)
        write_whole(self._file, to_json(RememberedHost(containers=containers)).encode())
        self._seen = self._mark()

    def forget(self) -> None:
        """Remove the file."""
        if self._file is not None:
            self._file.unlink(missing_ok=True)

    def _mark(self) -> tuple[int, int] | None:
        try:
            status = self._file.stat() if self._file is not None else None
        except OSError:
            return None
        return (status.st_mtime_ns, status.st_ino) if status is not None else None
