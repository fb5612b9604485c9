"""The facts of host, plan and container under the names that rules use."""

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Final

from app.core.deployment.spec import DeploymentSpec
from app.core.diagnosis.comparisons import FactValue
from app.core.diagnosis.context import DiagnosisContext
from app.core.hardware.fingerprint import Fingerprint
from app.core.units import MIB
from app.core.versions import capability_key

_SHORT: Final = {"tp": "tensor_parallel_size", "pp": "pipeline_parallel_size"}


def facts_of(context: DiagnosisContext) -> dict[str, FactValue]:
    """Return what is known; what is not has no entry."""
    facts: dict[str, FactValue] = {
        "engine": context.engine,
        "engine_version": context.engine_version,
        "exit_code": context.exit_code,
        "oom_killed": context.oom_killed,
        "restart_count": context.restart_count,
    }
    if context.fingerprint is not None:
        facts.update(_of_host(context.fingerprint))
    if context.spec is not None:
        facts.update(_of_plan(context.spec))
    return {name: value for name, value in facts.items() if value is not None}


def _of_host(host: Fingerprint) -> Mapping[str, FactValue]:
    capabilities = sorted(
        (key, cap) for cap in (gpu.compute_cap for gpu in host.gpus) if (key := capability_key(cap))
    )
    return {
        "driver": host.driver_version,
        "host_cuda": host.cuda_version,
        "gpu_count": len(host.gpus) if "gpus" not in host.unknown else None,
        "compute_cap": capabilities[0][1] if capabilities else None,
        "gpu_memory": _smallest(gpu.memory_total_mib for gpu in host.gpus),
        "gpu_free": _smallest(gpu.memory_free_mib for gpu in host.gpus),
        "gpu_processes": len(host.gpu_processes),
        "host_memory": host.memory.total_bytes,
        "host_memory_available": host.memory.available_bytes,
        "gpu_access": str(host.containers.gpu_access),
        "container_engine": host.containers.name,
        "rootless": host.containers.rootless,
        "kernel": host.machine.kernel,
        "architecture": host.machine.architecture,
    }


def _smallest(values_mib: Iterable[int | None]) -> int | None:
    return min((value * MIB for value in values_mib if value is not None), default=None)


def _of_plan(spec: DeploymentSpec) -> Mapping[str, FactValue]:
    facts: dict[str, FactValue] = {
        "engine": spec.engine,
        "engine_version": spec.engine_version,
        "image": spec.image,
        "shm": spec.container.shm_size_bytes,
        "memory_limit": spec.container.memory_limit_bytes,
        "plan_gpus": len(spec.container.gpu_uuids),
        "estimate_per_gpu": spec.estimate_bytes_per_gpu,
    }
    environment = {f"env.{name}": value for name, value in spec.container.environment.items()}
    return facts | dict(flags_of(spec.container.command)) | environment


def flags_of(command: Iterable[str]) -> Iterable[tuple[str, FactValue]]:
    """Yield the flags of a command by name with ``_`` for ``-``; one without value is true."""
    for word, following in pairwise((*command, "--")):
        if not word.startswith("-"):
            continue
        name, equals, value = word.lstrip("-").partition("=")
        name = name.replace("-", "_")
        name = _SHORT.get(name, name)
        if equals:
            yield name, value
        else:
            yield name, True if following.startswith("-") else following
