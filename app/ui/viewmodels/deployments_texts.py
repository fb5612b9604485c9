"""How deployments read: cards, the phases of a start, what the engine reported, what may follow."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from PySide6.QtCore import QCoreApplication

from app.core.deployment.answers import ChatAnswer
from app.core.deployment.state import RESTARTABLE, UP, WORKING
from app.core.diagnosis.finding import Diagnosis
from app.core.engines.spec import EngineData
from app.core.errors import ErrorCode, ErrorInfo
from app.core.events import DeploymentSnapshot, DeploymentState
from app.core.logs.actuals import Actual
from app.core.slow.alerts import Alert
from app.core.units import format_gib, format_seconds
from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.viewmodels.deployments_findings import panel_of
from app.ui.viewmodels.deployments_phases import PhaseView, present_phases
from app.ui.viewmodels.findings import FindingsPanel
from app.ui.viewmodels.host_texts import StateView

translate = QCoreApplication.translate

S = DeploymentState

_STATES: Final[Mapping[DeploymentState, tuple[str, str, str]]] = {
    S.PLANNED: ("circle-dashed", QT_TRANSLATE_NOOP("Deployments", "Planned"), "unknown"),
    S.PREFLIGHT: ("shield-check", QT_TRANSLATE_NOOP("Deployments", "Checking"), "accent"),
    S.FETCHING_IMAGE: (
        "cloud-download",
        QT_TRANSLATE_NOOP("Deployments", "Fetching the image"),
        "accent",
    ),
    S.CREATING: ("plus", QT_TRANSLATE_NOOP("Deployments", "Creating"), "accent"),
    S.STARTING: ("loader-2", QT_TRANSLATE_NOOP("Deployments", "Starting"), "accent"),
    S.VERIFYING: ("message-2", QT_TRANSLATE_NOOP("Deployments", "Verifying"), "accent"),
    S.SERVING: ("circle-check", QT_TRANSLATE_NOOP("Deployments", "Serving"), "ok"),
    S.DEGRADED: ("alert-triangle", QT_TRANSLATE_NOOP("Deployments", "Degraded"), "warn"),
    S.STOPPING: ("loader-2", QT_TRANSLATE_NOOP("Deployments", "Stopping"), "accent"),
    S.STOPPED: ("player-stop", QT_TRANSLATE_NOOP("Deployments", "Stopped"), "unknown"),
    S.FAILED: ("circle-x", QT_TRANSLATE_NOOP("Deployments", "Failed"), "error"),
    S.CRASH_LOOPING: (
        "alert-circle",
        QT_TRANSLATE_NOOP("Deployments", "Keeps crashing"),
        "error",
    ),
    S.UNKNOWN: ("question-mark", QT_TRANSLATE_NOOP("Deployments", "Not known"), "unknown"),
}

_QUANTITIES: Final[Mapping[str, str]] = {
    "weights_bytes_per_gpu": QT_TRANSLATE_NOOP("Deployments", "Weights"),
    "kv_cache_bytes_per_gpu": QT_TRANSLATE_NOOP("Deployments", "KV cache"),
    "kv_tokens": QT_TRANSLATE_NOOP("Deployments", "KV cache, tokens"),
    "cuda_graph_bytes": QT_TRANSLATE_NOOP("Deployments", "CUDA graphs"),
    "activation_bytes": QT_TRANSLATE_NOOP("Deployments", "Activations"),
    "non_torch_bytes": QT_TRANSLATE_NOOP("Deployments", "Other"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DeploymentCard:
    """A deployment in the list."""

    ref: str
    name: str
    host_name: str
    state: StateView
    model: str
    engine: str
    endpoint: str
    """What a client on the host would use; empty while there is none."""
    uptime: str
    revision: int
    simulated: bool

    @property
    def words(self) -> str:
        """All of it for assistive technology."""
        parts = (self.name, self.state.word, self.model, self.engine, self.endpoint, self.uptime)
        return ", ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowed:
    """What may be done with a deployment now."""

    start: bool = False
    stop: bool = False
    restart: bool = False
    remove: bool = False
    tunnel: bool = False
    chat: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DeploymentDetail:
    """Everything about the chosen deployment."""

    card: DeploymentCard
    facts: tuple[tuple[str, str], ...]
    phases: tuple[PhaseView, ...]
    eta: str
    found_running: bool
    """It runs, and nobody here saw how it started."""
    is_gone: bool
    error: ErrorInfo | None
    reported: tuple[tuple[str, str], ...]
    tunnel_url: str
    older: int
    """Stopped containers of other revisions."""
    rollback_to: int | None
    """The revision that *Roll back* puts in force; ``None`` when there is none, or not now."""
    allowed: Allowed
    is_starting: bool
    findings: FindingsPanel | None = None
    """Why it failed, or what its running log tells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatView:
    """One question and its answer."""

    prompt: str = ""
    answer: str = ""
    facts: str = ""
    is_waiting: bool = False
    error: ErrorInfo | None = None


