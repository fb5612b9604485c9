"""The services that only some commands need, made when they are first asked for.

Their imports are most of what starting Pitwall costs, so they stand in the makers.
"""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

from app.bootstrap.data import DataFiles, LazyEngines
from app.bootstrap.lazy import Lazy
from app.io.folders import Folders
from app.services.activities import Activities
from app.services.bus import EventBus
from app.services.clock import Clock

if TYPE_CHECKING:
    from app.io.credentials import Credentials
    from app.io.store.db import Database
    from app.io.store.journal import JournalStore
    from app.io.store.last_used import LastUsedStore
    from app.services.actuals import ActualsService
    from app.services.bundles import BundleService
    from app.services.checks import CheckService
    from app.services.deployments import DeploymentService
    from app.services.diagnosing import Diagnoser
    from app.services.diagnosis import DiagnosisService
    from app.services.diff import DiffService
    from app.services.hosts import HostService
    from app.services.imports import ImportService
    from app.services.inspecting import InspectService
    from app.services.metrics import MetricsService
    from app.services.models import ModelService
    from app.services.planning import PlanningService
    from app.services.profiles import ProfileService
    from app.services.sizing import SizingService
    from app.services.slow import SlowService
    from app.services.smoke import SmokeService
    from app.services.speeds import SpeedRunService
    from app.services.watching import WatchService


