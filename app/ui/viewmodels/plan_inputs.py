"""What the user typed into the wizard, and the goal it means; nothing is ever thrown away."""

import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from PySide6.QtCore import QCoreApplication

from app.core.errors import AppError
from app.core.ids import check_deployment_name
from app.core.models.lora import LoraAdapter
from app.core.planning.plan import Goal, GoalKind
from app.core.units import parse_bytes, parse_count, parse_seconds

translate = QCoreApplication.translate

T = TypeVar("T")

_BARE_NUMBER: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_LAST_PORT: Final = 65_535


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanInputs:
    """The answers as typed; an empty text leaves the choice to Pitwall."""

    kind: GoalKind = GoalKind.THROUGHPUT
    ttft: str = ""
    itl: str = ""
    concurrency: str = ""
    context: str = ""
    output: str = ""
    memory: str = ""
    structured: bool = False
    for_others: bool = False
    port: str = ""
    engine: str | None = None
    gpu_uuids: tuple[str, ...] = ()
    cpu_only: bool = False
    adapters: tuple[LoraAdapter, ...] = ()
    """LoRA adapters that were read on the host."""
    own_flags: str = ""
    """Flags of the engine's own, as words of a command line."""


TEXT_INPUTS: Final = (
    "ttft", "itl", "concurrency", "context", "output", "memory", "port", "own_flags"
)  # fmt: skip


def with_text(inputs: PlanInputs, name: str, text: str) -> PlanInputs:
    """Return the inputs with one text changed.

    Raises:
        ValueError: for a name that is no text input.
    """
    if name not in TEXT_INPUTS:
        raise ValueError(name)
    return _WITH[name](inputs, text)


_WITH: Final[Mapping[str, Callable[[PlanInputs, str], PlanInputs]]] = {
    "ttft": lambda inputs, text: replace(inputs, ttft=text),
    "itl": lambda inputs, text: replace(inputs, itl=text),
    "concurrency": lambda inputs, text: replace(inputs, concurrency=text),
    "context": lambda inputs, text: replace(inputs, context=text),
    "output": lambda inputs, text: replace(inputs, output=text),
    "memory": lambda inputs, text: replace(inputs, memory=text),
    "port": lambda inputs, text: replace(inputs, port=text),
    "own_flags": lambda inputs, text: replace(inputs, own_flags=text),
}


def read_inputs(inputs: PlanInputs) -> tuple[Goal, Mapping[str, str]]:
    """Return the goal and, per field, what is wrong with what was typed."""
    errors: dict[str, str] = {}
    goal = Goal(
        kind=inputs.kind,
        ttft_s=_read(inputs.ttft, "ttft", read_time, errors),
        itl_s=_read(inputs.itl, "itl", read_time, errors),
        concurrency=_read(inputs.concurrency, "concurrency", _read_count, errors),
        context_tokens=_read(inputs.context, "context", _read_count, errors),
        output_tokens=_read(inputs.output, "output", _read_count, errors),
        memory_bytes_per_gpu=_read(inputs.memory, "memory", read_size, errors),
        structured=inputs.structured,
        for_others=inputs.for_others,
        port=_read(inputs.port, "port", _read_port, errors) or 0,
        engine=inputs.engine,
        gpu_uuids=() if inputs.cpu_only else inputs.gpu_uuids,
        cpu_only=inputs.cpu_only,
        adapters=inputs.adapters,
        own_flags=_read(inputs.own_flags, "own_flags", _read_words, errors) or (),
    )
    return goal, errors


def read_time(text: str) -> float:
    """Read a time; a bare number is meant in milliseconds.

    Raises:
        UserInputError: when it is no time.
    """
    bare = _BARE_NUMBER.fullmatch(text.strip())
    value = parse_seconds(f"{text.strip()}ms" if bare else text)
    if value <= 0:
        raise ValueError(text)
    return value


def read_size(text: str) -> int:
    """Read a size; a bare number is meant in GiB.

    Raises:
        UserInputError: when it is no size.
    """
    bare = _BARE_NUMBER.fullmatch(text.strip())
    value = parse_bytes(f"{text.strip()}GiB" if bare else text)
    if value <= 0:
        raise ValueError(text)
    return value


def name_error(name: str) -> str:
    """Return what is wrong with a deployment's name; empty when it may be used."""
    try:
        check_deployment_name(name)
    except AppError:
        return translate("Plan", "1 to 40 of a-z, 0-9 and hyphens; no hyphen first or last.")
    return ""


def _read_count(text: str) -> int:
    value = parse_count(text)
    if value < 1:
        raise ValueError(text)
    return value


def _read_words(text: str) -> tuple[str, ...]:
    return tuple(shlex.split(text))


def _read_port(text: str) -> int:
    value = parse_count(text)
    if value > _LAST_PORT:
        raise ValueError(text)
    return value


def _read(text: str, name: str, parse: Callable[[str], T], errors: dict[str, str]) -> T | None:
    if not text.strip():
        return None
    try:
        return parse(text)
    except (AppError, ValueError):
        errors[name] = _wanted(name)
        return None


def _wanted(name: str) -> str:
    if name in {"ttft", "itl"}:
        return translate("Plan", "Not a time such as 200 ms.")
    if name == "memory":
        return translate("Plan", "Not a size such as 40 GiB.")
    if name == "own_flags":
        return translate("Plan", "A quotation mark is not closed.")
    if name == "port":
        return translate("Plan", "Not a port from 1 to 65535.")
    return translate("Plan", "Not a number such as 32k.")
