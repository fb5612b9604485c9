"""The ``quantization_config`` of a ``config.json``, in its authors' words.

Every known scheme comes down to bits, group size and what is left unquantized; an unknown one is
kept by name with a warning, never guessed.
"""

from collections.abc import Mapping
from typing import Final

from app.core.models.architecture import Quantization
from app.core.models.config_fields import Fields, as_mapping, broken

NONE: Final = Quantization(method="none")

_GROUPED: Final = {"awq": 4, "gptq": 4, "auto-round": 4, "intel/auto-round": 4}


def read_quantization(fields: Fields) -> tuple[Quantization, tuple[str, ...]]:
    """Return the quantization and warnings about it.

    Raises:
        PlanError: MODEL_CONFIG_BROKEN naming the field.
    """
    section = fields.section("quantization_config", "compression_config")
    if section is None or not section.values:
        return NONE, ()
    method = (section.text("quant_method") or "").lower().replace("_", "-")
    if not method:
        method = "bitsandbytes" if section.has("load_in_4bit", "load_in_8bit") else ""
    if not method and section.has("quant_algo"):
        method = "modelopt"
    if not method:
        raise broken(section.prefix + "quant_method", "is missing")
    if method in _GROUPED:
        return _grouped(section, method), ()
    readers = {
        "fp8": _fp8,
        "fbgemm-fp8": _fp8,
        "compressed-tensors": _compressed_tensors,
        "bitsandbytes": _bitsandbytes,
        "mxfp4": _mxfp4,
        "modelopt": _modelopt,
        "nvfp4": _nvfp4,
    }
    reader = readers.get(method)
    if reader is not None:
        return reader(section), ()
    bits = section.optional_count("bits", "w_bit", "num_bits")
    known = Quantization(method=method, bits=bits, group_size=_group(section))
    return known, (f"Quantization method “{method}” is not known: sizes come from its bits only.",)


def _group(section: Fields) -> int | None:
    value = section.optional_count("group_size", "q_group_size", least=-1)
    return value if value is not None and value > 0 else None


def _kept(section: Fields) -> tuple[str, ...]:
    for name in ("modules_to_not_convert", "ignored_layers", "ignore", "exclude_modules"):
        if section.has(name):
            return section.texts(name)
    return ()


def _bits(section: Fields, *names: str) -> int:
    bits = section.count(*names)
    if bits > 16:
        raise broken(section.prefix + names[0], f"is {bits}, more than 16")
    return bits


def _grouped(section: Fields, method: str) -> Quantization:
    bits = _bits(section, "bits", "w_bit") if section.has("bits", "w_bit") else _GROUPED[method]
    group = _group(section)
    label = f"int{bits}" + (f" g{group}" if group else "")
    return Quantization(
        method=method.removeprefix("intel/"),
        bits=bits,
        group_size=group,
        label=label,
        unquantized=_kept(section),
    )


def _fp8(section: Fields) -> Quantization:
    block = section.counts("weight_block_size")
    if any(size == 0 for size in block):
        raise broken(section.prefix + "weight_block_size", "contains 0")
    return Quantization(
        method="fp8",
        bits=8,
        label="fp8 block" if block else "fp8",
        block_shape=block,
        unquantized=_kept(section),
    )


def _mxfp4(section: Fields) -> Quantization:
    return Quantization(
        method="mxfp4", bits=4, group_size=32, label="MXFP4", unquantized=_kept(section)
    )


def _nvfp4(section: Fields) -> Quantization:
    return Quantization(
        method="nvfp4", bits=4, group_size=16, label="NVFP4", unquantized=_kept(section)
    )


def _modelopt(section: Fields) -> Quantization:
    algorithm = (section.text("quant_algo") or "").upper()
    if "FP4" in algorithm:
        return _nvfp4(section)
    if algorithm.startswith("FP8"):
        return _fp8(section)
    raise broken(section.prefix + "quant_algo", f"is “{algorithm}”, neither FP8 nor NVFP4")


def _bitsandbytes(section: Fields) -> Quantization:
    four = section.flag("load_in_4bit", default=not section.flag("load_in_8bit"))
    label = "bnb 8-bit"
    if four:
        label = f"bnb {section.text('bnb_4bit_quant_type') or 'fp4'}"
    return Quantization(
        method="bitsandbytes",
        bits=4 if four else 8,
        group_size=64 if four else None,
        label=label,
        unquantized=section.texts("llm_int8_skip_modules"),
    )


def _compressed_tensors(section: Fields) -> Quantization:
    weights = _first_weights(section)
    if weights is None:
        raise broken(section.prefix + "config_groups", "names no group with weights")
    bits = _bits(weights, "num_bits")
    kind = weights.text("type") or "int"
    group = _group(weights)
    inputs = "16"
    activations = section.section("config_groups")
    if activations is not None and _has_inputs(activations.values):
        inputs = str(bits)
    if kind == "float" and bits == 4:
        mx = group == 32
        return Quantization(
            method="compressed-tensors",
            bits=4,
            group_size=group or 16,
            label="MXFP4" if mx else "NVFP4",
            unquantized=_kept(section),
        )
    form = "fp" if kind == "float" else ""
    return Quantization(
        method="compressed-tensors",
        bits=bits,
        group_size=group,
        label=f"W{bits}A{inputs}" + (f" {form}{bits}" if form else ""),
        block_shape=weights.counts("block_structure")
        if isinstance(weights.values.get("block_structure"), list | tuple)
        else (),
        unquantized=_kept(section),
    )


def _first_weights(section: Fields) -> Fields | None:
    groups = section.section("config_groups")
    if groups is None:
        return None
    for name, value in groups.values.items():
        path = groups.prefix + name
        group = Fields(as_mapping(value, path), path + ".")
        weights = group.section("weights")
        if weights is not None:
            return weights
    return None


def _has_inputs(groups: Mapping[str, object]) -> bool:
    return any(
        isinstance(group, Mapping) and group.get("input_activations") is not None
        for group in groups.values()
    )
