"""The errors of deploying, each with what happened and what can be done now."""

from collections.abc import Sequence
from typing import Final

from app.core.deployment.answers import Verdict
from app.core.diagnosis.finding import Confidence, Diagnosis
from app.core.errors import (
    AppError,
    DockerError,
    EngineError,
    ErrorCode,
    ErrorInfo,
    HostError,
    PlanError,
)
from app.core.errors import UserInputError as InputError
from app.core.models.preflight import ModelPreflight
from app.core.units import format_size
from app.io.containers import ContainerInfo

LOST: Final = frozenset({ErrorCode.CONNECTION_LOST, ErrorCode.NOT_CONNECTED})
"""Codes that say that the host cannot be asked at the moment."""

_LONGEST_LINE: Final = 400
_OUT_OF_MEMORY: Final = ("out of memory", "cannot allocate memory")


def image_missing(reference: str, host: str, *, details: str = "") -> DockerError:
    """The image is not there and cannot be fetched."""
    return DockerError(
        ErrorCode.IMAGE_MISSING,
        {"image": reference, "host": host},
        cause=f"The image {reference} is not on {host}, and {host} cannot fetch it.",
        remedy=(
            f"Where it can be had: “docker save {reference} -o image.tar”; bring the file to "
            f"{host} and run “docker load -i image.tar” there."
        ),
        details=details,
    )


def name_taken(name: str, host: str, by: str) -> DockerError:
    """The container's name is in use."""
    return DockerError(
        ErrorCode.CONTAINER_NAME_TAKEN,
        {"name": name, "host": host},
        cause=f"The container name {name} is taken on {host} ({by}).",
        remedy="Choose another deployment name, or remove what has this one.",
    )


def being_deployed(name: str, host: str) -> DockerError:
    """Somebody has just created the container and is about to start it."""
    return DockerError(
        ErrorCode.CONTAINER_NAME_TAKEN,
        {"name": name, "host": host},
        cause=f"The container {name} was created on {host} a moment ago: it is being deployed.",
        remedy="Wait a minute and look again, or choose another deployment name.",
    )


def already_deployed(name: str, host: str) -> InputError:
    """A deployment of that name is up or being worked on."""
    return InputError(
        ErrorCode.NAME_TAKEN,
        {"field": "name", "value": name, "host": host},
        cause=f"{host}/{name} is running or being started already.",
        remedy="Stop and remove it first, or deploy under another name.",
    )


def port_in_use(port: int, host: str, by: str) -> DockerError:
    """Something listens on the port."""
    return DockerError(
        ErrorCode.PORT_IN_USE,
        {"port": port, "host": host, "by": by},
        cause=f"Port {port} on {host} is in use by {by}.",
        remedy="Choose another port, or stop what listens there.",
    )


def no_free_port(first: int, last: int, host: str) -> DockerError:
    """No port of the range is free."""
    return DockerError(
        ErrorCode.PORT_IN_USE,
        {"port": first, "host": host, "by": ""},
        cause=f"No port from {first} to {last} is free on {host}.",
        remedy="Name a free port in the plan.",
    )


def no_gpu_access(access: str, host: str, why: str) -> DockerError:
    """Containers cannot be given GPUs the way the plan wants."""
    return DockerError(
        ErrorCode.GPU_RUNTIME_MISSING,
        {"host": host, "access": access},
        cause=f"The container engine on {host} cannot hand over GPUs: {why}.",
        remedy=(
            "Install the NVIDIA Container Toolkit there, run “nvidia-ctk runtime configure”, "
            "restart the engine and take a new fingerprint."
        ),
    )


def gpu_gone(uuid: str, host: str) -> HostError:
    """A GPU of the plan is not in the host's fingerprint."""
    return HostError(
        ErrorCode.NOT_FOUND,
        {"gpu": uuid, "host": host},
        cause=f"{host} has no GPU {uuid} any more.",
        remedy="Take a new fingerprint and plan again.",
    )


def model_missing(path: str, host: str) -> PlanError:
    """The model's path is not on the host."""
    return PlanError(
        ErrorCode.MODEL_NOT_FOUND,
        {"path": path, "host": host},
        cause=f"{path} is not on {host}.",
        remedy="Correct the model's path, or copy the model there.",
    )


