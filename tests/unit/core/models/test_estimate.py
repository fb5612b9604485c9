"""The memory picture: verdicts, limits, bases, and what must never turn around."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.errors import AppError, ErrorCode
from app.core.models.config import read_config
from app.core.models.estimate import Device, EstimateOptions, estimate_memory
from app.core.units import GIB, MIB
from tests.unit.core.models.builders import (
    DEEPSEEK_V3,
    GEMMA_2,
    GPT_OSS,
    LLAMA_8B,
    MIXTRAL,
    NEMOTRON,
    QWEN3_MOE,
    QWEN_7B,
)

H200 = Device(
    name="NVIDIA H200",
    compute_cap="9.0",
    memory_total_mib=143771,
    memory_reserved_mib=616,
    count=8,
)
CONFIGS = [LLAMA_8B, QWEN_7B, MIXTRAL, QWEN3_MOE, DEEPSEEK_V3, GEMMA_2, GPT_OSS]
ENGINES = ["vllm", "llamacpp", "ollama", "sglang", "tensorrt-llm", "lmdeploy", "tgi"]


@pytest.fixture
def estimate(calibration):
    def call(config=LLAMA_8B, *, engine="vllm", version="0.26.0", device=H200, **options):
        return estimate_memory(
            model=read_config(config, name="m"),
            engine=engine,
            version=version,
            device=device,
            options=EstimateOptions(**options),
            calibration=calibration,
        )

    return call


def codes(found):
    return {text.partition(":")[0] for text in found.limits}


def test_every_quantity_has_its_basis_with_arithmetic(estimate):
    found = estimate()
    stated = {basis.quantity: basis for basis in found.basis}
    assert set(stated) >= {
        "weights_bytes_per_gpu",
        "kv_bytes_per_token_per_gpu",
        "activation_bytes",
        "cuda_graph_bytes",
        "non_torch_bytes",
        "total_bytes_per_gpu",
        "usable_bytes_per_gpu",
        "kv_cache_bytes_per_gpu",
        "kv_tokens",
    }
    assert all(basis.source for basis in found.basis)
    assert stated["total_bytes_per_gpu"].formula == "143771 MiB (NVML) − 616 MiB reserved"
    assert stated["total_bytes_per_gpu"].method == "measured"
    assert "2026-11-30" in stated["activation_bytes"].source


def test_cuda_sees_less_than_nvml(estimate):
    assert estimate().total_bytes_per_gpu == 143155 * MIB


@pytest.mark.parametrize(
    ("name", "total", "reserved", "seen"),
    [
        ("NVIDIA H200", 143771, None, 143155),
        ("NVIDIA GeForce RTX 3090", 24576, None, 24146),
        ("Unheard Of", 10000, None, 9900),
        ("Unheard Of", 10000, 0, 10000),
    ],
)
def test_reserved_memory_comes_from_the_gpu_else_the_table(estimate, name, total, reserved, seen):
    device = Device(name=name, memory_total_mib=total, memory_reserved_mib=reserved)
    assert estimate(device=device).total_bytes_per_gpu == seen * MIB


def test_a_shorter_context_changes_the_concurrency_but_not_the_pool(estimate):
    # vLLM 0.26.0 in Docker on an H200, Qwen2.5-7B with --max-model-len 8192, 2026-11-29:
    # 2,115,440 tokens, 258.23 requests. Not among the starts the coefficients come from.
    found = estimate(QWEN_7B, context_tokens=8192)
    assert found.kv_tokens == pytest.approx(2_115_440, rel=0.001)
    assert found.max_concurrency == pytest.approx(258.23, rel=0.001)


def test_weights_that_do_not_fit_are_said_with_what_is_missing(estimate):
    found = estimate(DEEPSEEK_V3)
    assert found.fits is False
    assert "weights_too_large" in codes(found)
    assert found.missing_bytes > 10**12
    assert (found.kv_tokens, found.kv_cache_bytes_per_gpu) == (0, 0)


def test_a_context_that_does_not_fit_names_both_lengths(estimate):
    small = Device(name="Small", memory_total_mib=20000, memory_reserved_mib=0)
    found = estimate(device=small, context_tokens=100000)
    assert found.fits is False
    limits = [text for text in found.limits if text.startswith("context_too_long")]
    assert limits[0].startswith("context_too_long:100000>")
    needed = 100000 * 131072
    assert found.missing_bytes == pytest.approx(needed - found.kv_cache_bytes_per_gpu, abs=2**22)


def test_no_room_beside_the_weights_is_not_called_a_context_problem(estimate):
    tight = Device(name="Tight", memory_total_mib=16900, memory_reserved_mib=0)
    found = estimate(device=tight)
    assert "no_room_for_kv" in codes(found)


def test_others_on_the_gpu_stop_a_start_although_the_fraction_would_fit(estimate):
    found = estimate(device=replace(H200, memory_used_mib=40000))
    assert found.fits is False
    assert codes(found) == {"memory_in_use"}
    # 128.62 GiB wanted of 139.80 − 39.06 − 0.51 GiB.
    assert found.missing_bytes / GIB == pytest.approx(28.4, abs=0.1)


def test_more_gpus_than_there_are_and_uneven_heads_are_refused(estimate):
    found = estimate(tensor_parallel_size=3, device=replace(H200, count=2))
    assert found.fits is False
    assert {"too_few_gpus", "heads_not_divisible"} <= codes(found)


def test_unknown_memory_answers_unknown_but_still_sizes_the_model(estimate):
    found = estimate(device=Device(name="some GPU"))
    assert found.fits == "unknown"
    assert "memory_unknown" in codes(found)
    assert found.kv_bytes_per_token_per_gpu == 131072
    assert found.weights_bytes_per_gpu > 16 * 10**9
    assert estimate(device=Device(name="g"), tensor_parallel_size=3).fits is False


def test_more_requests_than_fit_queue_but_do_not_fail(estimate):
    found = estimate(concurrency=1000)
    assert found.fits is True
    assert "concurrency_queues:7.0<1000" in found.limits


def test_a_context_above_the_models_own_is_pointed_out(estimate):
    assert "context_above_model:200000>131072" in estimate(context_tokens=200000).limits


def test_a_config_without_context_says_so(estimate):
    found = estimate({**LLAMA_8B, "max_position_embeddings": None})
    assert "context_unknown" in codes(found)
    assert found.fits is True


def test_outside_what_was_measured_the_band_widens_and_says_where(estimate):
    inside = estimate()
    cases = {
        "gpu": {"device": Device(name="NVIDIA L40S", memory_total_mib=46068)},
        "version": {"version": "0.31.0"},
        "tensor_parallel": {"tensor_parallel_size": 4},
        "pipeline_parallel": {"pipeline_parallel_size": 2},
        "prefill_tokens": {"prefill_tokens": 65536},
        "experts": {"config": {**DEEPSEEK_V3, "n_routed_experts": None}},
        "quantization": {
            "config": {
                **LLAMA_8B,
                "quantization_config": {"quant_method": "gptq", "bits": 4, "group_size": 128},
            }
        },
    }
    for what, changes in cases.items():
        config = changes.pop("config", LLAMA_8B)
        found = estimate(config, **changes)
        assert f"outside_calibration:{what}" in found.limits, what
        assert (
            found.error_band["weights_bytes_per_gpu"] > inside.error_band["weights_bytes_per_gpu"]
        )
        assert found.error_band["activation_bytes"] > inside.error_band["activation_bytes"]


def test_what_of_the_model_was_only_guessed_is_said(estimate):
    unknown = {**LLAMA_8B, "architectures": ["OtherForCausalLM"], "model_type": "other"}
    found = estimate(unknown)
    assert "architecture_unknown:OtherForCausalLM" in found.limits
    assert found.error_band["weights_bytes_per_gpu"] > 0.01
    packed = estimate({**LLAMA_8B, "quantization_config": {"quant_method": "other"}})
    assert "quantization_unknown:other" in packed.limits
    known = estimate({**LLAMA_8B, "quantization_config": {"quant_method": "gptq", "bits": 4}})
    assert not {"architecture_unknown", "quantization_unknown"} & codes(known)


@pytest.mark.parametrize(
    ("version", "gpu", "context", "printed_gib"),
    [
        ("0.6.5", ("NVIDIA H100 80GB HBM3", 81559), 8192, 53.29),
        ("0.19.1", ("NVIDIA A100-SXM4-40GB", 40960), 32768, 19.92),
    ],
    ids=["vllm-project/vllm#10511", "a public benchmark's record"],
)
def test_the_band_holds_what_other_versions_and_gpus_printed(
    estimate, version, gpu, context, printed_gib
):
    name, mib = gpu
    found = estimate(
        version=version,
        device=Device(name=name, memory_total_mib=mib),
        memory_fraction=0.9,
        context_tokens=context,
    )
    band = found.error_band["kv_cache_bytes_per_gpu"]
    assert abs(printed_gib * 2**30 / found.kv_cache_bytes_per_gpu - 1) <= band < 0.2


def test_experts_are_inside_only_where_experts_were_measured(estimate):
    assert not codes(estimate(QWEN3_MOE))
    assert "outside_calibration:prefill_tokens" in estimate(QWEN3_MOE, prefill_tokens=1024).limits
    assert not codes(estimate(GEMMA_2))


def test_cuda_graphs_are_taken_off_only_where_the_version_does(estimate):
    dense, sparse = estimate(), estimate(QWEN3_MOE)
    old = estimate(version="0.19.0")

    def left(found):
        return (
            found.usable_bytes_per_gpu
            - found.weights_bytes_per_gpu
            - found.activation_bytes
            - found.non_torch_bytes
            - found.kv_cache_bytes_per_gpu
        )

    assert left(dense) == 0
    assert 0 < left(sparse) < sparse.cuda_graph_bytes
    assert left(old) == 0
    assert old.usable_bytes_per_gpu < dense.usable_bytes_per_gpu


def test_eager_mode_needs_no_graphs_and_no_compiler(estimate):
    found = estimate(enforce_eager=True)
    assert found.cuda_graph_bytes == 0
    assert found.activation_bytes < estimate().activation_bytes


def test_graphs_without_room_beside_the_fraction_are_a_warning(estimate):
    assert "graphs_tight" in codes(estimate(memory_fraction=0.995))


def test_the_default_batch_follows_gpu_and_version(estimate):
    def tokens(device, version="0.26.0", **options):
        text = next(
            basis.formula
            for basis in estimate(
                device=device, version=version, enforce_eager=True, max_num_seqs=1, **options
            ).basis
            if basis.quantity == "activation_bytes"
        )
        return int(text.split("inside a layer: ")[1].split()[0])

    assert tokens(H200) == 8192
    assert tokens(Device(name="NVIDIA A100-SXM4-80GB", memory_total_mib=81920)) == 2048
    b200 = Device(name="NVIDIA B200", memory_total_mib=183359)
    assert [tokens(b200, version=name) for name in ("0.27.1", "0.28.0")] == [8192, 16384]
    a100 = Device(name="NVIDIA A100-SXM4-80GB", memory_total_mib=81920)
    assert [tokens(a100, version=name) for name in ("0.8.4", "0.8.5", "0.9.0")] == [
        2048,
        8192,
        2048,
    ]
    assert tokens(H200, version="0.8.0") == 8192
    spark = Device(name="NVIDIA GB10", memory_total_mib=122502)
    assert [tokens(spark, version=name) for name in ("0.32.0", "0.33.0")] == [8192, 2048]
    assert tokens(H200, version="0.6.4", context_tokens=20000) == 20000
    assert tokens(H200, version="0.6.4", context_tokens=35000) == 512


def test_a_vision_model_says_that_its_tower_is_not_in_the_peak(estimate):
    assert "vision_not_counted" in codes(estimate({**LLAMA_8B, "vision_config": {"a": 1}}))


def test_an_encoder_has_no_cache(estimate):
    found = estimate({**LLAMA_8B, "model_type": "bert"})
    assert (found.kv_tokens, found.kv_bytes_per_token_per_gpu) == (0, 0)
    assert found.fits is True


def test_vllm_on_a_cpu_counts_main_memory(estimate):
    cpu = Device(name="CPU", is_cpu=True, ram_bytes=64 * GIB)
    found = estimate(device=cpu, memory_fraction=0.5)
    assert found.on_cpu
    assert found.total_bytes_per_gpu == 64 * GIB
    assert (found.cuda_graph_bytes, found.non_torch_bytes) == (0, 1280 * MIB)
    assert estimate(device=Device(name="CPU", is_cpu=True)).fits == "unknown"


def test_cache_of_a_given_size_on_a_cpu_needs_no_fraction(estimate):
    def given(ram_gib):
        cpu = Device(name="CPU", is_cpu=True, ram_bytes=ram_gib * GIB)
        return estimate(device=cpu, kv_cache_bytes=4 * GIB, context_tokens=8192)

    roomy, tight = given(64), given(18)
    assert (roomy.fits, roomy.kv_cache_bytes_per_gpu) == (True, 4 * GIB)
    assert roomy.usable_bytes_per_gpu == 64 * GIB
    assert tight.fits is False
    assert tight.missing_bytes > 0


@pytest.mark.parametrize(
    ("cache_gib", "used_mib", "fits", "limits"),
    [
        (20, 0, True, set()),
        (1, 0, False, {"context_too_long"}),
        (126, 0, False, {"no_room_for_kv"}),
        (20, 60_000, False, {"memory_in_use"}),
    ],
)
def test_cache_of_a_given_size_on_a_gpu(estimate, cache_gib, used_mib, fits, limits):
    """It takes the share's place, but the share has to be free at the start (request_memory)."""
    device = replace(H200, memory_used_mib=used_mib)
    found = estimate(device=device, kv_cache_bytes=cache_gib * GIB, context_tokens=16384)
    assert found.fits is fits
    assert codes(found) & {*limits, "context_too_long", "no_room_for_kv", "memory_in_use"} == limits
    assert (found.missing_bytes == 0) is fits
    if fits:
        assert found.kv_cache_bytes_per_gpu == cache_gib * GIB
        assert found.error_band["kv_tokens"] == 0
        tokens = cache_gib * GIB / found.kv_bytes_per_token_per_gpu
        assert found.kv_tokens == pytest.approx(tokens, abs=16)


