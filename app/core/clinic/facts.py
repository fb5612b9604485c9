"""What a launch says, as facts for the rules; `app.core.clinic.fact_book` tells their names."""

import re
from typing import Final

from app.core.clinic.fact_book import Facts
from app.core.clinic.facts_container import add_container
from app.core.clinic.facts_server import add_model, add_server
from app.core.clinic.identify import Launch, VersionSource
from app.core.clinic.launch import LaunchKind, Option, PlacedFlag, Start, Variable
from app.core.clinic.origin import Span, Word
from app.core.clinic.spec import Grammar
from app.core.diagnosis.comparisons import FactValue
from app.core.engines.flags import find_flag
from app.core.engines.spec import FlagType, PlanField


def launch_facts(launch: Launch, grammar: Grammar | None) -> Facts:
    """Return everything that the rules may ask about."""
    facts = Facts()
    facts.set("kind", launch.start.kind.value)
    facts.set("engine", launch.engine_id)
    facts.set("version_known", launch.version_by is not VersionSource.NEWEST)
    _program(facts, launch)
    for variable in launch.start.variables:
        _variable(facts, variable)
    for flag in launch.split.flags:
        _flag(facts, flag, launch)
    _parallel(facts)
    add_container(facts, launch)
    _visible(facts)
    for name, option in launch.start.settings.items():
        key = f"unit.{name.rpartition('.')[2]}"
        facts.set(key, option.value, option.span, option.whole)
    _restart(facts, launch)
    _unit(facts, launch)
    if grammar is not None:
        add_server(facts, launch, grammar)
    add_model(facts, launch)
    _engine_words(facts, launch)
    return facts


def begin_word(launch: Launch) -> Word | None:
    """Return the word that a container executes first."""
    start = launch.start
    entrypoint = start.container.entrypoint if start.container else None
    return next(iter((*(entrypoint or ()), *start.words)), None)


def _program(facts: Facts, launch: Launch) -> None:
    found = launch.found
    begin = launch.start.words[0].span if launch.start.words else launch.start.span
    text = begin_word(launch)
    if text is not None:
        facts.set("one_word", " " in text.text.strip() and found is not None, text.span)
    facts.set("command", " ".join(w.text for w in launch.start.words[:40]), begin)
    facts.set("program", None)
    if found is not None:
        span = Span(begin=found.words[0].span.begin, end=found.words[-1].span.end)
        facts.set("program", " ".join(found.program.words), span)
        facts.set("program_exists", found.program.exists, span)
    facts.set("serves_by_itself", bool(launch.entry))
    if launch.image is not None and launch.start.container and launch.start.container.image:
        word = launch.start.container.image
        facts.set("image", launch.image.repository, word.span)
        facts.set("tag", launch.image.tag, word.span)
        is_pinned = launch.version_by is VersionSource.TAG or bool(launch.image.digest)
        is_known = launch.image_name is not None
        facts.set("floating", is_known and not is_pinned and word.is_resolved, word.span)
        facts.set("image_resolved", word.is_resolved)


def _variable(facts: Facts, variable: Variable) -> None:
    known = variable.is_resolved
    facts.set(
        f"env.{variable.name}", variable.value if known else None, variable.span, variable.whole
    )
    facts.set(f"has_env.{variable.name}", True, variable.span, variable.whole)
    is_secret = variable.name.upper().endswith(("TOKEN", "API_KEY", "_KEY", "PASSWORD", "SECRET"))
    is_given = known and len(variable.value) >= 6 and not _PLACEHOLDER.search(variable.value)
    if is_secret and is_given:
        name = "hub_token" if variable.name in _HUB_TOKENS else "secret_env"
        facts.set(name, variable.name, variable.span, variable.whole)


_PLACEHOLDER: Final = re.compile(
    r"^<.*>$|^\[.*\]$|^\{.*\}$|\byour(?:\b|_)|\bmy[-_]|[x*.]{4}|token[-_ ]?here|"
    r"^(?:hf_)?(?:token|secret|changeme)$",
    re.IGNORECASE,
)
"""What a guide writes where the reader's own secret belongs."""
_HUB_TOKENS: Final = frozenset({"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_API_TOKEN"})


def _flag(facts: Facts, flag: PlacedFlag, launch: Launch) -> None:
    rule = find_flag(launch.engine.flags, flag.name, launch.engine.engine, launch.version)
    name = (rule.name if rule else flag.name).lstrip("-")
    is_switch = rule is not None and rule.type in {FlagType.SWITCH, FlagType.BOOL}
    negated = bool(rule and rule.negation and flag.name == rule.negation)
    value: FactValue = flag.value if flag.value is not None else not negated
    if is_switch and flag.value is None:
        value = not negated
    facts.set(f"flag.{name}", value if flag.is_resolved else None, flag.value_span, flag.span)
    facts.set(f"has_flag.{name}", True, flag.value_span, flag.span)
    if rule is not None and rule.plan_field is not None:
        field_name = rule.plan_field.value
        facts.set(
            f"plan.{field_name}", value if flag.is_resolved else None, flag.value_span, flag.span
        )
        if rule.plan_field is PlanField.API_KEY:
            facts.set("key_on_line", True, flag.value_span, flag.span)


