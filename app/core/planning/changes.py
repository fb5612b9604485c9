"""A remedy applied to a plan: the profile behind a deployment, with some values changed.

A deployment keeps its final spec, not the profile it came from; the profile is read back from
the spec so that the changed plan goes through the same checks as a new one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Final

from app.core.deployment.spec import DeploymentSpec, Profile, ProfileFlag
from app.core.diagnosis.finding import ParameterChange, PlanChange
from app.core.engines.container import entrypoint_of
from app.core.engines.flags import GivenFlag, find_flag, read_flags
from app.core.engines.served import port_of
from app.core.engines.spec import HOST_FIELDS, EngineData, FlagRule, FlagType, PlanField
from app.core.errors import ErrorInfo
from app.core.planning.adapters import adapters_in, items_of
from app.core.units import format_size, parse_bytes
from app.core.versions import in_span

ENVIRONMENT: Final = "environment."
_STEP: Final = 0.05
_LOWEST: Final = 0.1
_HIGHEST: Final = 0.95
_YES: Final = frozenset({"true", "1", "yes", "on"})
_SIZES: Final = frozenset({"shm_size_bytes", "memory_limit_bytes"})
_NUMBERS: Final = frozenset({FlagType.INT, FlagType.FLOAT, FlagType.SIZE})


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedValue:
    """One value of a plan before and after."""

    parameter: str
    """As the finding names it."""
    flag: str
    """The engine's flag that carries it; empty for what is no flag."""
    old: str | None
    """``None``: it was not set, the engine's own default held."""
    new: str | None
    """``None``: it is left out."""
    proposed: bool = False
    """The finding said only the direction; the value is a first step."""
    reason: str = ""
    """Why nothing could be changed: ``unknown`` or ``needs_value``; empty when it was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedPlan:
    """A deployed plan and what it would become; nothing is deployed yet."""

    old: DeploymentSpec
    new: DeploymentSpec | None
    values: tuple[ChangedValue, ...]
    error: ErrorInfo | None = None
    """Why the changed plan cannot run, where it cannot."""


def profile_of(spec: DeploymentSpec, engine: EngineData) -> Profile:
    """Return the profile that leads to a spec, with its values as they are on the host."""
    container, version = spec.container, spec.engine_version
    # The words that the image is started with are no flags, whatever they look like ("-c").
    words = container.command[len(entrypoint_of(engine.engine, version).command) :]
    given = [
        flag
        for flag in read_flags(words, engine.flags, engine.engine, version)
        if flag.name.startswith("-")
    ]
    variables = {
        name: value
        for name, value in container.environment.items()
        if find_flag(engine.flags, name, engine.engine, version) is not None
    }
    given += [GivenFlag(name=name, value=value) for name, value in variables.items()]
    flags = []
    for flag in given:
        rule = find_flag(engine.flags, flag.name, engine.engine, version)
        if rule is None or not _is_deployments(flag, rule, spec, engine):
            value = items_of(flag.name, flag.value, engine.engine)
            flags.append(ProfileFlag(name=flag.name, value=value))
    numbers = _Numbers(engine=engine, version=version, flags=tuple(flags))
    return Profile(
        name=spec.profile_name or spec.name,
        engine=spec.engine,
        engine_version=version,
        image=spec.image,
        model=host_model_path(spec),
        context_tokens=numbers.of(PlanField.CONTEXT_TOKENS),
        concurrency=numbers.of(PlanField.CONCURRENCY),
        tensor_parallel_size=numbers.of(PlanField.TENSOR_PARALLEL_SIZE) or 1,
        gpu_count=len(container.gpu_uuids),
        gpu_same_island=False,
        port=container.host_port,
        flags=tuple(flags),
        environment={k: v for k, v in container.environment.items() if k not in variables},
        adapters=adapters_in(container.mounts),
        shm_size_bytes=container.shm_size_bytes,
        memory_limit_bytes=container.memory_limit_bytes,
    )


def _is_deployments(
    flag: GivenFlag, rule: FlagRule, spec: DeploymentSpec, engine: EngineData
) -> bool:
    """Tell what Pitwall set for the deployment from what a user chose in its place."""
    server = engine.engine.server
    if rule.plan_field not in HOST_FIELDS - {PlanField.THREADS}:
        return False
    if rule.plan_field is PlanField.SERVED_NAME:
        path = PurePosixPath(host_model_path(spec))
        return flag.value == path.name.removesuffix(".gguf")
    own_port = port_of(engine, [flag])
    return own_port is None or server is None or own_port == server.container_port


def host_model_path(spec: DeploymentSpec) -> str:
    """Return where the model lies on the host."""
    for mount in spec.container.mounts:
        if spec.model_path == mount.target:
            return mount.source
        if spec.model_path.startswith(f"{mount.target}/"):
            return mount.source + spec.model_path.removeprefix(mount.target)
    return spec.model_path


def change_profile(
    profile: Profile,
    change: PlanChange,
    engine: EngineData,
    *,
    chosen: Mapping[str, str] | None = None,
) -> tuple[Profile, tuple[ChangedValue, ...]]:
    """Apply a change.

    Args:
        profile: The plan as it is.
        change: What a finding proposes.
        engine: Its engine.
        chosen: Values that a person gave instead, as the engine's flags take them.
    """
    values = []
    for parameter in change.parameters:
        wanted = (chosen or {}).get(parameter.parameter)
        if wanted is None:
            profile, value = _apply(profile, parameter, engine, as_written=False)
        else:
            given = replace(parameter, action="set", value=wanted)
            profile, value = _apply(profile, given, engine, as_written=True)
        values.append(value)
    return profile, tuple(values)


def _apply(
    profile: Profile, change: ParameterChange, engine: EngineData, *, as_written: bool
) -> tuple[Profile, ChangedValue]:
    name = change.parameter.strip()
    if name.startswith(ENVIRONMENT):
        return _apply_environment(profile, change, name.removeprefix(ENVIRONMENT))
    if name in {"host_port", "port"}:
        new = change.value or "0"
        value = ChangedValue(parameter=name, flag="", old=str(profile.port), new=new)
        return replace(profile, port=int(new) if new.isdigit() else 0), value
    if name in _SIZES:
        return _apply_size(profile, change)
    if name == "gpu_uuids":
        return profile, _left(change, "needs_value")
    return _apply_flag(profile, change, engine, as_written=as_written)


def _apply_environment(
    profile: Profile, change: ParameterChange, name: str
) -> tuple[Profile, ChangedValue]:
    environment = dict(profile.environment)
    old = environment.pop(name, None)
    new = None if change.action == "remove" else change.value
    if new is not None:
        environment[name] = new
    value = ChangedValue(parameter=change.parameter, flag="", old=old, new=new)
    return replace(profile, environment=environment), value


def _apply_size(profile: Profile, change: ParameterChange) -> tuple[Profile, ChangedValue]:
    name = change.parameter
    old: int | None = getattr(profile, name)
    size: int | None = None
    if change.action != "remove":
        if not change.value and old is None:
            return profile, _left(change, "needs_value")
        size = int(parse_bytes(change.value)) if change.value else (old or 0) * 2
    value = ChangedValue(
        parameter=name,
        flag="",
        old=None if old is None else format_size(old),
        new=None if size is None else format_size(size),
        proposed=not change.value and size is not None,
    )
    if name == "shm_size_bytes":
        return replace(profile, shm_size_bytes=size), value
    return replace(profile, memory_limit_bytes=size), value


def _apply_flag(
    profile: Profile, change: ParameterChange, engine: EngineData, *, as_written: bool
) -> tuple[Profile, ChangedValue]:
    rule = _rule_of(change.parameter, engine, profile.engine_version)
    if rule is None:
        return profile, _left(change, "unknown")
    names = {rule.name, rule.negation, *rule.short} - {""}
    present = next((flag for flag in profile.flags if flag.name in names), None)
    old = None if present is None else (present.value if present.value is not None else "true")
    new, proposed = _new_value(change, rule, old)
    if new is None and change.action != "remove":
        return profile, replace(_left(change, "needs_value"), flag=rule.name, old=old)
    position = next((at for at, flag in enumerate(profile.flags) if flag.name in names), None)
    rest = [flag for flag in profile.flags if flag.name not in names]
    flag = None
    if new is not None:
        per_request = 1 if as_written or proposed else _requests(profile, rule, engine)
        flag = _written(rule, _multiplied(new, per_request))
    if flag is not None:
        rest.insert(len(rest) if position is None else position, flag)
    changed = replace(profile, flags=tuple(rest))
    value = ChangedValue(
        parameter=change.parameter,
        flag=rule.name,
        old=old,
        new=new if flag is None else (flag.value if flag.value is not None else flag.name),
        proposed=proposed,
    )
    return _with_field(changed, rule, engine), value


def _rule_of(name: str, engine: EngineData, version: str) -> FlagRule | None:
    scheme = engine.engine.version_scheme
    plain = name.lstrip("-").replace("-", "_")
    for rule in engine.flags.flag:
        is_field = rule.plan_field is not None and rule.plan_field.value == plain
        if is_field and in_span(version, rule.since, rule.until, scheme):
            return rule
    return find_flag(
        engine.flags, f"--{name.lstrip('-').replace('_', '-')}", engine.engine, version
    )


def _new_value(change: ParameterChange, rule: FlagRule, old: str | None) -> tuple[str | None, bool]:
    """Return the value to write, and whether it is only a first step in the right direction."""
    if change.action == "remove":
        return None, False
    value = change.value.strip()
    if value and "{" not in value:
        return rule.values.get(value, value.replace(",", "") if rule.type in _NUMBERS else value), (
            False
        )
    if change.action == "set":
        return ("true", False) if rule.type in {FlagType.SWITCH, FlagType.BOOL} else (None, False)
    return _stepped(change.action, old or rule.default), True


def _stepped(action: str, old: str) -> str | None:
    """Return a first step up or down: a share by five hundredths, a count by half or double."""
    try:
        number = float(old.replace(",", ""))
    except ValueError:
        return None
    is_share = "." in old or 0 < number < 1
    if is_share:
        step = _STEP if action == "raise" else -_STEP
        return f"{min(max(number + step, _LOWEST), _HIGHEST):.2f}"
    return str(max(int(number * 2 if action == "raise" else number // 2), 1))


def _requests(profile: Profile, rule: FlagRule, engine: EngineData) -> int:
    """Return what one request's value is multiplied by in a flag that counts for all of them."""
    if rule.times is None:
        return 1
    numbers = _Numbers(engine=engine, version=profile.engine_version, flags=profile.flags)
    return numbers.of(rule.times) or 1


