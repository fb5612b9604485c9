"""How many bytes quantized weights take, scales and zero points included."""

from fractions import Fraction
from math import prod
from typing import Final

from app.core.models.architecture import Quantization
from app.core.models.quantized_modules import ANY_LAYER, matching_layers

DTYPE_BYTES: Final = {"float32": 4, "float16": 2, "bfloat16": 2}

_ONLINE: Final = {
    "fp8": Quantization(method="fp8", bits=8, label="fp8"),
    "fp8_per_tensor": Quantization(method="fp8", bits=8, label="fp8"),
    "fp8_per_channel": Quantization(method="fp8", bits=8, label="fp8"),
    "fp8_per_block": Quantization(method="fp8", bits=8, label="fp8", block_shape=(128, 128)),
    "experts_int8": Quantization(method="experts_int8", bits=8, label="int8 experts"),
    "int8_per_channel_weight_only": Quantization(method="int8", bits=8, label="int8"),
    "bitsandbytes": Quantization(method="bitsandbytes", bits=4, group_size=64, label="bnb"),
}


def load_dtype(asked: str, model_dtype: str, compute_cap: str | None) -> str:
    """Return the dtype weights are kept in after loading.

    ``auto`` follows the model, but nobody serves float32: it becomes bfloat16, or float16 below
    compute capability 8.0. Source: vLLM --dtype.
    """
    names = {"half": "float16", "float": "float32", "fp16": "float16", "bf16": "bfloat16"}
    name = names.get(asked, asked)
    if name in DTYPE_BYTES:
        return name
    if model_dtype != "float32":
        return model_dtype
    major = (compute_cap or "8.0").split(".")[0]
    return "float16" if major.isdigit() and int(major) < 8 else "bfloat16"


def effective_quantization(found: Quantization, asked: str | None) -> Quantization:
    """Return what holds after loading: the checkpoint's own scheme, or one made while loading."""
    if found.method != "none" or not asked:
        return found
    return _ONLINE.get(asked, found)


def bytes_per_weight(quantization: Quantization, dtype_bytes: int) -> Fraction:
    """Return the bytes one quantized weight takes with its share of scales.

    Example (AWQ, 4 bits, groups of 128: 4 + (16 + 4) / 128 bits):
        >>> float(bytes_per_weight(Quantization(method="awq", bits=4, group_size=128), 2))
        0.51953125
    """
    bits, group = quantization.bits, quantization.group_size
    if quantization.method == "none" or bits is None:
        return Fraction(dtype_bytes)
    return (bits + _overhead_bits(quantization, bits, group)) / 8


def _overhead_bits(quantization: Quantization, bits: int, group: int | None) -> Fraction:
    """Return the bits of scales and zero points that each weight has a share of."""
    if quantization.label in {"MXFP4", "NVFP4"}:
        return Fraction(8, group or 16)
    if quantization.block_shape:
        return Fraction(32, prod(quantization.block_shape))
    if not group:
        return Fraction(0)
    if quantization.method == "bitsandbytes":
        if not quantization.double_scales:
            return Fraction(32, group)
        # The scales are quantized to 8 bits themselves, in groups of 256.
        return Fraction(8, group) + Fraction(32, group * 256)
    zero_points = quantization.zero_points
    if zero_points is None:
        zero_points = quantization.method in {"awq", "gptq", "auto-round"}
    return Fraction(16 + (bits if zero_points else 0), group)


def scheme_of(path: str, quantization: Quantization) -> Quantization:
    """Return how one kind of module is packed: some checkpoints mix schemes."""
    for part in quantization.parts:
        if matching_layers(path, part.targets, ANY_LAYER):
            return part.scheme
    return quantization
