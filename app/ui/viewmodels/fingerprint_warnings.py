"""Findings of a fingerprint as sentences: what looked odd while it was read."""

from collections.abc import Mapping
from typing import Final

from PySide6.QtCore import QCoreApplication

from app.core.causes import Cause
from app.core.hardware.fingerprint import Fingerprint
from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.viewmodels.fingerprint_facts import CONTEXT, Fact
from app.ui.viewmodels.said import said

translate = QCoreApplication.translate

_WARNINGS: Final[Mapping[str, str]] = {
    "numa_memory_contradicts": QT_TRANSLATE_NOOP(
        "Facts", "The sizes of the NUMA nodes do not add up to the machine's memory."
    ),
    "columns_guessed": QT_TRANSLATE_NOOP(
        "Facts", "The columns of nvidia-smi's list were guessed: it has no header."
    ),
    "second_table": QT_TRANSLATE_NOOP("Facts", "Several tables were sent; only one was read."),
    "second_query": QT_TRANSLATE_NOOP("Facts", "Several queries were sent; only one was read."),
    "gpu_ambiguous": QT_TRANSLATE_NOOP("Facts", "The name fits several products."),
    "gpu_memory_differs": QT_TRANSLATE_NOOP(
        "Facts", "The memory does not suit the name: a modified or virtual card?"
    ),
    "gpu_name_and_device_differ": QT_TRANSLATE_NOOP(
        "Facts", "Name and PCI device belong to different products."
    ),
    "nics_left_out": QT_TRANSLATE_NOOP("Facts", "nvidia-smi does not show all network adapters."),
    "sections_broken": QT_TRANSLATE_NOOP(
        "Facts", "The raw outputs kept in this record cannot be unpacked."
    ),
    "cut": QT_TRANSLATE_NOOP("Facts", "An output is cut off."),
    "redacted": QT_TRANSLATE_NOOP(
        "Facts",
        "The sender hid names, serial numbers and addresses; UUIDs are stand-ins, equal ones "
        "for equal GPUs.",
    ),
    "pastes_contradict": QT_TRANSLATE_NOOP(
        "Facts", "These files come from different hosts or times; the first of each kind counts."
    ),
    "not_read": QT_TRANSLATE_NOOP("Facts", "A file says nothing about the host."),
    "assumed": QT_TRANSLATE_NOOP("Facts", "Assumed from the GPU catalogue; no machine was asked."),
}


_WITH_EVIDENCE: Final = frozenset(
    {
        "cut",
        "pastes_contradict",
        "not_read",
        "assumed",
        "second_table",
        "gpu_ambiguous",
        "gpu_memory_differs",
        "gpu_name_and_device_differ",
        "nics_left_out",
    }
)
"""Findings that need their names and figures beside the sentence."""


def warning_facts(fingerprint: Fingerprint, causes: Mapping[str, Cause]) -> tuple[Fact, ...]:
    """Return what looked odd while reading, and what to do about it where that is known."""
    facts = []
    for warning in fingerprint.warnings:
        code, _, text = warning.partition(": ")
        cause, known = causes.get(code), _WARNINGS.get(code)
        if known:
            evidence = text if code in _WITH_EVIDENCE else ""
            text = _with_evidence(translate(CONTEXT, known), evidence)
        elif cause is not None:
            texts = (cause.meaning, cause.remedy)
            text = " ".join(said(part) for part in texts if part is not None)
        facts.append(Fact(label=translate("Facts", "Finding"), value=text, status="warn"))
    return tuple(facts)


def _with_evidence(sentence: str, evidence: str) -> str:
    """Return a sentence with the names and figures that belong to it."""
    if not evidence:
        return sentence
    for stop, colon in ((".", ": "), ("。", "：")):
        if sentence.endswith(stop):
            return f"{sentence.removesuffix(stop)}{colon}{evidence}"
    return f"{sentence} {evidence}"
