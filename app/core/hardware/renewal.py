"""An older Pitwall's record, read again with today's parsers."""

from collections.abc import Sequence
from typing import Protocol

from app.core.hardware.fingerprint import Fingerprint, HostSource
from app.core.hardware.sections import RawSection


class Assemble(Protocol):
    """Turn raw sections into a fingerprint."""

    def __call__(
        self,
        sections: Sequence[RawSection],
        *,
        source: HostSource,
        taken_at: str,
        host_id: str | None,
        host_name: str | None,
        simulated: bool,
    ) -> Fingerprint:
        """Read what can be read; never raises on bad tool output."""


def read_again(fingerprint: Fingerprint, assemble: Assemble) -> Fingerprint:
    """Return an outdated fingerprint as today's parsers read what the tools printed."""
    return assemble(
        fingerprint.sections,
        source=fingerprint.source,
        taken_at=fingerprint.taken_at,
        host_id=fingerprint.host_id,
        host_name=fingerprint.host_name,
        simulated=fingerprint.simulated,
    )