def test_what_a_given_cache_lacks_is_told_to_the_byte(estimate):
    lacking = [estimate(kv_cache_bytes=gib * GIB).missing_bytes for gib in (130, 131)]
    assert lacking[1] - lacking[0] == GIB
    fraction = estimate(kv_cache_bytes=20 * GIB, memory_fraction=0.5)
    assert fraction.kv_cache_bytes_per_gpu == 20 * GIB


@pytest.mark.parametrize("engine", ["sglang", "tensorrt-llm", "lmdeploy", "tgi"])
def test_engines_that_were_not_measured_say_so_with_a_wide_band(estimate, engine):
    found = estimate(engine=engine)
    assert found.fits is True
    assert "engine_not_measured" in found.limits
    assert found.error_band["kv_tokens"] >= 0.2
    assert estimate(engine=engine, device=Device(name="g")).fits == "unknown"
    refused = estimate(DEEPSEEK_V3, engine=engine, device=replace(H200, count=1))
    assert refused.fits is False
    assert refused.missing_bytes > 0
    uneven = estimate(engine=engine, tensor_parallel_size=3, device=replace(H200, count=2))
    assert {"too_few_gpus", "heads_not_divisible"} <= codes(uneven)


def test_fractions_mean_different_things(estimate):
    half = {"memory_fraction": 0.5, "device": replace(H200, memory_used_mib=20000)}
    total = estimate().total_bytes_per_gpu
    free = total - 20000 * MIB
    sglang = estimate(engine="sglang", **half)
    assert sglang.usable_bytes_per_gpu == (free - 522 * MIB) // 2
    assert sglang.kv_cache_bytes_per_gpu == (
        sglang.usable_bytes_per_gpu - sglang.weights_bytes_per_gpu
    )
    after = estimate(engine="tensorrt-llm", **half)
    held = after.weights_bytes_per_gpu + after.activation_bytes + after.non_torch_bytes
    assert after.kv_cache_bytes_per_gpu == (free - held) // 2
    lmdeploy = estimate(engine="lmdeploy", **half)
    assert lmdeploy.kv_cache_bytes_per_gpu == (
        (free - lmdeploy.weights_bytes_per_gpu - 522 * MIB) // 2
    )
    tgi = estimate(engine="tgi", **half)
    assert tgi.usable_bytes_per_gpu == int(total * 0.5 * 0.9) - 20000 * MIB


