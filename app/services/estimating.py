"""Memory of a model on a named GPU, from an engine's own flags; needs no host and no store."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

from app.core.deployment.profile_flag import ProfileFlag
from app.core.engines.flags import FlagFinding, GivenFlag, check_flags, find_flag, read_flags
from app.core.engines.foreign import name_owners
from app.core.engines.spec import EngineData, PlanField
from app.core.errors import ErrorCode, UserInputError
from app.core.hardware.catalogue import GpuCatalogue, GpuModel
from app.core.models.architecture import ModelInfo
from app.core.models.calibration import Calibration
from app.core.models.config import parse_config_text, read_config
from app.core.models.estimate import estimate_memory
from app.core.models.inverse import Solution, Wanted, solve
from app.core.models.memory import MemoryEstimate
from app.core.models.request import Device, EstimateOptions
from app.core.planning.flag_estimate import options_of_flags
from app.core.texts import Reason
from app.core.versions import is_version

if TYPE_CHECKING:
    from app.core.planning.conditions import Constraint
    from app.core.planning.rules import RuleSet
    from app.core.planning.runs_on import HardwareJudge
    from app.core.planning.sizing import Estimator

_LONGEST_NAME: Final = 96


class EstimatingData(Protocol):
    """The data files that estimates need."""

    @property
    def engines(self) -> Mapping[str, EngineData]:
        """Engines by id."""

    @property
    def catalogue(self) -> GpuCatalogue:
        """GPU products."""

    @property
    def calibration(self) -> Calibration:
        """Measured values of the memory model."""

    @property
    def constraints(self) -> "tuple[Constraint, ...]":
        """The hard limits of planning; its other rules are not read for them."""

    @property
    def rules(self) -> "RuleSet":
        """All rules of planning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What an estimate is asked about, read from names and flags."""

    model: ModelInfo
    engine: str
    version: str
    device: Device
    options: EstimateOptions

    def estimate(self, estimator: "Estimator") -> MemoryEstimate:
        """Return the memory picture."""
        return estimator(
            model=self.model,
            engine=self.engine,
            version=self.version,
            device=self.device,
            options=self.options,
        )

    def solve(self, wanted: Wanted, estimator: "Estimator") -> Solution:
        """Answer an inverse question about the device.

        Raises:
            UserInputError: INVALID_INPUT for options outside their range.
        """

        def ask(device: Device, options: EstimateOptions) -> MemoryEstimate:
            return replace(self, device=device, options=options).estimate(estimator)

        limit = self.model.architecture.max_context
        return solve(wanted, ask, self.device, self.options, max_context=limit)


class EstimatingService:
    """Read what is asked, and answer it with the shipped calibration alone."""

    def __init__(self, data: EstimatingData) -> None:
        self._data = data

    @property
    def catalogue(self) -> GpuCatalogue:
        """GPU products."""
        return self._data.catalogue

    def estimator(self) -> "Estimator":
        """Return the memory model with its calibration."""
        return partial(estimate_memory, calibration=self._data.calibration)

    def read_config_text(self, text: str, name: str) -> ModelInfo:
        """Read a ``config.json``.

        Raises:
            PlanError: MODEL_CONFIG_BROKEN naming field and reason.
        """
        return read_config(parse_config_text(text), name=name)

    def judge(self, asked: Asked) -> "HardwareJudge":
        """Return what tells on which hardware the engine runs the model at all."""
        from app.core.planning.runs_on import HardwareJudge

        def sentence(code: str, values: Mapping[str, object]) -> Reason:
            from app.core.planning.wording import Wording

            return Wording(self._data.rules).reason(code, values)

        return HardwareJudge(
            engine=engine_named(self._data.engines, asked.engine),
            version=asked.version,
            model=asked.model,
            options=asked.options,
            constraints=self._data.constraints,
            sentence=sentence,
        )

    def asked(
        self,
        *,
        model: ModelInfo,
        engine: str,
        version: str,
        gpu_name: str | None,
        gpu_count: int = 1,
        gpu_memory_mib: int | None = None,
        weights_bytes: int | None = None,
        engine_flags: Sequence[str] = (),
    ) -> Asked:
        """Read names and flags; without a GPU's name the device is none that could be told of.

        Raises:
            UserInputError: NOT_FOUND for an unknown engine or GPU, INVALID_INPUT for bad values,
                FLAG_UNKNOWN for flags that the version does not take.
        """
        data = engine_named(self._data.engines, engine)
        version = check_version(version, data)
        device = (
            Device(name="", memory_total_mib=gpu_memory_mib, count=gpu_count)
            if gpu_name is None
            else device_named(self._data.catalogue, gpu_name, gpu_count, gpu_memory_mib)
        )
        given = read_flags(engine_flags, data.flags, data.engine, version)
        findings = check_flags(given, data.flags, data.engine, version)
        findings = name_owners(findings, data, version, self._data.engines)
        if findings:
            raise _flags_refused(data, version, findings)
        _check_context(given, data, version)
        options = options_of_flags(
            [ProfileFlag(name=flag.name, value=flag.value) for flag in given],
            engine=data,
            version=version,
            device=device,
            weights_bytes=weights_bytes,
        )
        return Asked(model=model, engine=engine, version=version, device=device, options=options)


def engine_named(engines: Mapping[str, EngineData], engine_id: str) -> EngineData:
    """Return one engine.

    Raises:
        UserInputError: NOT_FOUND, with the nearest name.
    """
    if engine_id in engines:
        return engines[engine_id]
    import difflib

    known = sorted(engines)
    shown = engine_id[:_LONGEST_NAME]
    near = difflib.get_close_matches(shown.lower(), known, n=1)
    hint = f"Did you mean {near[0]}? " if near else ""
    raise UserInputError(
        ErrorCode.NOT_FOUND,
        {"field": "engine", "engine": shown},
        cause=f"There is no engine called “{shown}”.",
        remedy=f"{hint}Known engines: {', '.join(known)}.",
    )


def check_version(version: str, data: EngineData) -> str:
    """Return the version without blanks around it.

    Raises:
        UserInputError: INVALID_INPUT when it is no number with what releases add to it.
    """
    given = version.strip()
    if is_version(given, data.engine.version_scheme):
        return given
    example = data.engine.default_version or next(reversed(data.engine.versions), "0.26.0")
    raise UserInputError(
        ErrorCode.INVALID_INPUT,
        {"field": "engine-version", "value": given[:_LONGEST_NAME]},
        cause=f"“{given[:_LONGEST_NAME]}” is not a version of {data.engine.name}.",
        remedy=f"Write the version as the engine does, for example {example}.",
    )


def device_named(catalogue: GpuCatalogue, name: str, count: int, memory_mib: int | None) -> Device:
    """Return GPUs by the name of their product.

    Raises:
        UserInputError: NOT_FOUND or AMBIGUOUS when neither catalogue nor caller knows its memory.
    """
    found = catalogue.find(name, memory_mib)
    if found is None and memory_mib is None:
        raise _gpu_unknown(name, [model.name for model in catalogue.named_like(name)], catalogue)
    return device_of(found, name, count, memory_mib)


def device_of(found: GpuModel | None, name: str, count: int, memory_mib: int | None) -> Device:
    """Return GPUs of a product, or of a name and size alone."""
    return Device(
        name=found.name if found else name,
        compute_cap=found.compute_cap if found else None,
        memory_total_mib=memory_mib or (found.memory_mib if found else None),
        count=count,
    )


def _gpu_unknown(name: str, alike: Sequence[str], catalogue: GpuCatalogue) -> UserInputError:
    shown = name[:_LONGEST_NAME]
    if alike:
        return UserInputError(
            ErrorCode.AMBIGUOUS,
            {"field": "gpu", "value": shown},
            cause=f"“{shown}” may mean {len(alike)} GPUs: {', '.join(alike[:6])}"
            + (", …" if len(alike) > 6 else "."),
            remedy="Write the name as nvidia-smi prints it, or add --gpu-memory-mib.",
        )
    import difflib

    # The maker's name is in all of them and says nothing about which one is meant.
    known = {_own_name(model.name): model.name for model in catalogue.gpu}
    near = difflib.get_close_matches(_own_name(name), known, n=1)
    hint = f"Did you mean {known[near[0]]}? " if near else ""
    return UserInputError(
        ErrorCode.NOT_FOUND,
        {"field": "gpu", "value": shown},
        cause=f"“{shown}” is not in the GPU catalogue.",
        remedy=f"{hint}Write the name as nvidia-smi prints it, or add --gpu-memory-mib.",
    )


def _own_name(name: str) -> str:
    return name.lower().removeprefix("nvidia ").removeprefix("geforce ")


def _check_context(given: Iterable[GivenFlag], data: EngineData, version: str) -> None:
    """Refuse a negative context; -1 lets the engine choose, and nothing is less."""
    for flag in given:
        rule = find_flag(data.flags, flag.name, data.engine, version)
        if rule is None or rule.plan_field is not PlanField.CONTEXT_TOKENS:
            continue
        value = flag.value or ""
        if value.startswith("-") and value != "-1":
            raise UserInputError(
                ErrorCode.INVALID_INPUT,
                {"field": flag.name, "value": value},
                cause=f"{flag.name} is {value}; a context has at least 1 token.",
                remedy=f"Give {flag.name} as a whole number from 1.",
            )


def _flags_refused(
    data: EngineData, version: str, findings: Sequence[FlagFinding]
) -> UserInputError:
    return UserInputError(
        ErrorCode.FLAG_UNKNOWN,
        {
            "field": "flags",
            "flags": " ".join(finding.flag for finding in findings),
            "version": version,
        },
        cause=f"{data.engine.name} {version} cannot take these flags: "
        + " ".join(finding.sentence for finding in findings),
        remedy="Correct the flags after “--”.",
    )
