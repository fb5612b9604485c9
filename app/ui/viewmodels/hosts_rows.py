"""Rows of the hosts table and what runs on a host, in words."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QCoreApplication

from app.core.deployment.state import UP
from app.core.engines.names import engine_title
from app.core.events import DeploymentSnapshot, HostKind, HostSettings, HostSnapshot, HostState
from app.core.units import KIB
from app.ui.messages import cause_text
from app.ui.viewmodels.bar import Bar
from app.ui.viewmodels.deployments_texts import snapshot_view
from app.ui.viewmodels.host_texts import (
    StateView,
    address_text,
    local_time_text,
    present_state,
    seen_text,
)

translate = QCoreApplication.translate

_WORST_FIRST: Final = ("error", "warn", "accent", "ok", "unknown")
_NOTE_ROOM: Final = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class HostRow:
    """One row of the hosts table."""

    texts: tuple[str, ...]
    sort_keys: tuple[str | int | float, ...]
    tool_tips: Mapping[int, str]
    state: StateView
    runs: StateView | None
    """How what runs there stands, the worst of it; ``None`` where nothing does."""
    memory: Bar
    group: str
    search: str
    """Everything that finds it, in small letters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningRow:
    """One deployment of a host."""

    name: str
    state: StateView
    text: str
    """Engine, model and port."""


def present_host_row(
    snapshot: HostSnapshot, *, now_s: float, deployments: Sequence[DeploymentSnapshot] | None
) -> HostRow:
    """Return what the table shows of a host."""
    settings, summary = snapshot.settings, snapshot.summary
    state, memory = present_state(snapshot), present_memory(snapshot)
    running = present_running(deployments or ())
    # A host that was never asked has an unknown number of deployments, not none.
    asked = deployments or snapshot.state is HostState.CONNECTED
    count = str(len(deployments)) if asked and deployments is not None else "–"
    gpus, driver = _gpus(snapshot), (summary.driver_version or "–") if summary else ""
    texts = (
        settings.name,
        state.word,
        settings.group,
        address_text(snapshot),
        gpus,
        driver,
        memory.text,
        count,
        seen_text(snapshot, now_s),
    )
    found_by = (*texts[:5], settings.address, settings.notes, *(row.text for row in running))
    return HostRow(
        texts=texts,
        sort_keys=(
            settings.name.casefold(),
            snapshot.state,
            settings.group.casefold(),
            address_text(snapshot),
            summary.gpu_count if summary else -1,
            driver,
            memory.fraction if memory.fraction is not None else -1.0,
            len(deployments) if deployments is not None else -1,
            "9" if snapshot.state is HostState.CONNECTED else snapshot.last_seen_at or "",
        ),
        tool_tips=_tool_tips(snapshot, running),
        state=state,
        runs=_worst([row.state for row in running]),
        memory=memory,
        group=settings.group,
        search="\n".join((*found_by, *(row.name for row in running))).casefold(),
    )


def present_running(deployments: Sequence[DeploymentSnapshot]) -> tuple[RunningRow, ...]:
    """Return what runs on a host: name, state, engine, model, port."""
    return tuple(
        RunningRow(name=one.name, state=snapshot_view(one), text=_what(one))
        for one in sorted(deployments, key=lambda one: one.name)
    )


def ssh_command(settings: HostSettings) -> str:
    """Return the command that opens a shell on a host; empty where there is none."""
    if settings.kind is not HostKind.SSH:
        return ""
    words = ["ssh"]
    if settings.port != 22:
        words += ["-p", str(settings.port)]
    if settings.key_file:
        words += ["-i", settings.key_file]
    words.append(f"{settings.user}@{settings.address}" if settings.user else settings.address)
    return shlex.join(words)


def present_memory(snapshot: HostSnapshot) -> Bar:
    """Return how full the host's GPU memory was at the last look."""
    summary = snapshot.summary
    if summary is None or summary.memory_total_mib is None:
        return Bar(fraction=None, text="–")
    total = summary.memory_total_mib
    if summary.memory_used_mib is None:
        return Bar(fraction=None, text=f"– / {total / KIB:,.0f}")
    used = summary.memory_used_mib
    return Bar(fraction=used / total if total else None, text=_of(used, total))


def _of(used_mib: int, total_mib: int) -> str:
    return f"{used_mib / KIB:,.1f} / {total_mib / KIB:,.0f}"


def _gpus(snapshot: HostSnapshot) -> str:
    summary = snapshot.summary
    if summary is None:
        return ""
    if summary.gpu_text:
        return summary.gpu_text
    known, unknown = translate("Hosts", "No GPU"), translate("Hosts", "GPUs unknown")
    return known if summary.gpus_known else unknown


def _what(one: DeploymentSnapshot) -> str:
    engine = engine_title(one.engine, one.engine_version)
    # A port of something that is down leads nowhere.
    is_open = one.host_port is not None and one.state in UP
    port = translate("Hosts", "port {port}").format(port=one.host_port) if is_open else ""
    return " · ".join(part for part in (engine, one.model_name, port) if part)


def _worst(states: Sequence[StateView]) -> StateView | None:
    return min(states, key=lambda state: _WORST_FIRST.index(state.status), default=None)


def _tool_tips(snapshot: HostSnapshot, running: Sequence[RunningRow]) -> dict[int, str]:
    notes = snapshot.settings.notes
    tips = {
        0: notes if len(notes) <= _NOTE_ROOM else f"{notes[:_NOTE_ROOM]}…",
        1: cause_text(snapshot.error) if snapshot.error is not None else "",
        7: "\n".join(f"{row.name}: {row.state.word} · {row.text}" for row in running),
        8: local_time_text(snapshot.last_seen_at),
    }
    return {column: text for column, text in tips.items() if text}


def groups_of(hosts: Iterable[HostSnapshot]) -> tuple[str, ...]:
    """Return the groups that hosts have, in the order of the alphabet."""
    return tuple(sorted({host.settings.group for host in hosts} - {""}, key=str.casefold))
