"""What a judge says: a state, which of the check's sentences, and the evidence for it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from app.core.checks.spec import SEVERITY, CheckState
from app.core.hardware.fingerprint import UnknownReason

EVIDENCE_LIMIT: Final = 8
"""Lines of evidence that are kept; a storm of errors is no better understood with more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A judgement on a host or on one of its GPUs."""

    state: CheckState
    key: str = ""
    """Which sentence of the check; for unknown and not applicable a reason's key."""
    values: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    evidence: tuple[str, ...] = ()
    gpu: int | None = None
    """Index of the GPU it speaks of; ``None`` for the whole host."""


def passed(*evidence: str, key: str = "pass", **values: object) -> Verdict:
    """It is as it should be."""
    return _verdict(CheckState.PASS, key, values, evidence)


def warned(*evidence: str, key: str = "warn", **values: object) -> Verdict:
    """It works, but costs something or may break."""
    return _verdict(CheckState.WARN, key, values, evidence)


def failed(*evidence: str, key: str = "fail", **values: object) -> Verdict:
    """It will not work, or data are in danger."""
    return _verdict(CheckState.FAIL, key, values, evidence)


def unknown(reason: UnknownReason | str, *evidence: str) -> Verdict:
    """Nobody could say."""
    return _verdict(CheckState.UNKNOWN, str(reason), {}, evidence)


def not_applicable(reason: str, *evidence: str) -> Verdict:
    """The question does not arise here."""
    return _verdict(CheckState.NOT_APPLICABLE, reason, {}, evidence)


def of_gpu(index: int, verdict: Verdict) -> Verdict:
    """Say of which GPU a verdict speaks."""
    return replace(verdict, gpu=index)


def worst_of(verdicts: Iterable[Verdict]) -> Verdict:
    """Join the verdicts of several GPUs: the worst one speaks, for all that say the same.

    One unknown GPU makes "all is well" unknown; one GPU to which it does not apply does not.
    """
    listed = list(verdicts)
    if not listed:
        return not_applicable("no_gpu")
    first = min(listed, key=lambda verdict: SEVERITY[verdict.state])
    same = [v for v in listed if (v.state, v.key) == (first.state, first.key)]
    gpus = ", ".join(f"GPU{v.gpu}" for v in same if v.gpu is not None)
    evidence = tuple(line for v in same for line in v.evidence)
    return replace(
        first,
        values=MappingProxyType({**first.values, "gpus": gpus}),
        evidence=evidence[:EVIDENCE_LIMIT],
        gpu=None,
    )


def _verdict(
    state: CheckState, key: str, values: Mapping[str, object], evidence: tuple[str, ...]
) -> Verdict:
    return Verdict(state=state, key=key, values=MappingProxyType(dict(values)), evidence=evidence)
