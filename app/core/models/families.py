"""What families of models have that their ``config.json`` does not say: a table, no code.

Biases, norms, tied embeddings and the like are written in the modeling code, not in the config;
a model type that is missing here is read by the usual names of its fields and said to be.
Source: modeling and configuration files of transformers 5.19.0, and the code that the authors
publish beside the weights for those it does not have (checked 2026-11-30).
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from app.core.models.architecture import RecurrentKind


class ModelKind(StrEnum):
    """What a model does with its input."""

    DECODER = "decoder"
    ENCODER = "encoder"
    ENCODER_DECODER = "encoder_decoder"


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Traits of all models of one type; a field of the config goes before them."""

    kind: ModelKind = ModelKind.DECODER
    tied: bool = False
    gated: bool = True
    qkv_bias: bool = False
    output_bias: bool = False
    mlp_bias: bool = False
    norms: int = 2
    """Norms of a layer as wide as the model."""
    norm_bias: bool = False
    positions: bool = False
    """Learned positions: a table as long as the context."""
    recurrent: RecurrentKind | None = None
    query_gate: bool = False


_ENCODER: Final = Family(
    kind=ModelKind.ENCODER, tied=True, gated=False, qkv_bias=True, output_bias=True,
    mlp_bias=True, norm_bias=True, positions=True,
)  # fmt: skip
_BIASED: Final = Family(gated=False, qkv_bias=True, output_bias=True, mlp_bias=True, norm_bias=True)
_TIED_BIASED: Final = Family(
    tied=True, gated=False, qkv_bias=True, output_bias=True, mlp_bias=True, norm_bias=True
)
_LEARNED: Final = Family(
    tied=True, gated=False, qkv_bias=True, output_bias=True, mlp_bias=True, norm_bias=True,
    positions=True,
)  # fmt: skip
_SEQ2SEQ: Final = Family(
    kind=ModelKind.ENCODER_DECODER, tied=True, gated=False, qkv_bias=True, output_bias=True,
    mlp_bias=True, norm_bias=True, positions=True,
)  # fmt: skip

