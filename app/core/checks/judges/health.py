"""Judges of the GPUs' health: errors since boot, memory, what the driver asks for."""

from collections.abc import Sequence
from typing import Final

from app.core.checks.host_view import HostView
from app.core.checks.judges.driver import SMI
from app.core.checks.registry import judge
from app.core.checks.spec import CheckData, CheckState, XidData
from app.core.checks.verdict import (
    Verdict,
    failed,
    not_applicable,
    passed,
    unknown,
    warned,
)
from app.core.hardware.fingerprint import Gpu
from app.core.hardware.tools.kernel_log import XidEvent, off_bus_lines, read_xid_events

_AMPERE: Final = (8, 0)


@judge("xid")
def xid(view: HostView, _check: CheckData) -> Verdict:
    """Every Xid line of the kernel log, judged by the table; the worst one speaks."""
    log = view.kernel_log
    if log is None:
        return view.no_kernel_log()
    events, lost = read_xid_events(log[1]), off_bus_lines(log[1])
    own = [event for event in events if not event.is_switch]
    graded = [(event, view.stack.xid_of(event.code)) for event in own]
    for state in (CheckState.FAIL, CheckState.WARN):
        hits = [(e, d) for e, d in graded if d is not None and d.severity is state]
        if hits:
            return _of_codes(state, log[0], hits)
        if state is CheckState.FAIL and lost:
            return failed(*(f"{log[0]}: {line}" for line in lost), key="off_bus")
    switches = [event for event in events if event.is_switch]
    for key, found in (("switch", switches), ("unlisted", [e for e, d in graded if d is None])):
        if found:
            return warned(*_lines(log[0], found), key=key, codes=_codes(found))
    if own:
        return passed(*_lines(log[0], own), key="info", codes=_codes(own))
    return passed(f"{log[0]}: read, no Xid in it")


def _of_codes(state: CheckState, source: str, hits: Sequence[tuple[XidEvent, XidData]]) -> Verdict:
    """The first of the worst speaks; the others are named by their codes."""
    events = [event for event, _ in hits]
    first = hits[0][1]
    values = {"codes": _codes(events), "meaning": first.meaning, "action": first.action}
    return Verdict(
        state=state, key=state.value, values=values, evidence=tuple(_lines(source, events))
    )


def _lines(source: str, events: Sequence[XidEvent]) -> list[str]:
    return [f"{source}: {event.line}" for event in events[:8]]


def _codes(events: Sequence[XidEvent]) -> str:
    return ", ".join(dict.fromkeys(str(event.code) for event in events))


@judge("recovery-action")
def recovery_action(view: HostView, check: CheckData) -> Verdict:
    """The driver's own verdict after a fault."""
    return view.worst_of_gpus(lambda i, gpu: _recovery(view, check, i, gpu))


def _recovery(view: HostView, check: CheckData, position: int, gpu: Gpu) -> Verdict:
    action = gpu.recovery_action
    if action is None:
        return view.missing(f"gpus.{position}.recovery_action", "smi-q-x")
    evidence = f"smi-q-x: GPU{gpu.index} gpu_recovery_action {action}"
    if action.lower() == "none":
        return passed(evidence)
    if action.lower() in check.lists.get("fail", ()):
        return failed(evidence, action=action)
    return warned(evidence, action=action)


@judge("gpu-lost")
def gpu_lost(view: HostView, check: CheckData) -> Verdict:
    """No tool prints that a GPU is lost."""
    answers = [section for name in SMI if (section := view.book.get(name)) is not None]
    odd: list[tuple[str, str]] = []
    for section in answers:
        text = f"{section.stdout}\n{section.stderr}".lower()
        lost = next((word for word in check.lists.get("lost", ()) if word in text), None)
        if lost is not None:
            return failed(f"{section.name}: {lost}", words=lost)
        odd += [(section.name, word) for word in check.lists.get("odd", ()) if word in text]
    if odd:
        return warned(*(f"{name}: {word}" for name, word in odd[:4]), words=odd[0][1])
    good = [section.name for section in answers if section.exit_code == 0]
    if not good or not view.gpus:  # what it printed may be anything
        no_gpu = view.reason("gpus") is None and not view.gpus
        return not_applicable("no_gpu") if no_gpu else view.missing("gpus", *SMI)
    return passed(f"{good[0]}: every GPU answers")


@judge("ecc-mode")
def ecc_mode(view: HostView, _check: CheckData) -> Verdict:
    """On, where the GPU has it."""
    return view.worst_of_gpus(lambda i, gpu: _ecc(view, i, gpu))