def state_view(state: DeploymentState) -> StateView:
    """Return icon, word and status of a state."""
    icon, word, status = _STATES[state]
    return StateView(icon=icon, word=translate("Deployments", word), status=status)


def is_gone(snapshot: DeploymentSnapshot) -> bool:
    """True when somebody removed the container behind our back: no failure of the engine."""
    error = snapshot.error
    return (
        snapshot.state is S.FAILED
        and error is not None
        and error.code is ErrorCode.CONTAINER_NOT_FOUND
    )


def snapshot_view(snapshot: DeploymentSnapshot) -> StateView:
    """Return icon, word and status of a deployment."""
    if is_gone(snapshot):
        word = translate("Deployments", "Gone")
        return StateView(icon="circle-dashed", word=word, status="warn")
    return state_view(snapshot.state)


def present_card(
    snapshot: DeploymentSnapshot, now_s: float, engine: EngineData | None = None
) -> DeploymentCard:
    """Return a deployment as a card."""
    is_up = snapshot.state in UP
    name = _engine_name(snapshot, engine)
    return DeploymentCard(
        ref=snapshot.ref,
        name=snapshot.name,
        host_name=snapshot.host_name,
        state=snapshot_view(snapshot),
        model=snapshot.model_name,
        engine=name,
        endpoint=f"127.0.0.1:{snapshot.host_port}" if snapshot.host_port and is_up else "",
        uptime=uptime_text(snapshot.started_at, now_s) if is_up else "",
        revision=snapshot.deployment_revision,
        simulated=snapshot.simulated,
    )


def present_detail(
    snapshot: DeploymentSnapshot,
    *,
    now_s: float,
    remaining_s: float | None,
    actuals: Sequence[Actual],
    engine: EngineData | None,
    live: Diagnosis | None = None,
    alerts: Sequence[Alert] = (),
) -> DeploymentDetail:
    """Return everything about a deployment; ``live`` is what its followed log says so far.

    ``alerts`` is what the watch noticed of it.
    """
    card = present_card(snapshot, now_s, engine)
    is_starting = snapshot.state in WORKING
    return DeploymentDetail(
        card=card,
        facts=_facts(snapshot, card, engine),
        # What a container that is gone had reached was no failure.
        phases=present_phases(
            replace(snapshot, state=S.STOPPED) if is_gone(snapshot) else snapshot, engine
        ),
        eta=_eta(remaining_s) if is_starting else "",
        found_running=snapshot.state in UP and not was_seen_starting(snapshot),
        is_gone=is_gone(snapshot),
        error=snapshot.error,
        reported=tuple(_reported(actual) for actual in actuals if actual.quantity in _QUANTITIES),
        tunnel_url=f"http://127.0.0.1:{snapshot.tunnel_port}" if snapshot.tunnel_port else "",
        older=snapshot.older_revisions,
        rollback_to=snapshot.rollback_to if snapshot.state in UP | RESTARTABLE else None,
        allowed=allowed(snapshot),
        is_starting=is_starting,
        findings=None if is_gone(snapshot) else panel_of(snapshot, live, alerts),
    )


