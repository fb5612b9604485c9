"""The model's part of the document of ``pitwall check``."""

from dataclasses import dataclass

from app.core.checks.spec import CheckState
from app.core.models.preflight import ModelPreflight
from app.core.texts import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFindingBody:
    """One look at a model: what came of it, on what evidence, why it matters, what cures it."""

    id: str
    state: CheckState
    title: Text
    said: Text
    evidence: tuple[str, ...]
    why: Text
    remedy: Text
    """Empty where nothing is to be done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadTimeBody:
    """How long reading the weights takes, from a measured speed."""

    least_s: float
    most_s: float
    weights_bytes: int
    read_bytes_per_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPreflightBody:
    """Whether a model on disk is whole and ready to be loaded."""

    path: str
    name: str
    ok: bool
    """No finding failed."""
    findings: tuple[ModelFindingBody, ...]
    load_time: LoadTimeBody | None


def model_preflight_body(report: ModelPreflight) -> ModelPreflightBody:
    """Return a model's pre-flight as a document."""
    time = report.load_time
    return ModelPreflightBody(
        path=report.path,
        name=report.name,
        ok=not report.failed(),
        findings=tuple(
            ModelFindingBody(
                id=finding.id,
                state=finding.state,
                title=finding.title,
                said=finding.said,
                evidence=finding.evidence,
                why=finding.why,
                remedy=finding.remedy,
            )
            for finding in report.findings
        ),
        load_time=None
        if time is None
        else LoadTimeBody(
            least_s=round(time.least_s, 3),
            most_s=round(time.most_s, 3),
            weights_bytes=time.weights_bytes,
            read_bytes_per_s=round(time.read_bytes_per_s),
        ),
    )
