"""From GGUF headers (one file or all parts of a split) to `ModelInfo`."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from app.core.errors import PlanError
from app.core.models.architecture import (
    Architecture,
    ModelFile,
    ModelFormat,
    ModelInfo,
    Quantization,
    WeightBreakdown,
)
from app.core.models.config_attention import sliding_by_pattern
from app.core.models.config_fields import MAX_INT, broken
from app.core.models.gguf_header import GgufHeader, GgufTensor, GgufValue, read_gguf_header
from app.core.models.gguf_recurrent import read_gguf_recurrent
from app.core.models.gguf_types import FILE_TYPES, REMOVED_TYPES

__all__ = ["GgufPart", "model_from_gguf", "read_gguf_header", "split_names"]

_SPLIT: Final = re.compile(r"(?P<stem>.+)-(?P<no>\d{5})-of-(?P<count>\d{5})\.gguf", re.IGNORECASE)
_LAYER: Final = re.compile(r"blk\.(\d+)\.")
_EXPERTS: Final = re.compile(r"\.ffn_(?:up|down|gate|gate_up)_(?:ch|)exps\.")
"""What ``--n-cpu-moe`` leaves in main memory. Source: llama.cpp common/common.h."""
_PLAIN: Final = {"F32": "float32", "F16": "float16", "BF16": "bfloat16"}
_ENCODERS: Final = frozenset({"bert", "nomic-bert", "jina-bert-v2", "t5encoder", "modern-bert"})
_REMOVED: Final = frozenset(kind.name for kind in REMOVED_TYPES.values())
_BITS: Final = re.compile(r"I?Q(\d)|TQ(\d)|FP(\d)|F(\d+)|BF(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class GgufPart:
    """One file with its header."""

    file: ModelFile
    header: GgufHeader


def split_names(name: str) -> tuple[str, ...]:
    """Return the names of all parts of a split; just the name for a single file.

    Example:
        >>> split_names("m-00001-of-00002.gguf")
        ('m-00001-of-00002.gguf', 'm-00002-of-00002.gguf')
    """
    match = _SPLIT.fullmatch(name)
    if match is None:
        return (name,)
    count = int(match["count"])
    return tuple(f"{match['stem']}-{no:05d}-of-{count:05d}.gguf" for no in range(1, count + 1))


def model_from_gguf(parts: Sequence[GgufPart], *, name: str, path: str | None = None) -> ModelInfo:
    """Return what the headers say; the first part carries the metadata.

    Raises:
        PlanError: MODEL_CONFIG_BROKEN naming file, field and reason.
    """
    first = parts[0]
    values = _Metadata(first.header, first.file.name)
    _check_split(parts, values)
    tensors = tuple(tensor for part in parts for tensor in part.header.tensors)
    architecture = _architecture(values, tensors)
    label = _label(values, tensors)
    return ModelInfo(
        name=name,
        path=path,
        format=ModelFormat.GGUF,
        architecture=architecture,
        quantization=_quantization(label),
        dtype=_PLAIN.get(label, "float16"),
        weights_bytes=sum(tensor.size_bytes for tensor in tensors),
        breakdown=_breakdown(tensors, architecture.layers),
        files=tuple(part.file for part in parts),
        has_tokenizer="tokenizer.ggml.model" in first.header.metadata,
        has_chat_template="tokenizer.chat_template" in first.header.metadata,
        warnings=_warnings(architecture, first.header),
        raw_config=MappingProxyType(_shown(first.header.metadata)),
    )


class _Metadata:
    """Typed access to metadata, below the architecture's own prefix where asked."""

    def __init__(self, header: GgufHeader, file: str) -> None:
        self.values = header.metadata
        self.lengths = header.array_lengths
        self.file = file
        self.architecture = self.text("general.architecture") or ""
        if not self.architecture:
            raise self.fail("general.architecture", "is missing")

    def fail(self, field: str, reason: str) -> PlanError:
        return broken(field, reason, file=self.file)

    def text(self, key: str) -> str | None:
        value = self.values.get(key)
        return value if isinstance(value, str) else None

    def whole(self, key: str) -> int | None:
        """A whole number; the largest one where there is one per layer."""
        value: GgufValue = self.values.get(key)
        if isinstance(value, tuple):
            numbers = [item for item in value if isinstance(item, int)]
            value = max(numbers, default=None)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_INT:
            raise self.fail(key, f"is {value!r}, not a usable whole number")
        return value

    def own(self, key: str) -> int | None:
        return self.whole(f"{self.architecture}.{key}")

    def own_positive(self, key: str) -> int | None:
        return self.own(key) or None

    def needed(self, key: str) -> int:
        value = self.own(key)
        if not value:
            raise self.fail(f"{self.architecture}.{key}", "is missing or 0")
        return value