_TABLE: Final[tuple[tuple[Family, str], ...]] = (
    (
        Family(),
        ("llama mistral ministral ministral3 mistral4 mixtral phi3 phi3_v phi4mm phi3small "
        "qwen3 qwen3_moe qwen3_vl_text qwen3_vl_moe_text qwen3_omni_moe_text granite granitemoe "
        "granitemoeshared deepseek deepseek_v2 deepseek_v3 deepseek_v32 deepseek_v4 "
        "deepseek_vl_v2 kimi_k2 kimi_k25 kimi_vl glm_moe_dsa glm4_moe glm4_moe_lite "
        "longcat_flash dots1 ernie4_5_moe ernie4_5_vl_moe hunyuan_v1_moe hunyuan hunyuan_moe "
        "hy_v3 llama4 llama4_text mllama mllama_text_model minimax_m2 minimax_m3_vl "
        "minimax_m3_vl_text mimo_v2_flash "
        "mimo exaone exaone_moe solar_open solar dbrx arctic grok-1 internlm2 internlm3 baichuan "
        "xverse orion aquila aquila3 yi telechat telechat2 skywork olmo cwm helium "
        "bailing_moe bailing_moe_v2 step3p5 step3_vl step3_text olmo_1b llava llava_next "
        "llava_onevision internvl internvl_chat idefics2 idefics3 smolvlm pixtral mistral3 aria "
        "aya_vision molmo voxtral minicpmv minicpmo ovis ovis2 chameleon nemotron-nas deci "
        "h2ovl_chat seed_oss_moe stablelm_epoch decilm diffllama xlam plamo"),
    ),
    (
        Family(qkv_bias=True),
        ("qwen2 qwen2_moe qwen2_vl qwen2_5_vl qwen2_vl_text qwen2_5_vl_text qwen2_audio "
        "qwen2_5_omni qwen2_5_omni_text qwen2_5_omni_thinker qwen glm chatglm glm4v_moe "
        "glm4v_moe_text seed_oss qwen3_asr"),
    ),
    (Family(qkv_bias=True, norms=4), "glm4 glm4v glm4v_text"),
    (Family(qkv_bias=True, output_bias=True), "gpt_oss"),
    (Family(tied=True), ("gemma gemma_text smollm3 ernie4_5 hunyuan_v1_dense minicpm minicpm3 "
     "youtu hrm_text paligemma")),
    (Family(tied=True, norms=1), "cohere cohere2 cohere2_moe cohere2_vision"),
    (Family(tied=True, norms=4), ("gemma2 gemma3 gemma3_text gemma3n gemma3n_text gemma4 "
     "gemma4_text gemma4_unified gemma4_unified_text")),
    (Family(tied=True, norms=2), "vaultgemma"),
    (Family(norms=2), "olmo2 olmo3 olmoe flex_olmo exaone4 bitnet doge"),
    (Family(gated=False), "nemotron apertus arcee nanochat"),
    (Family(query_gate=True, norms=4), "afmoe"),
    (Family(norm_bias=True), "stablelm phimoe"),
    (Family(gated=False, qkv_bias=True, output_bias=True, mlp_bias=True, norm_bias=True, norms=1),
     "phi phi-msft"),
    (_BIASED, "gpt_neox persimmon codeshell"),
    (Family(gated=False, mlp_bias=True, norm_bias=True, norms=1), "gptj codegen"),
    (_TIED_BIASED, "bloom starcoder2"),
    (Family(tied=True, gated=False, norm_bias=True, norms=1), "falcon RefinedWeb RefinedWebModel"),
    (Family(tied=True, gated=False), "mpt"),
    (_LEARNED, "gpt2 gpt_bigcode opt gpt_neo xglm biogpt"),
    (_ENCODER, ("bert roberta xlm-roberta distilbert electra deberta deberta-v2 mpnet camembert "
     "ernie clip siglip siglip2 bge xlm_roberta jina_embeddings_v3")),
    (Family(kind=ModelKind.ENCODER, tied=True, gated=True), ("nomic_bert modernbert eurobert gte "
     "new qwen3_embedding neobert")),
    (Family(kind=ModelKind.ENCODER_DECODER, tied=True, gated=False), "t5"),
    (Family(kind=ModelKind.ENCODER_DECODER, tied=True, gated=True), "mt5 umt5 longt5"),
    (_SEQ2SEQ, "bart mbart m2m_100 marian pegasus whisper blenderbot speech_to_text florence2"),
    (Family(recurrent=RecurrentKind.MAMBA1), "jamba"),
    (Family(recurrent=RecurrentKind.MAMBA2), "bamba granitemoehybrid falcon_h1 plamo2"),
    (Family(recurrent=RecurrentKind.MAMBA2, gated=False, norms=1), "nemotron_h nemotron_h_omni"),
    (Family(recurrent=RecurrentKind.MAMBA1, tied=True), "zamba"),
    (Family(recurrent=RecurrentKind.MAMBA2, tied=True), "zamba2"),
    (Family(recurrent=RecurrentKind.MAMBA1, tied=True, norms=1), "mamba falcon_mamba"),
    (Family(recurrent=RecurrentKind.MAMBA2, norms=1), "mamba2"),
    (Family(recurrent=RecurrentKind.GATED_DELTA, query_gate=True), ("qwen3_next qwen3_5 "
     "qwen3_5_text qwen3_5_moe qwen3_5_moe_text")),
    (Family(recurrent=RecurrentKind.GATED_DELTA), "olmo_hybrid"),
    (Family(recurrent=RecurrentKind.KIMI_DELTA), "kimi_linear"),
    (Family(recurrent=RecurrentKind.LIGHTNING), ("minimax minimax_text_01 minimax_m1 "
     "minimax_vl_01")),
    (Family(recurrent=RecurrentKind.SHORT_CONV, tied=True), "lfm2 lfm2_moe lfm2_vl"),
    (Family(recurrent=RecurrentKind.RG_LRU, tied=True, output_bias=True, mlp_bias=True),
     "recurrent_gemma"),
    (Family(recurrent=RecurrentKind.RWKV, gated=False), "rwkv"),
    (Family(tied=False), "qwen3_vl qwen3_vl_moe qwen3_omni_moe"),
)  # fmt: skip

FAMILIES: Final = {name: family for family, names in _TABLE for name in names.split()}
"""Families by ``model_type``."""


def family_of(model_type: str) -> Family | None:
    """Return the family of a model type; ``None`` when the table does not know it."""
    return FAMILIES.get(model_type)


_LLAMA: Final = {
    "hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32,
    "num_attention_heads": 32, "vocab_size": 32000, "max_position_embeddings": 2048,
}  # fmt: skip
_MISTRAL: Final = {
    "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
    "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 32000,
}  # fmt: skip
_QWEN_2: Final = {
    "hidden_size": 4096, "intermediate_size": 22016, "num_hidden_layers": 32,
    "num_attention_heads": 32, "num_key_value_heads": 32, "vocab_size": 151936,
}  # fmt: skip
_GEMMA: Final = {
    "hidden_size": 3072, "intermediate_size": 24576, "num_hidden_layers": 28,
    "num_attention_heads": 16, "num_key_value_heads": 16, "head_dim": 256, "vocab_size": 256000,
    "max_position_embeddings": 8192,
}  # fmt: skip
_GEMMA_2: Final = {
    "hidden_size": 2304, "intermediate_size": 9216, "num_hidden_layers": 26,
    "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256, "vocab_size": 256000,
    "max_position_embeddings": 8192, "sliding_window": 4096,
}  # fmt: skip

NESTED_DEFAULTS: Final = {
    "llama": _LLAMA,
    "mistral": _MISTRAL,
    "qwen2": _QWEN_2,
    "gemma": _GEMMA,
    "gemma2": _GEMMA_2,
    "gemma3_text": {**_GEMMA_2, "vocab_size": 262208, "max_position_embeddings": 131072},
}
"""What a ``text_config`` leaves to its class: authors write only what differs.

Only for a nested part: a config of its own that names no heads is broken.
"""
