"""One engine's way through the tree: image, hard constraints, sizes, container, score."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from app.core.engines.images import ImageChoice, ImageRefusal, choose_image
from app.core.engines.mounts import deployment_slug
from app.core.engines.parameters import ChosenFlag
from app.core.engines.render import Placement, Rendered, render
from app.core.engines.spec import Device, EngineData, EngineFile, EngineStatus
from app.core.hardware.fingerprint import GpuAccess
from app.core.models.architecture import ModelInfo
from app.core.planning.adapters import (
    adapter_facts,
    adapter_flags,
    adapter_mounts,
    model_with_adapters,
)
from app.core.planning.conditions import Facts, first_refusal
from app.core.planning.engine_facts import (
    cpu_quantization_facts,
    engine_facts,
    float16_facts,
    image_facts,
    quantization_facts,
)
from app.core.planning.host_view import HostView
from app.core.planning.own_checks import (
    contradicted,
    own_advice,
    own_limit_problem,
    own_refusal,
)
from app.core.planning.own_flags import OwnFlags, read_own_flags
from app.core.planning.plan import Goal, Plan, Rejection
from app.core.planning.ranges import parameter_ranges
from app.core.planning.rules import RuleSet
from app.core.planning.scores import scored
from app.core.planning.size_layers import size_layers
from app.core.planning.size_main_memory import size_main_memory
from app.core.planning.size_shards import size_shards
from app.core.planning.sizing import Case, Estimator, NotSized, Sized
from app.core.planning.wording import Wording
from app.core.speed.measured import MeasuredRun
from app.core.texts import Reason, Text, sourced
from app.core.versions import in_span, match_version


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Everything that is the same for all engines of one planning."""

    model: ModelInfo
    host: HostView
    goal: Goal
    rules: RuleSet
    wording: Wording
    estimator: Estimator
    facts: Facts
    runs: tuple[MeasuredRun, ...] = ()
    """What was measured on this installation."""
    engines: Mapping[str, EngineData] = field(default_factory=lambda: MappingProxyType({}))
    """All engines, to tell whose flag it is that one does not know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A plan with the facts it rests on, or a rejection."""

    engine: EngineFile
    plan: Plan | None = None
    rejection: Rejection | None = None
    facts: Mapping[str, bool | float | str | None]


def consider(engine: EngineData, question: Question) -> Outcome:
    """Plan with one engine, or say why not."""
    file = engine.engine
    choice = _choose(file, question)
    device = choice.rule.device if isinstance(choice, ImageChoice) else question.host.device
    facts: Facts = {
        **question.facts,
        **engine_facts(file, question.model),
        **image_facts(choice),
        "image_device": device.value,
        "gpu_unused": device is Device.CPU and question.host.device is Device.NVIDIA,
    }
    facts |= adapter_facts(file, choice.version, question.goal.adapters, question.model)
    own = read_own_flags(question.goal, engine, choice.version, question.engines)
    facts |= own.facts
    facts["own_flags_wrong"] = bool(own.findings)
    if device is Device.NVIDIA:
        capability = _capability(question)
        facts |= quantization_facts(file, choice.version, question.model, capability)
        facts |= float16_facts(file, choice.version, question.model, capability)
    else:
        facts |= cpu_quantization_facts(file, question.model)
    if file.status is EngineStatus.INACTIVE:
        return Outcome(engine=file, rejection=_not_planned(file, question, facts), facts=facts)
    if (refused := _refused(file, question, facts, own.problems)) is not None:
        return Outcome(engine=file, rejection=refused, facts=facts)
    if not file.plannable or isinstance(choice, ImageRefusal):
        return Outcome(engine=file, rejection=_not_planned(file, question, facts), facts=facts)
    return _planned(engine, choice, question, facts, own)