@pytest.mark.parametrize(
    ("version", "memory_mib", "gpus", "expected"),
    [
        ("0.5.23", 81559, 1, 0.828),  # read from /server_info by a user of #29092
        ("0.5.6", 81559, 1, 0.835),
        ("0.5.6", 24564, 4, 0.827),
        ("0.4.9", 81559, 8, 0.831),
        ("0.4.6", 81559, 8, 0.81),
        ("0.4.6", 143771, 1, 0.907),
        ("0.3.0", 24564, 1, 0.88),
    ],
)
def test_sglang_chooses_its_fraction_by_version_and_gpu(
    estimate, version, memory_mib, gpus, expected
):
    found = estimate(
        engine="sglang",
        version=version,
        device=Device(name="a GPU", memory_total_mib=memory_mib, count=gpus),
        tensor_parallel_size=gpus,
    )
    stated = next(one for one in found.basis if one.quantity == "usable_bytes_per_gpu")
    assert stated.inputs[0].value == pytest.approx(expected, abs=0.001)


def test_sglang_keeps_pools_of_their_own_for_windows_and_states(estimate):
    found = estimate(GPT_OSS, engine="sglang")
    per_token = 12 * 2 * 8 * 64 * 2
    assert found.kv_tokens == int(found.kv_cache_bytes_per_gpu / (per_token * 1.8))
    hybrid = estimate(NEMOTRON, engine="sglang", context_tokens=256)
    assert 0 < hybrid.max_concurrency < hybrid.kv_tokens / 256


