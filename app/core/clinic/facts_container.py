"""Facts of the container around an engine: GPUs, shared memory, ports, mounts, health check."""

import re
from typing import Final

from app.core.clinic.fact_book import Facts, size_bytes
from app.core.clinic.identify import Launch
from app.core.clinic.launch import Container, LaunchKind, Option
from app.core.units import MIB

LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1", "[::1]"})
_URL: Final = re.compile(
    r"(?:https?://)?(?:localhost|127\.0\.0\.1|0\.0\.0\.0)(?::(\d+))?(/[^\s'\"|;&]*)?"
)
_DRIVE: Final = re.compile(r"^[A-Za-z]:(?=[/\\])")
_PORT_NAME: Final = re.compile(r"\$\{?\w*port\w*\}?:\d+$", re.IGNORECASE)
"""``$PORT:80``: the variable is a port, as its name says, so no address is given."""
_TRUE: Final = frozenset({"1", "true", "yes", "on"})


def add_container(facts: Facts, launch: Launch) -> None:
    """Note what stands around the engine; without a container that is all."""
    container = launch.start.container
    facts.set("in_container", container is not None)
    if container is None:
        return
    for name, options in container.options.items():
        last = options[-1]
        facts.set(f"option.{name}", last.value if last.is_resolved else None, last.span, last.whole)
        facts.set(f"has_option.{name}", True, last.span, last.whole)
    facts.set("privileged", _is_true(container.first("privileged")))
    network = container.first("network")
    facts.set("network", network.value if network else "bridge", network.span if network else None)
    _memory(facts, container)
    _gpus(facts, container, launch)
    _ports(facts, container)
    _health(facts, container)


def _memory(facts: Facts, container: Container) -> None:
    ipc = container.first("ipc")
    shm = container.first("shm-size")
    facts.set("shares_memory", (ipc is not None and ipc.value == "host") or _tmpfs(container))
    if shm is not None and shm.is_resolved:
        size = None if shm.value == "memory" else size_bytes(shm.value)
        facts.set("shm_mib", 10**6 if size is None else size / MIB, shm.span, shm.whole)
    elif shm is None:
        facts.set("shm_mib", 64.0)
    mib = facts.values.get("shm_mib")
    facts.set("shm_mib_text", f"{mib:g} MiB" if isinstance(mib, float) else None)
    targets = {volume_target(o.value): o for o in container.options.get("volume", ())}
    facts.set("has_mounts", bool(targets) or "mount" in container.options)
    for target, option in targets.items():
        facts.set(f"has_mount.{_mount_name(target)}", True, option.span, option.whole)


def volume_target(value: str) -> str:
    """Return a volume's folder inside the container; ``C:/models`` is one folder of the host."""
    parts = _DRIVE.sub("", value).split(":")
    return parts[1] if len(parts) > 1 else parts[0]


def _mount_name(path: str) -> str:
    """Write ``/root/.cache`` as ``root_.cache``, which is a fact's name."""
    return re.sub(r"[^\w.-]", "_", path.strip("/"))


def _tmpfs(container: Container) -> bool:
    mounts = (*container.options.get("volume", ()), *container.options.get("tmpfs", ()))
    return any("/dev/shm" in option.value for option in mounts)  # noqa: S108 - a mount's path


def _is_true(option: Option | None) -> bool:
    return option is not None and option.value.lower() in _TRUE


def _gpus(facts: Facts, container: Container, launch: Launch) -> None:
    option = container.first("gpus")
    runtime = container.first("runtime")
    devices = [o for o in container.options.get("device", ()) if "nvidia.com/gpu" in o.value]
    given = option or (runtime if runtime and runtime.value == "nvidia" else None)
    given = given or (devices[-1] if devices else None)
    amd = any("/dev/kfd" in o.value for o in container.options.get("device", ()))
    facts.set("gpus_given", given is not None or amd, given.span if given else None)
    tag = launch.image.tag if launch.image else ""
    is_cpu = "-cpu" in (launch.image.repository if launch.image else "") or (
        launch.engine_id == "llamacpp" and "cuda" not in tag
    )
    facts.set("gpu_image", not is_cpu)
    count = _gpu_count(option, devices)
    listed = facts.values.get("env.NVIDIA_VISIBLE_DEVICES")
    if count is None and option is None and isinstance(listed, str) and listed[:1].isdigit():
        count = len(listed.split(","))
    facts.set("gpu_count", count)
    if option is not None and launch.start.kind is not LaunchKind.COMPOSE:
        several = re.fullmatch(r"device=[^\"',]+(?:,[^\"',=]+)+", option.value)
        facts.set("gpus_unquoted_list", several is not None, option.span)
        facts.set("gpus_list", option.value)


def _gpu_count(option: Option | None, devices: list[Option]) -> int | None:
    if devices and all(":" not in d.value.partition("=")[2] for d in devices):
        return None if any(d.value.endswith("=all") for d in devices) else len(devices)
    if option is None or not option.is_resolved:
        return None
    value = option.value.strip("\"'")
    if value.isdigit():
        return int(value)
    found = re.search(r"device=([\w,:.-]+)", value)
    if found:
        return len(found[1].split(","))
    counted = re.search(r"count=(\d+)", value)
    return int(counted[1]) if counted else None


def _ports(facts: Facts, container: Container) -> None:
    published = container.options.get("publish", ())
    facts.set("publishes", bool(published) or container.first("publish-all") is not None)
    inside: list[str] = []
    for option in published:
        address, port = _published(option.value)
        if not option.is_resolved and not (_PORT_NAME.match(option.value) and port.isdigit()):
            facts.set("published", None)
            return
        inside.append(port)
        facts.set("published_port", port, option.span, option.whole)
        if address not in LOOPBACK:
            facts.set("published_wide", True, option.span, option.whole)
    facts.set("published", " ".join(["", *inside, ""]) if inside else None)
    if published:
        facts.places["published"] = published[0].span
        facts.wholes["published"] = published[0].whole


def _published(value: str) -> tuple[str, str]:
    """Return the host's address (empty: all) and the container's port."""
    head, _, port = value.partition("/")[0].rpartition(":")
    address = head.rpartition(":")[0] if ":" in head else ""
    return address.strip("[]"), port


def _health(facts: Facts, container: Container) -> None:
    option = container.first("health-cmd")
    if option is None:
        return
    facts.set("health", option.value, option.span, option.whole)
    facts.set("health_greps", re.search(r"\b(?:grep|jq)\b", option.value) is not None)
    found = _URL.search(option.value)
    if found is not None:
        facts.set("health_path", (found[2] or "/").partition("?")[0], option.span)
        facts.set("health_port", found[1] or None, option.span)
