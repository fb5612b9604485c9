"""Recognise what the tools around the GPUs print: lscpu, docker info, df, the kernel's log.

Each is told by lines that only this tool prints, so that a file's name does not matter. The name
is that of the probe's section that holds the same output.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Final

from app.core.hardware.assemble import assemble_fingerprint
from app.core.hardware.fingerprint import Fingerprint, HostSource
from app.core.hardware.sections import RawSection
from app.core.hardware.tools.json_access import child, parse_object
from app.core.hardware.tools.paste import clean_paste
from app.core.inspect.kinds import Inspection, InspectKind


@dataclass(frozen=True, slots=True, kw_only=True)
class HostOutput:
    """One tool's output: what only it prints, and what a fingerprint then knows."""

    kind: InspectKind
    section: str
    pattern: re.Pattern[str]
    least: int = 1
    """How many lines of the pattern there must be."""
    group: str = ""
    """The part of a fingerprint that it fills."""
    at_start: bool = False
    """The first line must be one: short outputs would be found inside other texts."""


def _lines(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)


_OUTPUTS: Final = (
    HostOutput(
        kind=InspectKind.LSCPU, section="lscpu", group="cpu", least=3,
        pattern=_lines(
            r"^[ \t]*(?:Architecture|CPU\(s\)|Thread\(s\) per core|"
            r"Core\(s\) per (?:socket|cluster)|"
            r"Socket\(s\)|Model name|NUMA node\(s\)|Vendor ID):[ \t]+\S"
        ),
    ),
    HostOutput(
        kind=InspectKind.DOCKER_INFO, section="docker-info", group="containers", least=3,
        pattern=_lines(
            r"^ ?(?:Server Version|Storage Driver|Docker Root Dir|Cgroup Driver|Runtimes|"
            r"Default Runtime|Security Options|Containers|Images|Kernel Version):\s"
        ),
    ),
    HostOutput(
        kind=InspectKind.DOCKER_VERSION, section="docker-version", group="containers", least=2,
        pattern=_lines(r"^ +(?:API version|Go version|Git commit|OS/Arch):\s+\S"),
    ),
    HostOutput(
        kind=InspectKind.MEMINFO, section="meminfo", group="memory", least=2,
        pattern=_lines(r"^(?:MemTotal|MemFree|MemAvailable|Buffers|SwapTotal):\s+[0-9]+ kB"),
    ),
    HostOutput(
        kind=InspectKind.MEMINFO, section="meminfo", group="memory",
        pattern=_lines(r"^ +total +used +free +(?:shared|buff).*available *$"),
    ),
    HostOutput(
        kind=InspectKind.OS_RELEASE, section="os-release", group="machine", least=2,
        pattern=_lines(r"^(?:PRETTY_NAME|NAME|ID|VERSION_ID|ID_LIKE|VERSION_CODENAME)=\S"),
    ),
    HostOutput(
        kind=InspectKind.DF, section="df", group="disks",
        pattern=_lines(r"^(?:Filesystem|文件系统)\s.*(?:Mounted on|挂载点)[ \t]*$"),
    ),
    HostOutput(
        kind=InspectKind.NUMACTL, section="numactl", group="topology",
        pattern=_lines(r"^available: [0-9]+ nodes? \("),
    ),
    HostOutput(
        kind=InspectKind.LSPCI, section="lspci-vv", least=2,
        pattern=_lines(r"^(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] \S.*: "),
    ),
    HostOutput(
        kind=InspectKind.LSMOD, section="lsmod",
        pattern=_lines(r"^Module\s+Size\s+Used by[ \t]*$"),
    ),
    HostOutput(
        kind=InspectKind.DRIVER_VERSION, section="driver-version",
        pattern=_lines(r"^NVRM version:\s"),
    ),
    HostOutput(
        kind=InspectKind.SMI_VERSION, section="smi-version", least=2,
        pattern=_lines(r"^(?:NVIDIA-SMI|NVML|DRIVER|CUDA) version\s*:\s*[0-9]"),
    ),
    HostOutput(
        kind=InspectKind.CONTAINER_TOOLKIT, section="nvctk", group="containers",
        pattern=_lines(r"^NVIDIA Container Toolkit CLI version\s"),
    ),
    HostOutput(
        kind=InspectKind.CDI_LIST, section="cdi-list", group="containers",
        pattern=_lines(r"^nvidia\.com/gpu=\S+[ \t]*$"),
    ),
    HostOutput(
        kind=InspectKind.SYSCTL, section="sysctl", least=3,
        pattern=_lines(r"^(?:abi|debug|dev|fs|kernel|net|user|vm)(?:\.[\w-]+)+ = "),
    ),
    HostOutput(
        kind=InspectKind.ULIMIT, section="ulimit", least=2,
        pattern=_lines(
            r"^(?:-[a-zA-Z]: |)(?:max locked memory|locked memory|open files|nofiles|"
            r"max user processes|core file size|stack size|file size)\b.*\s"
            r"(?:unlimited|[0-9]+)[ \t]*$"
        ),
    ),
    HostOutput(
        kind=InspectKind.UNAME, section="uname", group="machine", at_start=True,
        pattern=_lines(r"^Linux \S+ [0-9]+\.[0-9]+\S* "),
    ),
    HostOutput(
        kind=InspectKind.USER, section="id", group="machine", at_start=True,
        pattern=_lines(r"^uid=[0-9]+\("),
    ),
    HostOutput(
        kind=InspectKind.DEVICES, section="dev", least=2,
        pattern=_lines(r"^c[r-][w-]\S{7}.*\s/dev/(?:nvidia|dxg|dri|kfd)"),
    ),
)  # fmt: skip