def model_not_whole(report: ModelPreflight, host: str) -> PlanError:
    """The model's files would fail while they are loaded, minutes later."""
    failed = report.failed()
    told = "; ".join(f"{finding.title.en}: {finding.said.en}" for finding in failed)
    return PlanError(
        ErrorCode.MODEL_NOT_WHOLE,
        {"path": report.path, "host": host, "findings": told},
        cause=f"The model in {report.path} cannot be loaded as it lies there: {told}",
        remedy=failed[0].remedy.en,
        details="\n".join(line for finding in failed for line in finding.evidence),
    )


def does_not_fit(needed: int, available: int, where: str, host: str) -> PlanError:
    """Too little memory is free right now."""
    return PlanError(
        ErrorCode.DOES_NOT_FIT,
        {"needed_bytes": needed, "available_bytes": available, "where": where, "host": host},
        cause=(
            f"{format_size(needed)} are needed on {where} of {host}, "
            f"{format_size(available)} are free now."
        ),
        remedy="Stop what holds the memory, choose another GPU, or plan with less.",
    )


def secret_missing(name: str) -> InputError:
    """A secret the container needs was not given."""
    return InputError(
        ErrorCode.INVALID_INPUT,
        {"field": name},
        cause=f"The container needs a value for {name}.",
        remedy="Give it when deploying; it is not stored in profiles.",
    )


def exited(
    engine: str,
    info: ContainerInfo,
    telling: Sequence[str],
    *,
    diagnosis: Diagnosis | None = None,
) -> EngineError:
    """The engine's process ended by itself; a diagnosis names the cause and what to do."""
    code = info.exit_code
    said = _telling_line(telling, diagnosis)
    memory = info.oom_killed or any(word in said.lower() for word in _OUT_OF_MEMORY)
    words = f" It said: {said}" if said else " It printed nothing."
    params = {"engine": engine, "exit_code": _text(code), "line": said, **_found(diagnosis)}
    if memory:
        killed = " The host's memory limit ended it." if info.oom_killed else ""
        return EngineError(
            ErrorCode.ENGINE_OUT_OF_MEMORY,
            params,
            cause=_with_cause(
                diagnosis,
                f"{engine} ran out of memory and exited with code {_text(code)}.{killed}",
                words,
            ),
            remedy=_remedy(
                diagnosis, "Plan with less context, fewer requests at once, or another GPU."
            ),
            details="\n".join(telling),
        )
    return EngineError(
        ErrorCode.ENGINE_EXITED,
        params,
        cause=_with_cause(diagnosis, f"{engine} exited with code {_text(code)}.", words),
        remedy=_remedy(diagnosis, "Read the log's first error, change the plan and deploy again."),
        details="\n".join(telling),
    )


def _telling_line(telling: Sequence[str], diagnosis: Diagnosis | None) -> str:
    """Return the line that proves the cause, else the one that looks most like it."""
    primary = diagnosis.primary if diagnosis is not None else None
    if primary is not None and primary.evidence and primary.evidence[0].line:
        return primary.evidence[0].text.strip()[:_LONGEST_LINE]
    return telling[0].strip() if telling else ""


def _found(diagnosis: Diagnosis | None) -> dict[str, str]:
    """Return what was found, for the texts of the window in its own language."""
    primary = diagnosis.primary if diagnosis is not None else None
    if primary is None:
        return {}
    found = {"finding": primary.title.en, "finding_zh_CN": primary.title.zh_CN}
    if primary.remedy:
        first = primary.remedy[0]
        found |= {"todo": first.en, "todo_zh_CN": first.zh_CN}
    return {"cause": primary.cause, **found}


def _with_cause(diagnosis: Diagnosis | None, what: str, otherwise: str) -> str:
    """Say what happened, then the cause; without one what the engine itself said."""
    primary = diagnosis.primary if diagnosis is not None else None
    if primary is None or primary.confidence is Confidence.LOW:
        return f"{what}{otherwise}"
    title = primary.title.en.strip()
    return f"{what} {title}{'' if title.endswith('.') else '.'}{otherwise}"


