"""The container that starts an engine: image, command, mounts, limits, labels.

The API key travels as an environment variable whose value is added at creation, never as an
argument. Everything an engine needs beyond the usual stands in its data file.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from app.core.deployment.spec import ContainerSpec, Mount
from app.core.engines.images import image_reference
from app.core.engines.mounts import place_model, served_name
from app.core.engines.parameters import WORD_SEPARATOR, ChosenFlag
from app.core.engines.served import name_of, port_of
from app.core.engines.spec import (
    ContainerNeeds,
    Device,
    EngineData,
    EngineFile,
    Entrypoint,
    ImageRule,
    Server,
)
from app.core.errors import ErrorCode, PlanError
from app.core.ids import container_name
from app.core.labels import DeploymentLabels
from app.core.models.architecture import ModelInfo
from app.core.units import MIB
from app.core.versions import in_span

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
    cdi_names: tuple[str, ...] = ()
    plan_digest: str = ""
    with_api_key: bool = False
    simulated: bool = False
    environment: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Added to, and stronger than, the engine's own."""
    shm_size_bytes: int | None = None
    """Stronger than the engine's rule."""
    memory_limit_bytes: int | None = None
    mounts: tuple[Mount, ...] = ()
    """Beside the model and the engine's caches: LoRA adapters."""


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
    server, needs = server_of(engine.engine), engine.engine.container
    chosen, model_place = tuple(flags), place_model(model)
    port = port_of(engine, chosen) or server.container_port
    name = name_of(engine, chosen) or served_name(model)
    api_key = (
        placement.with_api_key
        and server.api_key_env != ""
        and in_span(version, server.api_key_since, "", engine.engine.version_scheme)
    )
    caches = needs.cache_volume if needs else ()
    return ContainerSpec(
        name=container_name(placement.name, placement.revision),
        image=image_reference(image, version),
        command=command_words(engine.engine, version, chosen, model, port=port),
        entrypoint=entrypoint_of(engine.engine, version).instead,
        environment=MappingProxyType(
            {
                **_environment(engine.engine, version, image, by_compatibility),
                **{flag.name: flag.value or "1" for flag in chosen if flag.is_variable},
                **placement.environment,
            }
        ),
        secret_environment=(server.api_key_env,) if api_key else (),
        mounts=(
            model_place.mount,
            *placement.mounts,
            *(
                Mount(source=cache.name, target=cache.target, read_only=False, kind="volume")
                for cache in caches
            ),
        ),
        container_port=port,
        host_port=placement.host_port,
        host_address=placement.host_address,
        gpu_uuids=placement.gpu_uuids,
        gpu_access=placement.gpu_access,
        cdi_names=placement.cdi_names,
        shm_size_bytes=_shm_bytes(needs, image, placement),
        memory_limit_bytes=placement.memory_limit_bytes,
        capabilities_add=needs.capabilities_add if needs else (),
        labels=_labels(engine.engine, version, name, placement, "api-key" if api_key else "none"),
    )


def command_words(
    engine: EngineFile,
    version: str,
    flags: Iterable[ChosenFlag],
    model: ModelInfo,
    *,
    port: int,
) -> tuple[str, ...]:
    """Return the container's command: words the entry point wants, the model, the flags."""
    entrypoint = entrypoint_of(engine, version)
    path = place_model(model).path
    stands_for = {"{model}": path, "{name}": served_name(model)}
    words = [stands_for.get(word, word).replace("{port}", str(port)) for word in entrypoint.command]
    words += [path] if entrypoint.model_positional else []
    for flag in flags:
        if flag.is_variable:
            continue
        words.append(flag.name)
        words += flag.value.split(WORD_SEPARATOR) if flag.value is not None else []
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


def _environment(
    engine: EngineFile,
    version: str,
    image: ImageRule,
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
    return values


def _shm_bytes(needs: ContainerNeeds | None, image: ImageRule, placement: Placement) -> int | None:
    if placement.shm_size_bytes is not None or needs is None:
        return placement.shm_size_bytes
    if image.device is Device.CPU:
        mib = needs.shm_cpu_mib
    elif len(placement.gpu_uuids) > 1:
        mib = needs.shm_many_gpus_mib
    else:
        mib = needs.shm_one_gpu_mib
    return mib * MIB if mib is not None else None


def _labels(
    engine: EngineFile, version: str, model: str, placement: Placement, auth: str
) -> Mapping[str, str]:
    labels = DeploymentLabels(
        deployment=placement.name,
        revision=placement.revision,
        engine=engine.id,
        engine_version=version,
        model=model,
        port=placement.host_port,
        plan_digest=placement.plan_digest,
        auth=auth,
        simulated=placement.simulated,
    )
    return MappingProxyType(labels.to_labels())


def server_of(engine: EngineFile) -> Server:
    """Return how the engine's server is reached.

    Raises:
        PlanError: UNSUPPORTED_COMBINATION for an engine without description.
    """
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
