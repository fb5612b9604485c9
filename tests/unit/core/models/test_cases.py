"""Memory figures that engines printed in public issue threads."""

import pytest

from app.core.models.config import read_config
from app.core.models.estimate import Device, EstimateOptions, estimate_memory

# What those cards report to NVML (MiB), by the words the cases use.
_GPUS = {
    "RTX 3090": ("NVIDIA GeForce RTX 3090", 24576, "8.6"),
    "8x L4": ("NVIDIA L4", 23034, "8.9"),
    "8x H200": ("NVIDIA H200", 143771, "9.0"),
    "A10 24GB": ("NVIDIA A10", 23028, "8.6"),
    "A100 80GB": ("NVIDIA A100-SXM4-80GB", 81920, "8.0"),
}
_KV = {"bf16": "bfloat16", "fp16": "float16"}


def _config(case):
    arch = case["architecture"]
    family = "llama"
    name = "LlamaForCausalLM"
    if "gemma-2" in case["model"]:
        family, name = "gemma2", "Gemma2ForCausalLM"
    if "kv_lora_rank" in arch:
        family, name = "deepseek_v3", "DeepseekV3ForCausalLM"
    config = {
        "architectures": [name],
        "model_type": family,
        "hidden_size": arch["hidden_size"],
        "num_hidden_layers": arch["layers"],
        "num_attention_heads": arch["heads"],
        "num_key_value_heads": arch.get("kv_heads", arch["heads"]),
        "head_dim": arch.get("head_dim"),
        "vocab_size": arch["vocab"],
        "intermediate_size": _inner(arch),
        "kv_lora_rank": arch.get("kv_lora_rank"),
        "qk_rope_head_dim": arch.get("qk_rope_head_dim"),
        "torch_dtype": "bfloat16",
    }
    if "experts" in arch:
        config |= {
            "num_experts": arch["experts"],
            "num_experts_per_tok": 8,
            "moe_intermediate_size": arch.get("moe_intermediate", 2048),
        }
    return config


def _inner(arch):
    """Return the inner width that the number of parameters leaves for the MLP."""
    if "experts" in arch:
        return 3 * arch["hidden_size"]
    hidden, kv = arch["hidden_size"], arch["kv_heads"] * arch["head_dim"]
    attention = hidden * (2 * arch["heads"] * arch["head_dim"] + 2 * kv)
    rest = arch["params_b"] * 1e9 - 2 * arch["vocab"] * hidden - arch["layers"] * attention
    return max(1, int(rest / arch["layers"] / hidden / 3) // 128 * 128)


def _estimate(case, calibration):
    name, total, capability = next(
        (gpu for words, gpu in _GPUS.items() if words in case["gpu"]), (case["gpu"], None, None)
    )
    packed = case["dtype_or_quantization"]
    bits = 4.25 if "int4" in packed else 8 if "8" in packed else 16
    return estimate_memory(
        model=read_config(_config(case), name=case["model"]),
        engine=case["engine"],
        version=case["engine_version"],
        device=Device(name=name, memory_total_mib=total, compute_cap=capability, count=16),
        options=EstimateOptions(
            tensor_parallel_size=case["tp"],
            context_tokens=case["max_model_len"],
            memory_fraction=case["gpu_memory_utilization_or_fraction"],
            kv_dtype=_KV.get(case["kv_cache_dtype"], "auto"),
            weights_bytes=int(case["architecture"]["params_b"] * 1e9 * bits / 8),
        ),
        calibration=calibration,
    )


@pytest.fixture
def described(memory_cases):
    return [case for case in memory_cases if case["architecture"]]


def test_kv_bytes_per_token_are_exact(described, calibration):
    found = {case["id"]: _estimate(case, calibration) for case in described}
    wrong = {
        case["id"]: found[case["id"]].kv_bytes_per_token_per_gpu
        for case in described
        if found[case["id"]].kv_bytes_per_token_per_gpu
        != case["derived_kv_bytes_per_token_per_gpu"]
    }
    assert wrong == {}


def test_starts_on_named_gpus_are_predicted(described, calibration):
    named = [case for case in described if any(words in case["gpu"] for words in _GPUS)]
    assert len(named) >= 8
    wrong = [
        case["id"]
        for case in named
        if _estimate(case, calibration).fits is not case["observed"].get("started", True)
    ]
    assert wrong == []


def test_unnamed_gpus_are_answered_with_unknown(described, calibration):
    unnamed = [case for case in described if not any(words in case["gpu"] for words in _GPUS)]
    assert {_estimate(case, calibration).fits for case in unnamed} == {"unknown"}