def _ecc(view: HostView, position: int, gpu: Gpu) -> Verdict:
    if gpu.ecc_mode is None:
        if view.is_geforce(gpu):
            return passed(f"GPU{gpu.index}: {gpu.name} has no ECC", key="none")
        return view.missing(f"gpus.{position}.ecc_mode", "smi-csv")
    source = view.source(f"gpus.{position}.ecc_mode")
    evidence = f"{source}: GPU{gpu.index} ECC {_word(gpu.ecc_mode)}"
    if gpu.ecc_mode_pending is not None and gpu.ecc_mode_pending is not gpu.ecc_mode:
        return warned(f"{evidence}, pending {_word(gpu.ecc_mode_pending)}", key="pending")
    if gpu.ecc_mode:
        return passed(evidence)
    return passed(evidence, key="none") if view.is_geforce(gpu) else warned(evidence)


def _word(switch: bool) -> str:
    return "Enabled" if switch else "Disabled"


@judge("ecc-uncorrected")
def ecc_uncorrected(view: HostView, _check: CheckData) -> Verdict:
    """No error that ECC could not correct."""
    return view.worst_of_gpus(lambda i, gpu: _uncorrected(view, i, gpu))


def _uncorrected(view: HostView, position: int, gpu: Gpu) -> Verdict:
    now, ever = gpu.ecc_uncorrected_volatile, gpu.ecc_uncorrected_aggregate
    if now is None:
        if view.is_geforce(gpu) or gpu.ecc_mode is False:
            return passed(f"GPU{gpu.index}: no ECC counters", key="none")
        return view.missing(f"gpus.{position}.ecc_uncorrected_volatile", "smi-csv")
    source = view.source(f"gpus.{position}.ecc_uncorrected_volatile")
    evidence = f"{source}: GPU{gpu.index} uncorrected {now}, ever {'?' if ever is None else ever}"
    if now > 0:
        return failed(evidence, count=now)
    return warned(evidence, count=ever) if ever else passed(evidence)


@judge("row-remap")
def row_remap(view: HostView, _check: CheckData) -> Verdict:
    """No memory row waits for its replacement, none failed."""
    return view.worst_of_gpus(lambda i, gpu: _remap(view, i, gpu))


def _remap(view: HostView, position: int, gpu: Gpu) -> Verdict:
    capability = view.capability(gpu)
    if view.is_geforce(gpu):
        return not_applicable("geforce")
    if capability is not None and capability < _AMPERE:
        return not_applicable("other_generation")
    pending, failure = gpu.remapped_rows_pending, gpu.remapped_rows_failure
    if pending is None or failure is None:
        if gpu.mig_mode:
            return unknown("mig")
        return view.missing(f"gpus.{position}.remapped_rows_pending", "smi-q-x")
    evidence = f"smi-q-x: GPU{gpu.index} pending {_yes(pending)}, failure {_yes(failure)}"
    if failure:
        return failed(evidence)
    return warned(evidence) if pending else passed(evidence)


def _yes(switch: bool) -> str:
    return "Yes" if switch else "No"


@judge("page-retire")
def page_retire(view: HostView, check: CheckData) -> Verdict:
    """Few pages of older GPUs are retired."""
    return view.worst_of_gpus(lambda i, gpu: _retired(view, check, i, gpu))


def _retired(view: HostView, check: CheckData, position: int, gpu: Gpu) -> Verdict:
    capability = view.capability(gpu)
    single, double = gpu.retired_pages_single_bit, gpu.retired_pages_double_bit
    if single is None or double is None:
        if capability is not None and (capability >= _AMPERE or view.is_geforce(gpu)):
            return not_applicable("other_generation")
        return view.missing(f"gpus.{position}.retired_pages_double_bit", "smi-q-x")
    count = single + double
    evidence = f"smi-q-x: GPU{gpu.index} retired pages {count}"
    if count >= check.thresholds.get("fail_pages", 60):
        return failed(evidence, count=count)
    if gpu.retired_pages_pending:
        return warned(f"{evidence}, pending Yes", key="pending")
    return warned(evidence, count=count) if count else passed(evidence)


@judge("inforom")
def inforom(view: HostView, _check: CheckData) -> Verdict:
    """nvidia-smi does not warn of a corrupted InfoROM."""
    answers = [section for name in SMI if (section := view.book.get(name)) is not None]
    for section in answers:
        for line in f"{section.stdout}\n{section.stderr}".splitlines():
            if "inforom is corrupted" in line.lower():
                return failed(f"{section.name}: {line.strip()[:200]}")
    if not any(section.exit_code == 0 for section in answers):
        return view.why(*SMI)
    return passed("nvidia-smi: no warning of the infoROM")