@dataclass(frozen=True, slots=True, kw_only=True)
class LazyServices:
    """One maker for each."""

    imports: "Lazy[ImportService]"
    actuals: "Lazy[ActualsService]"
    speeds: "Lazy[SpeedRunService]"
    inspecting: "Lazy[InspectService]"
    checks: "Lazy[CheckService]"
    diffs: "Lazy[DiffService]"
    models: "Lazy[ModelService]"
    planning: "Lazy[PlanningService]"
    sizing: "Lazy[SizingService]"
    profiles: "Lazy[ProfileService]"
    deployments: "Lazy[DeploymentService]"
    diagnosis: "Lazy[DiagnosisService]"
    bundles: "Lazy[BundleService]"
    metrics: "Lazy[MetricsService]"
    smoke: "Lazy[SmokeService]"
    slow: "Lazy[SlowService]"
    watching: "Lazy[WatchService]"

    def make_all(self) -> None:
        """Make them now: a window needs all and must not wait for one later.

        But for bundles, which few sessions need and whose patterns take long to compile.
        """
        for field in fields(self):
            if field.name != "bundles":
                getattr(self, field.name)()

    async def close(self) -> None:
        """Close what was made; what runs on the hosts goes on."""
        for service in (self.watching.made, self.metrics.made, self.deployments.made):
            if service is not None:
                await service.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceMakers:
    """What the services are made of."""

    bus: EventBus
    clock: Clock
    folders: Folders
    root: Path
    data: DataFiles
    activities: Activities
    hosts: "HostService"
    journal: "JournalStore"
    last_used: "LastUsedStore"
    database: "Database"
    credentials: "Credentials"
    secrets_in_memory: Callable[[], tuple[str, ...]]
    mirrors: Callable[[], Mapping[str, str]] = dict
    """Mirrors of image registries, as set now."""

    def services(self) -> LazyServices:
        """Return the services; none is made yet."""
        imports = Lazy(self._imports)
        models = Lazy(self._models)
        smoke = Lazy(self._smoke)
        actuals = Lazy(self._actuals)
        speeds = Lazy(self._speeds)
        planning = Lazy(lambda: self._planning(models(), actuals(), speeds()))
        diagnoser = Lazy(self._diagnoser)
        deployments = Lazy(lambda: self._deployments(planning(), diagnoser(), actuals(), speeds()))
        diagnosis = Lazy(lambda: self._diagnosis(diagnoser(), deployments, planning))
        metrics = Lazy(lambda: self._metrics(deployments()))
        return LazyServices(
            imports=imports,
            actuals=actuals,
            speeds=speeds,
            inspecting=Lazy(lambda: self._inspecting(imports)),
            checks=Lazy(lambda: self._checks(smoke)),
            diffs=Lazy(lambda: self._diffs(imports)),
            models=models,
            planning=planning,
            sizing=Lazy(lambda: self._sizing(planning())),
            profiles=Lazy(self._profiles),
            deployments=deployments,
            diagnosis=diagnosis,
            bundles=Lazy(lambda: self._bundles(deployments(), diagnosis(), metrics)),
            metrics=metrics,
            smoke=smoke,
            slow=Lazy(lambda: self._slow(deployments)),
            watching=Lazy(lambda: self._watching(deployments())),
        )

    def _imports(self) -> "ImportService":
        from app.services.imports import ImportService

        return ImportService(self.clock, lambda: self.data.catalogue)

    def _checks(self, smoke: "Lazy[SmokeService]") -> "CheckService":
        from app.services.checks import CheckService

        return CheckService(
            self.hosts,
            checklist=lambda: self.data.checks,
            catalogue=lambda: self.data.catalogue,
            smoke=lambda host_id: smoke.made.found(host_id) if smoke.made is not None else None,
        )

    def _inspecting(self, imports: "Lazy[ImportService]") -> "InspectService":
        from app.services.inspecting import InspectService

        return InspectService(imports, self.activities, self.data.knowledge)

    def _diffs(self, imports: "Lazy[ImportService]") -> "DiffService":
        from app.services.diff import DiffParts, DiffService

        return DiffService(
            DiffParts(
                hosts=self.hosts,
                imports=imports,
                data=self.data,
                clock=self.clock,
                activities=self.activities,
            )
        )

    def _smoke(self) -> "SmokeService":
        from app.services.smoke import SmokeParts, SmokeService

        return SmokeService(
            SmokeParts(
                hosts=self.hosts,
                engines=LazyEngines(self.data),
                data=lambda: self.data.smoke,
                catalogue=lambda: self.data.catalogue,
                program_file=self.root / "resources" / "smoke" / "measure.py",
                clock=self.clock,
                activities=self.activities,
            )
        )

    def _slow(self, deployments: "Lazy[DeploymentService]") -> "SlowService":
        from app.bootstrap.engines import connect_url
        from app.services.slow import SlowParts, SlowService

        return SlowService(
            SlowParts(
                hosts=self.hosts,
                deployments=deployments,
                engines=LazyEngines(self.data),
                rules=lambda: self.data.slow,
                causes=lambda: self.data.causes,
                url=connect_url,
                clock=self.clock,
                activities=self.activities,
            )
        )

    def _watching(self, deployments: "DeploymentService") -> "WatchService":
        from app.services.watching import WatchParts, WatchService

        return WatchService(
            WatchParts(
                hosts=self.hosts,
                deployments=deployments,
                engines=LazyEngines(self.data),
                rules=lambda: self.data.slow,
                causes=lambda: self.data.causes,
                checklist=lambda: self.data.checks,
                bus=self.bus,
                clock=self.clock,
            )
        )

    def _models(self) -> "ModelService":
        from app.services.models import ModelService

        return ModelService(self.hosts, self.activities)

    def _actuals(self) -> "ActualsService":
        from app.io.store.starts import StartStore
        from app.services.actuals import ActualsService

        return ActualsService(StartStore(self.database), lambda: self.data.why)

    def _speeds(self) -> "SpeedRunService":
        from app.io.store.speed_runs import SpeedRunStore
        from app.services.speeds import SpeedRunService

        return SpeedRunService(SpeedRunStore(self.database))

    def _planning(
        self, models: "ModelService", actuals: "ActualsService", speeds: "SpeedRunService"
    ) -> "PlanningService":
        from app.services.planning import PlanningService

        return PlanningService(
            data=self.data,
            hosts=self.hosts,
            models=models,
            learned=actuals.lessons,
            runs=speeds.runs,
        )

    def _sizing(self, planning: "PlanningService") -> "SizingService":
        from app.services.sizing import SizingService

        return SizingService(hosts=self.hosts, data=self.data, estimator=planning.learned_estimator)

    def _profiles(self) -> "ProfileService":
        from app.services.profiles import ProfileService

        return ProfileService(
            folder=self.folders.profiles, shipped=self.root / "profiles", clock=self.clock
        )

    def _diagnoser(self) -> "Diagnoser":
        from app.services.diagnosing import Diagnoser

        return Diagnoser(lambda: self.data.diagnosis, lambda: self.data.causes)

    def _diagnosis(
        self,
        diagnoser: "Diagnoser",
        deployments: "Lazy[DeploymentService]",
        planning: "Lazy[PlanningService]",
    ) -> "DiagnosisService":
        from app.services.diagnosis import DiagnosisService

        return DiagnosisService(
            diagnoser=diagnoser,
            deployments=deployments,
            planner=planning,
            activities=self.activities,
        )

    def _deployments(
        self,
        planning: "PlanningService",
        diagnoser: "Diagnoser",
        actuals: "ActualsService",
        speeds: "SpeedRunService",
    ) -> "DeploymentService":
        from app.bootstrap.engines import connect_http, open_engine_tunnel
        from app.services.api_keys import ApiKeys
        from app.services.deploying.journal import DeployJournal
        from app.services.deploying.parts import DeployParts
        from app.services.deployments import DeploymentService

        return DeploymentService(
            DeployParts(
                hosts=self.hosts,
                engines=LazyEngines(self.data),
                http=connect_http,
                open_tunnel=open_engine_tunnel,
                journal=DeployJournal(self.journal, self.last_used, self.clock),
                starts=actuals,
                runs=speeds,
                resolve=planning.resolve,
                bus=self.bus,
                clock=self.clock,
                activities=self.activities,
                diagnoser=diagnoser,
                keys=ApiKeys(lambda host_id: self.hosts.find(host_id).settings, self.credentials),
                new_secret=lambda: secrets.token_urlsafe(32),
                mirrors=self.mirrors,
            )
        )

    def _bundles(
        self,
        deployments: "DeploymentService",
        diagnosis: "DiagnosisService",
        metrics: "Lazy[MetricsService]",
    ) -> "BundleService":
        from app.services.bundles import BundleParts, BundleService

        return BundleService(
            BundleParts(
                hosts=self.hosts,
                deployments=deployments,
                diagnosis=diagnosis,
                metrics=lambda: metrics.made,
                journal=self.journal,
                secrets=self.secrets_in_memory,
                clock=self.clock,
                activities=self.activities,
            )
        )

    def _metrics(self, deployments: "DeploymentService") -> "MetricsService":
        from app.services.metrics import MetricParts, MetricsService

        return MetricsService(
            MetricParts(
                hosts=self.hosts,
                deployments=deployments,
                engines=LazyEngines(self.data),
                bus=self.bus,
                clock=self.clock,
            )
        )
