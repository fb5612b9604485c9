"""Plan values → flags of one engine version, and everything that is started with them.

A flag that the version does not know is never written; a renamed one follows its new name.
"""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from app.core.deployment.spec import ContainerSpec
from app.core.engines.container import (
    Placement,
    command_words,
    entrypoint_of,
    render_container,
    server_of,
)
from app.core.engines.mounts import deployment_slug, place_model, served_name
from app.core.engines.parameters import ChosenFlag, Parameters
from app.core.engines.spec import (
    HOST_FIELDS,
    EngineData,
    FlagRule,
    FlagType,
    ImageRule,
    PlanField,
)
from app.core.models.architecture import ModelInfo
from app.core.texts import Reason
from app.core.versions import in_span

__all__ = [
    "Placement",
    "Rendered",
    "always_flags",
    "command_words",
    "host_flags",
    "plan_flags",
    "render",
    "render_container",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """Everything that is started."""

    argv: tuple[str, ...]
    """The whole process: the image's entry point and the command."""
    environment: Mapping[str, str]
    flags: tuple[ChosenFlag, ...]
    container: ContainerSpec


def render(
    engine: EngineData,
    version: str,
    parameters: Parameters,
    model: ModelInfo,
    *,
    image: ImageRule,
    reasons: Mapping[str, Reason] = MappingProxyType({}),
    placement: Placement | None = None,
    by_compatibility: bool = False,
    extra: Iterable[ChosenFlag] = (),
    left_out: Container[str] = frozenset(),
) -> Rendered:
    """Turn plan values into what is started.

    Args:
        engine: Data of the engine.
        version: Version whose flags are written.
        parameters: Engine-neutral values.
        model: The model that is served.
        image: Rule of the image that was chosen.
        reasons: Reason of each plan field, by field name.
        placement: Name, port, GPUs; left out for a preview.
        by_compatibility: The driver relies on CUDA compatibility, see `ImageChoice`.
        extra: Further flags; they replace planned ones of the same name.
        left_out: Planned flags that are not written, by any of their spellings.
    """
    planned = _joined(
        host_flags(engine, version, model),
        plan_flags(engine, version, parameters, reasons),
        always_flags(engine, version),
    )
    flags = _joined((flag for flag in planned if flag.name not in left_out), extra)
    place = placement or Placement(name=deployment_slug(model), gpu_uuids=parameters.gpu_uuids)
    container = render_container(
        engine,
        version,
        flags,
        model,
        image=image,
        placement=place,
        by_compatibility=by_compatibility,
    )
    program = container.entrypoint or entrypoint_of(engine.engine, version).program
    return Rendered(
        argv=(*program, *container.command),
        environment=container.environment,
        flags=flags,
        container=container,
    )


def host_flags(engine: EngineData, version: str, model: ModelInfo) -> tuple[ChosenFlag, ...]:
    """Return the flags that belong to the deployment: model, served name, address, port."""
    server = server_of(engine.engine)
    positional = entrypoint_of(engine.engine, version).model_positional
    values = {
        PlanField.MODEL: None if positional else place_model(model).path,
        PlanField.SERVED_NAME: served_name(model),
        PlanField.HOST: server.bind_address,
        PlanField.PORT: str(server.container_port),
    }
    chosen = []
    for wanted, value in values.items():
        rule = _rule_for(engine, version, wanted)
        if rule is not None and value is not None:
            chosen.append(ChosenFlag(name=rule.name, value=value, reason=_meaning(rule)))
    return tuple(chosen)


def plan_flags(
    engine: EngineData,
    version: str,
    parameters: Parameters,
    reasons: Mapping[str, Reason] = MappingProxyType({}),
) -> tuple[ChosenFlag, ...]:
    """Return the flags that carry the plan's values in this version."""
    chosen = []
    for rule in engine.flags.flag:
        if rule.plan_field is None or rule.plan_field in HOST_FIELDS - {PlanField.THREADS}:
            continue
        if in_span(version, rule.since, rule.until, engine.engine.version_scheme):
            reason = reasons.get(rule.plan_field.value) or _meaning(rule)
            if (flag := _flag(rule, parameters, reason)) is not None:
                chosen.append(flag)
                chosen += [ChosenFlag(name=n, value=None, reason=reason) for n in rule.together]
    return tuple(chosen)


def always_flags(engine: EngineData, version: str) -> tuple[ChosenFlag, ...]:
    """Return the flags that Pitwall itself needs, for example the metrics switch."""
    return tuple(
        ChosenFlag(
            name=always.flag,
            value=always.value,
            reason=Reason(
                code="pitwall_needs",
                text=always.why,
                source=f"{always.source} ({always.checked})",
                parameter=always.flag,
            ),
        )
        for always in engine.engine.always
        if in_span(version, always.since, always.until, engine.engine.version_scheme)
    )


def _joined(*groups: Iterable[ChosenFlag]) -> tuple[ChosenFlag, ...]:
    """Join flags; a later one takes the place of an earlier one of the same name."""
    chosen: dict[str, ChosenFlag] = {}
    for group in groups:
        for flag in group:
            chosen[flag.name] = flag
    return tuple(chosen.values())


def _flag(rule: FlagRule, parameters: Parameters, reason: Reason) -> ChosenFlag | None:
    value = _neutral(parameters, rule.plan_field)
    if value is None:
        return None
    if rule.times is not None:
        value = int(value) * int(_neutral(parameters, rule.times) or 1)
    if rule.offset:
        value = int(value) + rule.offset
    neutral = _part(rule, _text(value))
    if rule.follows and rule.values and neutral not in rule.values:
        return None
    text = rule.values.get(neutral, neutral)
    if text == "":
        return None
    if rule.type in (FlagType.SWITCH, FlagType.BOOL):
        name = rule.name if value else rule.negation
        return ChosenFlag(name=name, value=None, reason=reason) if name else None
    return ChosenFlag(name=rule.name, value=text, reason=reason)


def _part(rule: FlagRule, value: str) -> str:
    """Return the half of ``K/V`` that a flag carries; one word means both."""
    keys, slash, values = value.partition("/")
    return values if slash and rule.part == 1 else keys if slash and rule.part == 0 else value


def _neutral(parameters: Parameters, wanted: PlanField | None) -> bool | float | str | None:
    value = getattr(parameters, wanted.value, None) if wanted is not None else None
    return value if isinstance(value, bool | int | float | str) else None


def _text(value: bool | float | str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _rule_for(engine: EngineData, version: str, wanted: PlanField) -> FlagRule | None:
    for rule in engine.flags.flag:
        if rule.plan_field is wanted and in_span(
            version, rule.since, rule.until, engine.engine.version_scheme
        ):
            return rule
    return None


def _meaning(rule: FlagRule) -> Reason:
    return Reason(
        code="flag_meaning",
        text=rule.meaning,
        source=f"{rule.source} ({rule.checked})",
        parameter=rule.plan_field.value if rule.plan_field else rule.name,
    )
