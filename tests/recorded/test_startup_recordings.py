"""Whole starts of real engines on an H200 (2026-11-30): the start-up reader tells their figures."""

from pathlib import Path

import pytest

from app.core.engines.spec import StartupFile
from app.core.logs.actuals import ActualsReader
from app.core.logs.reader import read_lines
from app.core.units import GIB, MIB
from app.io.datafiles import data_root, read_data

_HERE = Path(__file__).parent / "startup"


@pytest.mark.parametrize(
    ("engine", "file", "expected"),
    [
        (
            "vllm",
            "vllm-0.26.0-h200-phi-4.log",
            {
                "weights_bytes_per_gpu": 27.39 * GIB,
                "kv_cache_bytes_per_gpu": 99.92 * GIB,
                "kv_tokens": 523_856,
                "cuda_graph_bytes": 0.9 * GIB,
            },
        ),
        (
            "llamacpp",
            "llamacpp-0c1e57098-h200-gpt-oss-20b.log",
            {
                "weights_bytes_per_gpu": 7183.0 * MIB,
                "kv_cache_bytes_per_gpu": 210.0 * MIB,
                "activation_bytes": 207.48 * MIB,
                "kv_tokens": 8192,
            },
        ),
    ],
)
def test_a_whole_start_is_read(engine, file, expected):
    reader = ActualsReader(read_data(StartupFile, data_root(), f"engines/{engine}/startup.toml"))
    for line in read_lines([(_HERE / file).read_text(encoding="utf-8")]):
        reader.feed(line)
    found = {actual.quantity: actual.value for actual in reader.actuals()}
    assert {name: found.get(name) for name in expected} == pytest.approx(expected, rel=1e-3)