def _multiplied(value: str, times: int) -> str:
    return str(int(value) * times) if times > 1 and value.isdigit() else value


def _written(rule: FlagRule, value: str) -> ProfileFlag | None:
    if rule.type in {FlagType.SWITCH, FlagType.BOOL}:
        name = rule.name if value.lower() in _YES else rule.negation
        return ProfileFlag(name=name) if name else None
    return ProfileFlag(name=rule.name, value=value)


def _with_field(profile: Profile, rule: FlagRule, engine: EngineData) -> Profile:
    """Keep the profile's own fields true to its flags."""
    numbers = _Numbers(engine=engine, version=profile.engine_version, flags=profile.flags)
    match rule.plan_field:
        case PlanField.CONTEXT_TOKENS | PlanField.CONCURRENCY:
            return replace(
                profile,
                context_tokens=numbers.of(PlanField.CONTEXT_TOKENS),
                concurrency=numbers.of(PlanField.CONCURRENCY),
            )
        case PlanField.TENSOR_PARALLEL_SIZE:
            size = numbers.of(PlanField.TENSOR_PARALLEL_SIZE) or 1
            groups = max(profile.gpu_count // max(profile.tensor_parallel_size, 1), 1)
            return replace(profile, tensor_parallel_size=size, gpu_count=size * groups)
        case _:
            return profile


def _left(change: ParameterChange, reason: str) -> ChangedValue:
    return ChangedValue(parameter=change.parameter, flag="", old=None, new=None, reason=reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Numbers:
    """Whole numbers that flags carry."""

    engine: EngineData
    version: str
    flags: tuple[ProfileFlag, ...]

    def of(self, field: PlanField) -> int | None:
        """Return the value of one plan field; ``None`` where no flag carries it."""
        for flag in self.flags:
            rule = find_flag(self.engine.flags, flag.name, self.engine.engine, self.version)
            if rule is None or rule.plan_field is not field or not (flag.value or "").isdigit():
                continue
            times = self.of(rule.times) if rule.times is not None else None
            return int(flag.value or 0) // (times or 1)
        return None
