"""The container's command line, each line with what it does and why it is there."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from PySide6.QtCore import QCoreApplication

from app.core.deployment.spec import ContainerSpec
from app.core.engines.parameters import ChosenFlag
from app.core.engines.spec import EngineData, ServerBehaviour, ServerTopic
from app.core.ids import container_name
from app.core.labels import DEPLOYMENT, REVISION
from app.core.planning.plan import Goal, Plan
from app.core.versions import in_span
from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.viewmodels.said import said

translate = QCoreApplication.translate

_OPTIONS: Final[Mapping[str, str]] = {
    "docker": QT_TRANSLATE_NOOP(
        "Plan",
        "Starts a container in the background under this name; the name carries deployment "
        "and revision.",
    ),
    "--init": QT_TRANSLATE_NOOP(
        "Plan",
        "A tiny first process passes signals on and clears up ended ones, so stopping works.",
    ),
    "--restart": QT_TRANSLATE_NOOP(
        "Plan",
        "Not restarted by itself until it has answered sensibly once; then “unless-stopped”.",
    ),
    "--user": QT_TRANSLATE_NOOP("Plan", "Runs as this user inside the container."),
    "--security-opt": QT_TRANSLATE_NOOP(
        "Plan", "No process in the container can gain more rights than it started with."
    ),
    "--cap-drop": QT_TRANSLATE_NOOP(
        "Plan", "Takes the kernel's special rights away that the engine does not need."
    ),
    "--cap-add": QT_TRANSLATE_NOOP("Plan", "A special right that this engine needs."),
    "--device": QT_TRANSLATE_NOOP(
        "Plan", "Hands over exactly these GPUs by UUID, through CDI: an index could change."
    ),
    "--runtime": QT_TRANSLATE_NOOP(
        "Plan", "NVIDIA's runtime hands the GPUs over that the next line names."
    ),
    "--gpus": QT_TRANSLATE_NOOP("Plan", "Hands over exactly these GPUs by UUID."),
    "-p": QT_TRANSLATE_NOOP(
        "Plan",
        "Published on the host's own loopback only; a tunnel makes it reachable from here. "
        "Without a number the host picks a free port.",
    ),
    "--shm-size": QT_TRANSLATE_NOOP(
        "Plan", "Shared memory for the engine's processes, in bytes; Docker's 64 MiB are too few."
    ),
    "--memory": QT_TRANSLATE_NOOP("Plan", "Upper limit of main memory, in bytes."),
    "--pids-limit": QT_TRANSLATE_NOOP("Plan", "Upper limit of processes and threads."),
    "--log-opt": QT_TRANSLATE_NOOP(
        "Plan", "The log is cut into files of limited size and number, so it never fills the disk."
    ),
    "--label": QT_TRANSLATE_NOOP(
        "Plan",
        "Says what this container is: Pitwall, here or elsewhere, finds it again by its labels.",
    ),
}

_GPU_VARIABLE: Final = "NVIDIA_VISIBLE_DEVICES"
_OURS: Final = "Pitwall"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandLine:
    """One line of the command with its explanation."""

    text: str
    title: str
    why: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    flags: Mapping[str, ChosenFlag]
    engine: EngineData | None
    image: str
    version: str

    def behaviour(self, topic: ServerTopic) -> ServerBehaviour | None:
        """What the server does in the plan's version, where that is known."""
        if self.engine is None or (server := self.engine.engine.server) is None:
            return None
        scheme = self.engine.engine.version_scheme
        for entry in server.behaviour:
            if entry.topic is topic and in_span(self.version, entry.since, entry.until, scheme):
                return entry
        return None


def present_command(
    docker_run: str, plan: Plan, engine: EngineData | None
) -> tuple[CommandLine, ...]:
    """Return the lines of a ``docker run`` text, explained."""
    flags = {flag.name: flag for flag in plan.flags}
    known = _Known(flags=flags, engine=engine, image=plan.image, version=plan.version)
    return tuple(_explained(line, known) for line in docker_run.splitlines())


def _explained(line: str, known: _Known) -> CommandLine:
    words = shlex.split(line.rstrip("\\"))
    first = words[0] if words else ""
    title = " ".join(words[:2]) if first != "docker" else "docker run"
    why, source = _why(first, words, known)
    return CommandLine(text=line, title=title, why=why, source=source)


def _why(first: str, words: list[str], known: _Known) -> tuple[str, str]:
    if first in known.flags:
        return _flag_why(known.flags[first], known.engine)
    if first == "-e":
        return _variable_why(words[-1], known)
    if first == "-v":
        return _mount_why(words[-1], known.engine)
    if first == "-p":
        return _with(_plain_why(first, known.image), known.behaviour(ServerTopic.READY))
    return _plain_why(first, known.image), _OURS


