"""The application: all services, built once and handed to each other.

Heavy libraries (docker, paramiko, pydantic, aiohttp) are imported where they are first used, so
building an application is quick.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.bootstrap.data import DataFiles, LazyEngines
from app.bootstrap.engines import connect_http, open_engine_tunnel
from app.bootstrap.hosts import HostWiring
from app.core.errors import ErrorInfo
from app.io.credentials import Credentials, KeyringState
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
from app.services.deploying.journal import DeployJournal
from app.services.deploying.parts import DeployParts
from app.services.deployments import DeploymentService
from app.services.hosts import HostService
from app.services.imports import ImportService
from app.services.metrics import MetricParts, MetricsService
from app.services.models import ModelService
from app.services.planning import PlanningService
from app.services.profiles import ProfileService
from app.services.settings import SettingsService

if TYPE_CHECKING:
    from app.core.engines.spec import EngineData
    from app.core.hardware.catalogue import GpuCatalogue
    from app.io.demo.playing import DemoPace


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
    imports: ImportService
    hosts: HostService
    models: ModelService
    planning: PlanningService
    profiles: ProfileService
    deployments: DeploymentService
    metrics: MetricsService
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
        await self.metrics.close()
        await self.deployments.close()
        await self.hosts.close()
        await self.wiring.close()
        self.credentials.close()
        await self.database.close()


def build(
    *, home: Path | None = None, clock: Clock | None = None, demo_pace: "DemoPace | None" = None
) -> Application:
    """Build an application whose files live below ``home`` (by default the user's own folders).

    Needs no running loop; `Application.start` opens what has to be opened. ``demo_pace`` makes
    the demo host quicker or quieter, for tests and the tour.
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
    # In memory only: no secret outlives the session, so the system's keyring is left alone.
    credentials = Credentials(find=lambda: KeyringState(is_usable=False, reason="memory-only"))
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
    models = ModelService(hosts)
    planning = PlanningService(data=data, hosts=hosts, models=models)
    journal, last_used = JournalStore(database), LastUsedStore(database)
    deployments = DeploymentService(
        DeployParts(
            hosts=hosts,
            engines=LazyEngines(data),
            http=connect_http,
            open_tunnel=open_engine_tunnel,
            journal=DeployJournal(journal, last_used, used_clock),
            resolve=planning.resolve,
            bus=bus,
            clock=used_clock,
            activities=activities,
            new_secret=lambda: secrets.token_urlsafe(32),
        )
    )
    metrics = MetricsService(
        MetricParts(
            hosts=hosts,
            deployments=deployments,
            engines=LazyEngines(data),
            bus=bus,
            clock=used_clock,
        )
    )
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
        imports=ImportService(used_clock, lambda: data.catalogue),
        hosts=hosts,
        models=models,
        planning=planning,
        profiles=ProfileService(
            folder=folders.profiles, shipped=root / "profiles", clock=used_clock
        ),
        deployments=deployments,
        metrics=metrics,
        credentials=credentials,
        wiring=wiring,
        journal=journal,
        last_used=last_used,
    )
