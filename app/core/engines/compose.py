"""A container spec as a compose file, the same container that `docker_run` writes as a line."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from app.core.deployment.spec import ContainerSpec
from app.core.engines.docker_run import gpu_names, known_labels, published
from app.core.hardware.fingerprint import GpuAccess

Node: TypeAlias = "str | int | bool | Mapping[str, Node] | tuple[Node, ...]"

_INDENT: Final = "  "


def compose_text(spec: ContainerSpec) -> str:
    """Return a compose file with one service.

    Secrets appear by name only: ``docker compose`` takes their values from its own environment or
    an ``.env`` file. ``$`` is doubled, because compose would replace what follows it.
    """
    service = dict(_service(spec))
    document: dict[str, Node] = {"services": {spec.name: service}}
    volumes = {
        mount.source: {"name": mount.source} for mount in spec.mounts if mount.kind != "bind"
    }
    if volumes:
        document["volumes"] = volumes
    return "\n".join(_lines(document, 0)) + "\n"


def _service(spec: ContainerSpec) -> Iterator[tuple[str, Node]]:
    """Yield what compose knows under other names than the API does, leaving out what is unset."""
    yield "image", spec.image
    yield "container_name", spec.name
    if spec.entrypoint:
        yield "entrypoint", spec.entrypoint
    if spec.command:
        yield "command", spec.command
    yield "init", spec.init
    yield "restart", spec.restart_policy
    if spec.user is not None:
        yield "user", spec.user
    if spec.container_port:
        yield "ports", (published(spec),)
    else:
        yield "network_mode", "none"
    environment = [f"{name}={value}" for name, value in spec.environment.items()]
    yield from _gpus(spec, environment)
    if environment or spec.secret_environment:
        yield "environment", (*environment, *spec.secret_environment)
    if spec.mounts:
        yield "volumes", tuple(_volumes(spec))
    yield from _limits(spec)
    labels = dict(known_labels(spec))
    if labels:
        yield "labels", labels


def _gpus(spec: ContainerSpec, environment: list[str]) -> Iterator[tuple[str, Node]]:
    """Yield how GPUs are handed over; the runtime of NVIDIA is told by a variable."""
    if not spec.gpu_uuids:
        return
    match spec.gpu_access:
        case GpuAccess.CDI.value:
            yield "devices", tuple(gpu_names(spec))
        case GpuAccess.NVIDIA_RUNTIME.value:
            yield "runtime", "nvidia"
            environment.append(f"NVIDIA_VISIBLE_DEVICES={','.join(spec.gpu_uuids)}")
        case _:
            reserved: Node = {
                "driver": "nvidia",
                "device_ids": spec.gpu_uuids,
                "capabilities": ("gpu",),
            }
            yield "deploy", {"resources": {"reservations": {"devices": (reserved,)}}}


def _volumes(spec: ContainerSpec) -> Iterator[Node]:
    for mount in spec.mounts:
        yield {
            "type": mount.kind,
            "source": mount.source,
            "target": mount.target,
            "read_only": mount.read_only,
        }


def _limits(spec: ContainerSpec) -> Iterator[tuple[str, Node]]:
    if spec.shm_size_bytes is not None:
        yield "shm_size", spec.shm_size_bytes
    if spec.memory_limit_bytes is not None:
        yield "mem_limit", spec.memory_limit_bytes
    if spec.pids_limit is not None:
        yield "pids_limit", spec.pids_limit
    for name, values in (
        ("security_opt", spec.security_options),
        ("cap_drop", spec.capabilities_drop),
        ("cap_add", spec.capabilities_add),
    ):
        if values:
            yield name, values
    # The limits belong to this driver; docker run is told them for whichever is set on the host.
    options = {"max-size": spec.log_max_size, "max-file": str(spec.log_max_files)}
    yield "logging", {"options": options}


def _lines(node: Mapping[str, Node], depth: int) -> Iterator[str]:
    for key, value in node.items():
        yield from _entry(f"{_INDENT * depth}{_key(key)}:", value, depth)


def _entry(head: str, value: Node, depth: int) -> Iterator[str]:
    if isinstance(value, Mapping):
        yield head
        yield from _lines(value, depth + 1)
    elif isinstance(value, tuple):
        yield head
        for item in value:
            yield from _item(item, depth + 1)
    else:
        yield f"{head} {_scalar(value)}"


def _item(item: Node, depth: int) -> Iterator[str]:
    """Yield one element of a list; a mapping begins on the dash's own line."""
    if not isinstance(item, Mapping):
        yield from (f"{_INDENT * depth}- {_scalar(value)}" for value in _scalars(item))
        return
    lines = list(_lines(item, depth + 1))
    yield f"{_INDENT * depth}- {lines[0].lstrip()}"
    yield from lines[1:]


def _scalars(item: Node) -> Iterable[Node]:
    return item if isinstance(item, tuple) else (item,)


def _key(key: str) -> str:
    return key if key.replace("-", "").replace("_", "").isalnum() else json.dumps(key)


def _scalar(value: Node) -> str:
    """Return a value as YAML; text always in JSON's quotes, which YAML reads the same."""
    if isinstance(value, str):
        return json.dumps(value.replace("$", "$$"), ensure_ascii=False)
    return json.dumps(value)