def _planned(
    engine: EngineData, choice: ImageChoice, question: Question, facts: Facts, own: OwnFlags
) -> Outcome:
    case = Case(
        engine=engine,
        image=choice,
        model=model_with_adapters(
            engine.engine, choice.version, question.goal.adapters, question.model
        ),
        host=question.host,
        goal=question.goal,
        facts=facts,
        wording=question.wording,
        estimator=question.estimator,
        own=own,
    )
    if (wrong := own_refusal(case)) is not None:
        return _own_refused(case, wrong, facts)
    sized = _sizing(case)(case)
    if isinstance(sized, NotSized):
        reason = question.wording.reason(sized.code, {**facts, **sized.values})
        if own.values and not isinstance(_without_own(case), NotSized):
            reason = _with_flags_named(case, reason)
        return _outcome_refused(case, reason, {**facts, "fits": False})
    full = {**facts, **sized.facts}
    if (refused := _refused(engine.engine, question, full)) is not None:
        return Outcome(engine=engine.engine, rejection=refused, facts=full)
    if (wrong := own_limit_problem(case, sized.parameters)) is not None:
        return _own_refused(case, wrong, full)
    plan = _plan(case, sized, question, full)
    return Outcome(engine=engine.engine, plan=plan, facts=full)


def _outcome_refused(case: Case, reason: Reason, facts: Facts) -> Outcome:
    file = case.engine.engine
    refused = _rejection(file, case.image.version, reason)
    return Outcome(engine=file, rejection=refused, facts=facts)


def _own_refused(case: Case, reason: Reason, facts: Facts) -> Outcome:
    return _outcome_refused(case, replace(reason, code="own_flags_refused"), facts)


def _without_own(case: Case) -> Sized | NotSized:
    """Size without the user's own flags, to learn whether they are what does not fit."""
    return _sizing(case)(replace(case, own=OwnFlags()))


def _with_flags_named(case: Case, reason: Reason) -> Reason:
    """Say that it is the user's own flags that cannot be had."""
    told = case.reason("own_flags_do_not_fit", "", flags=case.own.all_words)
    text = told.text.with_text("why", reason.text)
    return replace(reason, code="own_flags_refused", text=text)


def _sizing(case: Case) -> Callable[[Case], Sized | NotSized]:
    if case.engine.engine.layer_split:
        return size_layers
    return size_main_memory if case.on_cpu else size_shards


def _plan(case: Case, sized: Sized, question: Question, facts: Facts) -> Plan:
    file, choice, own = case.engine.engine, case.image, case.own
    reasons = {**sized.reasons, **own.reasons(question.wording)}
    extra = (
        *sized.extra,
        *adapter_flags(file, choice.version, case.goal.adapters),
        *own.chosen(question.wording),
    )
    rendered = _rendered(case, sized, reasons, extra, own.replaced)
    contradictions = contradicted(case, rendered.flags) if own.is_any else {}
    if contradictions:
        rendered = _rendered(case, sized, reasons, extra, own.replaced | set(contradictions))
    score, score_reasons = scored(
        question.rules, question.wording, facts, goal=question.goal, runs=question.runs
    )
    return Plan(
        engine=file.id,
        version=choice.version,
        image=choice.reference,
        score=score,
        parameters=sized.parameters,
        flags=rendered.flags,
        argv=rendered.argv,
        environment=rendered.environment,
        container=rendered.container,
        estimate=sized.estimate,
        reasons=(
            _version_reason(file, choice, question, facts),
            *score_reasons,
            *(reasons[name] for name in sized.reasons),
        ),
        advice=(
            *contradictions.values(),
            *own_advice(case, rendered.container.mounts, sized.estimate),
            *question.wording.advice(facts),
            *_cautions(file, choice, question.host),
        ),
        ranges=parameter_ranges(case, sized),
    )


def _rendered(
    case: Case,
    sized: Sized,
    reasons: Mapping[str, Reason],
    extra: tuple[ChosenFlag, ...],
    left_out: frozenset[str],
) -> Rendered:
    placement = Placement(
        name=deployment_slug(case.model),
        host_port=case.goal.port,
        gpu_uuids=sized.parameters.gpu_uuids,
        gpu_access=_access(case.host, sized),
        cdi_names=case.host.cdi_names(sized.choice),
        simulated=case.host.simulated,
        with_api_key=True,
        mounts=adapter_mounts(case.goal.adapters),
    )
    return render(
        case.engine,
        case.image.version,
        sized.parameters,
        case.model,
        image=case.image.rule,
        reasons=reasons,
        placement=placement,
        by_compatibility=case.image.by_compatibility,
        extra=extra,
        left_out=left_out,
    )


