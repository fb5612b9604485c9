"""Values that stand in for what the sender hid: known by the shapes the collector gives them.

A name that stands in for another is not shown as if it were one. UUIDs stay, since processes and
GPUs are matched by them, but are marked.
"""

import re
from dataclasses import replace
from typing import Final

from app.core.hardware.fingerprint import Fingerprint, UnknownReason

STAND_IN_UUID: Final = re.compile(r"(?:GPU-|MIG-)?00000000-0000-0000-0000-[0-9]{12}")
STAND_IN_NAME: Final = re.compile(r"redacted-(?:host|user|serial|address)-[0-9]+")


def is_stand_in(value: str | None) -> bool:
    """Tell whether a value stands in for one that was hidden."""
    return value is not None and bool(
        STAND_IN_UUID.fullmatch(value) or STAND_IN_NAME.fullmatch(value)
    )


def mark_redacted(fingerprint: Fingerprint) -> Fingerprint:
    """Return the fingerprint with stand-ins for names taken out and those for UUIDs marked."""
    machine, hidden = fingerprint.machine, {}
    for name in ("hostname", "user"):
        if is_stand_in(getattr(machine, name)):
            machine = replace(machine, **{name: None})
            hidden[f"machine.{name}"] = UnknownReason.REDACTED
    for position, gpu in enumerate(fingerprint.gpus):
        if is_stand_in(gpu.uuid):
            hidden[f"gpus.{position}.uuid"] = UnknownReason.REDACTED
    if not hidden:
        return fingerprint
    warning = "redacted: the sender hid names, serial numbers, UUIDs and addresses"
    return replace(
        fingerprint,
        machine=machine,
        unknown=dict(sorted({**fingerprint.unknown, **hidden}.items())),
        warnings=(*fingerprint.warnings, warning),
    )