@pytest.mark.parametrize(
    ("version", "gpus", "expected"),
    [("0.5.7", 1, 2048), ("0.12.0", 1, 4096), ("0.20.0", 1, 4096), ("0.20.0", 2, 32768),
     ("0.20.0", 4, 131072)],
)  # fmt: skip
def test_ollama_takes_its_own_context_when_none_is_asked_for(estimate, version, gpus, expected):
    device = Device(name="NVIDIA L4", memory_total_mib=23034, count=gpus, ram_bytes=GIB * 99)
    assert estimate(engine="ollama", version=version, device=device).kv_tokens == expected


def test_every_number_opens_to_its_formula_and_inputs(estimate):
    for engine in ENGINES:
        for basis in estimate(engine=engine).basis:
            assert basis.id, (engine, basis.quantity)
            assert basis.formula, (engine, basis.quantity)
            assert basis.inputs, (engine, basis.quantity)
            assert all(one.source for one in basis.inputs), (engine, basis.quantity)


def test_an_unknown_engine_is_refused(estimate):
    with pytest.raises(AppError) as caught:
        estimate(engine="deepspeed-mii")
    assert caught.value.code is ErrorCode.UNSUPPORTED_COMBINATION


@pytest.mark.parametrize("name", ["tensor_parallel_size", "context_tokens", "concurrency"])
def test_options_below_one_are_refused_by_name(estimate, name):
    with pytest.raises(AppError) as caught:
        estimate(**{name: 0})
    assert caught.value.params["field"] == name