def _choose(file: EngineFile, question: Question) -> ImageChoice | ImageRefusal:
    """Choose an image for the GPUs; an engine made to run on a CPU, too, falls back to that.

    Others do so only where there is no GPU or none is wanted: a refusal that names the driver to
    update helps more than a plan that leaves the GPUs unused.
    """
    version = question.goal.engine_version if question.goal.engine == file.id else None
    answer = choose_image(file, question.host.traits(), version=version)
    falls_back = file.layer_split and question.host.device is Device.NVIDIA
    if isinstance(answer, ImageRefusal) and falls_back:
        fallback = choose_image(file, question.host.traits(Device.CPU), version=version)
        return fallback if isinstance(fallback, ImageChoice) else answer
    return answer


def _capability(question: Question) -> str | None:
    lowest = question.facts.get("capability")
    return f"{int(lowest) // 10}.{int(lowest) % 10}" if lowest is not None else None


def _refused(
    file: EngineFile, question: Question, facts: Facts, problems: Text | None = None
) -> Rejection | None:
    rule = first_refusal(question.rules.constraints, file.id, facts)
    if rule is None:
        return None
    reason = rule.reason(facts)
    if problems:
        reason = replace(reason, text=reason.text.with_text("own_flag_problems", problems))
    if rule.code == "own_flags_refused":
        reason = question.wording.with_advice(reason, facts)
    return _rejection(file, str(facts["version"] or ""), reason)


def _not_planned(file: EngineFile, question: Question, facts: Facts) -> Rejection:
    if file.why_not is not None:
        source = sourced(file.source, file.checked)
        code = "inactive" if file.status is EngineStatus.INACTIVE else "not_planned"
        reason = Reason(code=code, text=file.why_not, source=source)
    else:
        reason = question.wording.reason("no_image", facts)
    return _rejection(file, str(facts["version"] or ""), reason)


def _rejection(file: EngineFile, version: str, reason: Reason) -> Rejection:
    return Rejection(
        engine=file.id,
        version=version,
        code=reason.code,
        text=reason.text,
        source=reason.source,
    )


def _access(host: HostView, sized: Sized) -> str:
    if sized.choice is None:
        return GpuAccess.NONE.value
    if host.gpu_access in (GpuAccess.NONE, GpuAccess.UNKNOWN):
        # A recording without container engine: ``--gpus`` is what every Docker understands.
        return GpuAccess.DEVICE_REQUEST.value
    return host.gpu_access.value


def _version_reason(
    file: EngineFile, choice: ImageChoice, question: Question, facts: Facts
) -> Reason:
    match = match_version(choice.version, file.versions, file.version_scheme)
    newest = file.default_version or (file.versions[-1] if file.versions else "")
    if not match.known:
        code = "version_beyond_known" if match.is_newer else "version_not_examined"
    elif question.goal.engine_version == choice.version:
        code = "version_asked"
    elif choice.version != newest:
        code = "version_older_host"
    else:
        code = "version_newest"
    reason = question.wording.reason(code, {**facts, "nearest": match.nearest, "newest": newest})
    return Reason(
        code=reason.code,
        text=reason.text,
        source=sourced(choice.rule.source, choice.rule.checked),
        parameter="version",
    )


def _cautions(file: EngineFile, choice: ImageChoice, host: HostView) -> tuple[Reason, ...]:
    found = [
        Reason(code=rule.id, text=rule.text, source=sourced(rule.source, rule.checked))
        for rule in file.caution
        if in_span(choice.version, rule.since, rule.until, file.version_scheme)
        and (not rule.gpu_access or host.gpu_access.value in rule.gpu_access)
    ]
    note: Text | None = choice.rule.note
    if note is not None:
        source = sourced(choice.rule.source, choice.rule.checked)
        found.append(Reason(code="image_note", text=note, source=source))
    return tuple(found)
