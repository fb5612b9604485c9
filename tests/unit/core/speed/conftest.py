"""The shipped constants, and our own loads laid beside the checkout."""

import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from fakes.speed_cases import speed_case

from app.core.models.config import read_config
from app.core.models.request import EstimateOptions
from app.core.speed.estimate import SpeedCase
from app.core.speed.load import Load
from app.core.speed.spec import SpeedData
from app.io.datafiles import data_root, load_speed

POINTS = Path(__file__).parents[5] / "shared/captures/vllm-0.26.0-h200/points.yaml"


@pytest.fixture(scope="session")
def speed_data() -> SpeedData:
    return load_speed(data_root())


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One load as it was measured. Lengths that were not kept say nothing of TPOT and rate."""

    model: str
    case: SpeedCase
    load: Load
    requests: int
    ttft_s: float
    tpot_s: float
    rate: float
    is_kept: bool


@pytest.fixture(scope="session")
def measured_loads() -> tuple[Measured, ...]:
    if not POINTS.is_file():
        pytest.skip("shared cases are not laid beside this checkout")
    return _loads()


@cache
def _loads() -> tuple[Measured, ...]:
    import yaml

    found = []
    for point in yaml.safe_load(POINTS.read_text(encoding="utf-8")):
        model = read_config(point["config"], name=_name(point["id"]))
        case = speed_case(model, options=_options(point["args"]))
        for row in point.get("loads") or ():
            answer = row["out_tok_s"] * row["wall_s"] / row["n"]
            is_kept = math.isclose(answer, row["olen"], rel_tol=0.05)
            load = Load(
                prompt_tokens=row["plen"],
                output_tokens=max(1, round(answer)),
                concurrency=row["conc"],
            )
            found.append(
                Measured(
                    model=model.name,
                    case=case,
                    load=load,
                    requests=row["n"],
                    ttft_s=row["ttft_p50"],
                    tpot_s=row["tpot_p50"],
                    rate=row["out_tok_s"],
                    is_kept=is_kept,
                )
            )
    return tuple(found)


def _name(point: str) -> str:
    """``01-llama-3.1-8b_kvcachedtype_fp8`` is of the model ``llama-3.1-8b``."""
    return point.partition("_")[0].partition("-")[2]


def _options(args: list[str]) -> EstimateOptions:
    given = dict(zip(args[::2], args[1::2], strict=False)) if args != ["--enforce-eager"] else {}
    prefill = given.get("--max-num-batched-tokens")
    fraction = given.get("--gpu-memory-utilization")
    return EstimateOptions(
        tensor_parallel_size=int(given.get("--tensor-parallel-size", 1)),
        memory_fraction=float(fraction) if fraction else None,
        kv_dtype=given.get("--kv-cache-dtype", "auto"),
        quantization=given.get("--quantization"),
        prefill_tokens=int(prefill) if prefill else None,
        enforce_eager="--enforce-eager" in args,
    )
