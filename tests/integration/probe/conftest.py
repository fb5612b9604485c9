"""The probe script in real shells, with tools that behave as badly as tools can."""

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.core.hardware.frame import decode_frames, is_complete, probe_input
from app.core.hardware.sections import RawSection
from app.io.probes import probe_script

BOUNDARY = "0123456789abcdef0123456789abcdef"

SHELLS = [
    pytest.param(argv, id=argv[-1] if len(argv) == 1 else argv[0])
    for argv in (["sh"], ["dash"], ["bash"], ["busybox", "sh"])
    if shutil.which(argv[0])
]


@dataclass(frozen=True)
class Answer:
    """What the probe printed."""

    output: bytes
    sections: dict[str, RawSection]
    is_complete: bool


@pytest.fixture
def tools(tmp_path: Path) -> Callable[[str, str], None]:
    """Put a script first in PATH under a tool's name."""
    folder = tmp_path / "bin"
    folder.mkdir()

    def put(name: str, script: str) -> None:
        file = folder / name
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)

    return put


@pytest.fixture
def run_probe(tmp_path: Path) -> Callable[..., Answer]:
    """Run the script as a host would: text on standard input, nothing else."""

    def run(shell: list[str], patience_s: int | None = None) -> Answer:
        environment = {**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
        if patience_s is not None:
            environment["PITWALL_PATIENCE"] = str(patience_s)
        done = subprocess.run(
            [*shell, "-s"],
            input=probe_input(probe_script(), BOUNDARY),
            capture_output=True,
            env=environment,
            timeout=40,
            check=True,
        )
        assert done.stderr == b""
        sections = decode_frames(done.stdout, BOUNDARY)
        return Answer(
            output=done.stdout,
            sections={section.name: section for section in sections},
            is_complete=is_complete(done.stdout, BOUNDARY),
        )

    return run
