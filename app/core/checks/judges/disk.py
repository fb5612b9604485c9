"""Judges of the disks that hold images and models."""

from pathlib import PurePosixPath
from typing import Final

from app.core.checks.host_view import HostView
from app.core.checks.registry import judge
from app.core.checks.spec import CheckData
from app.core.checks.verdict import Verdict, failed, not_applicable, passed, unknown, warned
from app.core.hardware.fingerprint import Disk
from app.core.hardware.tools.host_lines import read_block_devices
from app.core.texts import Text
from app.core.units import format_bytes
from app.core.versions import driver_key

_GB: Final = 10**9
_CONTAINERD: Final = "/var/lib/containerd"
_CONTAINERD_STORE_SINCE: Final = (29,)
_ROTATING: Final = Text(en="a rotating disk", zh_CN="机械硬盘")


def disk_of(view: HostView, folder: str) -> Disk | None:
    """Return the file system that holds a folder: the longest mount point above it."""
    path = PurePosixPath(folder)
    holding = [d for d in view.fingerprint.disks if path.is_relative_to(d.mount)]
    return max(holding, key=lambda disk: len(disk.mount), default=None)


@judge("disk-images")
def disk_images(view: HostView, check: CheckData) -> Verdict:
    """Room where the engine keeps its images."""
    runtime, limits = view.fingerprint.containers, check.thresholds
    folder = runtime.root_dir
    if folder is None:
        return view.missing("containers.root_dir", "docker-info")
    version = driver_key(runtime.version) or (0,)
    if runtime.storage_driver == "overlayfs" and version >= _CONTAINERD_STORE_SINCE:
        folder = _CONTAINERD
    disk = disk_of(view, folder)
    if disk is None:
        return view.why("df", "df-local", "df-plain")
    known = view.context.image_bytes
    image = known if known is not None else round(limits.get("image_gb", 30) * _GB)
    wanted, least = image * limits.get("pass_share", 2.0), image * limits.get("warn_share", 1.2)
    evidence = f"df: {disk.mount} {format_bytes(disk.free_bytes)} free, holds {folder}"
    values = {"free": format_bytes(disk.free_bytes), "folder": folder}
    if disk.free_bytes >= wanted:
        return passed(evidence, **values)
    # Without a plan the size is the largest usual one: less room is a warning, not a failure.
    if disk.free_bytes >= least or (known is None and disk.free_bytes >= least / 3):
        return warned(evidence, **values, wanted=format_bytes(round(wanted)))
    return failed(evidence, **values, wanted=format_bytes(round(least)))


@judge("disk-models")
def disk_models(view: HostView, check: CheckData) -> Verdict:
    """Room for the model's files."""
    context = view.context
    if context.model_bytes is None or context.model_folder is None:
        return not_applicable("needs_plan")
    if context.model_is_local:
        return passed(
            key="pass", free="–", folder=context.model_folder,
            model=format_bytes(context.model_bytes),
        )  # fmt: skip
    disk = disk_of(view, context.model_folder)
    if disk is None:
        return view.why("df", "df-local", "df-plain")
    evidence = f"df: {disk.mount} {format_bytes(disk.free_bytes)} free"
    values = {
        "free": format_bytes(disk.free_bytes),
        "folder": context.model_folder,
        "model": format_bytes(context.model_bytes),
    }
    if disk.free_bytes >= context.model_bytes * check.thresholds.get("pass_share", 1.2):
        return passed(evidence, **values)
    enough = disk.free_bytes >= context.model_bytes * check.thresholds.get("warn_share", 1.02)
    return (warned if enough else failed)(evidence, **values)


@judge("disk-read")
def disk_read(view: HostView, check: CheckData) -> Verdict:
    """What kind of disk holds the models; its speed is measured by a run only."""
    folder = view.context.model_folder
    if folder is None:
        return not_applicable("needs_plan")
    disk = disk_of(view, folder)
    if disk is None:
        return view.why("df", "df-local", "df-plain")
    evidence = f"df: {folder} on {disk.device} ({disk.fs_type})"
    if disk.fs_type in check.lists.get("remote", ()):
        return warned(evidence, folder=folder, kind=disk.fs_type)
    devices = read_block_devices(view.book.text("block-devices"))
    name = PurePosixPath(disk.device).name
    base = next((d for d in devices if name.startswith(d)), None)
    if base is not None and devices[base].get("ROTA") == "1" and not view.is_guest:
        return warned(evidence, f"lsblk: {base} ROTA 1", folder=folder, kind=_ROTATING)
    return _measured(view, check, folder, evidence)


def _measured(view: HostView, check: CheckData, folder: str, evidence: str) -> Verdict:
    rate = view.context.model_read_bytes_s
    if rate is None:
        return unknown("needs_smoke_run", evidence)
    said, lines = f"{rate / _GB:.2f}", (evidence, f"read: {rate / _GB:.2f} GB/s")
    if rate >= check.thresholds.get("pass_gb_s", 2) * _GB:
        return passed(*lines, folder=folder, rate=said)
    if rate >= check.thresholds.get("warn_gb_s", 0.2) * _GB:
        return warned(*lines, key="slow", folder=folder, rate=said)
    return failed(*lines, folder=folder, rate=said)
