"""What a profile asks of a host, checked one by one: GPUs, memory, links, image, access."""

from dataclasses import replace

from app.core.deployment.spec import Profile
from app.core.engines.images import ImageChoice, ImageRefusal, choose_image, rule_for_reference
from app.core.engines.spec import Device, EngineData
from app.core.errors import ErrorCode, PlanError, UserInputError
from app.core.hardware.fingerprint import GpuAccess
from app.core.planning.host_view import GpuChoice, HostView
from app.core.planning.profile import NEWEST


def check_port(port: int) -> None:
    """Refuse what is no port; 0 leaves the choice to the host.

    Raises:
        UserInputError: INVALID_INPUT.
    """
    if not 0 <= port <= 65535:
        raise UserInputError(
            ErrorCode.INVALID_INPUT,
            {"field": "port", "value": port},
            cause=f"{port} is no port.",
            remedy="Give a port from 1024 to 65535, or 0 for the next free one.",
        )


def choose_gpus(profile: Profile, host: HostView, *, is_complete: bool) -> GpuChoice | None:
    """Choose the profile's GPUs; ``None`` for a CPU profile.

    Args:
        profile: Says how many, how large, and whether one NVLink island is wanted.
        host: Where.
        is_complete: Whether the links are known; unknown links refuse nothing.

    Raises:
        PlanError: DOES_NOT_FIT, UNSUPPORTED_COMBINATION or GPU_RUNTIME_MISSING.
    """
    if profile.gpu_count == 0:
        return None
    choice = host.choose(profile.gpu_count)
    if choice is None and host.unlike:
        choice = host.with_unlike().choose(profile.gpu_count)
    if choice is None:
        raise PlanError(
            ErrorCode.DOES_NOT_FIT,
            {"needed": profile.gpu_count, "available": len(host.gpus)},
            cause=f"The profile needs {profile.gpu_count} GPU(s) of one kind; "
            f"{len(host.gpus)} can be used on this host.",
            remedy="Choose a profile for fewer GPUs, or another host.",
        )
    _check_gpu_memory(profile, choice)
    if profile.gpu_same_island and not choice.is_one_island and is_complete:
        raise PlanError(
            ErrorCode.UNSUPPORTED_COMBINATION,
            {"gpus": ", ".join(map(str, choice.indices))},
            cause=f"The profile wants {profile.gpu_count} GPUs joined by NVLink; "
            "no island on this host is that large.",
            remedy="Set gpu_same_island to false to go over PCIe (slower), or plan anew.",
        )
    if host.gpu_access is GpuAccess.NONE and host.container_name is not None:
        raise PlanError(
            ErrorCode.GPU_RUNTIME_MISSING,
            {"container_engine": host.container_name},
            cause=f"{host.container_name} on this host cannot hand GPUs to containers.",
            remedy="Install the NVIDIA container toolkit, configure it and restart the engine.",
        )
    return choice


def _check_gpu_memory(profile: Profile, choice: GpuChoice) -> None:
    wanted = profile.gpu_memory_min_mib
    for gpu in choice.gpus:
        total = gpu.memory_total_mib
        if wanted is not None and total is not None and total < wanted:
            raise PlanError(
                ErrorCode.DOES_NOT_FIT,
                {"needed_mib": wanted, "available_mib": total, "gpu": gpu.index},
                cause=f"The profile needs {wanted} MiB per GPU; GPU {gpu.index} has {total} MiB.",
                remedy="Choose another profile or host, or plan this model anew for this host.",
            )


def choose_profile_image(profile: Profile, engine: EngineData, host: HostView) -> ImageChoice:
    """Choose the image of the profile's version, or of the newest that runs here.

    Raises:
        PlanError: UNSUPPORTED_COMBINATION.
    """
    file = engine.engine
    device = Device.NVIDIA if profile.gpu_count else Device.CPU
    version = None if profile.engine_version == NEWEST else profile.engine_version
    if not file.plannable:
        raise PlanError(
            ErrorCode.UNSUPPORTED_COMBINATION,
            {"engine": file.id},
            cause=file.why_not.en if file.why_not else f"{file.name} cannot be deployed.",
            remedy="Choose a profile of another engine.",
        )
    choice = choose_image(file, host.traits(device), version=version)
    if isinstance(choice, ImageRefusal):
        raise _no_image(profile, choice)
    named = rule_for_reference(file, profile.image, choice.version) if profile.image else None
    return replace(choice, rule=named) if named is not None else choice


def _no_image(profile: Profile, refusal: ImageRefusal) -> PlanError:
    problem = refusal.problem.name.lower().replace("_", " ")
    wanted = f"; it needs {refusal.wanted}" if refusal.wanted else ""
    found = f", this host has {refusal.found}" if refusal.found else ""
    return PlanError(
        ErrorCode.UNSUPPORTED_COMBINATION,
        {"engine": profile.engine, "version": refusal.version, "problem": problem},
        cause=f"No image of {profile.engine} {profile.engine_version} runs on this host "
        f"({problem}{wanted}{found}).",
        remedy="Set engine_version to “newest”, or plan this model anew for this host.",
    )


def gpu_access(host: HostView, choice: GpuChoice | None) -> str:
    """Return how the container is given its GPUs.

    A recording without container engine gets ``--gpus``, which every Docker understands.
    """
    if choice is None:
        return GpuAccess.NONE.value
    if host.gpu_access in (GpuAccess.NONE, GpuAccess.UNKNOWN):
        return GpuAccess.DEVICE_REQUEST.value
    return host.gpu_access.value