def _remedy(diagnosis: Diagnosis | None, otherwise: str) -> str:
    primary = diagnosis.primary if diagnosis is not None else None
    if primary is None or not primary.remedy:
        return otherwise
    return primary.remedy[0].en


def crash_loop(engine: str, count: int, last: AppError) -> EngineError:
    """It crashed too often and was stopped."""
    return EngineError(
        ErrorCode.ENGINE_CRASH_LOOP,
        {**last.params, "engine": engine, "count": count},
        cause=f"{engine} crashed {count} times within ten minutes and was stopped. {last.cause}",
        remedy=last.params.get("todo")
        or "Read the log's first error, change the plan and start it again.",
        details=last.details,
    )


def never_ready(
    engine: str, waited_s: float, telling: Sequence[str], *, diagnosis: Diagnosis | None = None
) -> EngineError:
    """It runs, but its health never said yes."""
    what = f"{engine} did not get ready; nothing new was printed for {waited_s:.0f} s."
    return EngineError(
        ErrorCode.ENGINE_NEVER_READY,
        {"engine": engine, "waited_s": round(waited_s), **_found(diagnosis)},
        cause=_with_cause(diagnosis, what, ""),
        remedy=_remedy(
            diagnosis,
            "Look at its last lines; a slow disk or a first compilation may need more time.",
        ),
        details="\n".join(telling),
    )


def not_answering(engine: str, *, diagnosis: Diagnosis | None = None) -> EngineError:
    """It was serving, but its health says no."""
    return EngineError(
        ErrorCode.ENGINE_NEVER_READY,
        {"engine": engine, **_found(diagnosis)},
        cause=_with_cause(diagnosis, f"{engine} runs but no longer answers its health check.", ""),
        remedy=_remedy(diagnosis, "Look at its log; restart it if it does not recover."),
    )


def refused_request(engine: str, status: int, body: str) -> EngineError:
    """The engine answered a request with an error."""
    return EngineError(
        ErrorCode.ENGINE_REFUSED_REQUEST,
        {"engine": engine, "status": status},
        cause=f"{engine} refused the request (HTTP {status}): {body}",
        remedy="Read the engine's words; the request or the plan has to change.",
        details=body,
    )


def unreadable_answer(engine: str, body: str) -> EngineError:
    """Something came that is no answer of the OpenAI API."""
    return EngineError(
        ErrorCode.VERIFY_FAILED,
        {"engine": engine, "verdict": "unreadable"},
        cause=f"{engine} answered with something that is no completion.",
        remedy="Check that the port belongs to the engine and look at its log.",
        details=body,
    )


def bad_answer(engine: str, verdict: Verdict, text: str) -> EngineError:
    """The verifying completion is not an answer."""
    words = {
        Verdict.EMPTY: "an empty text",
        Verdict.NOISE: "noise instead of text",
        Verdict.LOOP: "the same words again and again",
    }
    return EngineError(
        ErrorCode.VERIFY_FAILED,
        {"engine": engine, "verdict": verdict.value},
        cause=f"{engine} answered the check with {words.get(verdict, 'nothing usable')}.",
        remedy="Check weights, quantization and chat template; try another dtype or version.",
        details=text,
    )


def told_before(info: ErrorInfo) -> EngineError:
    """An engine's failure as the journal kept it."""
    return EngineError(
        info.code, info.params, cause=info.cause, remedy=info.remedy, details=info.details
    )


def lost(host: str) -> HostError:
    """The connection went while something was being done."""
    return HostError(
        ErrorCode.CONNECTION_LOST,
        {"host": host},
        cause=f"The connection to {host} was lost.",
        remedy="What runs on the host goes on; Pitwall looks again when it is back.",
    )


def gone(name: str, host: str) -> DockerError:
    """The container is not there any more."""
    return DockerError(
        ErrorCode.CONTAINER_NOT_FOUND,
        {"name": name, "host": host},
        cause=f"The container of {host}/{name} is gone.",
        remedy="Deploy it again.",
    )


def _text(code: int | None) -> str:
    return "unknown" if code is None else str(code)
