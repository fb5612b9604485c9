"""Load and check data files: engines, rules, catalogue, causes, metrics, themes.

A file's shape is a frozen dataclass in the core. Unknown keys are refused, types are strict, and
everything wrong in a call is reported at once with its file and key path. A user's own folder,
laid out like ``resources/``, may add files or entries and replace entries;
`app.io.data_overrides.overriding_files` names them.
"""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeVar

from app.io.data_reader import DataProblem, DataReader, broken_data

if TYPE_CHECKING:
    from app.core.actuals.compare import WhyRule
    from app.core.appearance import Theme
    from app.core.causes import Cause
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

T = TypeVar("T")

_PACKAGE: Final = Path(__file__).resolve().parents[1]


def data_root() -> Path:
    """Return the folder that holds ``resources`` and ``profiles``.

    The repository's folders come first: in an editable install ``app/_data`` would be stale.
    """
    repository = _PACKAGE.parent
    if (repository / "pyproject.toml").is_file() and (repository / "resources").is_dir():
        return repository
    return _PACKAGE / "_data"


def read_data(shape: type[T], root: Path, relative: str, overrides: Path | None = None) -> T:
    """Read one file below ``resources`` as ``shape``.

    Raises:
        DataFileError: DATA_FILE_BROKEN with every problem.
    """
    reader = DataReader(root, overrides)
    value = reader.read(shape, relative)
    if value is None:
        raise broken_data(reader.problems)
    return value


def read_folder(
    shape: type[T], root: Path, folder: str, overrides: Path | None = None
) -> Mapping[str, T]:
    """Read every ``*.toml`` of a folder as ``shape``, by file stem.

    Raises:
        DataFileError: DATA_FILE_BROKEN with every problem of every file.
    """
    reader = DataReader(root, overrides)
    read = {Path(name).stem: reader.read(shape, name) for name in reader.names(folder, "*.toml")}
    reader.finish()
    return MappingProxyType({stem: value for stem, value in read.items() if value is not None})


def engine_ids(root: Path, overrides: Path | None = None) -> tuple[str, ...]:
    """Return the ids of all engines: the names of their folders. Opens no file."""
    names = DataReader(root, overrides).names("engines", "*/engine.toml")
    return tuple(name.split("/")[1] for name in names)


def load_engine(root: Path, engine_id: str, overrides: Path | None = None) -> "EngineData":
    """Return one engine; the files of the others are not opened.

    Raises:
        DataFileError: DATA_FILE_BROKEN with every problem of this engine.
    """
    reader = DataReader(root, overrides)
    engine = _read_engine(reader, engine_id)
    reader.finish()
    if engine is None:  # pragma: no cover - finish() has raised
        raise broken_data(reader.problems)
    return engine


def load_engines(root: Path, overrides: Path | None = None) -> Mapping[str, "EngineData"]:
    """Return all engines by id; files that an engine does not have are empty.

    Raises:
        DataFileError: DATA_FILE_BROKEN with every problem of every engine.
    """
    reader = DataReader(root, overrides)
    read = {name: _read_engine(reader, name) for name in engine_ids(root, overrides)}
    reader.finish()
    return MappingProxyType({name: engine for name, engine in read.items() if engine})


def _read_engine(reader: DataReader, engine_id: str) -> "EngineData | None":
    from app.core.engines.spec import EngineData, EngineFile, FlagsFile, MetricsFile, StartupFile

    folder = f"engines/{engine_id}"
    engine = reader.read(EngineFile, f"{folder}/engine.toml")
    flags = reader.read_optional(FlagsFile, f"{folder}/flags.toml")
    metrics = reader.read_optional(MetricsFile, f"{folder}/metrics.toml")
    startup = reader.read_optional(StartupFile, f"{folder}/startup.toml")
    if engine is None:
        return None
    if engine.id != engine_id:
        file = reader.root / "resources" / folder / "engine.toml"
        reason = f"“{engine.id}” lies in a folder called “{engine_id}”"
        reader.problems.append(DataProblem(file=file, key="id", reason=reason))
    return EngineData(
        engine=engine,
        flags=flags or FlagsFile(),
        metrics=metrics or MetricsFile(),
        startup=startup or StartupFile(),
    )


