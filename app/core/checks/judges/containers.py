"""Judges of the container engine and of how it hands out GPUs."""

import re
from textwrap import shorten
from typing import Final

from app.core.checks.host_view import HostView
from app.core.checks.registry import judge
from app.core.checks.spec import CheckData
from app.core.checks.verdict import Verdict, failed, not_applicable, passed, unknown, warned
from app.core.hardware.fingerprint import GpuAccess, UnknownReason
from app.core.texts import Text
from app.core.versions import driver_key

_HOW: Final = {
    GpuAccess.CDI: Text(en="CDI", zh_CN="CDI"),
    GpuAccess.NVIDIA_RUNTIME: Text(en="the nvidia runtime", zh_CN="nvidia 运行时"),
    GpuAccess.DEVICE_REQUEST: Text(en="--gpus", zh_CN="--gpus"),
}
_NODE = re.compile(r"^c([rwx-]{9})\S?\s+\S+\s+(\S+)\s+(\S+)\s.*?(/dev/\S+)\s*$", re.MULTILINE)
_GPU_NODE = re.compile(r"/dev/nvidia[0-9]+")
_LIBRARY = re.compile(r"libcuda\.so\.([0-9]+(?:\.[0-9]+)+)")
_GPU_KIND = "nvidia.com/gpu"


@judge("docker-daemon")
def daemon(view: HostView, check: CheckData) -> Verdict:
    """It answers this account, in a version that can be worked with."""
    found = view.fingerprint.containers
    if found.name is None:
        missing = view.reason("containers.name") is UnknownReason.TOOL_MISSING
        if missing and not view.is_container:
            return failed("docker, podman: not found", key="absent")
        return view.missing("containers.name", "docker-version", "docker")
    if not found.reachable:
        return _silent(view, found.name)
    api, wanted = driver_key(found.api_version), driver_key(check.lists.get("api", ("1.44",))[0])
    values = {"name": found.name, "version": found.version or "?", "api": found.api_version or "–"}
    evidence = f"{view.source('containers')}: {found.version}, API {found.api_version or '–'}"
    if found.name == "docker" and api is not None and wanted is not None and api < wanted:
        return warned(evidence, **values)
    return (
        warned(evidence, key="rootless", **values) if found.rootless else passed(evidence, **values)
    )


def _silent(view: HostView, name: str) -> Verdict:
    section = view.section("docker-version", "docker", "docker-info")
    if section is None:
        return failed("", name=name, words="")
    if section.exit_code is None:
        return view.why("docker-version")
    said = section.stderr.strip() or section.stdout.strip()
    words = shorten(said.splitlines()[0], 200, placeholder=" …") if said else ""
    evidence = f"{section.name}: {words}"
    if "permission denied" in said.lower():  # it may well run: docker-group says what to do
        return unknown("engine_unreachable", evidence)
    return failed(evidence, name=name, words=words)


@judge("docker-group")
def group(view: HostView, _check: CheckData) -> Verdict:
    """This account may use the socket."""
    section = view.book.get("sockets")
    lines = section.stdout.splitlines() if section is not None else []
    sockets = [line.strip() for line in lines if "usable=" in line]
    words = view.book.text("id")
    how = "docker" if "(docker)" in words else "socket"
    how = "root" if view.fingerprint.machine.is_root else how
    if any(line.endswith("usable=yes") for line in sockets):
        return passed(*sockets[:3], how=how)
    if view.fingerprint.containers.reachable:
        return passed(f"{view.source('containers')}: it answers", how=how)
    if sockets:
        return failed(*sockets[:3])
    if view.reason("containers.name") is UnknownReason.TOOL_MISSING:
        return not_applicable("no_engine")
    return view.why("sockets", "docker-version")


@judge("docker-info")
def info(view: HostView, _check: CheckData) -> Verdict:
    """Storage driver, cgroup driver and where it was installed from."""
    found = view.fingerprint.containers
    if found.name != "docker":
        return not_applicable("docker_only")
    storage, cgroup, folder = found.storage_driver, found.cgroup_driver, found.root_dir or ""
    if storage is None or cgroup is None:
        return view.missing("containers.storage_driver", "docker-info")
    evidence = f"docker-info: storage {storage}, cgroup {cgroup}, root {folder}"
    values = {"storage": storage, "cgroup": cgroup}
    if storage == "vfs":
        return failed(evidence)
    if folder.startswith(("/var/snap", "/snap")):
        return warned(evidence, key="snap", folder=folder)
    on_systemd = view.units is not None
    is_odd = cgroup == "cgroupfs" and on_systemd
    return warned(evidence, **values) if is_odd else passed(evidence, **values)


