"""A healthy host of two H100 in our own words, to be broken in one place at a time."""

import dataclasses
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import pytest

from app.core.checks.run import run_checks
from app.core.checks.spec import CheckContext, Checklist, CheckReport
from app.core.hardware.assemble import assemble_fingerprint
from app.core.hardware.catalogue import GpuCatalogue
from app.core.hardware.fingerprint import Fingerprint, HostSource
from app.core.hardware.recording import sections_from_recording
from app.io.check_data import load_checks
from app.io.datafiles import data_root, load_gpu_catalogue

HOST = Path(__file__).parent / "host"
TAKEN_AT = "2026-11-29T08:00:02Z"


@cache
def _data() -> Checklist:
    return load_checks(data_root())


@cache
def _catalogue() -> GpuCatalogue:
    return load_gpu_catalogue(data_root())


@cache
def _files() -> Mapping[str, str]:
    return {file.name: file.read_text() for file in sorted(HOST.iterdir())}


@pytest.fixture(scope="session")
def checklist() -> Checklist:
    return _data()


@pytest.fixture(scope="session")
def catalogue() -> GpuCatalogue:
    return _catalogue()


@pytest.fixture(scope="session")
def make_host() -> Callable[..., Fingerprint]:
    """Build the healthy host with other files: texts of sections, exit codes, what is missing."""

    def make(
        sections: Mapping[str, str] | None = None,
        *,
        replace: list[list[str]] | None = None,
        codes: Mapping[str, int] | None = None,
        errors: Mapping[str, str] | None = None,
        missing: list[str] | None = None,
        only: bool = False,
    ) -> Fingerprint:
        files = {} if only else dict(_files())
        for name in missing or []:
            files.pop(f"{name}.txt")
        for name, text in (sections or {}).items():
            files[f"{name}.txt"] = text
            files.pop(f"{name}.rc", None)
        for name, old, new in replace or []:
            assert old in files[f"{name}.txt"], f"{name} has no {old!r}"
            files[f"{name}.txt"] = files[f"{name}.txt"].replace(old, new)
        for name, code in (codes or {}).items():
            files.setdefault(f"{name}.txt", "")
            files[f"{name}.rc"] = f"{code}\n"
        for name, text in (errors or {}).items():
            files[f"{name}.err"] = text
        return assemble_fingerprint(
            sections_from_recording(files),
            source=HostSource.SSH,
            taken_at=TAKEN_AT,
            host_name="gpu-box",
            catalogue=_catalogue(),
        )

    return make


@pytest.fixture(scope="session")
def check() -> Callable[..., CheckReport]:
    """Run all checks."""

    def run(fingerprint: Fingerprint, context: Mapping[str, object] | None = None) -> CheckReport:
        known = {field.name for field in dataclasses.fields(CheckContext)}
        values = {k: tuple(v) if isinstance(v, list) else v for k, v in (context or {}).items()}
        values = {k: _int_keys(v) if isinstance(v, dict) else v for k, v in values.items()}
        assert set(values) <= known
        return run_checks(
            fingerprint, data=_data(), catalogue=_catalogue(), context=CheckContext(**values)
        )

    return run


def _int_keys(values: Mapping[str, int]) -> dict[int, int]:
    return {int(key): value for key, value in values.items()}
