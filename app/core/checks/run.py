"""Run every check on one fingerprint; pure, and no fingerprint makes it raise."""

from collections.abc import Mapping
from typing import Final

from app.core.checks.host_view import HostView
from app.core.checks.judges import JUDGES
from app.core.checks.spec import (
    CheckContext,
    CheckData,
    Checklist,
    CheckReport,
    CheckResult,
    CheckState,
    Remedy,
    Requirement,
)
from app.core.checks.verdict import Verdict, not_applicable, unknown
from app.core.hardware.catalogue import GpuCatalogue
from app.core.hardware.fingerprint import Fingerprint, HostSource, UnknownReason
from app.core.texts import Text

_OF_A_MACHINE: Final = frozenset({"driver", "vgpu"})
"""Categories and checks that nobody can judge of a host that is only thought of."""
_NO_CONTEXT: Final = CheckContext()


def run_checks(
    fingerprint: Fingerprint,
    *,
    data: Checklist,
    catalogue: GpuCatalogue,
    context: CheckContext = _NO_CONTEXT,
) -> CheckReport:
    """Judge a host by every check of ``data``."""
    view = HostView(fingerprint=fingerprint, catalogue=catalogue, stack=data.stack, context=context)
    return CheckReport(
        results=tuple(_result(check, _judge(view, check), data) for check in data.checks),
        taken_at=fingerprint.taken_at,
        categories=data.categories,
    )


def _judge(view: HostView, check: CheckData) -> Verdict:
    is_asked = {check.id, check.category}.isdisjoint(_OF_A_MACHINE)
    if view.fingerprint.source is HostSource.CATALOGUE and not is_asked:
        return unknown(UnknownReason.NOT_ASKED)
    for requirement in check.requires:
        verdict = _unmet(view, requirement)
        if verdict is not None:
            return verdict
    judge = JUDGES.get(check.id)
    return judge(view, check) if judge is not None else unknown("no_judge")


def _unmet(view: HostView, requirement: Requirement) -> Verdict | None:
    match requirement:
        case Requirement.GPU | Requirement.SEVERAL_GPUS:
            return _without_gpus(view, 1 if requirement is Requirement.GPU else 2)
        case Requirement.LINUX_DRIVER:
            return _without_driver(view)
        case Requirement.CONTAINERS:
            return _without_containers(view)


def _without_driver(view: HostView) -> Verdict | None:
    if view.is_wsl or view.is_jetson:
        return not_applicable("wsl" if view.is_wsl else "jetson")
    has_none = not view.gpus and view.reason("gpus") is None and not view.pci_devices
    return not_applicable("no_gpu") if has_none else None


def _without_gpus(view: HostView, wanted: int) -> Verdict | None:
    if len(view.gpus) >= wanted:
        return None
    if any(gpu.index >= len(view.gpus) for gpu in view.gpus):
        return None  # others stand before it, though the paste does not show them
    if view.gpus:
        return not_applicable("one_gpu")
    reason = view.reason("gpus")
    return not_applicable("no_gpu") if reason is None else unknown(reason)


def _without_containers(view: HostView) -> Verdict | None:
    found = view.fingerprint.containers
    if found.reachable:
        return None
    if found.name is None:
        reason = view.reason("containers.name")
        missing = reason is UnknownReason.TOOL_MISSING
        return not_applicable("no_engine") if missing else unknown(reason or "not_asked")
    return unknown("engine_unreachable")


def _result(check: CheckData, verdict: Verdict, data: Checklist) -> CheckResult:
    judged = verdict.state not in {CheckState.UNKNOWN, CheckState.NOT_APPLICABLE}
    texts = check.said if judged else {**data.reasons, **check.said}
    said = texts.get(verdict.key) or Text(en=verdict.key, zh_CN=verdict.key)
    return CheckResult(
        id=check.id,
        category=check.category,
        state=verdict.state,
        title=check.title,
        said=_filled(said, verdict.values),
        evidence=verdict.evidence,
        why=check.why,
        remedy=_remedy(check, verdict),
        verify=check.verify,
        needs_root=verdict.key == UnknownReason.NEEDS_ROOT,
        reason="" if judged else verdict.key,
        source=check.source,
    )


def _remedy(check: CheckData, verdict: Verdict) -> tuple[Remedy, ...]:
    """Return what cures this outcome; what is well or unknown has nothing to cure."""
    if verdict.state not in {CheckState.FAIL, CheckState.WARN}:
        return ()
    return tuple(step for step in check.remedy if not step.when or verdict.key in step.when)


def _filled(text: Text, values: Mapping[str, object]) -> Text:
    """Fill both languages; a value that is itself a text is put in by its language."""
    english = {k: v.en if isinstance(v, Text) else v for k, v in values.items()}
    chinese = {k: v.zh_CN if isinstance(v, Text) else v for k, v in values.items()}
    return Text(en=text.filled(english).en, zh_CN=text.filled(chinese).zh_CN)
