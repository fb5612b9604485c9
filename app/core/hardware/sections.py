"""Raw sections: what each probe command printed, kept beside what was read from it.

The probe is one ``sh`` script; it frames each command's output so that a newer parser can read
an old record. This module only knows the frame, not the meaning.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RawSection:
    """One probe command and its result, unchanged."""

    name: str
    """Stable name, e.g. ``smi-csv``, ``smi-topo-m``, ``lscpu-J``; the recordings use the same."""
    command: str
    exit_code: int | None
    """``None`` when the command ended by our deadline or its result was cut off."""
    stdout: str
    stderr: str = ""