def _parallel(facts: Facts) -> None:
    world = 1
    for name in ("tensor_parallel_size", "pipeline_parallel_size"):
        value = facts.values.get(f"plan.{name}")
        number = int(value) if isinstance(value, str) and value.isdigit() else None
        if f"plan.{name}" in facts.places and number is None:
            facts.set("world", None)
            return
        world *= number or 1
    place = facts.places.get("plan.tensor_parallel_size") or facts.places.get(
        "plan.pipeline_parallel_size"
    )
    facts.set("world", min(world, 10**6), place)
    value = facts.values.get("plan.tensor_parallel_size")
    if isinstance(value, str) and value.isdigit() and len(value) < 9:
        facts.set("tp_power_of_two", int(value) & (int(value) - 1) == 0)


def _visible(facts: Facts) -> None:
    value = facts.values.get("env.CUDA_VISIBLE_DEVICES")
    if not isinstance(value, str) or not value.strip():
        return
    parts = [part.strip() for part in value.split(",") if part.strip()]
    place = facts.places["env.CUDA_VISIBLE_DEVICES"]
    facts.set("visible_count", len(parts), place)
    numbers = [int(part) for part in parts if part.isdigit() and len(part) < 5]
    facts.set("visible_highest", max(numbers) if len(numbers) == len(parts) else None, place)


def _restart(facts: Facts, launch: Launch) -> None:
    """Note a policy that looks at the exit code, of docker or of systemd."""
    container = launch.start.container
    policy = container.first("restart") if container else None
    unit = launch.start.settings.get("Service.Restart")
    for option in (policy, unit):
        if option is not None and option.value.startswith("on-failure"):
            facts.set("restarts_on_failure", True, option.span, option.whole)


_SHELL_SIGNS: Final = re.compile(r"(?:^|\s)(?:&&|\|\||\||>>?|2>)(?:\s|$)")


_RESTARTS: Final = frozenset(
    {"", "no", "always", "on-success", "on-failure", "on-abnormal", "on-abort", "on-watchdog"}
)
_LITERAL: Final = re.compile(r"\$\{?[A-Za-z_]")


def _unit(facts: Facts, launch: Launch) -> None:
    started = launch.start.settings.get("Service.ExecStart")
    _unit_settings(facts, launch.start, started)
    if started is None or not started.value:
        return
    program = started.value.lstrip("-@:+!").split(maxsplit=1)[0]
    is_shell = program.rpartition("/")[2] in {"sh", "bash"}
    facts.set("unit_shell", bool(_SHELL_SIGNS.search(started.value)) and not is_shell)
    facts.set("unit_relative", "/" not in program and "docker" not in program)


def _unit_settings(facts: Facts, start: Start, started: Option | None) -> None:
    restart = start.settings.get("Service.Restart")
    if restart is not None and restart.value not in _RESTARTS:
        facts.set("unit_restart_odd", restart.value, restart.span, restart.whole)
    if start.kind is not LaunchKind.SYSTEMD or start.container is not None:
        return
    for variable in start.variables:
        at = variable.span.begin
        is_expanded = started is not None and started.span.begin <= at < started.span.end
        if _LITERAL.search(variable.value) and not is_expanded:
            facts.set("unit_literal", variable.name, variable.span, variable.whole)


def _engine_words(facts: Facts, launch: Launch) -> None:
    """Note what one engine's rules ask."""
    found, start = launch.found, launch.start
    by_program = found is not None and found.program.words[-1] == "serve"
    facts.set("starts_with_serve", by_program or launch.entry[-1:] == ("serve",))
    words = (*start.words, *(flag.name_word for flag in launch.split.flags))
    facts.set("has_unresolved", not all(word.is_resolved for word in words))
    name = facts.values.get("plan.served_name")
    facts.set("served_name_colon", isinstance(name, str) and ":" in name)
    facts.set("service_is_vllm", None)
    parallel, context = facts.values.get("flag.parallel"), facts.values.get("flag.ctx-size")
    slots = int(parallel) if isinstance(parallel, str) and parallel.isdigit() else 0
    if slots and isinstance(context, str) and context.isdigit():
        facts.set("slot_context", int(context) // slots)
    twice = ("max_batch_size", "max_num_tokens", "max_seq_len", "tp_size")
    given = next((f"flag.{n}" for n in twice if f"flag.{n}" in facts.places), None)
    facts.set("trt_given_twice", given is not None, facts.places.get(given or ""))
