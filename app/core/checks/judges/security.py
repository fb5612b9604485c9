"""Judges of what protects the host and may refuse a container's access."""

from app.core.checks.host_view import HostView
from app.core.checks.registry import judge
from app.core.checks.spec import CheckData
from app.core.checks.verdict import Verdict, failed, passed, warned
from app.core.hardware.fingerprint import GpuAccess
from app.core.hardware.tools.kernel_log import lines_with


def _denials(view: HostView, word: str) -> tuple[str, ...]:
    log = view.kernel_log
    lines = lines_with(log[1], (word,)) if log is not None else ()
    return tuple(f"kernel log: {line}" for line in lines if "nvidia" in line.lower())


@judge("selinux")
def selinux(view: HostView, _check: CheckData) -> Verdict:
    """Off, permissive, or enforcing."""
    denied = _denials(view, "avc:")
    if denied:
        return failed(*denied[:4])
    if view.files is None:
        return view.why("files")
    value = view.files.get("/sys/fs/selinux/enforce")
    if value is None:
        return passed("/sys/fs/selinux: not there", mode="disabled")
    if value[0].strip() == "1":
        return warned("/sys/fs/selinux/enforce: 1")
    return passed("/sys/fs/selinux/enforce: 0", mode="permissive")


@judge("apparmor")
def apparmor(view: HostView, _check: CheckData) -> Verdict:
    """Containers run with a profile that lets engines work."""
    denied = _denials(view, 'apparmor="denied"')
    if denied:
        return failed(*denied[:4])
    options = view.fingerprint.containers.security_options
    if not view.book.output("docker-info", "podman-info"):
        return view.why("docker-info")
    names = [word for word in ("apparmor", "seccomp", "selinux") if word in " ".join(options)]
    evidence = f"docker-info: {', '.join(options) or 'no security options'}"
    return passed(evidence, names=", ".join(names)) if names else warned(evidence)


@judge("rootless-userns")
def rootless(view: HostView, _check: CheckData) -> Verdict:
    """A daemon without root needs CDI to hand out GPUs."""
    found = view.fingerprint.containers
    options = " ".join(found.security_options)
    if found.rootless is None and not options:
        return view.missing("containers.rootless", "docker-info")
    kind = "rootless" if found.rootless else "userns" if "userns" in options else ""
    evidence = f"{view.source('containers')}: {kind or 'neither rootless nor userns'}"
    if not kind:
        return passed(evidence)
    is_cdi = found.gpu_access is GpuAccess.CDI
    return warned(evidence, kind=kind) if is_cdi else failed(evidence, kind=kind)
