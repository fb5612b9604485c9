"""A memory estimate without the rest of the application: nothing else is imported or opened.

What this installation learned and owns is read from its store without loop, thread or migration.
"""

from typing import TYPE_CHECKING

from app.bootstrap.data import DataFiles
from app.core.errors import StoreError
from app.io.datafiles import data_root
from app.io.folders import find_folders
from app.services.estimating import EstimatingService

if TYPE_CHECKING:
    from pathlib import Path

    from app.core.hardware.fingerprint import Fingerprint
    from app.core.ids import HostId
    from app.core.planning.sizing import Estimator
    from app.io.store.reading import StoreReader
    from app.services.owned_hosts import OwnedHosts


class Estimating:
    """Estimates by names and flags, with what was learned and what is owned here."""

    def __init__(self) -> None:
        folders = find_folders()
        self._data = DataFiles(root=data_root(), overrides=folders.overrides)
        self._store = _reader(folders.store_file) if folders.store_file.is_file() else None
        self.service = EstimatingService(self._data)

    def learned_estimator(self) -> "Estimator":
        """Return the memory model with its calibration and what this installation learned."""
        alone = self.service.estimator()
        if self._store is None or not self._store.holds("starts WHERE teaches"):
            return alone
        from app.io.store.reading import read_at_once
        from app.io.store.starts import StartStore
        from app.services.lessons import Lessons

        lessons = Lessons(StartStore(self._store))
        read_at_once(lessons.load())
        return lessons.taught(alone)

    def owned(self) -> "OwnedHosts | None":
        """Return the hosts whose facts are stored; ``None`` where there are none."""
        if self._store is None or not self._store.holds("hosts"):
            return None
        from app.io.store.reading import read_at_once

        try:
            return read_at_once(_owned(self._store, self._data))
        except StoreError:  # whoever opens the store is told
            return None


def _reader(file: "Path") -> "StoreReader":
    from app.io.store.reading import StoreReader

    return StoreReader(file)


async def _owned(reader: "StoreReader", data: DataFiles) -> "OwnedHosts":
    from app.io.store.hosts import HostStore
    from app.services.owned_hosts import owned_hosts

    store = HostStore(reader)

    async def newest(host_id: "HostId") -> "Fingerprint | None":
        found = await store.newest_fingerprint(host_id)
        return found and _up_to_date(found, data)

    return await owned_hosts([host.settings for host in await store.all()], newest)


def _up_to_date(fingerprint: "Fingerprint", data: DataFiles) -> "Fingerprint":
    from app.core.hardware.packing import is_outdated

    if not is_outdated(fingerprint):
        return fingerprint
    from functools import partial

    from app.core.hardware.assemble import assemble_fingerprint
    from app.core.hardware.renewal import read_again

    return read_again(fingerprint, partial(assemble_fingerprint, catalogue=data.catalogue))
