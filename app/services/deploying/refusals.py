"""Refusals of Pitwall's own steps as findings: their cause is known without any log."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from app.core.causes import Cause
from app.core.diagnosis.finding import (
    Confidence,
    Diagnosis,
    Evidence,
    Finding,
    ParameterChange,
    PlanChange,
    Verdict,
)
from app.core.errors import ErrorCode, ErrorInfo
from app.core.texts import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class _Refusal:
    cause: str
    remedy: Text
    change: PlanChange | None = None


_ANY_PORT: Final = ParameterChange(parameter="host_port", action="set", value="0")
_REFUSALS: Final[Mapping[ErrorCode, _Refusal]] = {
    ErrorCode.PORT_IN_USE: _Refusal(
        cause="port_in_use",
        remedy=Text(
            en="Plan with another port (0 lets Pitwall choose a free one), or stop what listens "
            "there.",
            zh_CN="在方案中换一个端口（填 0 由 Pitwall 自动选择），或停止占用该端口的程序。",
        ),
        change=PlanChange(parameters=(_ANY_PORT,)),
    ),
    ErrorCode.MODEL_NOT_FOUND: _Refusal(
        cause="model_not_found",
        remedy=Text(
            en="Correct the model's path in the plan, or copy the model to the host.",
            zh_CN="在方案中更正模型路径，或把模型复制到该主机。",
        ),
    ),
    ErrorCode.GPU_RUNTIME_MISSING: _Refusal(
        cause="nvidia_toolkit_missing",
        remedy=Text(
            en="Install the NVIDIA Container Toolkit on the host, run “nvidia-ctk runtime "
            "configure”, restart the container engine and take a new fingerprint.",
            zh_CN="在主机上安装 NVIDIA Container Toolkit，执行 “nvidia-ctk runtime configure”，"
            "重启容器引擎，然后重新采集指纹。",
        ),
    ),
    ErrorCode.DOCKER_PERMISSION: _Refusal(
        cause="docker_socket_permission",
        remedy=Text(
            en="Add the user to the group that owns the container engine's socket (often "
            "“docker”), then sign in again.",
            zh_CN="将该用户加入容器引擎套接字所属的组（通常是 “docker”），然后重新登录。",
        ),
    ),
    ErrorCode.DOCKER_NOT_REACHABLE: _Refusal(
        cause="docker_not_running",
        remedy=Text(
            en="Start the container engine on the host (“systemctl start docker”), then try again.",
            zh_CN="在主机上启动容器引擎（“systemctl start docker”），然后重试。",
        ),
    ),
}


def diagnose_refusal(error: ErrorInfo, causes: Mapping[str, Cause]) -> Diagnosis | None:
    """Return the finding behind a refused step; ``None`` where it names no cause by itself."""
    refusal = _REFUSALS.get(error.code)
    cause = causes.get(refusal.cause) if refusal is not None else None
    if refusal is None or cause is None:
        return None
    said = error.details.strip().splitlines()
    finding = Finding(
        cause=cause.id,
        family=cause.family,
        confidence=Confidence.HIGH,
        evidence=tuple(Evidence(line=0, text=text) for text in (error.cause, *said[:3]) if text),
        title=cause.meaning,
        explanation=Text(en="", zh_CN=""),
        remedy=(refusal.remedy,),
        change=refusal.change,
        rule="refused_step",
    )
    return Diagnosis(primary=finding, findings=(finding,), verdict=Verdict.CAUSE_FOUND)
