"""Plan values → flags, environment and container of one engine version.

A flag that the version does not know is never written; a renamed one follows its new name. The
API key travels as an environment variable whose value is added at creation, never as an argument.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from app.core.deployment.spec import ContainerSpec, Mount
from app.core.engines.docker_run import docker_run_text
from app.core.engines.images import image_reference
from app.core.engines.mounts import deployment_slug, place_model, served_name
from app.core.engines.parameters import ChosenFlag, Parameters
from app.core.engines.spec import (
    HOST_FIELDS,
    ContainerNeeds,
    Device,
    EngineData,
    EngineFile,
    Entrypoint,
    FlagRule,
    FlagType,
    ImageRule,
    PlanField,
    Server,
)
from app.core.engines.versions import in_span
from app.core.errors import ErrorCode, PlanError
from app.core.ids import container_name
from app.core.labels import DeploymentLabels
from app.core.models.architecture import ModelInfo
from app.core.texts import Reason
from app.core.units import MIB

__all__ = ["Placement", "Rendered", "docker_run_text", "render", "render_container"]

_LOOPBACK: Final = "127.0.0.1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """What one deployment adds to a plan: its name, port, GPUs and labels."""

    name: str
    revision: int = 1
    host_port: int = 0
    host_address: str = _LOOPBACK
    gpu_uuids: tuple[str, ...] = ()
    gpu_access: str = "none"
    plan_digest: str = ""
    with_api_key: bool = False
    simulated: bool = False
    environment: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Added to, and stronger than, the engine's own."""
    shm_size_bytes: int | None = None
    """Stronger than the engine's rule."""
    memory_limit_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """Everything that is started."""

    argv: tuple[str, ...]
    """The whole process: the image's entry point and the command."""
    environment: Mapping[str, str]
    flags: tuple[ChosenFlag, ...]
    container: ContainerSpec


def render(
    engine: EngineData,
    version: str,
    parameters: Parameters,
    model: ModelInfo,
    *,
    image: ImageRule,
    reasons: Mapping[str, Reason] = MappingProxyType({}),
    placement: Placement | None = None,
    by_compatibility: bool = False,
    extra: Iterable[ChosenFlag] = (),
) -> Rendered:
    """Turn plan values into what is started.

    Args:
        engine: Data of the engine.
        version: Version whose flags are written.
        parameters: Engine-neutral values.
        model: The model that is served.
        image: Rule of the image that was chosen.
        reasons: Reason of each plan field, by field name.
        placement: Name, port, GPUs; left out for a preview.
        by_compatibility: The driver relies on CUDA compatibility, see `ImageChoice`.
        extra: Further flags; they replace planned ones of the same name.
    """
    flags = _joined(
        host_flags(engine, version, model),
        plan_flags(engine, version, parameters, reasons),
        always_flags(engine, version),
        extra,
    )
    place = placement or Placement(name=deployment_slug(model), gpu_uuids=parameters.gpu_uuids)
    container = render_container(
        engine,
        version,
        flags,
        model,
        image=image,
        placement=place,
        by_compatibility=by_compatibility,
    )
    program = entrypoint_of(engine.engine, version).program
    return Rendered(
        argv=(*program, *container.command),
        environment=container.environment,
        flags=flags,
        container=container,
    )


def host_flags(engine: EngineData, version: str, model: ModelInfo) -> tuple[ChosenFlag, ...]:
    """Return the flags that belong to the deployment: model, served name, address, port."""
    server = _server(engine.engine)
    positional = entrypoint_of(engine.engine, version).model_positional
    values = {
        PlanField.MODEL: None if positional else place_model(model).path,
        PlanField.SERVED_NAME: served_name(model),
        PlanField.HOST: server.bind_address,
        PlanField.PORT: str(server.container_port),
    }
    chosen = []
    for wanted, value in values.items():
        rule = _rule_for(engine, version, wanted)
        if rule is not None and value is not None:
            chosen.append(ChosenFlag(name=rule.name, value=value, reason=_meaning(rule)))
    return tuple(chosen)


def plan_flags(
    engine: EngineData,
    version: str,
    parameters: Parameters,
    reasons: Mapping[str, Reason] = MappingProxyType({}),
) -> tuple[ChosenFlag, ...]:
    """Return the flags that carry the plan's values in this version."""
    chosen = []
    for rule in engine.flags.flag:
        if rule.plan_field is None or rule.plan_field in HOST_FIELDS - {PlanField.THREADS}:
            continue
        if in_span(version, rule.since, rule.until, engine.engine.version_scheme):
            flag = _flag(rule, parameters, reasons.get(rule.plan_field.value) or _meaning(rule))
            chosen += [flag] if flag is not None else []
    return tuple(chosen)


def always_flags(engine: EngineData, version: str) -> tuple[ChosenFlag, ...]:
    """Return the flags that Pitwall itself needs, for example the metrics switch."""
    return tuple(
        ChosenFlag(
            name=always.flag,
            value=always.value,
            reason=Reason(
                code="pitwall_needs",
                text=always.why,
                source=f"{always.source} ({always.checked})",
                parameter=always.flag,
            ),
        )
        for always in engine.engine.always
        if in_span(version, always.since, always.until, engine.engine.version_scheme)
    )


