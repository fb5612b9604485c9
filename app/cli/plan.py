"""``pitwall plan``: engine and parameters with reasons."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli.connect import Answers, reach
from app.cli.context import EXIT_NEGATIVE, EXIT_OK, run_command
from app.cli.fingerprint import load, take
from app.cli.options import (
    COUNT,
    SECONDS,
    SOME,
    SOME_BYTES,
    WHAT_IF,
    accept_key_option,
    json_option,
    password_option,
    read_source,
)
from app.cli.output import Output, table
from app.core.documents.plan import (
    PlanDocument,
    RangeEntry,
    ReasonEntry,
    SpeedEntry,
    plan_document,
    with_two_steps,
)
from app.core.errors import AppError, ErrorCode, PlanError, UserInputError
from app.core.planning.plan import Goal, GoalKind
from app.core.units import format_seconds, format_size

if TYPE_CHECKING:
    from app.bootstrap import Application
    from app.core.hardware.fingerprint import Fingerprint
    from app.core.models.architecture import ModelInfo
    from app.core.models.lora import LoraAdapter
    from app.core.models.memory import MemoryEstimate


@click.command("plan")
@click.option("--host", help="Plan for this host; its fingerprint is taken now.")
@click.option("--fingerprint", "fingerprint_file", help="Plan for a saved fingerprint.")
@click.option("--what-if", "what_if", help="Plan for a host from the GPU catalogue: “2x L40S”.")
@click.option("--model", help="Model folder or GGUF file on the host.")
@click.option("--config", help="A config.json on this computer (“-” is stdin).")
@click.option(
    "--goal", type=click.Choice([kind.value for kind in GoalKind]), default="throughput",
    show_default=True,
)  # fmt: skip
@click.option("--ttft", type=SECONDS, help="Wanted time to first token.")
@click.option("--itl", type=SECONDS, help="Wanted time between tokens.")
@click.option("--concurrency", type=COUNT, help="Requests at once.")
@click.option("--context", type=COUNT, help="Context length in tokens.")
@click.option("--output", "output_tokens", type=SOME, help="Length of the answers in tokens.")
@click.option("--structured", is_flag=True, help="Answers follow a grammar or a JSON schema.")
@click.option("--for-others", is_flag=True, help="The model is offered to others (licence).")
@click.option("--memory", type=SOME_BYTES, help="Take no more of each GPU than this: 40GiB.")
@click.option("--engine", help="Only this engine.")
@click.option("--engine-version", help="This version of it; else the newest that runs there.")
@click.option(
    "--port", type=click.IntRange(1, 65_535), help="Port on the host; else the next free one."
)
@click.option("--cpu", is_flag=True, help="Leave the GPUs alone.")
@click.option(
    "--compose", is_flag=True, help="Show the container as a compose file, not as docker run."
)
@click.option(
    "--build-engine", is_flag=True,
    help="TensorRT-LLM 0.20 to 1.2.1: show how the engine is built first, then served.",
)  # fmt: skip
@click.option(
    "--adapter", "adapters", metavar="[NAME=]DIR", multiple=True,
    help="Serve this LoRA adapter beside the model (repeatable).",
)  # fmt: skip
@click.option("--tuning", is_flag=True, help="Show how better values are found by measuring.")
@click.option("--save", type=click.Path(dir_okay=False), help="Write the best plan as a profile.")
@accept_key_option
@password_option
@json_option
@click.argument("engine_flags", nargs=-1, type=click.UNPROCESSED)
def plan_command(
    *,
    host: str | None,
    fingerprint_file: str | None,
    what_if: str | None,
    model: str | None,
    config: str | None,
    goal: str,
    ttft: float | None,
    itl: float | None,
    concurrency: int | None,
    context: int | None,
    output_tokens: int | None,
    structured: bool,
    for_others: bool,
    memory: int | None,
    engine: str | None,
    engine_version: str | None,
    port: int | None,
    cpu: bool,
    compose: bool,
    build_engine: bool,
    adapters: tuple[str, ...],
    tuning: bool,
    save: str | None,
    accept_key: str | None,
    password_stdin: bool,
    as_json: bool,
    engine_flags: tuple[str, ...],
) -> None:
    """Choose engine and parameters for a model on a host, with reasons and why-nots.

    Flags of the engine's own after “--” are checked and take the place of planned ones.
    """
    output = Output("plan", as_json=as_json)
    answers = Answers.from_options(accept_key=accept_key, password_stdin=password_stdin)
    wanted = Goal(
        kind=GoalKind(goal), ttft_s=ttft, itl_s=itl, concurrency=concurrency,
        context_tokens=context, engine=engine, engine_version=engine_version, port=port or 0,
        cpu_only=cpu, output_tokens=output_tokens, structured=structured, for_others=for_others,
        memory_bytes_per_gpu=memory, own_flags=engine_flags,
    )  # fmt: skip

    async def work(application: "Application") -> int:
        fingerprint, info = await _subject(
            application, host=host, model=model, config=config,
            source=fingerprint_file if what_if is None else f"{WHAT_IF}{what_if}",
            is_one=[host, fingerprint_file, what_if].count(None) == 2,
            answers=answers, output=output,
        )  # fmt: skip
        found = tuple([await _adapter(application, host, words) for words in adapters])
        asked = replace(wanted, adapters=found)
        result = await application.planning.plan(fingerprint, info, asked)
        saved: str | None = None
        if save is not None and result.ranked:
            profile = application.planning.profile(
                result.ranked[0], name=Path(save).stem, model=info, goal=asked
            )
            saved = str(await application.profiles.save(profile, Path(save)))
        document = plan_document(
            result,
            host=host,
            model=info.name,
            simulated=fingerprint.simulated,
            docker_run=tuple(
                application.planning.docker_run_text(plan.container) for plan in result.ranked
            ),
            compose=tuple(
                application.planning.compose_text(plan.container)
                for plan in (result.ranked if compose else ())
            ),
            profile_file=saved,
        )
        if build_engine and result.ranked:
            steps = application.planning.two_step_text(result.ranked[0], info)
            document = with_two_steps(document, steps)
        output.document(document, plan_text(document, with_tuning=tuning))
        return EXIT_OK if result.ranked else EXIT_NEGATIVE

    run_command(output, work)


async def _subject(
    application: "Application",
    *,
    host: str | None,
    source: str | None,
    is_one: bool,
    model: str | None,
    config: str | None,
    answers: Answers,
    output: Output,
) -> tuple["Fingerprint", "ModelInfo"]:
    if not is_one or (model is None) == (config is None):
        raise UserInputError(
            ErrorCode.INVALID_INPUT,
            {"field": "host"},
            cause="One of --host, --fingerprint and --what-if, and one of --model and --config is "
            "needed.",
            remedy="For example: pitwall plan --host demo --model /models/qwen2.5-7b-instruct",
        )
    if host is not None:
        snapshot = await reach(application, host, answers)
        host_id = snapshot.settings.id
        fingerprint = await take(application, host_id, output)
        if model is not None:
            return fingerprint, await application.models.read(host_id, model)
    else:
        fingerprint = await load(application, source or "")
    if config is None:
        return fingerprint, await _own_model(application, model or "")
    name = "stdin" if config == "-" else Path(config).parent.name or Path(config).name
    return fingerprint, application.models.read_config_text(await read_source(config), name)


async def _adapter(application: "Application", host: str | None, words: str) -> "LoraAdapter":
    """Read ``[NAME=]DIR`` where the model lies: on the host, else on this computer."""
    name, equals, path = words.partition("=")
    if not equals:
        name, path = "", words
    if host is None:
        return await application.models.read_adapter_local(path, name)
    return await application.models.read_adapter(
        application.hosts.find(host).settings.id, path, name
    )


async def _own_model(application: "Application", model: str) -> "ModelInfo":
    try:
        return await application.models.read_local(Path(model))
    except AppError as error:
        if error.code is not ErrorCode.MODEL_NOT_FOUND or "candidates" in error.params:
            raise
        raise PlanError(
            error.code,
            error.params,
            cause=f"There is no model at {model} on this computer; this plan asks no host.",
            remedy="Give a model folder of this computer, or --config with the model's "
            "config.json.",
        ) from error


def plan_text(document: PlanDocument, *, with_tuning: bool = False) -> str:
    """Write the best plan: what it takes, what to mind, its command; then why, and the others."""
    parts: list[str] = []
    if document.simulated:
        parts.append("SIMULATED host: recorded or made-up hardware, not a machine of yours.")
    if document.ranked:
        best = document.ranked[0]
        parts.append(f"{best.engine} {best.version}   {best.image}")
        parts.append(_memory_text(best.estimate))
        if best.speed is not None:
            parts.append(_speed_text(best.speed))
        parts.extend(f"advice: {reason.text}" for reason in best.advice)
        parts.append(best.two_steps or best.compose or best.docker_run)
        reasons = "\n".join(dict.fromkeys(map(_reason_text, best.reasons)))
        parts.append(f"Why:\n{reasons}")
        if best.ranges:
            ranges = "\n".join(map(_range_text, best.ranges))
            parts.append(f"What else the values could be:\n{ranges}")
        parts.extend(
            f"also possible: {other.engine} {other.version}" for other in document.ranked[1:]
        )
    else:
        parts.append("No engine can serve this model here.")
    parts.extend(f"not {entry.engine}: {entry.text}" for entry in document.rejected)
    if document.ranked:
        parts.append(_tuning_text(document) if with_tuning else _tuning_hint(document))
    if document.profile_file:
        parts.append(f"Profile saved: {document.profile_file}")
    return "\n\n".join(parts)


def _tuning_hint(document: PlanDocument) -> str:
    """Count what the tuning plan holds, and say how to see it."""
    counts = Counter(step.kind for step in document.tuning)
    held = ", ".join(f"{counts[kind]} {kind}s" for kind in ("load", "figure", "round"))
    return f"To find better values by measuring: {held}. See them with --tuning."


def _tuning_text(document: PlanDocument) -> str:
    lines = [f"  {step.kind}: {step.text}" for step in document.tuning]
    return "\n".join(["How to find better values by measuring:", *lines])


def _range_text(entry: RangeEntry) -> str:
    """Write what a value could be instead, and what it cannot be."""
    parts = []
    if entry.choices:
        parts.append(" | ".join(entry.choices))
    elif entry.low is not None:
        parts.append(f"{entry.low:g} to {'?' if entry.high is None else f'{entry.high:g}'}")
    parts += [f"not {refused.value}: {refused.text}" for refused in entry.refused]
    return f"  {entry.parameter}: {'; '.join(parts)}"


def _memory_text(estimate: "MemoryEstimate") -> str:
    where = "main memory" if estimate.on_cpu else "memory per GPU"
    return (
        f"{where}: weights {format_size(estimate.weights_bytes_per_gpu)}, KV cache"
        f" {format_size(estimate.kv_cache_bytes_per_gpu)} ({estimate.kv_tokens:,} tokens),"
        f" usable {format_size(estimate.usable_bytes_per_gpu)}"
    )


def _speed_text(speed: SpeedEntry) -> str:
    load = speed.load
    head = (
        f"speed with {load.concurrency} requests at once, prompts of {load.prompt_tokens:,} and "
        f"answers of {load.output_tokens:,} tokens"
    )
    ttft, itl, rate = speed.ttft_s, speed.itl_s, speed.output_tokens_per_s
    if ttft is None or itl is None or rate is None:
        unknown = f"{head}: not known. {speed.reason or ''}".strip()
        return "\n".join([unknown, *(f"  ({note})" for note in speed.notes)])
    rows = [
        ("first token", *map(format_seconds, (ttft.expected, ttft.low, ttft.high))),
        (
            "between tokens",
            *(f"{value * 1000:.1f} ms" for value in (itl.expected, itl.low, itl.high)),
        ),
        ("tokens per second", *(f"{value:,.0f}" for value in (rate.expected, rate.low, rate.high))),
    ]
    figures = table(("", "EXPECTED", "FROM", "TO"), rows, right=(1, 2, 3))
    return "\n".join([f"{head}:", figures, *(f"  ({note})" for note in speed.notes)])


def _reason_text(reason: ReasonEntry) -> str:
    """Name the flags first: a reader asks what each of them is for."""
    flags = f"{', '.join(reason.flags)}: " if reason.flags else ""
    return f"  {flags}{reason.text} [{reason.source}]"
