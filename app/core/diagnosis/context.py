"""What is known beside the log: host, plan, how the container ended."""

from dataclasses import dataclass

from app.core.deployment.spec import DeploymentSpec
from app.core.hardware.fingerprint import Fingerprint


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosisContext:
    """Everything is optional; what is unknown neither confirms nor excludes a cause."""

    engine: str | None = None
    """Engine id such as ``vllm``; otherwise it is read from the log."""
    engine_version: str | None = None
    fingerprint: Fingerprint | None = None
    spec: DeploymentSpec | None = None
    exit_code: int | None = None
    oom_killed: bool | None = None
    restart_count: int | None = None
    kernel_log: tuple[str, ...] = ()
    """Lines of the host's kernel log around the failure."""
    is_starting: bool = False
    """The start still runs within its time: that nothing more is printed is no finding."""