@pytest.mark.parametrize("version", ["", "nightly", "V1 dev (Jan 2025)", "0.8.x", "99.0"])
def test_any_version_text_gets_an_answer(estimate, version):
    assert estimate(version=version).fits is True


CASES = st.fixed_dictionaries(
    {
        "config": st.sampled_from(CONFIGS),
        "engine": st.sampled_from(ENGINES),
        "version": st.sampled_from(["0.9.2", "0.20.1", "0.26.0", "0.32.0"]),
        "tp": st.sampled_from([1, 2, 4]),
        "context": st.integers(1, 200000),
        "total": st.integers(0, 300000),
        "used": st.integers(0, 100000),
        "fraction": st.none() | st.floats(0, 1),
        "concurrency": st.none() | st.integers(1, 300),
    }
)


@settings(max_examples=80, deadline=None)
@given(case=CASES)
def test_numbers_are_never_negative_and_longer_contexts_never_fit_better(calibration, case):
    def call(tokens, size):
        return estimate_memory(
            model=read_config(case["config"], name="m"),
            engine=case["engine"],
            version=case["version"],
            device=Device(
                name="GPU",
                memory_total_mib=case["total"],
                memory_used_mib=case["used"],
                count=8,
                ram_bytes=100 * GIB,
            ),
            options=EstimateOptions(
                tensor_parallel_size=size,
                context_tokens=tokens,
                memory_fraction=case["fraction"],
                concurrency=case["concurrency"],
            ),
            calibration=calibration,
        )

    context, tp = case["context"], case["tp"]
    found, longer = call(context, tp), call(context * 2, tp)
    numbers = {
        name: getattr(found, name)
        for name in found.__slots__
        if isinstance(getattr(found, name), int | float) and name != "margin_bytes"
    }
    assert all(value >= 0 for value in numbers.values()), numbers
    if longer.fits is True:
        assert found.fits is True
    assert found.missing_bytes <= longer.missing_bytes
    assert (found.fits is False) <= bool(found.limits)
    split = call(context, tp * 2)
    assert split.weights_bytes_per_gpu <= found.weights_bytes_per_gpu + 64 * MIB
    assert split.kv_bytes_per_token_per_gpu <= found.kv_bytes_per_token_per_gpu


def test_an_estimate_goes_to_json(estimate):
    found = estimate()
    assert json.dumps(dict(found.error_band))
