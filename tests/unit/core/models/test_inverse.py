"""Inverse questions and the table of hardware."""

from dataclasses import replace
from functools import partial

import pytest

from app.core.models.config import read_config
from app.core.models.estimate import Device, EstimateOptions, estimate_memory
from app.core.models.hardware_table import Candidate, hardware_table
from app.core.models.inverse import Wanted, solve
from tests.unit.core.models.builders import GEMMA_2, LLAMA_8B

L4 = Device(name="NVIDIA L4", compute_cap="8.9", memory_total_mib=23034)
H200 = Device(name="NVIDIA H200", compute_cap="9.0", memory_total_mib=143771)


@pytest.fixture
def ask(calibration):
    def bound(config=LLAMA_8B):
        asked = partial(
            estimate_memory,
            model=read_config(config, name="tried"),
            engine="vllm",
            version="0.26.0",
            calibration=calibration,
        )
        return lambda device, options: asked(device=device, options=options)

    return bound


def test_the_largest_context_fits_and_one_block_more_does_not(ask):
    options = EstimateOptions()
    found = solve(Wanted.CONTEXT, ask(), L4, options, max_context=131072)
    assert found.value is not None
    assert 0 < found.value < 131072
    assert found.estimate.fits is True
    longer = replace(options, context_tokens=found.value + 16)
    assert ask()(L4, longer).fits is False


def test_the_models_own_context_is_the_limit(ask):
    found = solve(Wanted.CONTEXT, ask(), H200, EstimateOptions(), max_context=131072)
    assert found.value == 131072


def test_nothing_that_fits_is_no_value(ask):
    small = replace(L4, memory_total_mib=8192)
    for wanted in (Wanted.CONTEXT, Wanted.CONCURRENCY):
        assert solve(wanted, ask(), small, EstimateOptions(), max_context=4096).value is None
    tiny = replace(L4, memory_total_mib=512)
    found = solve(Wanted.TENSOR_PARALLEL, ask(), tiny, EstimateOptions(), max_context=None)
    assert found.value is None


def test_most_requests_are_whole_ones(ask):
    options = EstimateOptions(context_tokens=8192)
    found = solve(Wanted.CONCURRENCY, ask(), H200, options, max_context=None)
    assert found.value == int(found.estimate.max_concurrency) > 100


def test_the_fewest_gpus_hold_the_wanted_requests(ask):
    options = EstimateOptions(context_tokens=32768, concurrency=4)
    found = solve(Wanted.TENSOR_PARALLEL, ask(), L4, options, max_context=None)
    assert found.value == 2
    assert found.estimate.max_concurrency >= 4


def test_what_already_runs_is_counted(ask):
    busy = replace(H200, memory_used_mib=120_000)
    assert solve(Wanted.CONTEXT, ask(), busy, EstimateOptions(), max_context=4096).value is None


def test_the_smallest_hardware_that_is_enough_is_marked_once(ask):
    options = EstimateOptions(context_tokens=32768, concurrency=2)
    rows = hardware_table(
        [
            Candidate(device=replace(device, count=count), used=count)
            for device in (H200, L4)
            for count in (1, 2, 3)
        ],
        ask(),
        options,
    )
    assert [row.memory_bytes for row in rows] == sorted(row.memory_bytes for row in rows)
    marked = [row for row in rows if row.smallest]
    assert len(marked) == 1
    assert marked[0].meets
    assert not any(row.meets for row in rows[: rows.index(marked[0])])
    assert {row.fits for row in rows if row.gpu_count == 3} == {False}


def test_capacity_in_tokens_may_fall_with_context_where_layers_slide(ask):
    short, long = (
        ask(GEMMA_2)(H200, EstimateOptions(context_tokens=tokens)).kv_tokens
        for tokens in (2048, 8192)
    )
    assert short != long
