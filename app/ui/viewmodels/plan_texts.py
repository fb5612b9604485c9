"""How goals, models, plans and refusals read in the wizard."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QCoreApplication

from app.core.engines.spec import EngineData
from app.core.hardware.fingerprint import Fingerprint
from app.core.models.architecture import ModelFormat, ModelInfo
from app.core.models.folders import ModelCandidate
from app.core.models.lora import LoraAdapter
from app.core.planning.plan import GoalKind, Plan, Reason, Rejection, TuningStep
from app.core.units import GIB, format_bytes
from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.viewmodels.plan_speed import SpeedView, present_speed
from app.ui.viewmodels.said import said

translate = QCoreApplication.translate

_GOALS: Final[Mapping[GoalKind, tuple[str, str, str]]] = {
    GoalKind.THROUGHPUT: (
        "stack-2",
        QT_TRANSLATE_NOOP("Plan", "Many users at once"),
        QT_TRANSLATE_NOOP("Plan", "Most tokens per second in all"),
    ),
    GoalKind.LATENCY: (
        "bolt",
        QT_TRANSLATE_NOOP("Plan", "Quick answers"),
        QT_TRANSLATE_NOOP("Plan", "First token soon, no pauses"),
    ),
    GoalKind.LONG_CONTEXT: (
        "file-text",
        QT_TRANSLATE_NOOP("Plan", "Long contexts"),
        QT_TRANSLATE_NOOP("Plan", "Long documents in one request"),
    ),
    GoalKind.MULTI_STEP: (
        "sitemap",
        QT_TRANSLATE_NOOP("Plan", "Multi-step work"),
        QT_TRANSLATE_NOOP("Plan", "Agents: many calls, same start"),
    ),
    GoalKind.MEMORY: (
        "gauge",
        QT_TRANSLATE_NOOP("Plan", "Little memory"),
        QT_TRANSLATE_NOOP("Plan", "Leave room, or just about fit"),
    ),
    GoalKind.QUALITY: (
        "target",
        QT_TRANSLATE_NOOP("Plan", "Best answers"),
        QT_TRANSLATE_NOOP("Plan", "Weights and KV cache unreduced"),
    ),
}

_FORMATS: Final = {
    ModelFormat.SAFETENSORS: "safetensors",
    ModelFormat.GGUF: "GGUF",
    ModelFormat.UNKNOWN: QT_TRANSLATE_NOOP("Plan", "unknown"),
}

_SHORT: Final[Mapping[str, str]] = {
    "inactive": QT_TRANSLATE_NOOP("Plan", "inactive project, no image"),
    "not_planned": QT_TRANSLATE_NOOP("Plan", "no plans for it yet"),
    "format_unsupported": QT_TRANSLATE_NOOP("Plan", "reads another format"),
    "other_engine_asked": QT_TRANSLATE_NOOP("Plan", "another one was asked for"),
    "encoder_model": QT_TRANSLATE_NOOP("Plan", "generates no text"),
    "container_engine_missing": QT_TRANSLATE_NOOP("Plan", "no container engine"),
    "container_engine_not_reachable": QT_TRANSLATE_NOOP("Plan", "container engine refuses"),
    "no_gpu": QT_TRANSLATE_NOOP("Plan", "needs a GPU"),
    "cpu_architecture": QT_TRANSLATE_NOOP("Plan", "other processor type"),
    "compute_capability": QT_TRANSLATE_NOOP("Plan", "GPU not supported"),
    "driver_too_old": QT_TRANSLATE_NOOP("Plan", "driver too old"),
    "no_image": QT_TRANSLATE_NOOP("Plan", "no image for this host"),
    "engine_build_needed": QT_TRANSLATE_NOOP("Plan", "would have to be built first"),
    "split_gguf": QT_TRANSLATE_NOOP("Plan", "takes one file only"),
    "gpu_access_missing": QT_TRANSLATE_NOOP("Plan", "containers get no GPU"),
    "quantization_ended": QT_TRANSLATE_NOOP("Plan", "quantization dropped"),
    "quantization_capability": QT_TRANSLATE_NOOP("Plan", "quantization needs a newer GPU"),
    "quantization_not_on_cpu": QT_TRANSLATE_NOOP("Plan", "quantization not for CPUs"),
    "does_not_fit": QT_TRANSLATE_NOOP("Plan", "does not fit"),
    "does_not_fit_context": QT_TRANSLATE_NOOP("Plan", "does not fit"),
    "does_not_fit_unsplit": QT_TRANSLATE_NOOP("Plan", "does not fit"),
    "cannot_be_split": QT_TRANSLATE_NOOP("Plan", "cannot be divided"),
    "context_beyond_model": QT_TRANSLATE_NOOP("Plan", "context beyond the model"),
    "float16_unstable": QT_TRANSLATE_NOOP("Plan", "float16 overflows here"),
    "adapters_no_way": QT_TRANSLATE_NOOP("Plan", "takes no LoRA adapters"),
    "adapters_format": QT_TRANSLATE_NOOP("Plan", "other adapter format"),
    "adapters_too_many": QT_TRANSLATE_NOOP("Plan", "takes one adapter only"),
    "adapters_rank": QT_TRANSLATE_NOOP("Plan", "adapter rank too high"),
    "adapters_dora": QT_TRANSLATE_NOOP("Plan", "takes no DoRA"),
    "adapters_modules": QT_TRANSLATE_NOOP("Plan", "adapter brings whole modules"),
    "own_flags_refused": QT_TRANSLATE_NOOP("Plan", "takes other flags"),
    "unlike_gpus": QT_TRANSLATE_NOOP("Plan", "GPUs differ"),
    "tp_refused": QT_TRANSLATE_NOOP("Plan", "does not divide"),
    "kv_refused": QT_TRANSLATE_NOOP("Plan", "not on this GPU"),
    "dtype_refused": QT_TRANSLATE_NOOP("Plan", "not on this GPU"),
    "does_not_fit_ram": QT_TRANSLATE_NOOP("Plan", "does not fit"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalChoice:
    """One kind of goal as it is offered."""

    kind: GoalKind
    icon: str
    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateRow:
    """A model that was found."""

    path: str
    name: str
    format: str
    """With the quantization, where the name says it."""
    size: str
    place: str
    """The path below the folder that was searched."""

    @property
    def is_elsewhere(self) -> bool:
        """True when the path says more than the name."""
        return self.place != self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """A reason with where it comes from."""

    text: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineCard:
    """A plan as a card."""

    engine: str
    title: str
    image: str
    facts: str
    reasons: tuple[Why, ...]
    advice: tuple[Why, ...]
    speed: SpeedView | None
    is_best: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedCard:
    """An engine that cannot serve here."""

    engine: str
    title: str
    short: str
    why: Why


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuChoice:
    """A GPU that may be chosen."""

    uuid: str
    title: str
    note: str


def present_goals() -> tuple[GoalChoice, ...]:
    """Return the six kinds of goals."""
    return tuple(
        GoalChoice(
            kind=kind, icon=icon, title=translate("Plan", title), text=translate("Plan", text)
        )
        for kind, (icon, title, text) in _GOALS.items()
    )


def goal_title(kind: GoalKind) -> str:
    """Return the words for a kind of goal."""
    return translate("Plan", _GOALS[kind][1])


def format_text(found: ModelFormat) -> str:
    """Return how a model is stored."""
    return translate("Plan", _FORMATS[found])


def present_candidate(candidate: ModelCandidate, folder: str = "") -> CandidateRow:
    """Return a model found in ``folder`` as a row."""
    size = candidate.size_bytes
    stored = (format_text(candidate.format), candidate.quantization)
    return CandidateRow(
        path=candidate.path,
        name=candidate.name,
        format=" · ".join(part for part in stored if part),
        size=translate("Plan", "no weights") if size is None else format_bytes(size),
        place=_below(candidate.path, folder),
    )


def _below(path: str, folder: str) -> str:
    root = folder.rstrip("/") + "/"
    return path.removeprefix(root) if path.startswith(root) else path


def model_facts(model: ModelInfo) -> tuple[tuple[str, str], ...]:
    """Return what is worth knowing of a model, label and value."""
    a = model.architecture
    kv = f"{a.kv_heads} × {a.head_dim}"
    rows = [
        (translate("Plan", "Architecture"), a.name),
        (translate("Plan", "Format"), format_text(model.format)),
        (
            translate("Plan", "Weights"),
            translate("Plan", "from the config only")
            if model.weights_bytes is None
            else format_bytes(model.weights_bytes),
        ),
        (translate("Plan", "Type"), _type_text(model)),
        (translate("Plan", "Layers"), f"{a.layers}"),
        (translate("Plan", "KV heads × width"), kv),
    ]
    if a.max_context:
        rows.append(
            (
                translate("Plan", "Longest context"),
                translate("Plan", "{count} tokens").format(count=f"{a.max_context:,}"),
            )
        )
    if a.experts:
        text = translate("Plan", "{count}, {active} per token")
        rows.append(
            (translate("Plan", "Experts"), text.format(count=a.experts, active=a.experts_per_token))
        )
    return tuple(rows)


def _type_text(model: ModelInfo) -> str:
    quantization = model.quantization
    if quantization.method in {"", "none"}:
        return model.dtype
    return quantization.label or quantization.method


def present_plans(
    ranked: tuple[Plan, ...], engines: Mapping[str, EngineData]
) -> tuple[EngineCard, ...]:
    """Return the plans as cards, best first."""
    return tuple(
        EngineCard(
            engine=plan.engine,
            title=f"{engine_name(plan.engine, engines)} {plan.version}",
            image=plan.image,
            facts=plan_facts(plan),
            reasons=tuple(why(reason) for reason in plan.reasons),
            advice=tuple(why(reason) for reason in plan.advice),
            speed=present_speed(plan.speed),
            is_best=position == 0,
        )
        for position, plan in enumerate(ranked)
    )


def present_refused(
    rejected: tuple[Rejection, ...], engines: Mapping[str, EngineData]
) -> tuple[RefusedCard, ...]:
    """Return the engines that cannot serve, each with why not."""
    return tuple(
        RefusedCard(
            engine=entry.engine,
            title=engine_name(entry.engine, engines),
            short=short_reason(entry.code, said(entry.text)),
            why=Why(text=said(entry.text), source=entry.source),
        )
        for entry in rejected
    )


def present_tuning(steps: tuple[TuningStep, ...]) -> str:
    """Return the tuning plan, a sentence a line."""
    return "\n".join(f"• {said(step.text)}" for step in steps)


def engine_name(engine: str, engines: Mapping[str, EngineData]) -> str:
    """Return an engine's own name."""
    return engines[engine].engine.name if engine in engines else engine