def _check_split(parts: Sequence[GgufPart], values: _Metadata) -> None:
    declared = values.whole("split.count") or 1
    if declared > 1 and declared != len(parts):
        raise values.fail("split.count", f"is {declared}, but {len(parts)} parts were found")
    expected = values.whole("split.tensors.count")
    found = sum(len(part.header.tensors) for part in parts)
    if expected is not None and declared > 1 and expected != found:
        raise values.fail("split.tensors.count", f"is {expected}, but {found} tensors were found")


def _architecture(values: _Metadata, tensors: tuple[GgufTensor, ...]) -> Architecture:
    layers, hidden = values.needed("block_count"), values.needed("embedding_length")
    recurrent, cached = read_gguf_recurrent(
        tensors,
        hidden=hidden,
        state=values.own_positive("ssm.state_size"),
        inner=values.own_positive("ssm.inner_size"),
        kernel=values.own_positive("ssm.conv_kernel") or values.own_positive("shortconv.l_cache"),
        groups=values.own_positive("ssm.group_count"),
    )
    # A model without attention has no heads; its state may be divided as finely as one likes.
    free = recurrent is not None and not cached
    heads = 1 if free else values.needed("attention.head_count")
    kv_heads, with_kv = _kv_heads(values, heads, layers)
    head_dim = values.own_positive("attention.key_length")
    if head_dim is None:
        if hidden % heads:
            raise values.fail(
                f"{values.architecture}.attention.key_length",
                f"is missing and {hidden} is no multiple of {heads} heads",
            )
        head_dim = hidden // heads
    window, sliding = _sliding(values, layers)
    lora = values.own_positive("attention.kv_lora_rank")
    rope = values.own_positive("rope.dimension_count")
    if lora is not None:
        # MLA files give the compressed sizes; *_mla are those of the heads.
        head_dim = values.own_positive("attention.key_length_mla") or head_dim
        kv_heads = heads
    value_dim = values.own_positive(
        "attention.value_length_mla" if lora is not None else "attention.value_length"
    )
    names = {tensor.name for tensor in tensors}
    experts = values.own_positive("expert_count")
    return Architecture(
        name=values.architecture,
        model_type=values.architecture,
        layers=layers,
        hidden_size=hidden,
        intermediate_size=values.own_positive("feed_forward_length"),
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        v_head_dim=value_dim if value_dim != head_dim else None,
        vocab_size=_vocabulary(values),
        max_context=values.own_positive("context_length"),
        tie_embeddings="output.weight" not in names,
        attention_layers=with_kv if cached is None or cached == layers else cached,
        attention_weight_layers=cached,
        recurrent=recurrent,
        sliding_window=window,
        sliding_layers=sliding,
        kv_lora_rank=lora,
        qk_rope_head_dim=rope if lora is not None else None,
        qk_nope_head_dim=max(0, head_dim - (rope or 0)) if lora is not None else None,
        q_lora_rank=values.own_positive("attention.q_lora_rank"),
        experts=experts,
        experts_per_token=values.own_positive("expert_used_count") if experts else None,
        moe_intermediate_size=values.own_positive("expert_feed_forward_length")
        or (values.own_positive("feed_forward_length") if experts else None),
        shared_experts=(values.own("expert_shared_count") or 0) if experts else 0,
        dense_layers=min(layers, values.own("leading_dense_block_count") or 0),
        attention_bias=any(name.endswith("attn_q.bias") for name in names),
        is_encoder=values.architecture in _ENCODERS,
    )


