"""The ``quantization_config`` of a ``config.json``, in its authors' words.

Every known scheme comes down to bits, group size and what is left unquantized; an unknown one is
kept by name with a warning, never guessed.
Source: transformers 5.19.0 utils/quantization_config.py, compressed-tensors and vLLM 0.26
model_executor/layers/quantization (checked 2026-11-30).
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from app.core.models.architecture import Quantization, QuantizedPart
from app.core.models.config_fields import Fields, as_mapping, broken

NONE: Final = Quantization(method="none")

_GROUPED: Final = {"awq": 4, "gptq": 4, "auto-round": 4, "intel/auto-round": 4, "gptqmodel": 4}
_UNSUPPORTED: Final = frozenset({"exl2", "exl3", "hqq", "eetq", "quanto", "aqlm", "vptq", "higgs"})
"""Formats that none of the engines we know loads any more."""
_KEPT: Final = ("modules_to_not_convert", "ignored_layers", "ignore", "exclude_modules",
                "excluded_modules")  # fmt: skip


def read_quantization(fields: Fields) -> tuple[Quantization, tuple[str, ...]]:
    """Return the quantization and warnings about it.

    Raises:
        PlanError: MODEL_CONFIG_BROKEN naming the field.
    """
    section = fields.section("quantization_config", "compression_config")
    if section is None or not section.values:
        return NONE, ()
    method = _method(section)
    if method in _GROUPED:
        return _grouped(section, method), ()
    reader = _READERS.get(method)
    if reader is not None:
        return reader(section), ()
    return _unknown(section, method)


def read_modelopt_file(config: Mapping[str, object]) -> Quantization:
    """Read ``hf_quant_config.json``, where modelopt says what it did before 0.30.

    Raises:
        PlanError: MODEL_CONFIG_BROKEN naming the field.
    """
    section = Fields(config).section("quantization")
    if section is None or not section.has("quant_algo"):
        return NONE
    return _modelopt(section)


def _method(section: Fields) -> str:
    method = (section.text("quant_method") or "").lower().replace("_", "-")
    if not method and section.has("load_in_4bit", "load_in_8bit"):
        method = "bitsandbytes"
    if not method and section.has("quant_algo"):
        method = "modelopt"
    if not method:
        raise broken(section.prefix + "quant_method", "is missing")
    return method


def _unknown(section: Fields, method: str) -> tuple[Quantization, tuple[str, ...]]:
    bits = None
    if isinstance(section.values.get("bits"), float):  # EXL2 has a mean such as 4.65.
        bits = max(1, min(16, round(_number(section, "bits"))))
    else:
        bits = section.optional_count("bits", "w_bit", "num_bits", "nbits")
    found = Quantization(
        method=method,
        bits=bits,
        group_size=_group(section),
        label=method.upper() if method in _UNSUPPORTED else "",
        unsupported=method in _UNSUPPORTED,
    )
    if found.unsupported:
        return found, (f"No engine here loads {found.label} weights: take another format.",)
    return found, (f"Quantization method “{method}” is not known: sizes come from its bits only.",)


def _number(section: Fields, name: str) -> float:
    value = section.values.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 64:
        raise broken(section.prefix + name, "is no number of bits")
    return value


def _group(section: Fields) -> int | None:
    value = section.optional_count("group_size", "q_group_size", least=-1)
    return value if value is not None and value > 0 else None


def _kept(section: Fields) -> tuple[str, ...]:
    for name in _KEPT:
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
    kept, parts = _dynamic(section, bits, group)
    return Quantization(
        method=method.removeprefix("intel/"),
        bits=bits,
        group_size=group,
        label=label,
        unquantized=(*_kept(section), *kept),
        parts=parts,
    )


def _dynamic(
    section: Fields, bits: int, group: int | None
) -> tuple[tuple[str, ...], tuple[QuantizedPart, ...]]:
    """Read where single modules differ: GPTQModel's ``dynamic``, AutoRound's ``extra_config``."""
    kept, parts = [], []
    for key in ("dynamic", "extra_config"):
        rules = section.section(key)
        for pattern in rules.values if rules is not None else ():
            if pattern.startswith("-:"):
                kept.append(pattern)
                continue
            rule = rules.section(pattern) if rules is not None else None
            if rule is None:
                continue
            own = rule.optional_count("bits") or bits
            if own >= 16:
                kept.append(pattern)
                continue
            scheme = Quantization(
                method="gptq", bits=own, group_size=_group(rule) or group, label=f"int{own}"
            )
            parts.append(QuantizedPart(targets=(pattern,), scheme=scheme))
    return tuple(kept), tuple(parts)


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
    if not algorithm and section.has("config_groups"):
        return replace(_compressed_tensors(section), method="modelopt")
    if "MXFP8" in algorithm:
        return Quantization(
            method="mxfp8", bits=8, group_size=32, label="MXFP8", block_shape=(1, 32),
            unquantized=_kept(section),
        )  # fmt: skip
    if "FP4" in algorithm:
        return _nvfp4(section)
    if algorithm.startswith("FP8"):
        return _fp8(section)
    if algorithm == "MIXED_PRECISION":
        return _mixed(section)
    if algorithm in {"W4A16_AWQ", "W4A8_AWQ", "W8A8_SQ_PER_CHANNEL", "W8A16"}:
        bits = int(algorithm[1])
        return Quantization(
            method="modelopt", bits=bits, group_size=_group(section) if bits == 4 else None,
            label=algorithm, zero_points=False, unquantized=_kept(section),
        )  # fmt: skip
    raise broken(section.prefix + "quant_algo", f"is “{algorithm}”, neither FP8 nor NVFP4")


def _mixed(section: Fields) -> Quantization:
    """Read one algorithm for each layer it names; the rest stays as it is."""
    layers = section.section("quantized_layers")
    if layers is None or not layers.values:
        raise broken(section.prefix + "quantized_layers", "is missing beside MIXED_PRECISION")
    parts = []
    for name in layers.values:
        own = layers.section(name)
        if own is not None:
            parts.append(QuantizedPart(targets=(name,), scheme=_modelopt(own)))
    return Quantization(
        method="modelopt", label="mixed", bits=None, unquantized=_kept(section),
        parts=tuple(parts),
    )  # fmt: skip


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
        double_scales=four and section.flag("bnb_4bit_use_double_quant"),
        unquantized=section.texts("llm_int8_skip_modules"),
    )


def _quark(section: Fields) -> Quantization:
    weight = section
    for key in ("global_quant_config", "weight"):
        weight = weight.section(key) or weight
    kind = (weight.text("dtype") or "").lower()
    bits = 4 if "4" in kind else 8
    labels = {"fp4": "MXFP4", "fp8_e4m3": "fp8", "int4": "int4", "int8": "int8"}
    return Quantization(
        method="quark", bits=bits, group_size=_group(weight), label=labels.get(kind, kind),
        zero_points=not weight.flag("symmetric", default=True),
        unquantized=section.texts("exclude"),
    )  # fmt: skip


def _torchao(section: Fields) -> Quantization:
    kind = section.values.get("quant_type")
    text = kind if isinstance(kind, str) else str(list(kind) if isinstance(kind, Mapping) else "")
    bits = 4 if "4" in text else 8
    return Quantization(
        method="torchao", bits=bits, group_size=_group(section) or (128 if bits == 4 else None),
        label=text[:40], unquantized=_kept(section),
    )  # fmt: skip


def _compressed_tensors(section: Fields) -> Quantization:
    groups = _groups(section)
    if not groups:
        raise broken(section.prefix + "config_groups", "names no group with weights")
    schemes = [_group_scheme(group, weights) for group, weights in groups]
    # What counts for all is the group of the linear layers; the others hold for their targets.
    main = next((at for at, (group, _) in enumerate(groups) if _is_for_all(group)), 0)
    parts = tuple(
        QuantizedPart(targets=group.texts("targets"), scheme=scheme)
        for at, ((group, _), scheme) in enumerate(zip(groups, schemes, strict=True))
        if at != main and group.has("targets")
    )
    return replace(schemes[main], unquantized=_kept(section), parts=parts)


def _is_for_all(group: Fields) -> bool:
    targets = group.values.get("targets")
    return isinstance(targets, list | tuple) and "Linear" in targets


def _groups(section: Fields) -> list[tuple[Fields, Fields]]:
    groups = section.section("config_groups")
    found = []
    for name, value in groups.values.items() if groups is not None else ():
        path = section.prefix + "config_groups." + name
        group = Fields(as_mapping(value, path), path + ".")
        weights = group.section("weights")
        if weights is not None:
            found.append((group, weights))
    return found


def _group_scheme(group: Fields, weights: Fields) -> Quantization:
    bits = _bits(weights, "num_bits")
    kind = weights.text("type") or "int"
    size = _group(weights)
    if kind == "float" and bits == 4:
        return Quantization(
            method="compressed-tensors",
            bits=4,
            group_size=size or 16,
            label="MXFP4" if size == 32 else "NVFP4",
        )
    inputs = group.section("input_activations")
    taken = inputs.optional_count("num_bits") if inputs is not None else None
    form = f" fp{bits}" if kind == "float" else ""
    block = weights.values.get("block_structure")
    return Quantization(
        method="compressed-tensors",
        bits=bits,
        group_size=size,
        label=f"W{bits}A{taken or (bits if inputs is not None else 16)}{form}",
        zero_points=not weights.flag("symmetric", default=True),
        block_shape=weights.counts("block_structure") if isinstance(block, list | tuple) else (),
    )


_READERS: Final = {
    "fp8": _fp8,
    "fbgemm-fp8": _fp8,
    "compressed-tensors": _compressed_tensors,
    "bitsandbytes": _bitsandbytes,
    "mxfp4": _mxfp4,
    "modelopt": _modelopt,
    "modelopt-fp4": _nvfp4,
    "nvfp4": _nvfp4,
    "quark": _quark,
    "torchao": _torchao,
}
