"""Put together what is known of the container engine and of how it gives out GPUs."""

from dataclasses import replace
from pathlib import PurePosixPath

from app.core.hardware.assemble_host import Findings
from app.core.hardware.fingerprint import ContainerRuntime, GpuAccess, UnknownReason
from app.core.hardware.section_book import SectionBook, section_reason
from app.core.hardware.tools.docker_info import (
    DockerInfo,
    DockerVersion,
    read_cdi_list,
    read_cdi_specs,
    read_docker_info,
    read_docker_version,
    read_podman_info,
    read_toolkit_version,
)


def read_containers(book: SectionBook, found: Findings) -> ContainerRuntime:
    """Read which container engine is there, whether this user may talk to it, and GPU access."""
    version = _docker_version(book)
    info = read_docker_info(book.text("docker-info"))
    podman = read_podman_info(book.text("podman-info"))
    if version is None and (info is None or info.version is None) and podman is not None:
        return _podman(book, podman, found)
    runtime = _with_details(_docker(book, version, info), info)
    for name, sections in (
        ("name", ("docker-version", "docker")),
        ("version", ("docker-version", "docker")),
        ("api_version", ("docker-version", "docker")),
        ("rootless", ("docker-info", "docker")),
        ("reachable", ("docker-version", "docker")),
        ("root_dir", ("docker-info", "docker")),
        ("toolkit_version", ("nvctk",)),
        ("storage_driver", ("docker-info",)),
        ("cgroup_driver", ("docker-info",)),
        ("cgroup_version", ("docker-info",)),
        ("default_runtime", ("docker-info",)),
    ):
        if getattr(runtime, name) is None:
            found.unknown[f"containers.{name}"] = _why_no_docker(book, *sections)
    if runtime.name is not None:
        found.sources["containers"] = "docker-version" if book.get("docker-version") else "docker"
    if runtime.gpu_access is GpuAccess.UNKNOWN:
        found.unknown["containers.gpu_access"] = _why_no_docker(book, "docker-info", "docker")
    return runtime


def _with_details(runtime: ContainerRuntime, info: DockerInfo | None) -> ContainerRuntime:
    """Add what only the engine's own report says."""
    if info is None:
        return runtime
    return replace(
        runtime,
        storage_driver=info.storage_driver,
        cgroup_driver=info.cgroup_driver,
        cgroup_version=info.cgroup_version,
        default_runtime=info.default_runtime,
        security_options=info.security_options,
        cdi_spec_dirs=info.cdi_spec_dirs,
        proxies=info.proxies,
        registry_mirrors=info.registry_mirrors,
        engine_warnings=info.warnings,
    )


def _why_no_docker(book: SectionBook, *names: str) -> UnknownReason:
    """Return the reason; a client that cannot reach its daemon exits with 1 and says why."""
    asked = [section for name in names if (section := book.get(name)) is not None]
    reasons = [section_reason(section) for section in asked]
    return reasons[0] if reasons else UnknownReason.NOT_ASKED


def _docker_version(book: SectionBook) -> DockerVersion | None:
    for name in ("docker-version", "docker"):
        version = read_docker_version(book.text(name))
        if version is not None:
            return version
    return None


def _docker(
    book: SectionBook, version: DockerVersion | None, info: DockerInfo | None
) -> ContainerRuntime:
    answered = version is not None or (info is not None and info.version is not None)
    asked = [s for n in ("docker-version", "docker", "docker-info") if (s := book.get(n))]
    has_client = any(section.exit_code not in {127, None} for section in asked)
    if not answered and not has_client:
        socket = _socket(book)
        name = "docker" if socket is not None else None
        return ContainerRuntime(name=name, toolkit_version=_toolkit(book))
    devices = (info.cdi_devices if info else ()) or _spec_devices(book, info)
    access = _gpu_access(book, info, devices) if answered else GpuAccess.UNKNOWN
    return ContainerRuntime(
        name=version.name if version is not None else "docker",
        version=(version.version if version else None) or (info.version if info else None),
        api_version=version.api_version if version else None,
        rootless=info.rootless if info else None,
        reachable=answered,
        root_dir=info.root_dir if info else None,
        runtimes=info.runtimes if info else (),
        cdi_devices=devices,
        gpu_access=access,
        toolkit_version=_toolkit(book),
    )


def _socket(book: SectionBook) -> str | None:
    lines = [line.split(" ", 1)[0] for line in book.text("sockets").splitlines()]
    return next((line for line in lines if PurePosixPath(line).name == "docker.sock"), None)


def _toolkit(book: SectionBook) -> str | None:
    return read_toolkit_version(book.text("nvctk"))


def _spec_devices(book: SectionBook, info: DockerInfo | None) -> tuple[str, ...]:
    """Return devices from the spec files, where the engine is known to read them."""
    if info is None or not info.cdi_enabled:
        return ()
    return read_cdi_list(book.text("cdi-list")) or read_cdi_specs(book.text("cdi-spec"))


def _gpu_access(book: SectionBook, info: DockerInfo | None, devices: tuple[str, ...]) -> GpuAccess:
    if any(name.startswith("nvidia.com/gpu=") for name in devices):
        return GpuAccess.CDI
    if info is not None and "nvidia" in info.runtimes:
        return GpuAccess.NVIDIA_RUNTIME
    tools = book.output("which")
    if tools is not None:
        present = {words[0] for line in tools[1].splitlines() if len(words := line.split()) > 1}
        if present & {"nvidia-container-runtime-hook", "nvidia-container-toolkit"}:
            return GpuAccess.DEVICE_REQUEST
        return GpuAccess.NONE if info is not None else GpuAccess.UNKNOWN
    return GpuAccess.UNKNOWN


def _podman(book: SectionBook, podman: DockerInfo, found: Findings) -> ContainerRuntime:
    devices = read_cdi_list(book.text("cdi-list")) or read_cdi_specs(book.text("cdi-spec"))
    has_gpu = any(name.startswith("nvidia.com/gpu=") for name in devices)
    found.sources["containers"] = "podman-info"
    runtime = ContainerRuntime(
        name="podman",
        version=podman.version,
        rootless=podman.rootless,
        reachable=True,
        root_dir=podman.root_dir,
        runtimes=podman.runtimes,
        cdi_devices=devices,
        gpu_access=GpuAccess.CDI if has_gpu else GpuAccess.NONE,
        toolkit_version=_toolkit(book),
    )
    return _with_details(runtime, podman)
