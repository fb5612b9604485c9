"""A profile on one host: GPUs, image, final flags and container, or exactly why it cannot be.

Nothing is corrected silently: what the host lacks is an error that names both sides. Only a
profile that leaves its model open (``ask``) has its context cut to what the model was made for.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from app.core.deployment.spec import ContainerSpec, DeploymentSpec, Profile, ProfileFlag
from app.core.engines.images import ImageChoice
from app.core.engines.mounts import place_model, served_name
from app.core.engines.parameters import ChosenFlag
from app.core.engines.render import Placement, host_flags, render_container
from app.core.engines.served import name_of
from app.core.engines.spec import EngineData
from app.core.errors import ErrorCode, PlanError
from app.core.hardware.catalogue import GpuCatalogue
from app.core.hardware.fingerprint import Fingerprint
from app.core.ids import check_deployment_name
from app.core.models.architecture import ModelInfo
from app.core.models.lora import LoraAdapter
from app.core.models.parallelism import split_problem
from app.core.models.prediction import predict
from app.core.planning.adapters import adapter_mounts
from app.core.planning.digest import plan_digest
from app.core.planning.engine_facts import assumed_format
from app.core.planning.fit import check_memory, expected_bytes
from app.core.planning.flag_values import estimate_options, neutral_values
from app.core.planning.host_checks import (
    check_port,
    choose_gpus,
    choose_profile_image,
    gpu_access,
)
from app.core.planning.host_view import view_host
from app.core.planning.pooled import pooled_device
from app.core.planning.profile_flags import resolve_flags
from app.core.planning.sizing import Estimator
from app.core.texts import Reason, Text

__all__ = ["plan_digest", "resolve"]


def resolve(
    profile: Profile,
    *,
    engine: EngineData,
    fingerprint: Fingerprint,
    model: ModelInfo,
    host_id: str,
    name: str,
    revision: int,
    gpu_uuids: tuple[str, ...] = (),
    with_api_key: bool = True,
    estimator: Estimator | None = None,
    catalogue: GpuCatalogue | None = None,
    others: Mapping[str, EngineData] = MappingProxyType({}),
) -> DeploymentSpec:
    """Return exactly what will be created on the host.

    Raises:
        PlanError: the host, the model or the flags do not allow it.
        UserInputError: INVALID_INPUT for the deployment's name or the port.
    """
    check_deployment_name(name)
    check_port(profile.port)
    host = view_host(fingerprint, gpu_uuids, catalogue)
    gpus = choose_gpus(profile, host, is_complete=fingerprint.topology.complete)
    choice = choose_profile_image(profile, engine, host)
    _check_model(profile, engine, model, version=choice.version)
    flags = resolve_flags(
        profile,
        engine=engine,
        version=choice.version,
        model=model,
        cores=host.cores,
        others=others,
    )
    memory = prediction = None
    if estimator is not None:
        device = host.memory_device(gpus)
        if gpus is not None and engine.engine.layer_split:
            device = pooled_device(device, gpus, model)
        memory = check_memory(
            flags,
            engine=engine,
            version=choice.version,
            model=model,
            device=device,
            estimator=estimator,
        )
        prediction = predict(
            memory, engine=profile.engine, version=choice.version, gpu=device.name, model=model
        )
    placement = Placement(
        name=name,
        revision=revision,
        host_port=profile.port,
        gpu_uuids=gpus.uuids if gpus else (),
        gpu_access=gpu_access(host, gpus),
        cdi_names=host.cdi_names(gpus),
        with_api_key=with_api_key,
        simulated=fingerprint.simulated,
        environment=profile.environment,
        shm_size_bytes=profile.shm_size_bytes,
        memory_limit_bytes=profile.memory_limit_bytes,
        mounts=adapter_mounts(
            [LoraAdapter(name=name, path=path) for name, path in profile.adapters.items()]
        ),
    )
    start = _Start(engine=engine, choice=choice, model=model, flags=flags, image=profile.image)
    digest = plan_digest(start.container(placement), engine=profile.engine, version=choice.version)
    labelled = start.container(replace(placement, plan_digest=digest))
    server = engine.engine.server
    return DeploymentSpec(
        host_id=host_id,
        name=name,
        revision=revision,
        engine=profile.engine,
        engine_version=choice.version,
        model_name=name_of(engine, flags) or served_name(model),
        model_path=place_model(model).path,
        image=labelled.image,
        image_id="",
        image_pinned_by="",
        container=labelled,
        plan_digest=digest,
        estimate_bytes_per_gpu=None if memory is None else expected_bytes(memory),
        prediction=prediction,
        health_path=server.health_path if server else "/health",
        simulated=fingerprint.simulated,
        profile_name=profile.name,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Start:
    """Everything that is started, but for the place."""

    engine: EngineData
    choice: ImageChoice
    model: ModelInfo
    flags: tuple[ProfileFlag, ...]
    image: str

    def container(self, placement: Placement) -> ContainerSpec:
        """Return the container at a place."""
        own = (
            ChosenFlag(name=flag.name, value=flag.value, reason=_own(flag)) for flag in self.flags
        )
        named = {flag.name for flag in self.flags}
        host = host_flags(self.engine, self.choice.version, self.model)
        container = render_container(
            self.engine,
            self.choice.version,
            (*(flag for flag in host if flag.name not in named), *own),
            self.model,
            image=self.choice.rule,
            placement=placement,
            by_compatibility=self.choice.by_compatibility,
        )
        return replace(container, image=self.image or self.choice.reference)


def _own(flag: ProfileFlag) -> Reason:
    return Reason(code="profile", text=Text(en=flag.why, zh_CN=flag.why_zh_CN), source="profile")


def _check_model(profile: Profile, engine: EngineData, model: ModelInfo, *, version: str) -> None:
    if assumed_format(model).value not in engine.engine.formats:
        raise PlanError(
            ErrorCode.MODEL_UNSUPPORTED,
            {"model": model.name, "format": model.format.value, "engine": profile.engine},
            cause=f"{engine.engine.name} reads {', '.join(engine.engine.formats)}; "
            f"{model.name} is stored as {assumed_format(model).value}.",
            remedy="Choose a profile of an engine that reads this format, or another model.",
        )
    options = estimate_options(neutral_values(engine, version, profile.flags))
    problem = split_problem(
        model, profile.tensor_parallel_size, expert_parallel=options.expert_parallel
    )
    doubled = engine.engine.tensor_parallel_powers_of_two
    if problem is None and doubled and profile.tensor_parallel_size.bit_count() > 1:
        problem = f"{engine.engine.name} takes 1, 2, 4, 8 … GPUs"
    if problem is not None:
        raise PlanError(
            ErrorCode.UNSUPPORTED_COMBINATION,
            {"model": model.name, "problem": problem},
            cause=f"{model.name} cannot be split over {profile.tensor_parallel_size} GPUs "
            f"({problem}).",
            remedy="Choose another number of GPUs.",
        )
