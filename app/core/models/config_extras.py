"""Weights that stand outside a model's usual layers, one reader per kind.

Biases and learned positions are small, the shared blocks of Zamba and the per-layer embeddings
of Gemma 3n are not. Source: modeling files of transformers 5.19.0 (checked 2026-11-30).
"""

from dataclasses import dataclass
from typing import Final

from app.core.models.architecture import ExtraWeights
from app.core.models.config_attention import Attention
from app.core.models.config_fields import Fields
from app.core.models.config_moe import Experts
from app.core.models.families import Family, ModelKind

_AFTER_TWO: Final = frozenset({"opt", "bart", "mbart", "xglm"})
"""Their table of positions has two rows more."""
_NO_TABLE: Final = frozenset({"m2m_100", "marian", "pegasus", "xglm"})
"""Their positions are computed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What the readers of extra weights need of the rest."""

    fields: Fields
    family: Family
    model_type: str
    layers: int
    hidden: int
    intermediate: int | None
    vocab: int
    context: int | None
    attention: Attention
    experts: Experts
    gated: bool


def read_extras(frame: Frame) -> tuple[ExtraWeights, ...]:
    """Return the extra weights of the language model; kinds it has none of are left out."""
    found = [
        ExtraWeights(name="biases", parameters=_biases(frame)),
        ExtraWeights(name="positions", parameters=_positions(frame)),
        ExtraWeights(name="indexer", parameters=_indexer(frame)),
        ExtraWeights(name="token_types", parameters=_token_types(frame)),
        ExtraWeights(name="pooler", parameters=_pooler(frame)),
        *_shared_blocks(frame),
        *_per_layer_inputs(frame),
        *_encoder(frame),
        ExtraWeights(
            name="compressed_attention", parameters=_compressed(frame), sharded=True,
            quantizable=True,
        ),
    ]  # fmt: skip
    return tuple(extra for extra in found if extra.parameters)


def read_mtp(fields: Fields) -> int:
    """Return how many layers predict further tokens."""
    return (
        fields.optional_count(
            "num_nextn_predict_layers", "num_mtp_modules", "mtp_num_hidden_layers",
            "num_mtp_layers", "mtp_num_layers", least=0,
        )
        or 0
    )  # fmt: skip


def _biases(frame: Frame) -> int:
    family, hidden = frame.family, frame.hidden
    inner = frame.intermediate or 0
    per_layer = 0
    if family.output_bias:
        per_layer += hidden
    if family.mlp_bias and not frame.experts.experts:
        per_layer += hidden + (2 if frame.gated else 1) * inner
    if family.norm_bias:
        per_layer += family.norms * hidden
    if frame.model_type == "gpt_oss" and frame.experts.experts:
        width = frame.experts.moe_intermediate_size or 0
        per_layer += frame.experts.experts * (2 * width + hidden + 1)
    head = frame.vocab if frame.model_type in {"phi", "gptj", "codegen"} else 0
    return frame.layers * per_layer + head


def _positions(frame: Frame) -> int:
    if not frame.family.positions or frame.model_type in _NO_TABLE:
        return 0
    if frame.fields.text("position_embedding_type") in {"rotary", "rope"}:
        return 0
    rows = frame.context or 0
    if frame.model_type in _AFTER_TWO:
        rows += 2
    if frame.family.kind is ModelKind.ENCODER_DECODER:
        rows += frame.fields.optional_count("max_source_positions") or rows
    return rows * frame.hidden


def _indexer(frame: Frame) -> int:
    """DeepSeek V3.2: which tokens a query looks at is chosen by a small head of its own."""
    size = frame.fields.optional_count("index_head_dim")
    heads = frame.fields.optional_count("index_n_heads")
    rank = frame.attention.q_lora_rank
    if size is None or heads is None or rank is None or frame.model_type == "deepseek_v4":
        return 0
    return frame.layers * (rank * heads * size + frame.hidden * (size + heads) + 2 * size)


def _compressed(frame: Frame) -> int:
    """DeepSeek V4: keys that are values, grouped output projections, compressors of the cache."""
    fields, hidden = frame.fields, frame.hidden
    if frame.model_type != "deepseek_v4" or frame.attention.q_lora_rank is None:
        return 0
    rank, size = frame.attention.q_lora_rank, frame.attention.head_dim
    width = frame.attention.heads * size
    groups, out = fields.count("o_groups"), fields.count("o_lora_rank")
    each = hidden * rank + rank * width + hidden * size + width * out + groups * out * hidden
    kinds = fields.texts("layer_types")
    sparse = sum(kind == "compressed_sparse_attention" for kind in kinds)
    heavy = len(kinds) - sparse
    heads, index = fields.count("index_n_heads"), fields.count("index_head_dim")
    indexer = rank * heads * index + hidden * (4 * index + heads)
    return frame.layers * each + 2 * hidden * size * (heavy + 2 * sparse) + sparse * indexer


