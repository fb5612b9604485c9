"""What every engine's numbers share: inputs read from the architecture, with their source."""

from collections.abc import Iterable, Mapping

from app.core.models.architecture import Architecture
from app.core.models.kv import KvLayout
from app.core.models.memory import Basis, Input, Method
from app.core.models.weights import Weights, parameter_count

_CONFIG = "config.json"


def given(values: Mapping[str, float | str | None], unit: str, source: str) -> tuple[Input, ...]:
    """Return inputs alike in unit and source; those that are ``None`` are left out.

    Example:
        >>> given({"layers": 28, "experts": None}, "", "config.json")[0].value
        28
    """
    return tuple(
        Input(name=name, value=value, unit=unit, source=source)
        for name, value in values.items()
        if value is not None
    )


def weights_basis(
    arch: Architecture, weights: Weights, *, engine: str, source: str, gpus: int, beside: int = 0
) -> Basis:
    """Say what the weights are made of; ``beside`` is what loading keeps beside the tensors."""
    scheme = weights.quantization
    inputs = given({"parameters": parameter_count(arch)}, "", _CONFIG)
    inputs += given({"dtype_bytes": weights.dtype_bytes}, "B", "dtype")
    if scheme.method != "none":
        inputs += given({"quantization": scheme.label or scheme.method}, "", weights.source)
        inputs += given({"bits": scheme.bits, "group_size": scheme.group_size}, "", weights.source)
    inputs += given({"gpus": gpus}, "", "options")
    formula = weights.formula
    if beside:
        inputs += given({"beside_tensors": beside}, "B", source)
        formula += f", + {beside} B beside the tensors"
    return Basis(
        id=f"{engine}.weights",
        quantity="weights_bytes_per_gpu",
        source=f"{weights.source}; {source}" if source else weights.source,
        method="formula",
        formula=formula,
        inputs=inputs,
    )


def per_token_basis(
    arch: Architecture, layout: KvLayout, *, engine: str, source: str, kv_dtype: str
) -> Basis:
    """Say what one token takes in the KV cache of one GPU."""
    latent = arch.kv_lora_rank is not None
    inputs = given(
        {
            "layers": layout.layers,
            "sliding_layers": layout.sliding_layers or None,
            "window": layout.window,
            "kv_heads": None if latent else arch.kv_heads,
            "head_dim": None if latent else arch.head_dim,
            "v_head_dim": None if latent else arch.v_head_dim,
            "kv_lora_rank": arch.kv_lora_rank,
            "qk_rope_head_dim": arch.qk_rope_head_dim if latent else None,
            "recurrent_layers": layout.state_layers or None,
        },
        "",
        _CONFIG,
    )
    inputs += given({"kv_dtype": kv_dtype}, "", "options")
    inputs += given({"index": layout.index_bytes or None}, "B", _CONFIG)
    inputs += given({"recurrent_state": layout.state_bytes or None}, "B", _CONFIG)
    return Basis(
        id=f"{engine}.kv_per_token",
        quantity="kv_bytes_per_token_per_gpu",
        source=source,
        method="formula",
        formula=layout.formula,
        inputs=inputs,
    )


def formula_basis(
    name: str,
    quantity: str,
    formula: str,
    inputs: Iterable[Input],
    *,
    source: str,
    method: Method = "formula",
) -> Basis:
    """Return one number with its formula; ``name`` is the formula's own."""
    return Basis(
        id=name,
        quantity=quantity,
        source=source,
        method=method,
        formula=formula,
        inputs=tuple(inputs),
    )