@judge("nvidia-runtime")
def gpu_access(view: HostView, check: CheckData) -> Verdict:
    """NVIDIA's toolkit or a CDI specification is there."""
    found = view.fingerprint.containers
    if found.gpu_access is GpuAccess.NONE:
        return failed("no nvidia runtime, hook or CDI device")
    how = _HOW.get(found.gpu_access)
    if how is None:
        return view.missing("containers.gpu_access", "docker-info")
    wanted = check.lists.get("toolkit", ("1.17.8",))[0]
    version, need = driver_key(found.toolkit_version), driver_key(wanted)
    devices = f"{len(found.cdi_devices)} CDI devices"
    lines = (f"GPU access: {found.gpu_access.value}, {devices}", f"nvctk: {found.toolkit_version}")
    if version is None or need is None:
        return passed(lines[0], key="plain", how=how)
    newest = found.toolkit_version
    if version < need:
        return warned(*lines, how=how, version=newest, wanted=wanted)
    return passed(*lines, how=how, version=newest)


@judge("cdi-fresh")
def cdi_fresh(view: HostView, _check: CheckData) -> Verdict:
    """The CDI specification names the libraries of the loaded driver."""
    section = view.book.get("cdi-spec")
    if section is None:
        return view.why("cdi-spec")
    parts = re.split(r"^== (.*)$", section.stdout, flags=re.MULTILINE)
    files = {n: body for n, body in zip(parts[1::2], parts[2::2], strict=True) if _GPU_KIND in body}
    if not files:
        return not_applicable("no_cdi")
    lines = [f"cdi-spec: {name}" for name in files]
    if len(files) > 1:
        return warned(*lines[:4], files=", ".join(files))
    libraries = sorted(set(_LIBRARY.findall(section.stdout)))
    driver = view.fingerprint.driver_module.version or view.fingerprint.driver_version
    if not libraries or driver is None:
        return unknown("not_reported", *lines)
    lines.append("libcuda: " + ", ".join(libraries))
    stale = [v for v in libraries if driver_key(v) != driver_key(driver)]
    if stale:
        return failed(*lines, found=", ".join(stale), version=driver)
    return passed(*lines, version=driver)


@judge("nvml-unknown-container")
def keeps_gpus(view: HostView, _check: CheckData) -> Verdict:
    """How GPUs are given decides whether a reload of systemd takes them away."""
    found = view.fingerprint.containers
    how = _HOW.get(found.gpu_access)
    if found.gpu_access is GpuAccess.NONE:
        return not_applicable("no_gpu_access")
    if how is None or found.cgroup_driver is None:
        return view.missing("containers.cgroup_driver", "docker-info")
    evidence = f"GPU access {found.gpu_access.value}, cgroup driver {found.cgroup_driver}"
    if found.gpu_access is not GpuAccess.CDI and found.cgroup_driver == "systemd":
        return warned(evidence)
    return passed(evidence, how=how, cgroup=found.cgroup_driver)


@judge("cgroup-v2")
def cgroup(view: HostView, _check: CheckData) -> Verdict:
    """Version 2 of control groups."""
    said = view.book.text("cgroup").strip()
    version = view.fingerprint.containers.cgroup_version
    lines = [f"stat /sys/fs/cgroup: {said}"] if said else []
    lines += [f"docker-info: CgroupVersion {version}"] if version is not None else []
    if not lines:
        return view.why("cgroup", "docker-info")
    is_second = said == "cgroup2fs" or (not said and version == 2)
    return passed(*lines) if is_second else warned(*lines)


@judge("device-nodes")
def device_nodes(view: HostView, _check: CheckData) -> Verdict:
    """The GPUs' device files are there and may be used."""
    section = view.book.get("dev")
    if section is None or not section.stdout.strip():
        return view.why("dev")
    nodes = {m[4]: (m[1], m[3]) for m in _NODE.finditer(section.stdout)}
    gpus = [name for name in nodes if _GPU_NODE.fullmatch(name)]
    missing = ["/dev/nvidiactl"] if "/dev/nvidiactl" not in nodes else []
    if len(gpus) < len(view.gpus):
        missing.append(f"/dev/nvidia0…{len(view.gpus) - 1}")
    lines = [f"dev: {rights} {name}" for name, (rights, _) in sorted(nodes.items())][:8]
    if missing:
        return failed(*lines, names=", ".join(missing))
    groups = set(re.findall(r"\(([\w-]+)\)", view.book.text("id")))
    closed = [n for n in (*gpus, "/dev/nvidiactl") if not _is_usable(*nodes[n], groups)]
    if closed and not view.fingerprint.machine.is_root:
        return failed(*lines, key="rights", names=", ".join(sorted(closed)[:8]))
    return passed(*lines) if "/dev/nvidia-uvm" in nodes else warned(*lines)


def _is_usable(rights: str, group: str, groups: set[str]) -> bool:
    return rights[6:8] == "rw" or (rights[3:5] == "rw" and group in groups)
