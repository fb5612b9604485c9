"""The inverse questions agree with the estimate they are made of."""

from dataclasses import replace

import pytest

from app.core.models.config import read_config
from app.core.models.estimate import Device, EstimateOptions, estimate_memory
from app.core.models.inverse import (
    largest_concurrency,
    largest_context,
    smallest_tensor_parallel,
)
from app.core.models.parallelism import allowed_tensor_parallel, tensor_parallel_problem
from tests.unit.core.models.builders import DEEPSEEK_V3, LLAMA_8B, QWEN3_MOE, QWEN_7B

RTX = Device(name="NVIDIA GeForce RTX 3090", memory_total_mib=24576, count=4)
H200 = Device(name="NVIDIA H200", memory_total_mib=143771, count=8)


@pytest.fixture
def ask(calibration):
    def call(question, config=LLAMA_8B, *, engine="vllm", version="0.26.0", device=RTX, **options):
        extra = {"upper": options.pop("upper")} if "upper" in options else {}
        return question(
            model=read_config(config, name="m"),
            engine=engine,
            version=version,
            device=device,
            options=EstimateOptions(**options),
            calibration=calibration,
            **extra,
        )

    return call


@pytest.mark.parametrize("engine", ["vllm", "llamacpp", "sglang"])
def test_the_largest_context_fits_and_the_next_step_does_not(ask, engine):
    longest = ask(largest_context, engine=engine, concurrency=1)
    assert longest is not None
    assert ask(estimate_memory, engine=engine, context_tokens=longest, concurrency=1).fits is True
    more = longest + 512
    assert ask(estimate_memory, engine=engine, context_tokens=more, concurrency=1).fits is False


def test_where_everything_fits_the_models_own_context_is_the_answer(ask):
    assert ask(largest_context, device=H200) == 131072
    assert ask(largest_context, device=H200, upper=1000) == 1000


def test_nothing_fits_or_nothing_is_known(ask):
    assert ask(largest_context, DEEPSEEK_V3) is None
    assert ask(largest_context, device=Device(name="g")) is None
    assert ask(largest_concurrency, DEEPSEEK_V3) is None
    assert ask(largest_concurrency, DEEPSEEK_V3, engine="llamacpp") is None
    assert ask(smallest_tensor_parallel, DEEPSEEK_V3) is None


def test_old_vllm_is_tried_above_its_chunking_threshold_first(ask):
    longest = ask(largest_context, version="0.6.4", upper=40000)
    assert longest == 40000
    assert ask(estimate_memory, version="0.6.4", context_tokens=29000).fits is False


def test_paged_engines_answer_concurrency_from_the_pool(ask):
    assert ask(largest_concurrency, device=H200) == 7
    assert ask(largest_concurrency, device=H200, max_num_seqs=4) == 4


def test_slots_are_counted_until_the_memory_ends(ask):
    slots = ask(largest_concurrency, engine="llamacpp", context_tokens=4096)
    fitting = ask(estimate_memory, engine="llamacpp", context_tokens=4096, concurrency=slots)
    beyond = ask(estimate_memory, engine="llamacpp", context_tokens=4096, concurrency=slots + 1)
    assert (fitting.fits, beyond.fits) == (True, False)


def test_the_fewest_gpus_are_found_among_sizes_that_divide_the_model(ask):
    fp8 = {
        **DEEPSEEK_V3,
        "quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]},
    }
    assert ask(smallest_tensor_parallel, device=H200) == 1
    assert ask(smallest_tensor_parallel, fp8, device=H200) == 8
    assert ask(smallest_tensor_parallel, QWEN3_MOE, device=RTX) == 4


def test_sizes_that_divide_nothing_are_left_out():
    qwen = read_config(QWEN_7B, name="m").architecture
    assert allowed_tensor_parallel(qwen, 8) == (1, 2, 4)
    assert tensor_parallel_problem(replace(qwen, kv_heads=14), 4) == "14 KV heads / 4"
    assert tensor_parallel_problem(replace(qwen, intermediate_size=18945), 2) == (
        "18945 intermediate columns / 2"
    )
    assert tensor_parallel_problem(replace(qwen, moe_intermediate_size=771), 2) == (
        "771 expert columns / 2"
    )
