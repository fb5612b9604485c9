"""How many bytes quantized weights take, scales and zero points included."""

from fractions import Fraction
from typing import Final

from app.core.models.architecture import Quantization

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
    overhead = Fraction(0)
    if quantization.label in {"MXFP4", "NVFP4"}:
        overhead = Fraction(8, group or 16)
    elif quantization.block_shape:
        area = 1
        for side in quantization.block_shape:
            area *= side
        overhead = Fraction(32, area)
    elif quantization.method == "bitsandbytes":
        overhead = Fraction(32, group) if group else Fraction(0)
    elif group:
        overhead = Fraction(16 + (bits if quantization.method in {"awq", "gptq"} else 0), group)
    return (bits + overhead) / 8


def is_kept(path: str, quantization: Quantization) -> bool:
    """Tell whether a kind of module stays in the original dtype.

    ``path`` is generic (``self_attn.o_proj``); patterns that name one layer of many are ignored.
    """
    for pattern in quantization.unquantized:
        generic = _generic(pattern)
        if generic and (generic in path or path in generic):
            return True
    return False


def _generic(pattern: str) -> str:
    parts = pattern.removeprefix("re:").replace(".*", ".").replace("\\", "").strip("^$").split(".")
    named = [part for part in parts if part]
    if any(part.isdigit() for part in named):
        return ""
    skipped = {"model", "layers", "language_model", "*"}
    return ".".join(part for part in named if part not in skipped)
