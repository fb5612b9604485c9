"""All JSON Schemas that Pitwall publishes, generated from the dataclasses.

One file per document name; a command that may print several forms has them under ``anyOf``.
"""

import importlib
import pkgutil
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import reduce
from operator import or_
from typing import Any, Final

import app.core.documents
from app.core.actuals.compare import WhyFile
from app.core.causes import CauseFile
from app.core.checks.spec import CheckFile, ReasonFile, StackData
from app.core.clinic.spec import ClinicFile
from app.core.deployment.record import DeploymentRecord
from app.core.deployment.spec import DeploymentSpec, Profile
from app.core.diagnosis.rules import DiagnosisFile
from app.core.diff.spec import DiffFile
from app.core.documents.failure import ErrorDocument
from app.core.engines.spec import EngineFile, FlagsFile, MetricsFile, StartupFile
from app.core.hardware.catalogue import GpuCatalogue
from app.core.hardware.fingerprint import Fingerprint
from app.core.metrics.definitions import MetricFile
from app.core.planning.rules import RuleFile
from app.core.slow.spec import SlowFile
from app.core.smoke.spec import SmokeData
from app.core.speed.spec import SpeedData
from app.io.documents import json_schema

DATA_FILES: Final[Mapping[str, type]] = {
    "data-engine": EngineFile,
    "data-flags": FlagsFile,
    "data-metrics": MetricsFile,
    "data-startup": StartupFile,
    "data-rules": RuleFile,
    "data-causes": CauseFile,
    "data-clinic": ClinicFile,
    "data-check-reasons": ReasonFile,
    "data-check-stack": StackData,
    "data-checks": CheckFile,
    "data-diagnosis": DiagnosisFile,
    "data-diff": DiffFile,
    "data-gpus": GpuCatalogue,
    "data-slow": SlowFile,
    "data-smoke": SmokeData,
    "data-speed": SpeedData,
    "data-why": WhyFile,
    "data-metric-vocabulary": MetricFile,
}
"""Data files that a user may override, by the name of their schema."""

_STORED: Final = (Fingerprint, Profile, DeploymentSpec, DeploymentRecord)


def all_schemas() -> Mapping[str, Mapping[str, Any]]:
    """Return every schema by file name without ``.json``."""
    schemas: dict[str, Mapping[str, Any]] = {
        name: json_schema(shape) for name, shape in DATA_FILES.items()
    }
    by_name: dict[str, list[type]] = defaultdict(list)
    for shape in (*_STORED, *printed_documents()):
        by_name[schema_name(shape)].append(shape)
    for name, shapes in by_name.items():
        printed = [shape for shape in shapes if shape not in _STORED]
        forms = [*shapes, ErrorDocument] if printed else shapes
        schemas[name] = _schema(forms)
    return schemas


def printed_documents() -> Iterator[type]:
    """Yield the dataclasses of `app.core.documents` that name their schema."""
    for module in sorted(pkgutil.iter_modules(app.core.documents.__path__), key=lambda m: m.name):
        loaded = importlib.import_module(f"{app.core.documents.__name__}.{module.name}")
        for value in vars(loaded).values():
            if _is_document(value) and value.__module__ == loaded.__name__:
                yield value


def schema_name(shape: type) -> str:
    """Return ``fingerprint`` for a document whose schema is ``pitwall.fingerprint/1``."""
    default = next(field.default for field in fields(shape) if field.name == "schema")
    return str(default).removeprefix("pitwall.").partition("/")[0]


def _is_document(value: object) -> bool:
    return (
        isinstance(value, type)
        and is_dataclass(value)
        and any(
            field.name == "schema" and isinstance(field.default, str) for field in fields(value)
        )
    )


def _schema(forms: list[type]) -> Mapping[str, Any]:
    # One form keeps its own shape at the top; several become anyOf with shared definitions.
    return json_schema(forms[0] if len(forms) == 1 else reduce(or_, forms))