_KERNEL_LOGS: Final = (
    HostOutput(
        kind=InspectKind.KERNEL_LOG, section="dmesg", least=3,
        pattern=_lines(
            r"^(?:<[0-9]+>)?\[ *[0-9]+\.[0-9]{6}\] |^\[\w{3} \w{3} +[0-9]+ [0-9:]{8} "
        ),
    ),
    HostOutput(
        kind=InspectKind.KERNEL_LOG, section="journal", least=3,
        pattern=_lines(
            r"^(?:\w{3} [ 0-9]{2} [0-9:]{8}|[0-9]{4}-[0-9]{2}-[0-9]{2}T\S+) \S+ kernel: "
        ),
    ),
)  # fmt: skip
"""Tried last: an engine's failure or an Xid in such a log is the more telling answer."""

_JSON: Final[tuple[tuple[InspectKind, str, Callable[[Mapping[str, object]], bool]], ...]] = (
    (InspectKind.LSCPU, "lscpu-J", lambda d: isinstance(d.get("lscpu"), list)),
    (
        InspectKind.DOCKER_INFO,
        "docker-info",
        lambda d: "DockerRootDir" in d or "ServerErrors" in d or "ServerVersion" in d,
    ),
    (InspectKind.PODMAN_INFO, "podman-info", lambda d: bool(child(d, "host", "ociRuntime"))),
    (
        InspectKind.DOCKER_VERSION,
        "docker-version",
        lambda d: ("Client" in d and "Server" in d) or {"ApiVersion", "GitCommit"} <= set(d),
    ),
)


def find_outputs(text: str) -> tuple[tuple[InspectKind, str], ...]:
    """Return kind and section of every known output in ``text``, the kernel's log last."""
    document = parse_object(text.strip().lstrip("\ufeff"))
    if document is not None:
        return tuple((kind, name) for kind, name, fits in _JSON if fits(document))
    clean = clean_paste(text)
    return tuple((o.kind, o.section) for o in (*_OUTPUTS, *_KERNEL_LOGS) if _fits(o, clean))


def _fits(output: HostOutput, text: str) -> bool:
    if output.at_start and not output.pattern.match(text.lstrip()):
        return False
    found: set[str] = set()
    for match in output.pattern.finditer(text):
        found.add(text[match.start() : match.start() + 120])
        if len(found) >= output.least:
            return True
    return False


def inspect_host(text: str) -> Inspection | None:
    """Read what a tool around the GPUs printed."""
    return _inspect(text, lambda kind: kind is not InspectKind.KERNEL_LOG)


def inspect_kernel_log(text: str) -> Inspection | None:
    """Recognise the kernel's own log."""
    return _inspect(text, lambda kind: kind is InspectKind.KERNEL_LOG)


def _inspect(text: str, wanted: Callable[[InspectKind], bool]) -> Inspection | None:
    found = [(kind, section) for kind, section in find_outputs(text) if wanted(kind)]
    if not found:
        return None
    kind, name = found[0]
    fingerprint = assemble_fingerprint(
        [RawSection(name=name, command=name, exit_code=0, stdout=text)],
        source=HostSource.RECORDED,
        taken_at="",
    )
    result = {"section": name, "line_count": len(text.splitlines()), **_facts(name, fingerprint)}
    if len(found) > 1:
        result["also"] = [str(other) for other, _ in found[1:]]
    return Inspection(kind=kind, result=result, warnings=fingerprint.warnings)


def _facts(section: str, fingerprint: Fingerprint) -> dict[str, object]:
    """Return the facts that this output alone makes known."""
    group = next((o.group for o in _OUTPUTS if o.section == section.removesuffix("-J")), "")
    if section == "podman-info":
        group = "containers"
    if group == "disks":
        return {"disks": [asdict(disk) for disk in fingerprint.disks]}
    if group == "topology":
        return {"numa_nodes": [asdict(node) for node in fingerprint.topology.numa_nodes]}
    if section in {"driver-version", "smi-version"}:
        return {"driver": fingerprint.driver_version, "cuda": fingerprint.cuda_version}
    if not group:
        return {}
    values = asdict(getattr(fingerprint, group))
    return {key: value for key, value in values.items() if value not in (None, (), [], {})}
