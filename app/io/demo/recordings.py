"""Recorded tool outputs of a host: a folder of ``NAME.txt``, ``NAME.rc`` and ``NAME.err``."""

from dataclasses import dataclass
from pathlib import Path

from app.core.hardware.sections import RawSection


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What one command left behind when it was recorded."""

    stdout: str
    stderr: str
    exit_code: int | None


class Recordings:
    """One folder of recordings."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def names(self) -> tuple[str, ...]:
        """Return the recorded names, sorted."""
        return tuple(sorted(file.stem for file in self._folder.glob("*.txt")))

    def read(self, name: str) -> Recorded | None:
        """Return one recording."""
        output = self._folder / f"{name}.txt"
        if not output.is_file():
            return None
        code = _text(output.with_suffix(".rc")).strip()
        return Recorded(
            stdout=_text(output),
            stderr=_text(output.with_suffix(".err")),
            exit_code=int(code) if code.lstrip("-").isdigit() else None,
        )

    def sections(self) -> tuple[RawSection, ...]:
        """Return all recordings as sections of a probe."""
        return tuple(
            RawSection(
                name=name,
                command=f"recorded: {name}",
                exit_code=recorded.exit_code,
                stdout=recorded.stdout,
                stderr=recorded.stderr,
            )
            for name in self.names()
            if (recorded := self.read(name)) is not None
        )


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