def render_container(
    engine: EngineData,
    version: str,
    flags: Iterable[ChosenFlag],
    model: ModelInfo,
    *,
    image: ImageRule,
    placement: Placement,
    by_compatibility: bool = False,
) -> ContainerSpec:
    """Return the container that starts the engine with these flags."""
    server, needs = _server(engine.engine), engine.engine.container
    model_place = place_model(model)
    caches = needs.cache_volume if needs else ()
    return ContainerSpec(
        name=container_name(placement.name, placement.revision),
        image=image_reference(image, version),
        command=command_words(engine.engine, version, flags, model_place.path),
        environment=_environment(engine.engine, version, image, placement, by_compatibility),
        secret_environment=(server.api_key_env,)
        if placement.with_api_key and server.api_key_env
        else (),
        mounts=(
            model_place.mount,
            *(
                Mount(source=cache.name, target=cache.target, read_only=False, kind="volume")
                for cache in caches
            ),
        ),
        container_port=server.container_port,
        host_port=placement.host_port,
        host_address=placement.host_address,
        gpu_uuids=placement.gpu_uuids,
        gpu_access=placement.gpu_access,
        shm_size_bytes=_shm_bytes(needs, image, placement),
        memory_limit_bytes=placement.memory_limit_bytes,
        capabilities_add=needs.capabilities_add if needs else (),
        labels=_labels(engine.engine, version, model, placement),
    )


def command_words(
    engine: EngineFile, version: str, flags: Iterable[ChosenFlag], model_path: str
) -> tuple[str, ...]:
    """Return the container's command: words the entry point wants, the model, the flags."""
    entrypoint = entrypoint_of(engine, version)
    words = [*entrypoint.command, *([model_path] if entrypoint.model_positional else [])]
    for flag in flags:
        words.append(flag.name)
        words += [flag.value] if flag.value is not None else []
    return tuple(words)


def entrypoint_of(engine: EngineFile, version: str) -> Entrypoint:
    """Return how the image of a version is started.

    Raises:
        PlanError: UNSUPPORTED_COMBINATION when nothing is known about it.
    """
    for entrypoint in reversed(engine.entrypoint):
        if in_span(version, entrypoint.since, "", engine.version_scheme):
            return entrypoint
    raise _not_renderable(engine, f"how version {version} is started is not known")


def _joined(*groups: Iterable[ChosenFlag]) -> tuple[ChosenFlag, ...]:
    """Join flags; a later one takes the place of an earlier one of the same name."""
    chosen: dict[str, ChosenFlag] = {}
    for group in groups:
        for flag in group:
            chosen[flag.name] = flag
    return tuple(chosen.values())


def _flag(rule: FlagRule, parameters: Parameters, reason: Reason) -> ChosenFlag | None:
    value = _neutral(parameters, rule.plan_field)
    if value is None:
        return None
    if rule.times is not None:
        value = int(value) * int(_neutral(parameters, rule.times) or 1)
    text = rule.values.get(_text(value), _text(value))
    if text == "":
        return None
    if rule.type in (FlagType.SWITCH, FlagType.BOOL):
        name = rule.name if value else rule.negation
        return ChosenFlag(name=name, value=None, reason=reason) if name else None
    return ChosenFlag(name=rule.name, value=text, reason=reason)


def _neutral(parameters: Parameters, wanted: PlanField | None) -> bool | float | str | None:
    value = getattr(parameters, wanted.value) if wanted is not None else None
    return value if isinstance(value, bool | int | float | str) else None


def _text(value: bool | float | str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _rule_for(engine: EngineData, version: str, wanted: PlanField) -> FlagRule | None:
    for rule in engine.flags.flag:
        if rule.plan_field is wanted and in_span(
            version, rule.since, rule.until, engine.engine.version_scheme
        ):
            return rule
    return None


def _meaning(rule: FlagRule) -> Reason:
    return Reason(
        code="flag_meaning",
        text=rule.meaning,
        source=f"{rule.source} ({rule.checked})",
        parameter=rule.plan_field.value if rule.plan_field else rule.name,
    )


def _environment(
    engine: EngineFile,
    version: str,
    image: ImageRule,
    placement: Placement,
    by_compatibility: bool,
) -> Mapping[str, str]:
    values: dict[str, str] = {}
    if image.device is Device.NVIDIA:
        # Inside the container GPUs are numbered anew; without this, by speed.
        values["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    for rule in engine.environment:
        if rule.device in (None, image.device) and in_span(
            version, rule.since, rule.until, engine.version_scheme
        ):
            values[rule.name] = rule.value
    if by_compatibility:
        values |= image.compat_environment
    return MappingProxyType(values | dict(placement.environment))


def _shm_bytes(needs: ContainerNeeds | None, image: ImageRule, placement: Placement) -> int | None:
    if placement.shm_size_bytes is not None or needs is None or image.device is Device.CPU:
        return placement.shm_size_bytes
    many = len(placement.gpu_uuids) > 1
    mib = needs.shm_many_gpus_mib if many else needs.shm_one_gpu_mib
    return mib * MIB if mib is not None else None


def _labels(
    engine: EngineFile, version: str, model: ModelInfo, placement: Placement
) -> Mapping[str, str]:
    labels = DeploymentLabels(
        deployment=placement.name,
        revision=placement.revision,
        engine=engine.id,
        engine_version=version,
        model=served_name(model),
        port=placement.host_port,
        plan_digest=placement.plan_digest,
        auth="api-key" if placement.with_api_key else "none",
        simulated=placement.simulated,
    )
    return MappingProxyType(labels.to_labels())


def _server(engine: EngineFile) -> Server:
    if engine.server is None:
        raise _not_renderable(engine, "its server is not described")
    return engine.server


def _not_renderable(engine: EngineFile, why: str) -> PlanError:
    return PlanError(
        ErrorCode.UNSUPPORTED_COMBINATION,
        {"engine": engine.id},
        cause=f"{engine.name} cannot be started by Pitwall: {why}.",
        remedy="Choose another engine or version.",
    )