def _engine_name(snapshot: DeploymentSnapshot, engine: EngineData | None) -> str:
    name = snapshot.engine if engine is None else engine.engine.name
    return f"{name} {snapshot.engine_version}".strip()


def was_seen_starting(snapshot: DeploymentSnapshot) -> bool:
    """Tell whether somebody here saw how it started."""
    return any(phase.started_s is not None for phase in snapshot.phases)


def allowed(snapshot: DeploymentSnapshot) -> Allowed:
    """Return what may be done in this state."""
    state = snapshot.state
    answers = state in {S.SERVING, S.DEGRADED}
    return Allowed(
        start=(
            state in RESTARTABLE and snapshot.container_id is not None and not is_gone(snapshot)
        ),
        stop=state in WORKING | UP,
        restart=answers,
        remove=state not in WORKING | {S.STOPPING, S.UNKNOWN, S.PLANNED},
        tunnel=answers and snapshot.host_port is not None,
        chat=answers,
    )


def _facts(
    snapshot: DeploymentSnapshot, card: DeploymentCard, engine: EngineData | None
) -> tuple[tuple[str, str], ...]:
    rows = [
        (translate("Deployments", "Model"), snapshot.model_name),
        (translate("Deployments", "Engine"), _engine_name(snapshot, engine)),
        (translate("Deployments", "Image"), snapshot.image),
        (translate("Deployments", "Revision"), str(snapshot.deployment_revision)),
        (translate("Deployments", "Up"), card.uptime),
    ]
    if snapshot.restart_count:
        rows.append((translate("Deployments", "Restarts"), str(snapshot.restart_count)))
    if snapshot.exit_code is not None and snapshot.state not in UP:
        rows.append((translate("Deployments", "Exit status"), str(snapshot.exit_code)))
    return tuple((label, value) for label, value in rows if value)


def _eta(remaining_s: float | None) -> str:
    if remaining_s is None:
        return ""
    text = translate("Deployments", "about {time} left")
    return text.format(time=format_seconds(max(round(remaining_s), 1)))


def _reported(actual: Actual) -> tuple[str, str]:
    label = translate("Deployments", _QUANTITIES[actual.quantity])
    match actual.unit:
        case "bytes":
            value = format_gib(actual.value, digits=2)
        case "s":
            value = format_seconds(actual.value)
        case _:
            value = f"{actual.value:,.0f}"
    return label, value


def uptime_text(started_at: str | None, now_s: float) -> str:
    """Return how long something runs: “3 min”, “2 h 05 min”."""
    if started_at is None:
        return ""
    try:
        moment = datetime.fromisoformat(started_at)
    except ValueError:
        return ""
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    minutes = int(max(now_s - moment.timestamp(), 0.0) // 60)
    if minutes < 1:
        return translate("Deployments", "< 1 min")
    days, minutes = divmod(minutes, 24 * 60)
    hours, minutes = divmod(minutes, 60)
    if days:
        return translate("Deployments", "{days} d {hours} h").format(days=days, hours=hours)
    if hours:
        text = translate("Deployments", "{hours} h {minutes} min")
        return text.format(hours=hours, minutes=f"{minutes:02d}")
    return translate("Deployments", "{minutes} min").format(minutes=minutes)


def answer_facts(answer: ChatAnswer) -> str:
    """Return the times of an answer in one line."""
    parts = []
    if answer.ttft_s is not None:
        parts.append(f"TTFT {answer.ttft_s * 1000:,.0f} ms")
    if answer.tokens is not None:
        text = translate("Deployments", "{count} tokens")
        if answer.tokens == 1:
            text = translate("Deployments", "1 token")
        parts.append(text.format(count=answer.tokens))
        rest = answer.total_s - (answer.ttft_s or 0.0)
        if answer.tokens > 1 and rest > 0:
            parts.append(f"{(answer.tokens - 1) / rest:,.0f} tokens/s")
    total = format_seconds(answer.total_s)
    parts.append(translate("Deployments", "{time} in all").format(time=total))
    # A line ends between two facts, never between a number and its unit.
    return " · ".join(part.replace(" ", "\N{NO-BREAK SPACE}") for part in parts)
