"""Read ``docker version``/``docker info`` (JSON or the old text) and who else serves containers.

``reachable`` is about this user: a daemon that refuses the socket is there but not reachable.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from app.core.hardware.tools.docker_info_text import read_info_text
from app.core.hardware.tools.json_access import child, items, parse_object, text_of

_TEXT_SERVER = re.compile(
    r"^Server:.*?^\s+Version:\s+(\S+).*?^\s+API version:\s+(\S+)", re.MULTILINE | re.DOTALL
)
_CDI_NAME = re.compile(r"^[a-z0-9][\w.-]*/[\w.-]+=[\w.:-]+$", re.IGNORECASE)
_SECRET = re.compile(r"(?<=://)[^/@\s]*@")
_TOOLKIT = re.compile(r"version\s+v?([0-9]+\.[0-9]+\.[0-9]+\S*)", re.IGNORECASE)
_SPEC_KIND = re.compile(r"""^\s*"?kind"?:\s*"?([\w.-]+/[\w.-]+)"?""", re.MULTILINE)
_SPEC_NAME = re.compile(r"""^\s*(?:-\s+)?"?name"?:\s*"?([\w.:-]+)"?,?\s*$""", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class DockerVersion:
    """The server's part of ``docker version``."""

    name: str
    """``docker`` or ``podman``."""
    version: str | None
    api_version: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DockerInfo:
    """The part of ``docker info`` that matters to GPUs and models."""

    version: str | None = None
    root_dir: str | None = None
    runtimes: tuple[str, ...] = ()
    cdi_enabled: bool | None = None
    """``None`` when this version does not say (before 25)."""
    cdi_devices: tuple[str, ...] = ()
    rootless: bool | None = None
    errors: tuple[str, ...] = ()
    storage_driver: str | None = None
    cgroup_driver: str | None = None
    cgroup_version: int | None = None
    default_runtime: str | None = None
    security_options: tuple[str, ...] = ()
    cdi_spec_dirs: tuple[str, ...] = ()
    proxies: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    registry_mirrors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def read_docker_version(text: str) -> DockerVersion | None:
    """Read the server's version, ``None`` when only a client answered."""
    document = parse_object(text)
    if document is None:
        match = _TEXT_SERVER.search(text)
        if match is None:
            return None
        name = "podman" if "podman" in text.lower() else "docker"
        return DockerVersion(name=name, version=match[1], api_version=match[2])
    server = child(document, "Server")
    if not server and text_of(document, "ApiVersion"):
        server = document
    version = text_of(server, "Version")
    if version is None:
        return None
    components = [c for c in items(server, "Components") if isinstance(c, dict)]
    is_podman = any("podman" in str(c.get("Name", "")).lower() for c in components)
    return DockerVersion(
        name="podman" if is_podman else "docker",
        version=version,
        api_version=text_of(server, "ApiVersion") or text_of(server, "APIVersion"),
    )


def read_docker_info(text: str) -> DockerInfo | None:
    """Read ``docker info``, as JSON or as text; ``None`` when it is neither."""
    document = parse_object(text) or read_info_text(text)
    if document is None:
        return None
    errors = _texts(document, "ServerErrors")
    version = text_of(document, "ServerVersion")
    if version is None and not errors:
        return None
    options = _texts(document, "SecurityOptions")
    return DockerInfo(
        version=version,
        root_dir=text_of(document, "DockerRootDir"),
        runtimes=tuple(sorted(child(document, "Runtimes"))),
        cdi_enabled=bool(items(document, "CDISpecDirs")) if "CDISpecDirs" in document else None,
        cdi_devices=tuple(_discovered(document)),
        rootless=any("rootless" in o for o in options) if version is not None else None,
        errors=errors,
        storage_driver=text_of(document, "Driver"),
        cgroup_driver=text_of(document, "CgroupDriver"),
        cgroup_version=_cgroup_version(text_of(document, "CgroupVersion")),
        default_runtime=text_of(document, "DefaultRuntime"),
        security_options=tuple(options),
        cdi_spec_dirs=_texts(document, "CDISpecDirs"),
        proxies=MappingProxyType(dict(_proxies(document))),
        registry_mirrors=_texts(child(document, "RegistryConfig"), "Mirrors"),
        warnings=_texts(document, "Warnings"),
    )


def _texts(document: Mapping[str, object], key: str) -> tuple[str, ...]:
    return tuple(text for text in items(document, key) if isinstance(text, str))


def _cgroup_version(text: str | None) -> int | None:
    """Read Docker's ``2`` and Podman's ``v2``."""
    return {"1": 1, "2": 2}.get((text or "").lower().removeprefix("v"))


def _proxies(document: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield the proxies that are set, without user and password."""
    for key, name in (("HttpProxy", "http"), ("HttpsProxy", "https"), ("NoProxy", "no_proxy")):
        text = text_of(document, key)
        if text is not None:
            yield name, _SECRET.sub("", text)


def _discovered(document: Mapping[str, object]) -> list[str]:
    found = []
    for device in items(document, "DiscoveredDevices"):
        if isinstance(device, dict) and device.get("Source") == "cdi":
            name = device.get("ID")
            if isinstance(name, str) and _CDI_NAME.fullmatch(name):
                found.append(name)
    return sorted(found)


def read_podman_info(text: str) -> DockerInfo | None:
    """Read ``podman info --format json``."""
    document = parse_object(text)
    if document is None:
        return None
    version = text_of(child(document, "version"), "Version")
    if version is None:
        return None
    rootless = child(document, "host", "security").get("rootless")
    return DockerInfo(
        version=version,
        root_dir=text_of(child(document, "store"), "graphRoot"),
        runtimes=tuple(filter(None, [text_of(child(document, "host", "ociRuntime"), "name")])),
        cdi_enabled=True,
        rootless=rootless if isinstance(rootless, bool) else None,
        storage_driver=text_of(child(document, "store"), "graphDriverName"),
        cgroup_driver=text_of(child(document, "host"), "cgroupManager"),
        cgroup_version=_cgroup_version(text_of(child(document, "host"), "cgroupVersion")),
    )


def read_cdi_list(text: str) -> tuple[str, ...]:
    """Read ``nvidia-ctk cdi list``: one device name a line."""
    lines = (line.strip() for line in text.splitlines())
    return tuple(line for line in lines if _CDI_NAME.fullmatch(line))


def read_cdi_specs(text: str) -> tuple[str, ...]:
    """Read the probe's excerpt of CDI spec files (``== path``, kind and device names)."""
    found: set[str] = set()
    for part in re.split(r"^== .*$", text, flags=re.MULTILINE):
        kind = _SPEC_KIND.search(part)
        if kind is not None:
            found.update(f"{kind[1]}={name}" for name in _SPEC_NAME.findall(part))
    return tuple(sorted(found))


def read_toolkit_version(text: str) -> str | None:
    """Read ``nvidia-ctk --version``."""
    match = _TOOLKIT.search(text)
    return match[1] if match is not None else None
