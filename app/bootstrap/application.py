"""The application: all services, built once and handed to each other.

Heavy libraries (docker, paramiko, pydantic, aiohttp) are imported where they are first used, so
building an application is quick.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.bootstrap.data import DataFiles
from app.bootstrap.hosts import HostWiring
from app.bootstrap.services import LazyServices, ServiceMakers
from app.core.errors import ErrorInfo
from app.io.credentials import Credentials
from app.io.datafiles import data_root
from app.io.folders import Folders, find_folders
from app.io.store.db import Database
from app.io.store.hosts import HostStore
from app.io.store.journal import JournalStore
from app.io.store.last_used import LastUsedStore
from app.services.activities import Activities
from app.services.appearance import AppearanceService
from app.services.bus import EventBus
from app.services.clock import Clock, SystemClock, utc_text
from app.services.hosts import HostService
from app.services.settings import SettingsService

if TYPE_CHECKING:
    from app.core.engines.spec import EngineData
    from app.core.hardware.catalogue import GpuCatalogue
    from app.io.data_overrides import OverridingFile
    from app.io.demo.playing import DemoPace
    from app.services.actuals import ActualsService
    from app.services.bundles import BundleService
    from app.services.checks import CheckService
    from app.services.deployments import DeploymentService
    from app.services.diagnosis import DiagnosisService
    from app.services.diff import DiffService
    from app.services.host_import import HostImportService
    from app.services.imports import ImportService
    from app.services.inspecting import InspectService
    from app.services.installed import InstalledPart
    from app.services.metrics import MetricsService
    from app.services.models import ModelService
    from app.services.planning import PlanningService
    from app.services.profiles import ProfileService
    from app.services.sizing import SizingService
    from app.services.slow import SlowService
    from app.services.smoke import SmokeService
    from app.services.speeds import SpeedRunService
    from app.services.updates import UpdateService
    from app.services.watching import WatchService


@dataclass(kw_only=True)
class Application:
    """Everything that a window or a command works with."""

    bus: EventBus
    clock: Clock
    folders: Folders
    data_root: Path
    data: DataFiles
    database: Database
    activities: Activities
    settings: SettingsService
    appearance: AppearanceService
    hosts: HostService
    lazy: LazyServices
    credentials: Credentials
    wiring: HostWiring
    journal: JournalStore
    last_used: LastUsedStore

    @property
    def engines(self) -> Mapping[str, "EngineData"]:
        """Engines by id.

        Raises:
            DataFileError: DATA_FILE_BROKEN.
        """
        return self.data.engines

    @property
    def catalogue(self) -> "GpuCatalogue":
        """GPU products.

        Raises:
            DataFileError: DATA_FILE_BROKEN.
        """
        return self.data.catalogue

    @property
    def imports(self) -> "ImportService":
        """Fingerprints from files and pastes."""
        return self.lazy.imports()

    @property
    def inspecting(self) -> "InspectService":
        """What anything is that somebody sent."""
        return self.lazy.inspecting()

    @property
    def actuals(self) -> "ActualsService":
        """What starts took, beside what was predicted."""
        return self.lazy.actuals()

    @property
    def speeds(self) -> "SpeedRunService":
        """Runs that were measured here."""
        return self.lazy.speeds()

    @property
    def checks(self) -> "CheckService":
        """Checks of hosts."""
        return self.lazy.checks()

    @property
    def diffs(self) -> "DiffService":
        """What differs between hosts, dates and deployments."""
        return self.lazy.diffs()

    @property
    def models(self) -> "ModelService":
        """Models on hosts and in local folders."""
        return self.lazy.models()

    @property
    def planning(self) -> "PlanningService":
        """Plans, estimates and what they resolve to."""
        return self.lazy.planning()

    @property
    def sizing(self) -> "SizingService":
        """Which hardware would do, and the inverse questions."""
        return self.lazy.sizing()

    @property
    def profiles(self) -> "ProfileService":
        """Saved and shipped profiles."""
        return self.lazy.profiles()

    @property
    def deployments(self) -> "DeploymentService":
        """Deployments on all connected hosts."""
        return self.lazy.deployments()

    @property
    def diagnosis(self) -> "DiagnosisService":
        """Why something failed."""
        return self.lazy.diagnosis()

    @property
    def bundles(self) -> "BundleService":
        """Support bundles."""
        return self.lazy.bundles()

    @property
    def metrics(self) -> "MetricsService":
        """Live values."""
        return self.lazy.metrics()

    @property
    def smoke(self) -> "SmokeService":
        """CUDA and bandwidths asked inside an engine's own image."""
        return self.lazy.smoke()

    @property
    def slow(self) -> "SlowService":
        """Where the time of a deployment's requests goes."""
        return self.lazy.slow()

    @property
    def watching(self) -> "WatchService":
        """Alerts of connected hosts; watches from when it is first asked for."""
        return self.lazy.watching()

    @property
    def updates(self) -> "UpdateService":
        """Whether there is a newer version; asks nobody unless it is told to."""
        from importlib.metadata import version

        from app.services.updates import UpdateService

        return UpdateService(settings=self.settings, current=version("pitwall-desk"))

    def own_data_files(self) -> "tuple[OverridingFile, ...]":
        """Return the user's own data files that are in force. Reads the folder."""
        return self.data.own_files

    def installed_parts(self) -> "tuple[InstalledPart, ...]":
        """Return every package that Pitwall needs, with its licence. Reads many small files."""
        from app.services.installed import installed_parts

        return installed_parts()

    @property
    def host_imports(self) -> "HostImportService":
        """Hosts from an SSH configuration."""
        from app.services.host_import import HostImportService

        return HostImportService(self.hosts)

    def notices(self) -> tuple[ErrorInfo, ...]:
        """Return what was found broken at the start and was kept aside."""
        return (*self.settings.notices, *self.database.notices)

    async def start(self) -> None:
        """Open the store and read the list of hosts.

        Raises:
            StoreError: STORE_TOO_NEW, MIGRATION_FAILED, STORE_FULL, FILE_UNWRITABLE.
        """
        try:
            await self.database.open()
            await self.hosts.load()
        except BaseException:
            await self.database.close()
            self.credentials.close()
            raise

    async def close(self) -> None:
        """Close connections and the store; what runs on the hosts goes on."""
        await self.lazy.close()
        await self.hosts.close()
        await self.wiring.close()
        self.credentials.close()
        await self.database.close()


