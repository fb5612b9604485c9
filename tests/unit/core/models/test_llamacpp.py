"""llama.cpp's buffers against what llama-server b10434 printed with ``-lv 4`` on 2026-11-29.

Five architectures as sparse f16 files, on a CPU; sizes in MiB as printed.
"""

from dataclasses import replace

import pytest

from app.core.models.architecture import (
    Architecture,
    ModelFormat,
    ModelInfo,
    Quantization,
    WeightBreakdown,
)
from app.core.models.estimate import Device, EstimateOptions, estimate_memory
from app.core.units import GIB, MIB

CPU = Device(name="CPU", is_cpu=True, ram_bytes=24 * GIB)
GPU = Device(name="NVIDIA GeForce RTX 3090", memory_total_mib=24576, count=2, ram_bytes=64 * GIB)


def architecture(**sizes) -> Architecture:
    return Architecture(**{"name": "llama", "model_type": "llama", "max_context": 131072, **sizes})


ARCHITECTURES = {
    "q05": architecture(
        layers=24, hidden_size=896, intermediate_size=4864, heads=14, kv_heads=2, head_dim=64,
        vocab_size=151936, tie_embeddings=True,
    ),
    "q7": architecture(
        layers=28, hidden_size=3584, intermediate_size=18944, heads=28, kv_heads=4, head_dim=128,
        vocab_size=152064,
    ),
    "l8": architecture(
        layers=32, hidden_size=4096, intermediate_size=14336, heads=32, kv_heads=8, head_dim=128,
        vocab_size=128256,
    ),
    "l1": architecture(
        layers=22, hidden_size=2048, intermediate_size=5632, heads=32, kv_heads=4, head_dim=64,
        vocab_size=32000,
    ),
    "g2": architecture(
        layers=26, hidden_size=2304, intermediate_size=9216, heads=8, kv_heads=4, head_dim=256,
        vocab_size=256000, sliding_window=4096, sliding_layers=13, tie_embeddings=True,
    ),
}  # fmt: skip


def model(name="l8", **changes) -> ModelInfo:
    return ModelInfo(
        name=name,
        path=None,
        format=ModelFormat.GGUF,
        architecture=ARCHITECTURES[name],
        quantization=Quantization(method="none", label="F16"),
        dtype="float16",
        **changes,
    )


@pytest.fixture
def estimate(calibration):
    def call(info=None, *, device=CPU, engine="llamacpp", **options):
        return estimate_memory(
            model=info or model(),
            engine=engine,
            version="b10434",
            device=device,
            options=EstimateOptions(**options),
            calibration=calibration,
        )

    return call


@pytest.mark.parametrize(
    ("name", "options", "kv_mib", "compute_mib"),
    [
        ("l8", {"context_tokens": 4096, "concurrency": 1}, 512.0, 120.01),
        ("l8", {"context_tokens": 4096, "concurrency": 1, "prefill_tokens": 1024}, 512.0, 240.02),
        ("l8", {"context_tokens": 4096, "concurrency": 1, "prefill_tokens": 128}, 512.0, 30.0),
        ("l8", {"context_tokens": 4096, "concurrency": 4}, 2048.0, 120.01),
        ("q05", {"context_tokens": 4096, "concurrency": 1}, 48.0, 39.51),
        ("q7", {"context_tokens": 4096, "concurrency": 1}, 224.0, 143.01),
        ("q7", {"context_tokens": 32768, "concurrency": 1}, 1792.0, 171.01),
        ("l1", {"context_tokens": 4096}, 88.0, 53.01),
        ("l1", {"context_tokens": 4096, "concurrency": 1, "prefill_tokens": 2048}, 88.0, 212.05),
        ("l1", {"context_tokens": 1666, "concurrency": 3}, 115.5, 50.86),
        ("l1", {"context_tokens": 2048, "concurrency": 2, "kv_dtype": "q8_0"}, 46.75, 47.04),
        ("g2", {"context_tokens": 8192, "concurrency": 1}, 650.0, 84.02),
        ("g2", {"context_tokens": 8192, "concurrency": 2}, 1300.0, 84.02),
    ],
)
def test_buffers_are_those_the_server_printed(estimate, name, options, kv_mib, compute_mib):
    found = estimate(model(name), **options)
    assert found.kv_cache_bytes_per_gpu / MIB == pytest.approx(kv_mib, abs=0.01)
    band = found.error_band["activation_bytes"]
    assert found.activation_bytes / MIB == pytest.approx(compute_mib, rel=band)


def test_the_context_is_per_slot_and_all_slots_are_paid_for(estimate):
    found = estimate(context_tokens=8192, concurrency=4)
    assert found.kv_tokens == 32768
    assert found.kv_cache_bytes_per_gpu == 32768 * 131072
    assert found.max_concurrency == 4.0


def test_on_a_cpu_everything_is_in_main_memory(estimate):
    found = estimate(context_tokens=4096)
    assert (found.on_cpu, found.gpu_count, found.fits) == (True, 0, True)
    assert found.weights_bytes_per_gpu == pytest.approx(16_060_522_496, rel=0.001)
    assert found.non_torch_bytes == 0
    assert f"prompt_cache_ram:{8 * GIB}" in found.limits
    small = estimate(device=Device(name="CPU", is_cpu=True, ram_bytes=8 * GIB))
    assert small.fits is False
    assert "weights_too_large" in small.limits
    assert estimate(device=Device(name="CPU", is_cpu=True)).fits == "unknown"