def _with(text: str, behaviour: ServerBehaviour | None) -> tuple[str, str]:
    """Add what the engine's server does to a sentence of ours, with its source."""
    if behaviour is None:
        return text, _OURS
    return f"{text} {said(behaviour.text)}", f"{behaviour.source} ({behaviour.checked})"


def _plain_why(first: str, image: str) -> str:
    if first == image:
        return translate("Plan", "The engine's image, pinned when it is deployed.")
    if first in _OPTIONS:
        return translate("Plan", _OPTIONS[first])
    if first.startswith("/"):
        return translate("Plan", "The model's folder inside the container.")
    return translate("Plan", "Part of the engine's own command.")


def _flag_why(flag: ChosenFlag, engine: EngineData | None) -> tuple[str, str]:
    reason, source = said(flag.reason.text), flag.reason.source
    rules = () if engine is None else engine.flags.flag
    rule = next((rule for rule in rules if rule.name == flag.name), None)
    if rule is None or said(rule.meaning) == reason:
        return reason, source
    return f"{said(rule.meaning)} {reason}", source


def _variable_why(word: str, known: _Known) -> tuple[str, str]:
    engine = known.engine
    name = word.split("=", maxsplit=1)[0]
    if name == _GPU_VARIABLE:
        return translate("Plan", "Exactly these GPUs, by UUID: an index could change."), _OURS
    if engine is not None:
        for rule in engine.engine.environment:
            if rule.name == name:
                return said(rule.why), f"{rule.source} ({rule.checked})"
        server = engine.engine.server
        if server is not None and name == server.api_key_env:
            text = translate(
                "Plan", "The API key; its value is made at the start and never stands in a command."
            )
            return _with(text, known.behaviour(ServerTopic.AUTH))
    return translate("Plan", "A variable that the engine reads."), _OURS


def _mount_why(word: str, engine: EngineData | None) -> tuple[str, str]:
    source = word.split(":", maxsplit=1)[0]
    container = None if engine is None else engine.engine.container
    for volume in () if container is None else container.cache_volume:
        if volume.name == source:
            return said(volume.why), f"{volume.source} ({volume.checked})"
    return translate(
        "Plan", "The model's folder, read-only: the container cannot change it."
    ), _OURS


def named(container: ContainerSpec, name: str, revision: int) -> ContainerSpec:
    """Return a plan's container under the name and revision that it will get."""
    labels = {**container.labels, DEPLOYMENT: name, REVISION: str(revision)}
    return replace(container, name=container_name(name, revision), labels=labels)


def pitwall_commands(
    host_name: str, model_path: str, goal: Goal, engine: str, name: str
) -> tuple[str, ...]:
    """Return the command lines that do the same: plan and keep the profile, then deploy it."""
    file = f"{name}.toml"
    lines = [pitwall_command(host_name, model_path, goal, engine, save=file)]
    if goal.gpu_uuids:
        # No option of the command line names GPUs: a profile says how many, not which.
        lines.append("# " + translate("Plan", "Takes as many GPUs, the freest ones."))
    lines.append(shlex.join(["pitwall", "deploy", file, "--host", host_name, "--name", name]))
    return tuple(lines)


def pitwall_command(
    host_name: str, model_path: str, goal: Goal, engine: str, *, save: str = ""
) -> str:
    """Return the command that makes the same plan on the command line."""
    words = ["pitwall", "plan", "--host", host_name, "--model", model_path]
    words += ["--goal", goal.kind.value]
    switches = {
        "--cpu": goal.cpu_only,
        "--structured": goal.structured,
        "--for-others": goal.for_others,
    }
    words += [name for name, is_on in switches.items() if is_on]
    options = {
        "--ttft": None if goal.ttft_s is None else f"{goal.ttft_s * 1000:g}ms",
        "--itl": None if goal.itl_s is None else f"{goal.itl_s * 1000:g}ms",
        "--concurrency": goal.concurrency,
        "--context": goal.context_tokens,
        "--output": goal.output_tokens,
        "--memory": goal.memory_bytes_per_gpu,
        "--engine": engine or None,
        "--port": goal.port or None,
    }
    for option, value in options.items():
        if value is not None:
            words += [option, str(value)]
    for adapter in goal.adapters:
        words += ["--adapter", f"{adapter.name}={adapter.path}"]
    if save:
        words += ["--save", save]
    if goal.own_flags:
        words += ["--", *goal.own_flags]
    return shlex.join(words)