def build(
    *,
    home: Path | None = None,
    clock: Clock | None = None,
    demo_pace: "DemoPace | None" = None,
    only_what_is_used: bool = False,
) -> Application:
    """Build an application whose files live below ``home`` (by default the user's own folders).

    Needs no running loop; `Application.start` opens what has to be opened. ``demo_pace`` makes
    the demo host quicker or quieter, for tests and the tour. A single command makes
    ``only_what_is_used``; a window makes all services now rather than while somebody waits.
    """
    used_clock = clock or SystemClock()
    folders = find_folders(home)
    root = data_root()
    bus = EventBus()
    activities = Activities(bus)
    data = DataFiles(root=root, overrides=folders.overrides)
    settings = SettingsService(file=folders.settings_file, bus=bus, clock=used_clock)
    settings.load()
    database = Database(folders.store_file, now=lambda: utc_text(used_clock.now_s()))
    credentials = Credentials()
    wiring = HostWiring(
        folders=folders, data=data, clock=used_clock, credentials=credentials, pace=demo_pace
    )
    bus.subscribe(wiring.on_event)
    hosts = HostService(
        parts=wiring.parts(),
        store=HostStore(database),
        bus=bus,
        clock=used_clock,
        activities=activities,
    )
    journal, last_used = JournalStore(database), LastUsedStore(database)
    lazy = ServiceMakers(
        bus=bus,
        clock=used_clock,
        folders=folders,
        root=root,
        data=data,
        activities=activities,
        hosts=hosts,
        journal=journal,
        last_used=last_used,
        database=database,
        credentials=credentials,
        secrets_in_memory=credentials.in_memory,
        mirrors=settings.mirrors,
    ).services()
    if not only_what_is_used:
        lazy.make_all()
    return Application(
        bus=bus,
        clock=used_clock,
        folders=folders,
        data_root=root,
        data=data,
        database=database,
        activities=activities,
        settings=settings,
        appearance=AppearanceService(root=root, overrides=folders.overrides),
        hosts=hosts,
        lazy=lazy,
        credentials=credentials,
        wiring=wiring,
        journal=journal,
        last_used=last_used,
    )