def load_rules(root: Path, overrides: Path | None = None) -> "RuleSet":
    """Return the decision tree's rules of all files, in the files' order.

    Raises:
        DataFileError: DATA_FILE_BROKEN with every problem of every file.
    """
    from app.core.planning.rules import RuleFile, RuleSet

    files = read_folder(RuleFile, root, "rules", overrides).values()
    return RuleSet(
        questions=tuple(rule for file in files for rule in file.question),
        constraints=tuple(rule for file in files for rule in file.constraint),
        scores=tuple(rule for file in files for rule in file.score),
        defaults=tuple(rule for file in files for rule in file.default),
        reasons=tuple(rule for file in files for rule in file.reason),
        advice=tuple(rule for file in files for rule in file.advice),
        tuning=tuple(rule for file in files for rule in file.tuning),
    )


def load_constraints(root: Path, overrides: Path | None = None) -> "tuple[Constraint, ...]":
    """Return the hard limits among the rules; the rest of their files is not checked.

    Raises:
        DataFileError: DATA_FILE_BROKEN with every problem of every file.
    """
    from app.core.planning.conditions import ConstraintFile

    reader = DataReader(root, overrides)
    found: list[Constraint] = []
    for name in reader.names("rules", "*.toml"):
        raw, file = reader.read_raw(name)
        if raw is not None and "constraint" in raw:
            read = reader.check(ConstraintFile, {"constraint": raw["constraint"]}, file)
            found += read.constraint if read is not None else ()
    reader.finish()
    return tuple(found)


def load_gpu_catalogue(root: Path, overrides: Path | None = None) -> "GpuCatalogue":
    """Return the GPU catalogue.

    Raises:
        DataFileError: DATA_FILE_BROKEN.
    """
    from app.core.hardware.catalogue import GpuCatalogue

    return read_data(GpuCatalogue, root, "gpus.toml", overrides)


def load_calibration(root: Path, overrides: Path | None = None) -> "Calibration":
    """Return the measured values of the memory model; one file per field.

    Raises:
        DataFileError: DATA_FILE_BROKEN with every problem of every file.
    """
    from app.core.models.calibration import (
        Calibration,
        DeviceCalibration,
        LlamaCppCalibration,
        OtherEngines,
        VllmCalibration,
    )

    reader = DataReader(root, overrides)
    devices = reader.read(DeviceCalibration, "memory/devices.toml")
    vllm = reader.read(VllmCalibration, "memory/vllm.toml")
    llamacpp = reader.read(LlamaCppCalibration, "memory/llamacpp.toml")
    others = reader.read(OtherEngines, "memory/other_engines.toml")
    if devices is None or vllm is None or llamacpp is None or others is None:
        raise broken_data(reader.problems)
    return Calibration(devices=devices, vllm=vllm, llamacpp=llamacpp, other_engines=others)


def load_causes(root: Path, overrides: Path | None = None) -> Mapping[str, "Cause"]:
    """Return the causes by id.

    Raises:
        DataFileError: DATA_FILE_BROKEN, also for an id that appears twice.
    """
    from app.core.causes import CauseFile

    file = read_data(CauseFile, root, "causes.toml", overrides)
    causes = {cause.id: cause for cause in file.cause}
    if len(causes) != len(file.cause):
        counts = Counter(cause.id for cause in file.cause)
        path = root / "resources" / "causes.toml"
        raise broken_data(
            DataProblem(file=path, key="cause", reason=f"“{name}” appears twice")
            for name, count in counts.items()
            if count > 1
        )
    return MappingProxyType(causes)


def load_smoke(root: Path, overrides: Path | None = None) -> "SmokeData":
    """Return how images are asked whether CUDA works in them.

    Raises:
        DataFileError: DATA_FILE_BROKEN.
    """
    from app.core.smoke.spec import SmokeData

    return read_data(SmokeData, root, "smoke/programs.toml", overrides)


