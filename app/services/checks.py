"""Checks of hosts: on a fresh fingerprint, or on one that somebody saved."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from app.core.checks.earlier import with_earlier
from app.core.checks.run import run_checks
from app.core.checks.sheet import Language, preparation_sheet
from app.core.checks.spec import CheckContext, Checklist, CheckReport
from app.core.errors import StoreError
from app.core.hardware.catalogue import GpuCatalogue
from app.core.hardware.fingerprint import Fingerprint
from app.core.ids import HostId
from app.core.smoke.checked import with_smoke
from app.core.smoke.report import SmokeReport
from app.services.hosts import HostService
from app.services.user_files import save_file


class CheckService:
    """Judge hosts by the checklist; nothing is changed on them."""

    def __init__(
        self,
        hosts: HostService,
        *,
        checklist: Callable[[], Checklist],
        catalogue: Callable[[], GpuCatalogue],
        smoke: Callable[[HostId], SmokeReport | None],
    ) -> None:
        self._hosts = hosts
        self._checklist = checklist
        self._catalogue = catalogue
        self._smoke = smoke

    async def check(self, host_id: HostId, context: CheckContext | None = None) -> CheckReport:
        """Ask a connected host for its facts now, and judge them.

        Raises:
            HostError: when the host cannot be asked.
            DataFileError: DATA_FILE_BROKEN.
        """
        return await self.judge(await self._hosts.take_fingerprint(host_id), context)

    async def judge(
        self, fingerprint: Fingerprint, context: CheckContext | None = None
    ) -> CheckReport:
        """Judge facts, counters by how they grew since the host's fingerprint before.

        It works beside the loop: large logs and the data files take their time.

        Raises:
            DataFileError: DATA_FILE_BROKEN.
        """
        known = context or CheckContext()
        if fingerprint.host_id is not None:
            known = with_smoke(known, self._smoke(HostId(fingerprint.host_id)))
        earlier = await self._earlier(fingerprint)
        if earlier is not None:
            known = with_earlier(known, fingerprint, earlier)
        return await asyncio.to_thread(self.check_fingerprint, fingerprint, known)

    async def _earlier(self, fingerprint: Fingerprint) -> Fingerprint | None:
        """Return the stored fingerprint before this one; what cannot be read is not missed."""
        # Counters of a recording stand still, however often they are read.
        if fingerprint.host_id is None or fingerprint.simulated:
            return None
        try:
            history = await self._hosts.fingerprint_history(HostId(fingerprint.host_id))
            before = [entry for entry in history if entry.taken_at < fingerprint.taken_at]
            return await self._hosts.stored_fingerprint(before[0].id) if before else None
        except StoreError:
            return None

    def check_fingerprint(
        self, fingerprint: Fingerprint, context: CheckContext | None = None
    ) -> CheckReport:
        """Judge facts that are there already.

        Raises:
            DataFileError: DATA_FILE_BROKEN.
        """
        return run_checks(
            fingerprint,
            data=self._checklist(),
            catalogue=self._catalogue(),
            context=context or CheckContext(),
        )

    def preparation_sheet(
        self, report: CheckReport, fingerprint: Fingerprint, language: Language
    ) -> str:
        """Return what the host's administrator should change, as Markdown."""
        return preparation_sheet(report, fingerprint, language)

    async def save_sheet(self, path: Path, text: str) -> None:
        """Write a sheet, whole or not at all.

        Raises:
            StoreError: FILE_UNWRITABLE, STORE_FULL.
        """
        await save_file(path, text.encode())
