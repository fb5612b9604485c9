"""Look up sections by name, and say why one has no usable answer."""

from collections.abc import Iterable
from typing import Final

from app.core.hardware.fingerprint import UnknownReason
from app.core.hardware.sections import RawSection

_DENIED: Final = ("permission denied", "insufficient permissions", "must be root", "not permitted")
_MISSING: Final = ("no such file or directory", "not found")


class SectionBook:
    """The sections of one probe by name; the first usable of equal names wins."""

    def __init__(self, sections: Iterable[RawSection]) -> None:
        self._sections: dict[str, RawSection] = {}
        for section in sections:
            known = self._sections.get(section.name)
            if known is None or (known.exit_code != 0 and section.exit_code == 0):
                self._sections[section.name] = section

    def get(self, name: str) -> RawSection | None:
        """Return a section, however it ended."""
        return self._sections.get(name)

    def output(self, *names: str) -> tuple[str, str] | None:
        """Return name and output of the first of ``names`` that succeeded and said something."""
        for name in names:
            section = self._sections.get(name)
            if section is not None and section.exit_code == 0 and section.stdout.strip():
                return name, section.stdout
        return None

    def text(self, name: str) -> str:
        """Return a section's output whatever its exit code; empty when there is none."""
        section = self._sections.get(name)
        return section.stdout if section is not None else ""

    def why_not(self, *names: str) -> UnknownReason:
        """Return why none of ``names`` gave an answer; the first one's reason counts."""
        asked = [self._sections[name] for name in names if name in self._sections]
        if not asked:
            return UnknownReason.NOT_ASKED
        reasons = [section_reason(section) for section in asked]
        return next((r for r in reasons if r is not UnknownReason.TOOL_MISSING), reasons[0])


def section_reason(section: RawSection) -> UnknownReason:
    """Return why one section has no answer; ``NOT_REPORTED`` when it ended well."""
    if section.exit_code is None or section.exit_code in {124, 137}:
        return UnknownReason.TOOL_TIMEOUT
    if section.exit_code == 0:
        return UnknownReason.NOT_REPORTED
    said = f"{section.stderr}\n{section.stdout}".lower()
    if any(word in said for word in _DENIED):
        return UnknownReason.NEEDS_ROOT
    if section.exit_code == 127 or (
        section.exit_code == 126 and any(word in said for word in _MISSING)
    ):
        return UnknownReason.TOOL_MISSING
    return UnknownReason.TOOL_FAILED