def load_why(root: Path, overrides: Path | None = None) -> "tuple[WhyRule, ...]":
    """Return why quantities come out otherwise than predicted.

    Raises:
        DataFileError: DATA_FILE_BROKEN.
    """
    from app.core.actuals.compare import WhyFile

    return read_data(WhyFile, root, "actuals/why.toml", overrides).why


def load_speed(root: Path, overrides: Path | None = None) -> "SpeedData":
    """Return the constants of the speed model.

    Raises:
        DataFileError: DATA_FILE_BROKEN.
    """
    from app.core.speed.spec import SpeedData

    return read_data(SpeedData, root, "speed/roofline.toml", overrides)


def load_diagnosis(root: Path, overrides: Path | None = None) -> "DiagnosisRules":
    """Return the diagnosis rules of all files, in the files' order.

    Raises:
        DataFileError: DATA_FILE_BROKEN, also for a pattern or comparison that cannot be read, an
            id that appears twice, and a rule without advice.
    """
    from app.core.diagnosis.problems import rule_problems
    from app.core.diagnosis.rules import DiagnosisFile, gather

    files = read_folder(DiagnosisFile, root, "diagnosis", overrides)
    rules = gather(files.values())
    path = root / "resources" / "diagnosis"
    problems = [
        DataProblem(file=path, key=key, reason=reason)
        for key, reason in rule_problems(rules, load_causes(root, overrides))
    ]
    if problems:
        raise broken_data(problems)
    return rules


def load_diff_rules(root: Path, overrides: Path | None = None) -> "DiffRules":
    """Return what differences between hosts and deployments mean, of all files.

    Raises:
        DataFileError: DATA_FILE_BROKEN with every problem of every file.
    """
    from app.core.diff.spec import DiffFile, DiffRules

    files = read_folder(DiffFile, root, "diff", overrides).values()
    return DiffRules(
        rules=tuple(rule for file in files for rule in file.rule),
        said=tuple(rule for file in files for rule in file.said),
    )


def load_slow(root: Path, overrides: Path | None = None) -> "SlowRules":
    """Return how figures and log lines tell that an engine is slow, of all files.

    Raises:
        DataFileError: DATA_FILE_BROKEN with every problem of every file.
    """
    from app.core.slow.spec import SlowFile, gather

    return gather(read_folder(SlowFile, root, "slow", overrides).values())


def load_clinic(root: Path, overrides: Path | None = None) -> "ClinicData":
    """Return how launch texts are read and what is said of them, of all files.

    Raises:
        DataFileError: DATA_FILE_BROKEN with every problem of every file.
    """
    from app.core.clinic.spec import ClinicFile, gather

    return gather(read_folder(ClinicFile, root, "clinic", overrides).values())


def load_metric_vocabulary(
    root: Path, overrides: Path | None = None
) -> Mapping["Metric", "MetricDefinition"]:
    """Return how each metric is called and drawn; every metric has one definition.

    Raises:
        DataFileError: DATA_FILE_BROKEN.
    """
    from app.core.metrics.definitions import MetricFile
    from app.core.metrics.vocabulary import Metric

    file = read_data(MetricFile, root, "metrics.toml", overrides)
    definitions = {definition.id: definition for definition in file.metric}
    missing = [metric for metric in Metric if metric not in definitions]
    if missing:
        path = root / "resources" / "metrics.toml"
        raise broken_data(
            DataProblem(file=path, key="metric", reason=f"{metric} is not defined")
            for metric in missing
        )
    return MappingProxyType(definitions)


def load_theme(name: str, root: Path | None = None, overrides: Path | None = None) -> "Theme":
    """Return the theme ``light`` or ``dark`` (or one of the user's own).

    Raises:
        DataFileError: DATA_FILE_BROKEN, also for a value that is no colour.
    """
    from app.core.appearance import ThemeFile, broken_colors, flatten_theme

    base = root or data_root()
    relative = f"themes/{name}.toml"
    theme = flatten_theme(read_data(ThemeFile, base, relative, overrides))
    if broken := broken_colors(theme):
        path = base / "resources" / relative
        raise broken_data(
            DataProblem(file=path, key=f"colors.{token}", reason="not a colour like #0A66C2")
            for token in broken
        )
    return theme
