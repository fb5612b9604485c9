"""How something that was sent reads: its kind in words, facts, tables, warnings."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Final

from PySide6.QtCore import QCoreApplication

from app.core.causes import Cause
from app.core.hardware.fingerprint import HostSource
from app.core.inspect.kinds import LAUNCHES, InspectKind
from app.core.units import format_bytes
from app.services.inspecting import Look
from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.viewmodels.fingerprint import FactGroup, present_fingerprint
from app.ui.viewmodels.fingerprint_facts import Fact
from app.ui.viewmodels.fingerprint_warnings import warning_facts
from app.ui.viewmodels.host_texts import StateView
from app.ui.viewmodels.inspect_clinic import ClinicView, present_clinic
from app.ui.viewmodels.said import said

CONTEXT: Final = "Inspect"
translate = QCoreApplication.translate
_SHOWN_ITEMS: Final = 24

KINDS: Final[Mapping[InspectKind, tuple[str, str]]] = {
    InspectKind.TOPO: ("topology-star-3", QT_TRANSLATE_NOOP("Inspect", "GPU topology matrix")),
    InspectKind.P2P: ("topology-star-3", QT_TRANSLATE_NOOP("Inspect", "Peer-to-peer matrix")),
    InspectKind.SMI_TABLE: ("cpu", QT_TRANSLATE_NOOP("Inspect", "nvidia-smi, as printed")),
    InspectKind.SMI_CSV: ("cpu", QT_TRANSLATE_NOOP("Inspect", "nvidia-smi, queried values")),
    InspectKind.SMI_XML: ("cpu", QT_TRANSLATE_NOOP("Inspect", "nvidia-smi, everything (XML)")),
    InspectKind.SMI_LIST: ("cpu", QT_TRANSLATE_NOOP("Inspect", "nvidia-smi, list of GPUs")),
    InspectKind.SMI_NVLINK: ("cpu", QT_TRANSLATE_NOOP("Inspect", "nvidia-smi, NVLinks")),
    InspectKind.SMI_APPS: ("activity", QT_TRANSLATE_NOOP("Inspect", "GPU processes")),
    InspectKind.SMI_MIG: ("cpu", QT_TRANSLATE_NOOP("Inspect", "MIG instances")),
    InspectKind.SMI_ERROR: ("alert-circle", QT_TRANSLATE_NOOP("Inspect", "Failure of nvidia-smi")),
    InspectKind.ROCM: ("cpu", QT_TRANSLATE_NOOP("Inspect", "AMD's tools (not supported)")),
    InspectKind.ENGINE_LOG: ("file-text", QT_TRANSLATE_NOOP("Inspect", "Log of an engine")),
    InspectKind.METRICS: ("activity", QT_TRANSLATE_NOOP("Inspect", "Metrics (Prometheus)")),
    InspectKind.DOCKER_INSPECT: ("stack-2", QT_TRANSLATE_NOOP("Inspect", "docker inspect")),
    InspectKind.DOCKER_RUN: ("rocket", QT_TRANSLATE_NOOP("Inspect", "docker run line")),
    InspectKind.COMPOSE: ("rocket", QT_TRANSLATE_NOOP("Inspect", "Compose file")),
    InspectKind.KUBERNETES: ("rocket", QT_TRANSLATE_NOOP("Inspect", "Kubernetes containers")),
    InspectKind.SYSTEMD_UNIT: ("rocket", QT_TRANSLATE_NOOP("Inspect", "systemd unit")),
    InspectKind.LAUNCH_SCRIPT: ("rocket", QT_TRANSLATE_NOOP("Inspect", "Launch script")),
    InspectKind.NGINX: ("route", QT_TRANSLATE_NOOP("Inspect", "nginx in front of an engine")),
    InspectKind.MODEL_CONFIG: (
        "database",
        QT_TRANSLATE_NOOP("Inspect", "Configuration of a model"),
    ),
    InspectKind.FINGERPRINT: ("fingerprint", QT_TRANSLATE_NOOP("Inspect", "A whole host")),
    InspectKind.KERNEL_LOG: ("file-text", QT_TRANSLATE_NOOP("Inspect", "Log of the kernel")),
    InspectKind.UNKNOWN: ("question-mark", QT_TRANSLATE_NOOP("Inspect", "Not recognised")),
}
"""Icon and words; the tools around the GPUs go by their own names."""

_LABELS: Final[Mapping[str, str]] = {
    "driver": QT_TRANSLATE_NOOP("Inspect", "Driver"),
    "cuda": QT_TRANSLATE_NOOP("Inspect", "CUDA"),
    "gpus": QT_TRANSLATE_NOOP("Inspect", "GPUs"),
    "gpu_count": QT_TRANSLATE_NOOP("Inspect", "GPUs"),
    "nics": QT_TRANSLATE_NOOP("Inspect", "Network adapters"),
    "nic_count": QT_TRANSLATE_NOOP("Inspect", "Network adapters"),
    "nic_devices": QT_TRANSLATE_NOOP("Inspect", "Devices"),
    "adjacency": QT_TRANSLATE_NOOP("Inspect", "Links"),
    "nvlinks": QT_TRANSLATE_NOOP("Inspect", "NVLinks of a pair"),
    "nvlink_islands": QT_TRANSLATE_NOOP("Inspect", "NVLink islands"),
    "cpu_affinity": QT_TRANSLATE_NOOP("Inspect", "CPU affinity"),
    "numa_affinity": QT_TRANSLATE_NOOP("Inspect", "NUMA affinity"),
    "gpu_numa_id": QT_TRANSLATE_NOOP("Inspect", "GPU NUMA id"),
    "complete": QT_TRANSLATE_NOOP("Inspect", "Complete"),
    "status": QT_TRANSLATE_NOOP("Inspect", "Peer-to-peer"),
    "all_ok": QT_TRANSLATE_NOOP("Inspect", "All OK"),
    "processes": QT_TRANSLATE_NOOP("Inspect", "Processes"),
    "process_count": QT_TRANSLATE_NOOP("Inspect", "Processes"),
    "engine": QT_TRANSLATE_NOOP("Inspect", "Engine"),
    "version": QT_TRANSLATE_NOOP("Inspect", "Version"),
    "line_count": QT_TRANSLATE_NOOP("Inspect", "Lines"),
    "sample_count": QT_TRANSLATE_NOOP("Inspect", "Samples"),
    "names": QT_TRANSLATE_NOOP("Inspect", "Names"),
    "cause": QT_TRANSLATE_NOOP("Inspect", "Cause"),
    "remedy": QT_TRANSLATE_NOOP("Inspect", "What to do"),
    "evidence": QT_TRANSLATE_NOOP("Inspect", "Evidence"),
    "containers": QT_TRANSLATE_NOOP("Inspect", "Containers"),
    "profiles": QT_TRANSLATE_NOOP("Inspect", "Profiles"),
    "instances": QT_TRANSLATE_NOOP("Inspect", "Instances"),
    "disks": QT_TRANSLATE_NOOP("Inspect", "Disks"),
    "numa_nodes": QT_TRANSLATE_NOOP("Inspect", "NUMA nodes"),
    "sections": QT_TRANSLATE_NOOP("Inspect", "Outputs"),
    "also": QT_TRANSLATE_NOOP("Inspect", "Also in it"),
    "index": QT_TRANSLATE_NOOP("Inspect", "Index"),
    "name": QT_TRANSLATE_NOOP("Inspect", "Name"),
    "memory_total_mib": QT_TRANSLATE_NOOP("Inspect", "Memory, MiB"),
    "memory_used_mib": QT_TRANSLATE_NOOP("Inspect", "Used, MiB"),
    "memory_reserved_mib": QT_TRANSLATE_NOOP("Inspect", "Reserved, MiB"),
    "utilization_percent": QT_TRANSLATE_NOOP("Inspect", "Use, %"),
    "temperature_c": QT_TRANSLATE_NOOP("Inspect", "°C"),
    "power_w": QT_TRANSLATE_NOOP("Inspect", "Power, W"),
    "compute_cap": QT_TRANSLATE_NOOP("Inspect", "Capability"),
    "mig_mode": QT_TRANSLATE_NOOP("Inspect", "MIG"),
    "uuid": "UUID",
    "pid": "PID",
    "bus_id": QT_TRANSLATE_NOOP("Inspect", "PCI address"),
    "links_total": QT_TRANSLATE_NOOP("Inspect", "Links"),
    "links_active": QT_TRANSLATE_NOOP("Inspect", "Active"),
    "total_bytes": QT_TRANSLATE_NOOP("Inspect", "Size"),
    "available_bytes": QT_TRANSLATE_NOOP("Inspect", "Available"),
    "free_bytes": QT_TRANSLATE_NOOP("Inspect", "Free"),
    "hostname": QT_TRANSLATE_NOOP("Inspect", "Host name"),
    "host_name": QT_TRANSLATE_NOOP("Inspect", "Host"),
    "taken_at": QT_TRANSLATE_NOOP("Inspect", "Taken"),
    "model": QT_TRANSLATE_NOOP("Inspect", "Model"),
    "kernel": QT_TRANSLATE_NOOP("Inspect", "Kernel"),
    "os_name": QT_TRANSLATE_NOOP("Inspect", "System"),
    "user": QT_TRANSLATE_NOOP("Inspect", "User"),
}
"""Keys of results as words; the rest are tools' own words and stay."""

