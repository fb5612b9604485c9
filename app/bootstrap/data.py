"""The data files of this installation, each read when first asked for."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from app.io import datafiles
from app.io.data_overrides import OverridingFile, overriding_files

if TYPE_CHECKING:
    from app.core.actuals.compare import WhyRule
    from app.core.causes import Cause
    from app.core.checks.spec import Checklist
    from app.core.clinic.report import Knowledge
    from app.core.clinic.spec import ClinicData
    from app.core.diagnosis.rules import DiagnosisRules
    from app.core.diff.spec import DiffRules
    from app.core.engines.spec import EngineData
    from app.core.hardware.catalogue import GpuCatalogue
    from app.core.metrics.definitions import MetricDefinition
    from app.core.metrics.vocabulary import Metric
    from app.core.models.calibration import Calibration
    from app.core.planning.conditions import Constraint
    from app.core.planning.rules import RuleSet
    from app.core.slow.spec import SlowRules
    from app.core.smoke.spec import SmokeData
    from app.core.speed.spec import SpeedData


class LazyEngines(Mapping[str, "EngineData"]):
    """Engines by id, each read when first looked into: a command often needs only one."""

    def __init__(self, data: "DataFiles") -> None:
        self._data = data

    def __getitem__(self, engine_id: str) -> "EngineData":
        """Return one engine."""
        return self._data.engine(engine_id)

    def __contains__(self, engine_id: object) -> bool:
        """Tell whether an engine is known, without reading it."""
        return engine_id in self._data.engine_ids

    def __iter__(self) -> Iterator[str]:
        """Iterate over ids."""
        return iter(self._data.engine_ids)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._data.engine_ids)


@dataclass(kw_only=True)
class DataFiles:
    """What the data files say. Every property may raise `DataFileError` DATA_FILE_BROKEN."""

    root: Path
    overrides: Path
    _engines: dict[str, "EngineData"] = field(default_factory=dict, init=False, repr=False)

    @property
    def own_files(self) -> tuple[OverridingFile, ...]:
        """The user's own data files that are in force."""
        return overriding_files(self.root, self.overrides)

    @cached_property
    def engine_ids(self) -> tuple[str, ...]:
        """The known engines."""
        return datafiles.engine_ids(self.root, self.overrides)

    @cached_property
    def engines(self) -> Mapping[str, "EngineData"]:
        """Engines by id, each read when it is looked into."""
        return LazyEngines(self)

    def engine(self, engine_id: str) -> "EngineData":
        """Return one engine.

        Raises:
            KeyError: There is none of this id.
            DataFileError: DATA_FILE_BROKEN.
        """
        known = self._engines.get(engine_id)
        if known is None:
            if engine_id not in self.engine_ids:
                raise KeyError(engine_id)
            known = datafiles.load_engine(self.root, engine_id, self.overrides)
            self._engines[engine_id] = known
        return known

    @cached_property
    def rules(self) -> "RuleSet":
        """The decision tree."""
        return datafiles.load_rules(self.root, self.overrides)

    @cached_property
    def constraints(self) -> "tuple[Constraint, ...]":
        """The decision tree's hard limits, read without the rest of it."""
        return datafiles.load_constraints(self.root, self.overrides)

    @cached_property
    def catalogue(self) -> "GpuCatalogue":
        """GPU products."""
        return datafiles.load_gpu_catalogue(self.root, self.overrides)

    @cached_property
    def calibration(self) -> "Calibration":
        """Measured values of the memory model."""
        return datafiles.load_calibration(self.root, self.overrides)

    @cached_property
    def causes(self) -> Mapping[str, "Cause"]:
        """Causes by id."""
        return datafiles.load_causes(self.root, self.overrides)

    @cached_property
    def diagnosis(self) -> "DiagnosisRules":
        """How logs tell causes."""
        return datafiles.load_diagnosis(self.root, self.overrides)

    @cached_property
    def checks(self) -> "Checklist":
        """What is checked on a host, and what its error codes mean."""
        from app.io.check_data import load_checks

        return load_checks(self.root, self.overrides)

    @cached_property
    def slow(self) -> "SlowRules":
        """How figures and log lines tell that an engine is slow."""
        return datafiles.load_slow(self.root, self.overrides)

    @cached_property
    def why(self) -> "tuple[WhyRule, ...]":
        """Why starts come out otherwise than predicted."""
        return datafiles.load_why(self.root, self.overrides)

    @cached_property
    def speed(self) -> "SpeedData":
        """Constants of the speed model."""
        return datafiles.load_speed(self.root, self.overrides)

    @cached_property
    def clinic(self) -> "ClinicData":
        """How launch texts are read, and what is said of them."""
        return datafiles.load_clinic(self.root, self.overrides)

    def knowledge(self) -> "Knowledge":
        """Return what launch texts are judged by."""
        from app.core.clinic.report import Knowledge

        return Knowledge(engines=self.engines, clinic=self.clinic)

    @cached_property
    def smoke(self) -> "SmokeData":
        """How images are asked whether CUDA works in them."""
        return datafiles.load_smoke(self.root, self.overrides)

    @cached_property
    def diff_rules(self) -> "DiffRules":
        """What differences mean."""
        return datafiles.load_diff_rules(self.root, self.overrides)

    @cached_property
    def vocabulary(self) -> Mapping["Metric", "MetricDefinition"]:
        """How each metric is called and drawn."""
        return datafiles.load_metric_vocabulary(self.root, self.overrides)