def _token_types(frame: Frame) -> int:
    kinds = frame.fields.optional_count("type_vocab_size", least=0) or 0
    return kinds * frame.hidden


def _pooler(frame: Frame) -> int:
    """An encoder ends in a dense layer, of its pooler or of its masked-token head."""
    is_encoder = frame.family.kind is ModelKind.ENCODER
    return frame.hidden * (frame.hidden + 1) + frame.vocab if is_encoder else 0


def _shared_blocks(frame: Frame) -> tuple[ExtraWeights, ...]:
    """Zamba: one or two transformer blocks that all hybrid layers use, and their way in."""
    fields, hidden = frame.fields, frame.hidden
    width = fields.optional_count("attention_hidden_size")
    if width is None and frame.model_type != "zamba2":
        return ()
    if frame.model_type not in {"zamba", "zamba2"}:
        return ()
    width = width or 2 * hidden
    attention = 3 * width * width + width * hidden
    block = attention + 3 * hidden * (frame.intermediate or 4 * hidden)
    places = frame.attention.attention_layers or 0
    blocks = fields.optional_count("num_mem_blocks") or 1
    adapters = _adapters(fields, hidden, frame.intermediate or 4 * hidden, places, width)
    return (
        ExtraWeights(name="shared_blocks", parameters=blocks * block, sharded=True,
                     quantizable=True),
        ExtraWeights(name="shared_inputs", parameters=places * hidden * hidden + adapters),
    )  # fmt: skip


def _adapters(fields: Fields, hidden: int, inner: int, places: int, width: int) -> int:
    """Zamba2: low-rank additions by which each use of a shared block differs."""
    rank = fields.optional_count("adapter_rank")
    if rank is None:
        return 0
    size = rank * (hidden + 2 * inner)
    if fields.flag("use_shared_attention_adapter"):
        size += 6 * rank * width
    return places * size


def _per_layer_inputs(frame: Frame) -> tuple[ExtraWeights, ...]:
    """Gemma 3n and 4: a second, small embedding of each token for every layer."""
    size = frame.fields.optional_count("hidden_size_per_layer_input", least=0) or 0
    if not size:
        return ()
    rows = frame.fields.optional_count("vocab_size_per_layer_input") or frame.vocab
    width, hidden, layers = size * frame.layers, frame.hidden, frame.layers
    found = [
        ExtraWeights(name="per_layer_embeddings", parameters=rows * width, sharded=True),
        ExtraWeights(
            name="per_layer_inputs", parameters=width * hidden + 2 * layers * size * hidden
        ),
    ]
    rank = frame.fields.optional_count("laurel_rank")
    inputs = frame.fields.optional_count("altup_num_inputs")
    if rank and inputs:
        size = layers * 2 * rank * hidden + 2 * (inputs - 1) * hidden * hidden
        found.append(ExtraWeights(name="altup", parameters=size))
    return tuple(found)


def _encoder(frame: Frame) -> tuple[ExtraWeights, ...]:
    """The encoder of an encoder-decoder, and the decoder's attention to it."""
    if frame.family.kind is not ModelKind.ENCODER_DECODER:
        return ()
    fields, hidden = frame.fields, frame.hidden
    layers = fields.optional_count("encoder_layers")
    if layers is None:
        layers = fields.optional_count("num_layers") or frame.layers
    inner = fields.optional_count("encoder_ffn_dim") or frame.intermediate or 4 * hidden
    attention = 4 * hidden * frame.attention.heads * frame.attention.head_dim
    mlp = (3 if frame.gated else 2) * hidden * inner
    biases = (10 * hidden + inner) if frame.family.mlp_bias else 2 * hidden
    cross = frame.layers * (attention + (6 if frame.family.mlp_bias else 1) * hidden)
    return (
        ExtraWeights(name="encoder", parameters=layers * (attention + mlp + biases), sharded=True),
        ExtraWeights(name="cross_attention", parameters=cross, sharded=True),
    )