def plan_facts(plan: Plan) -> str:
    """Return the values of a plan in one line."""
    values = plan.parameters
    parts = [
        translate("Plan", "context {count} tokens").format(count=f"{values.context_tokens:,}"),
        translate("Plan", "{count} requests at once").format(count=f"{values.concurrency:,}"),
    ]
    if values.gpu_indices:
        gpus = ", ".join(str(index) for index in values.gpu_indices)
        parts.insert(0, translate("Plan", "GPU {list}").format(list=gpus))
    else:
        parts.insert(0, translate("Plan", "processors only"))
    if values.tensor_parallel_size > 1:
        parts.insert(1, f"TP {values.tensor_parallel_size}")
    return " · ".join(parts)


def why(reason: Reason) -> Why:
    """Return a reason in the language in force."""
    return Why(text=said(reason.text), source=reason.source)


def short_reason(code: str, text: str) -> str:
    """Return two or three words for why an engine is refused."""
    short = _SHORT.get(code)
    return translate("Plan", short) if short else text


def adapter_facts(adapter: LoraAdapter) -> str:
    """Return what is worth knowing of a LoRA adapter, its path last."""
    parts = []
    if adapter.rank is not None:
        parts.append(translate("Plan", "rank {rank}").format(rank=adapter.rank))
    if adapter.is_gguf:
        parts.append("GGUF")
    if adapter.size_bytes:
        parts.append(format_bytes(adapter.size_bytes))
    return " · ".join((*parts, adapter.path))


