"""A container spec as a ``docker run`` line that can be pasted into a shell."""

import shlex
from collections.abc import Iterator
from typing import Final

from app.core.deployment.spec import ContainerSpec
from app.core.hardware import cdi
from app.core.hardware.fingerprint import GpuAccess
from app.core.labels import PORT

_BREAK: Final = " \\\n  "


def docker_run_text(spec: ContainerSpec, *, one_line: bool = False) -> str:
    """Return the shell-quoted ``docker run`` line of a container.

    Secrets appear as ``-e NAME`` only: docker takes their values from the shell's environment.
    """
    groups: list[tuple[str, ...]] = [("docker", "run", "-d", "--name", spec.name)]
    groups += _process(spec)
    groups += _gpus(spec)
    groups.append(("-p", published(spec)) if spec.container_port else ("--network", "none"))
    groups += _mounts(spec)
    groups += [("-e", f"{name}={value}") for name, value in spec.environment.items()]
    groups += [("-e", name) for name in spec.secret_environment]
    groups += _limits(spec)
    groups += [("--label", f"{name}={value}") for name, value in known_labels(spec)]
    # docker run takes one word as entry point, the rest of it leads the command.
    if spec.entrypoint:
        groups.append(("--entrypoint", spec.entrypoint[0]))
    groups.append((spec.image,))
    groups += [(word,) for word in spec.entrypoint[1:]]
    groups += _command_groups(spec.command)
    joint = " " if one_line else _BREAK
    return joint.join(shlex.join(group) for group in groups)


def known_labels(spec: ContainerSpec) -> Iterator[tuple[str, str]]:
    """Leave out what is known only when it is deployed: a digest, a port that is still free."""
    for name, value in spec.labels.items():
        if value and not (name == PORT and value == "0"):
            yield name, value


def _process(spec: ContainerSpec) -> list[tuple[str, ...]]:
    groups: list[tuple[str, ...]] = [("--init",)] if spec.init else []
    groups.append(("--restart", spec.restart_policy))
    if spec.user is not None:
        groups.append(("--user", spec.user))
    groups += [("--security-opt", option) for option in spec.security_options]
    groups += [("--cap-drop", name) for name in spec.capabilities_drop]
    groups += [("--cap-add", name) for name in spec.capabilities_add]
    return groups


def _gpus(spec: ContainerSpec) -> list[tuple[str, ...]]:
    if not spec.gpu_uuids:
        return []
    match spec.gpu_access:
        case GpuAccess.CDI.value:
            return [("--device", name) for name in gpu_names(spec)]
        case GpuAccess.NVIDIA_RUNTIME.value:
            visible = ",".join(spec.gpu_uuids)
            return [("--runtime", "nvidia"), ("-e", f"NVIDIA_VISIBLE_DEVICES={visible}")]
        case _:
            # The inner quotes are docker's own: a comma would otherwise end the field.
            return [("--gpus", f'"device={",".join(spec.gpu_uuids)}"')]


def gpu_names(spec: ContainerSpec) -> tuple[str, ...]:
    """Return what the container device interface calls the GPUs."""
    return tuple(spec.cdi_names) or tuple(f"{cdi.KIND}{uuid}" for uuid in spec.gpu_uuids)


def published(spec: ContainerSpec) -> str:
    """Return ``address:port:container port``; the port stays open until it is resolved."""
    port = str(spec.host_port) if spec.host_port else ""
    address = f"[{spec.host_address}]" if ":" in spec.host_address else spec.host_address
    return f"{address}:{port}:{spec.container_port}"


def _mounts(spec: ContainerSpec) -> list[tuple[str, ...]]:
    return [
        ("-v", f"{mount.source}:{mount.target}" + (":ro" if mount.read_only else ""))
        for mount in spec.mounts
    ]


def _limits(spec: ContainerSpec) -> list[tuple[str, ...]]:
    groups: list[tuple[str, ...]] = []
    if spec.shm_size_bytes is not None:
        groups.append(("--shm-size", str(spec.shm_size_bytes)))
    if spec.memory_limit_bytes is not None:
        groups.append(("--memory", str(spec.memory_limit_bytes)))
    if spec.pids_limit is not None:
        groups.append(("--pids-limit", str(spec.pids_limit)))
    groups.append(("--log-opt", f"max-size={spec.log_max_size}"))
    groups.append(("--log-opt", f"max-file={spec.log_max_files}"))
    return groups


def _command_groups(command: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Keep each flag and its value on one line."""
    groups: list[tuple[str, ...]] = []
    for word in command:
        if groups and not word.startswith("--") and groups[-1][0].startswith("-"):
            groups[-1] = (*groups[-1], word)
        else:
            groups.append((word,))
    return groups
