"""Read the engine's documents into our values. Absent fields become unknown, never invented."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from app.io.containers import ENDED, ContainerInfo, EngineVersion, ImageInfo

_NEVER = "0001-01-01T00:00:00Z"
"""Docker's way of writing that a time has not come."""


def engine_version(version: Mapping[str, Any], info: Mapping[str, Any]) -> EngineVersion:
    """Read the answers to ``/version`` and ``/info``."""
    components = version.get("Components") or [{}]
    name = str(components[0].get("Name", ""))
    discovered = info.get("DiscoveredDevices") or ()
    return EngineVersion(
        name="podman" if "podman" in name.lower() else "docker",
        version=str(version.get("Version", "")),
        api_version=str(version.get("ApiVersion", "")),
        min_api_version=str(version.get("MinAPIVersion", "")),
        os=str(info.get("OperatingSystem") or version.get("Os", "")),
        architecture=str(version.get("Arch", "")),
        rootless=any("rootless" in option for option in info.get("SecurityOptions") or ()),
        runtimes=tuple(sorted(info.get("Runtimes") or ())),
        cdi_devices=tuple(
            str(device.get("ID", "")) for device in discovered if device.get("Source") == "cdi"
        ),
        root_dir=str(info.get("DockerRootDir", "")),
        system_time=str(info.get("SystemTime", "")),
    )


def image_info(document: Mapping[str, Any]) -> ImageInfo:
    """Read the answer to ``/images/NAME/json``."""
    config = document.get("Config") or {}
    return ImageInfo(
        id=str(document.get("Id", "")),
        tags=tuple(document.get("RepoTags") or ()),
        repo_digests=tuple(document.get("RepoDigests") or ()),
        size_bytes=int(document.get("Size") or 0),
        entrypoint=tuple(config.get("Entrypoint") or ()),
        environment=tuple(config.get("Env") or ()),
        user=str(config.get("User") or ""),
    )


def container_info(document: Mapping[str, Any]) -> ContainerInfo:
    """Read the answer to ``/containers/ID/json``."""
    state = document.get("State") or {}
    config = document.get("Config") or {}
    policy = (document.get("HostConfig") or {}).get("RestartPolicy") or {}
    status = str(state.get("Status", ""))
    return ContainerInfo(
        id=str(document.get("Id", "")),
        name=str(document.get("Name", "")).removeprefix("/"),
        image=str(config.get("Image", "")),
        image_id=str(document.get("Image", "")),
        status=status,
        labels=MappingProxyType(dict(config.get("Labels") or {})),
        exit_code=int(state.get("ExitCode", 0)) if status in ENDED else None,
        oom_killed=bool(state.get("OOMKilled")),
        error=str(state.get("Error") or ""),
        restart_count=int(document.get("RestartCount") or 0),
        restart_policy=str(policy.get("Name") or "no"),
        created_at=str(document.get("Created", "")),
        started_at=_time(state.get("StartedAt")),
        finished_at=_time(state.get("FinishedAt")),
        host_ports=MappingProxyType(_host_ports(document)),
        command=tuple(config.get("Cmd") or ()),
        environment=tuple(config.get("Env") or ()),
    )


def _time(value: object) -> str:
    return "" if value in {None, _NEVER} else str(value)


def _host_ports(document: Mapping[str, Any]) -> dict[int, int]:
    """Return the published ports: as they are now, else as they were asked for."""
    bound = (document.get("NetworkSettings") or {}).get("Ports") or {}
    asked = (document.get("HostConfig") or {}).get("PortBindings") or {}
    found: dict[int, int] = {}
    for source in (asked, bound):
        for port, bindings in source.items():
            for binding in bindings or ():
                if (host_port := str(binding.get("HostPort") or "0")) != "0":
                    found[int(port.partition("/")[0])] = int(host_port)
    return found