def present_gpus(fingerprint: Fingerprint) -> tuple[GpuChoice, ...]:
    """Return the GPUs of a host as choices; one without UUID cannot be chosen."""
    return tuple(
        GpuChoice(uuid=gpu.uuid, title=f"GPU {gpu.index}", note=_gpu_note(gpu.name, total, used))
        for gpu in fingerprint.gpus
        if gpu.uuid is not None
        for total, used in ((gpu.memory_total_mib, gpu.memory_used_mib),)
    )


def _gpu_note(name: str | None, total_mib: int | None, used_mib: int | None) -> str:
    parts = [name or translate("Plan", "unknown model")]
    if total_mib is not None:
        parts.append(f"{total_mib / 1024:,.0f} GiB")
        if used_mib is not None:
            free = f"{(total_mib - used_mib) / 1024:,.0f}"
            parts.append(translate("Plan", "{size} GiB free").format(size=free))
    return " · ".join(parts)


def host_line(fingerprint: Fingerprint) -> str:
    """Return what the host has, in one line."""
    parts = []
    if fingerprint.gpus:
        names = sorted({gpu.name or "GPU" for gpu in fingerprint.gpus})
        parts.append(f"{len(fingerprint.gpus)} × {', '.join(names)}")
    else:
        parts.append(translate("Plan", "no GPU"))
    if fingerprint.driver_version:
        text = translate("Plan", "driver {version}")
        parts.append(text.format(version=fingerprint.driver_version))
    if fingerprint.cpu.threads:
        text = translate("Plan", "{count} processor threads")
        parts.append(text.format(count=fingerprint.cpu.threads))
    if fingerprint.memory.total_bytes:
        text = translate("Plan", "{size} GiB main memory")
        parts.append(text.format(size=f"{fingerprint.memory.total_bytes / GIB:,.0f}"))
    return " · ".join(parts)
