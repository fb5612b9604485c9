"""Judges of limits and kernel settings."""

from app.core.checks.host_view import HostView
from app.core.checks.registry import judge
from app.core.checks.spec import CheckData
from app.core.checks.verdict import Verdict, failed, passed, unknown, warned
from app.core.units import GIB, KIB, format_bytes


@judge("memlock")
def memlock(view: HostView, check: CheckData) -> Verdict:
    """Memory that may be locked, in the shell and in the engine's containers."""
    engine, shell = _engine_limit(view, "LimitMEMLOCK"), view.fingerprint.system.limits.get("l")
    lines = [f"docker.service: LimitMEMLOCK={engine}"] if engine else []
    lines += [f"ulimit -l: {shell}"] if shell else []
    if not lines:
        return view.missing("system.limits", "ulimit")
    if "infinity" in (engine or "") or shell == "unlimited":
        return passed(*lines)
    number = _number(shell)
    size = number * KIB if number is not None else _number(engine)
    if size is None:
        return unknown("unreadable", *lines)
    said = format_bytes(size)
    too_little = view.context.uses_rdma and size < check.thresholds.get("warn_gib", 8) * GIB
    return failed(*lines, limit=said) if too_little else warned(*lines, limit=said)


@judge("nofile")
def nofile(view: HostView, check: CheckData) -> Verdict:
    """Files that may be open at once; the better of the shell's and the engine's counts."""
    engine, shell = _engine_limit(view, "LimitNOFILE"), view.fingerprint.system.limits.get("n")
    lines = [f"docker.service: LimitNOFILE={engine}"] if engine else []
    lines += [f"ulimit -n: {shell}"] if shell else []
    if not lines:
        return view.missing("system.limits", "ulimit")
    if {engine, shell} & {"infinity", "unlimited"}:
        return passed(*lines, limit="unlimited")
    numbers = [number for text in (engine, shell) if (number := _number(text)) is not None]
    if not numbers:
        return unknown("unreadable", *lines)
    most = max(numbers)
    if most >= check.thresholds.get("pass", 65536):
        return passed(*lines, limit=most)
    enough = most >= check.thresholds.get("warn", 1024)
    return warned(*lines, limit=most) if enough else failed(*lines, limit=most)


def _engine_limit(view: HostView, name: str) -> str | None:
    unit = (view.units or {}).get("docker")
    return unit.limits.get(name) if unit is not None and unit.is_active else None


def _number(text: str | None) -> int | None:
    if text is None or not text.isascii() or not text.isdigit() or len(text) > 20:
        return None
    return int(text)


@judge("somaxconn")
def somaxconn(view: HostView, check: CheckData) -> Verdict:
    """The queue of new connections."""
    value = _number(view.settings.get("net.core.somaxconn"))
    if value is None:
        return _no_setting(view)
    evidence = f"net.core.somaxconn = {value}"
    enough = value >= check.thresholds.get("pass", 4096)
    return passed(evidence, value=value) if enough else warned(evidence, value=value)


@judge("overcommit")
def overcommit(view: HostView, check: CheckData) -> Verdict:
    """Whether large address ranges are granted."""
    mode = view.settings.get("vm.overcommit_memory")
    maps = _number(view.settings.get("vm.max_map_count"))
    if mode is None:
        return _no_setting(view)
    lines = [f"vm.overcommit_memory = {mode}"]
    ratio = _number(view.settings.get("vm.overcommit_ratio"))
    if mode.strip() == "2":
        if ratio is None:
            return unknown("not_reported", *lines)
        lines.append(f"vm.overcommit_ratio = {ratio}")
        if ratio < check.thresholds.get("ratio_percent", 90):
            return failed(*lines, ratio=ratio)
    if maps is None:
        return unknown("not_asked", *lines)
    lines.append(f"vm.max_map_count = {maps}")
    if maps < check.thresholds.get("maps", 65530):
        return warned(*lines, maps=maps)
    return passed(*lines, mode=mode, maps=maps)


@judge("numa-balancing")
def numa_balancing(view: HostView, _check: CheckData) -> Verdict:
    """Off on hosts with several nodes."""
    value = view.settings.get("kernel.numa_balancing")
    nodes = len(view.fingerprint.topology.numa_nodes)
    if value is None:
        # Kernels without NUMA support do not have the setting.
        return _no_setting(view)
    lines = [f"kernel.numa_balancing = {value}", f"NUMA nodes: {nodes or '?'}"]
    if value.strip() == "0":
        return passed(*lines)
    if view.is_grace:
        return failed(*lines)
    if nodes == 1:
        return passed(*lines, key="one")
    return warned(*lines, nodes=nodes) if nodes else unknown("not_reported", *lines)


def _no_setting(view: HostView) -> Verdict:
    """Say why a setting is not known: none were read, or not this one."""
    if view.settings:
        return unknown("not_asked")
    return view.missing("system.settings", "sysctl")