def _kv_heads(values: _Metadata, heads: int, layers: int) -> tuple[int, int | None]:
    key = f"{values.architecture}.attention.head_count_kv"
    per_layer = values.values.get(key)
    kv_heads = values.own("attention.head_count_kv")
    with_kv = None
    if isinstance(per_layer, tuple) and len(per_layer) == layers:
        counted = sum(1 for count in per_layer if count)
        with_kv = counted if counted < layers else None
    if not kv_heads:
        return heads, with_kv
    if kv_heads > heads:
        raise values.fail(key, f"is {kv_heads}, more than the {heads} heads")
    return kv_heads, with_kv


def _sliding(values: _Metadata, layers: int) -> tuple[int | None, int]:
    window = values.own_positive("attention.sliding_window")
    if window is None:
        return None, 0
    pattern = values.values.get(f"{values.architecture}.attention.sliding_window_pattern")
    if isinstance(pattern, tuple) and len(pattern) == layers:
        sliding = sum(1 for slides in pattern if slides)
    else:
        step = pattern if isinstance(pattern, int) and pattern > 0 else None
        sliding = sliding_by_pattern(values.architecture.replace("-", "_"), layers, step)
    return (window, sliding) if sliding else (None, 0)


def _vocabulary(values: _Metadata) -> int:
    given = values.own_positive("vocab_size")
    tokens = values.lengths.get("tokenizer.ggml.tokens")
    if given is None and not tokens:
        raise values.fail(f"{values.architecture}.vocab_size", "is missing and no tokens are there")
    return given or tokens or 0


def _label(values: _Metadata, tensors: tuple[GgufTensor, ...]) -> str:
    file_type = values.whole("general.file_type")
    if file_type is not None and file_type in FILE_TYPES:
        return FILE_TYPES[file_type]
    sizes: Counter[str] = Counter()
    for tensor in tensors:
        sizes[tensor.type.name] += tensor.size_bytes
    return sizes.most_common(1)[0][0] if sizes else "unknown"


def _quantization(label: str) -> Quantization:
    if label in _PLAIN:
        return Quantization(method="none", label=label)
    match = _BITS.search(label)
    bits = int(next(group for group in match.groups() if group)) if match else None
    return Quantization(method="gguf", bits=bits, label=label)


def _breakdown(tensors: tuple[GgufTensor, ...], layers: int) -> WeightBreakdown:
    per_layer, experts = [0] * layers, [0] * layers
    embedding = output = other = 0
    for tensor in tensors:
        match = _LAYER.match(tensor.name)
        if match is not None and int(match[1]) < layers:
            per_layer[int(match[1])] += tensor.size_bytes
            if _EXPERTS.search(tensor.name):
                experts[int(match[1])] += tensor.size_bytes
        elif tensor.name.startswith("token_embd."):
            embedding += tensor.size_bytes
        elif tensor.name.startswith("output."):
            output += tensor.size_bytes
        else:
            other += tensor.size_bytes
    return WeightBreakdown(
        embedding_bytes=embedding,
        output_bytes=output,
        layer_bytes=tuple(per_layer),
        expert_bytes=tuple(experts),
        other_bytes=other,
    )


def _warnings(architecture: Architecture, header: GgufHeader) -> tuple[str, ...]:
    found = []
    if architecture.max_context is None:
        found.append("The file names no context length.")
    if "tokenizer.chat_template" not in header.metadata:
        found.append("The file has no chat template: the engine falls back to a generic one.")
    removed = {tensor.type.name for tensor in header.tensors} & _REMOVED
    if removed:
        found.append(
            f"llama.cpp no longer loads tensors of type {', '.join(sorted(removed))}: take the"
            " plain Q4_0 or IQ4_NL file."
        )
    if architecture.is_encoder:
        found.append("This is an encoder: it keeps no KV cache and does not generate text.")
    return tuple(found)


def _shown(metadata: Mapping[str, GgufValue]) -> dict[str, object]:
    """Keep what a person may want to read: no templates, no arrays."""
    return {
        key: value
        for key, value in metadata.items()
        if value is not None
        and not isinstance(value, tuple)
        and not (isinstance(value, str) and len(value) > 256)
    }
