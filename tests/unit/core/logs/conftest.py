"""The engines' own start-up data, and recordings laid beside the checkout."""

from pathlib import Path

import pytest

from app.core.engines.spec import StartupFile
from app.io.datafiles import data_root, read_data


def startup(engine: str) -> StartupFile:
    return read_data(StartupFile, data_root(), f"engines/{engine}/startup.toml")


@pytest.fixture(scope="session")
def llama_startup() -> StartupFile:
    return startup("llamacpp")


@pytest.fixture(scope="session")
def vllm_startup() -> StartupFile:
    return startup("vllm")


@pytest.fixture(scope="session")
def shared_log():
    """Return a reader of recordings laid beside the checkout; skips where they are missing."""
    root = Path(__file__).resolve().parents[5] / "shared"

    def read(relative: str) -> bytes:
        path = root / relative
        if not path.exists():
            pytest.skip("shared cases are not laid beside this checkout")
        return path.read_bytes()

    return read