_GPU_COLUMNS: Final = (
    "index", "name", "compute_cap", "memory_total_mib", "memory_used_mib", "memory_reserved_mib",
    "utilization_percent", "temperature_c", "power_w", "mig_mode", "links_total", "links_active",
    "bus_id", "uuid",
)  # fmt: skip
"""What a person looks for; all of it stands in the host's fingerprint."""
LOGS: Final = frozenset({InspectKind.ENGINE_LOG, InspectKind.KERNEL_LOG, InspectKind.UNKNOWN})
"""What may hold the cause of a failure."""
_MEASURED: Final = ("_bytes", "_mib", "_w")
_HIDDEN: Final = frozenset(
    {"unknown", "schema", "section", "rows", "gpu_numa_id", "gpu_count", "nic_count", "clinic"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableView:
    """One table under its title."""

    title: str
    titles: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    unknown: frozenset[int] = frozenset()
    """Rows that hold a reason where the value would stand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LookView:
    """Everything that is shown of one thing that was opened."""

    state: StateView
    name: str
    note: str
    warnings: tuple[Fact, ...]
    facts: tuple[Fact, ...]
    tables: tuple[TableView, ...]
    makes_host: bool
    is_log: bool
    command: str
    host_command: str
    clinic: ClinicView | None = None
    """Remarks on a launch text."""


def present_look(look: Look, causes: Mapping[str, Cause]) -> LookView:
    """Return what the page shows."""
    source = "-" if look.path is None else shlex.quote(str(look.path))
    facts, tables = _contents(look, causes)
    return LookView(
        state=_state(look),
        name=look.name,
        note=_note(look),
        warnings=_unsaid(_warnings(look, causes), facts),
        facts=facts,
        tables=tables,
        makes_host=look.fingerprint is not None,
        is_log=look.kind in LOGS and bool(look.text),
        command=f"pitwall inspect {source}",
        host_command=_host_command(look, source),
        clinic=None if look.clinic is None else present_clinic(look.clinic),
    )


def _host_command(look: Look, source: str) -> str:
    if look.fingerprint is None:
        return ""
    if look.fingerprint.source is HostSource.CATALOGUE:
        return f"pitwall fingerprint --what-if {shlex.quote(look.name)}"
    return f"pitwall fingerprint --from {source}"


def _state(look: Look) -> StateView:
    icon, words = KINDS.get(look.kind, ("terminal-2", look.kind.value))
    status = {InspectKind.UNKNOWN: "unknown", InspectKind.SMI_ERROR: "error"}.get(
        look.kind, "accent"
    )
    if look.fingerprint is not None and look.fingerprint.source is HostSource.CATALOGUE:
        words = QT_TRANSLATE_NOOP("Inspect", "What if: a host from the GPU catalogue")
        icon = "bulb"
    return StateView(icon=icon, word=translate(CONTEXT, words), status=status)


def _note(look: Look) -> str:
    size = "" if look.size_bytes is None else format_bytes(look.size_bytes)
    if look.is_whole:
        return size
    return translate("Inspect", "{size}, of which the beginning was read").format(size=size)


def _warnings(look: Look, causes: Mapping[str, Cause]) -> tuple[Fact, ...]:
    if look.fingerprint is not None:
        return warning_facts(look.fingerprint, causes)
    return tuple(_warning(text, causes) for text in look.warnings)


_REASONS: Final[Mapping[str, str]] = {
    "empty": QT_TRANSLATE_NOOP("Inspect", "There is no text in it."),
    "binary": QT_TRANSLATE_NOOP("Inspect", "This is no text: a program, a picture or a database."),
    "not_recognised": QT_TRANSLATE_NOOP(
        "Inspect", "None of the tools that Pitwall knows prints this."
    ),
    "unusable_paste": QT_TRANSLATE_NOOP(
        "Inspect", "A web form has escaped and cut this text; ask for it as a file."
    ),
    "not_nvidia": QT_TRANSLATE_NOOP(
        "Inspect", "Pitwall reads NVIDIA hosts; this is of another maker."
    ),
}


def _warning(text: str, causes: Mapping[str, Cause]) -> Fact:
    code, _, evidence = text.partition(": ")
    cause = causes.get(code)
    if code in _REASONS:
        return Fact(label="", value=translate(CONTEXT, _REASONS[code]), status="warn")
    if cause is not None:
        return Fact(label="", value=f"{said(cause.meaning)} ({evidence})", status="warn")
    return Fact(label="", value=text, status="warn")


def _contents(
    look: Look, causes: Mapping[str, Cause]
) -> tuple[tuple[Fact, ...], tuple[TableView, ...]]:
    if look.kind is InspectKind.FINGERPRINT and look.fingerprint is not None:
        groups = present_fingerprint(look.fingerprint, causes).groups
        gpus = _table("gpus", [asdict(gpu) for gpu in look.fingerprint.gpus])
        others = [_fact_table(g) for g in groups if g.id not in {"warnings", "gpus"}]
        return (), tuple(table for table in (gpus, *others) if table is not None and table.rows)
    if look.clinic is not None and look.kind in LAUNCHES:
        return (), ()  # the remarks stand beside their lines
    facts = [fact for key, value in look.result.items() if (fact := _fact(key, value, causes))]
    if look.kind is InspectKind.SMI_ERROR:  # a failure says why it failed, and of the rest nothing
        facts = [fact for fact in facts if fact.value is not None]
    tables = [table for key, value in look.result.items() if (table := _table(key, value))]
    return tuple(facts), tuple(tables)


def _fact_table(group: FactGroup) -> TableView:
    """Return a group's facts; those that are not known stand last, with their reason."""
    title = group.title
    if group.unknown_count:
        text = translate("Inspect", "{title} · {count} unknown")
        title = text.format(title=title, count=group.unknown_count)
    titles = (translate("Inspect", "Fact"), translate("Inspect", "Value"))
    known = [(fact.label, fact.value) for fact in group.facts if fact.value is not None]
    open_ones = [(fact.label, fact.reason or "–") for fact in group.facts if fact.value is None]
    places = frozenset(range(len(known), len(known) + len(open_ones)))
    return TableView(title=title, titles=titles, rows=(*known, *open_ones), unknown=places)


def _fact(key: str, value: object, causes: Mapping[str, Cause]) -> Fact | None:
    if key in _HIDDEN or _is_table(value) or value in ((), [], {}):
        return None
    if key in {"cause", "remedy"} and isinstance(value, str):
        return Fact(label=word(key), value=value if key == "remedy" else _cause(value, causes))
    text = _text(key, value)
    return Fact(label=word(key), value=text, reason=translate("Inspect", "not in it"))


def _unsaid(warnings: tuple[Fact, ...], facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """Leave out warnings that a fact beside them says, too."""
    stated = [fact.value for fact in facts if fact.label == word("cause") and fact.value]
    return tuple(w for w in warnings if not any(text in (w.value or "") for text in stated))


def _cause(code: str, causes: Mapping[str, Cause]) -> str:
    cause = causes.get(code)
    return said(cause.meaning) if cause is not None else code


def word(key: str) -> str:
    """Return a result's key as words."""
    return translate(CONTEXT, _LABELS.get(key, key.replace("_", " ")))


def _text(key: str, value: object) -> str | None:
    if value is None or isinstance(value, bool | int | float):
        return _plain(key, value)
    if isinstance(value, Mapping):
        return _listed(f"{name}: {_text(key, item) or '–'}" for name, item in value.items())
    if isinstance(value, list | tuple):
        return _listed(_text(key, item) or "–" for item in value)
    return str(value)


def _plain(key: str, value: float | bool | None) -> str | None:
    if isinstance(value, bool):
        return translate("Inspect", "yes") if value else translate("Inspect", "no")
    if value is None or not key.endswith(_MEASURED):
        return None if value is None else str(value)
    return format_bytes(value) if key.endswith("_bytes") else f"{value:,.0f}"


def _listed(items: Iterable[str]) -> str:
    found = list(items)
    rest = len(found) - _SHOWN_ITEMS
    return ", ".join(found[:_SHOWN_ITEMS]) + (f" … +{rest}" if rest > 0 else "")


def _is_table(value: object) -> bool:
    if isinstance(value, Mapping):
        return bool(value) and all(isinstance(item, Mapping) for item in value.values())
    return (
        isinstance(value, list | tuple)
        and bool(value)
        and all(isinstance(item, Mapping) for item in value)
    )


def _table(key: str, value: object) -> TableView | None:
    if key in _HIDDEN or not _is_table(value):
        return None
    if isinstance(value, Mapping):
        return _matrix(key, value)
    rows = (
        [row for row in value if isinstance(row, Mapping)]
        if isinstance(value, list | tuple)
        else []
    )
    columns = _columns(rows)
    return TableView(
        title=word(key),
        titles=tuple(word(column) for column in columns),
        rows=tuple(tuple(_text(c, row.get(c)) or "–" for c in columns) for row in rows),
    )


def _matrix(key: str, value: Mapping[str, Mapping[str, object]]) -> TableView:
    names = list(dict.fromkeys(name for row in value.values() for name in row))
    return TableView(
        title=word(key),
        titles=("", *names),
        rows=tuple(
            (name, *(_text("", cells.get(other)) or "–" for other in names))
            for name, cells in value.items()
        ),
    )


def _columns(rows: Sequence[Mapping[str, object]]) -> list[str]:
    """Return the columns that hold something; of GPUs those that a person looks for."""
    held = [k for k in dict.fromkeys(k for row in rows for k in row) if _holds(rows, k)]
    known: list[str] = [column for column in _GPU_COLUMNS if column in held]
    return known if "memory_total_mib" in known else [key for key in held if key not in _HIDDEN]


def _holds(rows: Sequence[Mapping[str, object]], key: str) -> bool:
    return any(row.get(key) not in (None, (), [], {}, "") for row in rows)