BREAKDOWN = WeightBreakdown(
    embedding_bytes=400 * MIB,
    output_bytes=600 * MIB,
    layer_bytes=(100 * MIB,) * 32,
    other_bytes=MIB,
)


def test_the_embedding_stays_in_main_memory_and_the_output_goes_to_the_gpu(estimate):
    found = estimate(model(breakdown=BREAKDOWN), device=GPU, context_tokens=4096)
    assert found.weights_bytes_per_gpu == 3800 * MIB
    assert found.fits is True
    assert found.error_band["weights_bytes_per_gpu"] < 0.05
    assert found.non_torch_bytes > 0


def test_tied_embeddings_lie_in_both_places(estimate):
    tied = replace(BREAKDOWN, output_bytes=0)
    found = estimate(model(breakdown=tied), device=GPU, context_tokens=4096)
    assert found.weights_bytes_per_gpu == 3600 * MIB


def test_only_the_last_layers_go_to_the_gpu_with_their_cache(estimate):
    found = estimate(model(breakdown=BREAKDOWN), device=GPU, context_tokens=4096, gpu_layers=8)
    # The output is the first of the eight.
    assert found.weights_bytes_per_gpu == (600 + 700) * MIB
    assert found.kv_cache_bytes_per_gpu == 512 * MIB * 7 // 32
    no_ram = replace(GPU, ram_bytes=GIB)
    tight = estimate(model(breakdown=BREAKDOWN), device=no_ram, gpu_layers=8)
    assert tight.fits is False
    assert any(text.startswith("ram_too_small") for text in tight.limits)


def test_no_layers_on_the_gpu_means_the_cpu(estimate):
    found = estimate(model(breakdown=BREAKDOWN), device=GPU, gpu_layers=0, context_tokens=4096)
    assert found.on_cpu
    assert found.total_bytes_per_gpu == 64 * GIB


def test_two_gpus_share_layers_and_cache(estimate):
    one = estimate(model(breakdown=BREAKDOWN), device=GPU, context_tokens=4096)
    two = estimate(
        model(breakdown=BREAKDOWN), device=GPU, context_tokens=4096, tensor_parallel_size=2
    )
    assert two.gpu_count == 2
    # 33 parts are dealt out: 17 layers to the first GPU, 15 and the output to the second.
    assert two.weights_bytes_per_gpu == 2100 * MIB
    assert two.kv_cache_bytes_per_gpu == one.kv_cache_bytes_per_gpu * 17 // 32
    many = estimate(model(breakdown=BREAKDOWN), device=GPU, tensor_parallel_size=4)
    assert "too_few_gpus:4>2" in many.limits


def test_without_headers_the_files_size_is_divided_by_the_architecture(estimate):
    found = estimate(model(weights_bytes=4_920_000_000), device=GPU, context_tokens=4096)
    # The embedding (a 15th of the weights) is not on the GPU.
    assert 4.3e9 < found.weights_bytes_per_gpu < 4.7e9
    given = estimate(device=GPU, context_tokens=4096, weights_bytes=4_920_000_000)
    assert given.weights_bytes_per_gpu == found.weights_bytes_per_gpu


def test_others_on_the_gpu_and_a_cache_too_large_are_told_apart(estimate):
    info = model(breakdown=BREAKDOWN)
    used = estimate(info, device=replace(GPU, memory_used_mib=22000), context_tokens=4096)
    assert any(text.startswith("memory_in_use") for text in used.limits)
    long = estimate(info, device=GPU, context_tokens=131072, concurrency=4)
    assert "no_room_for_kv" in long.limits
    assert long.max_concurrency < 4
    assert long.missing_bytes > 0
    assert estimate(info, device=Device(name="g"), context_tokens=4096).fits == "unknown"


def test_contexts_beyond_the_model_or_unknown_are_pointed_out(estimate):
    assert "context_above_model:200000>131072" in estimate(context_tokens=200000).limits
    unknown = replace(model(), architecture=replace(ARCHITECTURES["l8"], max_context=None))
    assert "context_unknown" in estimate(unknown).limits


def test_ollama_is_llamacpp_under_its_own_name(estimate):
    found = estimate(context_tokens=4096, engine="ollama")
    assert any(basis.source.startswith("ollama") for basis in found.basis)


def test_experts_widen_the_scratch(estimate):
    sparse = replace(
        model(),
        architecture=replace(
            ARCHITECTURES["l8"], experts=8, experts_per_token=4, moe_intermediate_size=14336
        ),
    )
    assert estimate(sparse).activation_bytes > estimate().activation_bytes


def test_experts_of_the_first_layers_can_stay_in_main_memory(estimate):
    experts = replace(
        model(weights_bytes=20 * GIB),
        architecture=replace(
            ARCHITECTURES["l8"], experts=8, experts_per_token=2, moe_intermediate_size=14336
        ),
    )
    whole = estimate(experts, device=GPU, context_tokens=4096)
    some = estimate(experts, device=GPU, context_tokens=4096, cpu_moe_layers=8)
    all_of_them = estimate(experts, device=GPU, context_tokens=4096, cpu_moe_layers=32)
    saved = whole.weights_bytes_per_gpu - some.weights_bytes_per_gpu
    assert saved == pytest.approx(8 / 32 * 18.7 * GIB, rel=0.05)
    assert all_of_them.weights_bytes_per_gpu < 2 * GIB
    assert all_of_them.kv_cache_bytes_per_gpu == whole.kv_cache_bytes_per_gpu
    dense = model(breakdown=BREAKDOWN)
    assert estimate(dense, device=GPU, cpu_moe_layers=9) == estimate(dense, device=GPU)
