"""Our container specification as the arguments docker-py wants."""

from collections.abc import Mapping
from typing import Any

import docker
from docker.types import DeviceRequest, LogConfig, Mount

from app.core.deployment.spec import ContainerSpec
from app.core.hardware import cdi
from app.core.hardware.fingerprint import GpuAccess
from app.io.docker import errors


def create_arguments(
    api: docker.APIClient, spec: ContainerSpec, *, image_id: str, secrets: Mapping[str, str]
) -> dict[str, Any]:
    """Return the keyword arguments of ``APIClient.create_container``.

    The image's health check and (unless given) entrypoint and user stay as they are.

    Raises:
        DockerError: DOCKER_REFUSED when a secret is missing.
    """
    entrypoint = {"entrypoint": list(spec.entrypoint)} if spec.entrypoint else {}
    return {
        **entrypoint,
        "image": image_id or spec.image,
        "command": list(spec.command),
        "name": spec.name,
        "environment": _environment(spec, secrets),
        "labels": dict(spec.labels),
        "user": spec.user,
        "ports": [spec.container_port] if spec.container_port else [],
        "host_config": api.create_host_config(**_host_config(spec)),
        "use_config_proxy": False,
    }


def _environment(spec: ContainerSpec, secrets: Mapping[str, str]) -> dict[str, str]:
    environment = dict(spec.environment)
    for name in spec.secret_environment:
        if name not in secrets:
            raise errors.secret_missing(name)
        environment[name] = secrets[name]
    if spec.gpu_uuids and spec.gpu_access == GpuAccess.NVIDIA_RUNTIME:
        environment["NVIDIA_VISIBLE_DEVICES"] = ",".join(spec.gpu_uuids)
    return environment


def _host_config(spec: ContainerSpec) -> dict[str, Any]:
    wanted: dict[str, Any] = {
        **_network(spec),
        # A bind mount refuses a source that is not there; the option -v would create it.
        "mounts": [
            Mount(
                mount.target,
                mount.source,
                type="volume" if mount.kind == "volume" else "bind",
                read_only=mount.read_only,
            )
            for mount in spec.mounts
        ],
        "restart_policy": {"Name": spec.restart_policy},
        "cap_drop": list(spec.capabilities_drop),
        "cap_add": list(spec.capabilities_add),
        "security_opt": list(spec.security_options),
        "init": spec.init,
        "shm_size": spec.shm_size_bytes,
        "mem_limit": spec.memory_limit_bytes,
        "pids_limit": spec.pids_limit,
        "log_config": LogConfig(
            type="json-file",
            config={"max-size": spec.log_max_size, "max-file": str(spec.log_max_files)},
        ),
        **_gpus(spec),
    }
    return {key: value for key, value in wanted.items() if value is not None}


def _network(spec: ContainerSpec) -> dict[str, Any]:
    if not spec.container_port:
        return {"network_mode": "none"}
    published = (spec.host_address, spec.host_port) if spec.host_port else (spec.host_address,)
    return {"port_bindings": {spec.container_port: published}}


def _gpus(spec: ContainerSpec) -> dict[str, Any]:
    if not spec.gpu_uuids:
        return {}
    match spec.gpu_access:
        case GpuAccess.CDI:
            names = list(spec.cdi_names) or [f"{cdi.KIND}{uuid}" for uuid in spec.gpu_uuids]
            return {"device_requests": [DeviceRequest(driver="cdi", device_ids=names)]}
        case GpuAccess.NVIDIA_RUNTIME:
            return {"runtime": "nvidia"}
        case _:
            wanted = DeviceRequest(
                driver="nvidia", device_ids=list(spec.gpu_uuids), capabilities=[["gpu"]]
            )
            return {"device_requests": [wanted]}
