#!/usr/bin/env python3
"""Make a tiny random-weight Qwen2 chat model that real engines can serve on a CPU.

Writes a Hugging Face folder (config.json, generation_config.json, tokenizer.json,
tokenizer_config.json, model.safetensors) and, with ``--gguf``, the same weights as one GGUF file.
Needs numpy and tokenizers; gguf only for ``--gguf``. No network, about 0.9 MB and one second. The
same seed gives the same bytes.

The text it generates is nonsense, but well-behaved nonsense:

* residual channel 0 is a constant (embedding column 0 is fixed and no layer writes to it), so that
  ``lm_head[:, 0]`` works as an output bias of each token;
* that bias keeps special tokens, and bytes that cannot stand alone in UTF-8, from being sampled:
  every token is printable text and a streaming client sees one delta a token;
* ``--eos-bias`` moves how soon the end of turn comes (default: hardly ever, so that the output
  length is what ``max_tokens`` says).
"""

import argparse
import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
BOS, EOS = 0, SPECIAL.index("<|im_end|>")
# Qwen2's pre-tokenizer pattern, which llama.cpp knows as "qwen2".
PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content']"
    " + '<|im_end|>' + '\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
CORPUS = (
    "The quick brown fox jumps over the lazy dog while the server answers each request in turn.",
    "A container starts, the engine loads the weights, the health check turns green.",
    "The first token arrives, then the others follow until the answer ends.",
    "Throughput is tokens per second, latency is the time to the first token and between tokens.",
    "Memory, power, temperature, utilisation, queue, running, waiting, cache, prefill, decode.",
    "system user assistant hello world please write a short story about a machine that speaks.",
    "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 32 64 128 256 512 1024 2048 4096",
    "服务器启动 模型加载 显存占用 吞吐量 延迟 首字时间 温度 功率 利用率 队列 等待 运行 你好 世界",
)
GGUF_TOP = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}
GGUF_LAYER = {
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """Size of the model. ``hidden / heads`` must be 32 or more for vLLM on a CPU."""

    hidden: int = 128
    ffn: int = 256
    layers: int = 2
    heads: int = 4
    kv_heads: int = 2
    vocabulary: int = 512
    context: int = 2048


def train_tokenizer(vocabulary: int) -> Tokenizer:
    """Train a byte-level BPE tokenizer on the corpus above."""
    tokenizer = Tokenizer(models.BPE(unk_token=None, byte_fallback=False))
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(PATTERN), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=list(SPECIAL),
        show_progress=False,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
    )
    tokenizer.train_from_iterator(CORPUS * 8, trainer)
    return tokenizer


def stands_alone(tokenizer: Tokenizer, token: int) -> bool:
    """Say whether ``token`` decodes to printable text without its neighbours."""
    text = tokenizer.decode([token])
    return bool(text) and "\ufffd" not in text and text.isprintable()


def to_bf16(values: np.ndarray) -> bytes:
    """Round to bfloat16, nearest even."""
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    rounded: np.ndarray = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return rounded.astype("<u2").tobytes()


def save_safetensors(path: Path, tensors: Mapping[str, np.ndarray]) -> None:
    """Write ``tensors`` as one bfloat16 safetensors file."""
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    blobs = []
    offset = 0
    for name, value in tensors.items():
        blob = to_bf16(value)
        end = offset + len(blob)
        header[name] = {
            "dtype": "BF16",
            "shape": list(value.shape),
            "data_offsets": [offset, end],
        }
        blobs.append(blob)
        offset = end
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(blobs))


def make_weights(
    shape: Shape, tokenizer: Tokenizer, *, seed: int, eos_bias: float
) -> dict[str, np.ndarray]:
    """Draw the weights, keyed by their Hugging Face names."""
    rng = np.random.default_rng(seed)
    hidden = shape.hidden
    kv_width = shape.kv_heads * (hidden // shape.heads)

    def draw(*size: int, scale: float = 1.0) -> np.ndarray:
        return (rng.standard_normal(size) * scale / np.sqrt(size[-1])).astype(np.float32)

    embedding = rng.standard_normal((shape.vocabulary, hidden)).astype(np.float32)
    embedding[:, 0] = 4.0
    tensors = {"model.embed_tokens.weight": embedding}
    for index in range(shape.layers):
        attention_out, ffn_down = (
            draw(hidden, hidden, scale=2.0),
            draw(hidden, shape.ffn, scale=2.0),
        )
        attention_out[0], ffn_down[0] = 0, 0  # nothing writes to channel 0
        layer = {
            "input_layernorm.weight": np.ones(hidden, np.float32),
            "self_attn.q_proj.weight": draw(hidden, hidden, scale=2.0),
            "self_attn.q_proj.bias": np.zeros(hidden, np.float32),
            "self_attn.k_proj.weight": draw(kv_width, hidden, scale=2.0),
            "self_attn.k_proj.bias": np.zeros(kv_width, np.float32),
            "self_attn.v_proj.weight": draw(kv_width, hidden, scale=2.0),
            "self_attn.v_proj.bias": np.zeros(kv_width, np.float32),
            "self_attn.o_proj.weight": attention_out,
            "post_attention_layernorm.weight": np.ones(hidden, np.float32),
            "mlp.gate_proj.weight": draw(shape.ffn, hidden, scale=2.0),
            "mlp.up_proj.weight": draw(shape.ffn, hidden, scale=2.0),
            "mlp.down_proj.weight": ffn_down,
        }
        tensors |= {f"model.layers.{index}.{name}": value for name, value in layer.items()}
    head = draw(shape.vocabulary, hidden, scale=3.0)
    head[:, 0] = 0.0
    for token in range(shape.vocabulary):
        trained = len(SPECIAL) <= token < tokenizer.get_vocab_size()
        if not (trained and stands_alone(tokenizer, token)):
            head[token] = 0.0
            head[token, 0] = -20.0
    head[EOS, 0] = eos_bias
    return tensors | {"model.norm.weight": np.ones(hidden, np.float32), "lm_head.weight": head}


def model_config(shape: Shape) -> dict[str, object]:
    """Return the content of ``config.json``."""
    return {
        "architectures": ["Qwen2ForCausalLM"],
        "model_type": "qwen2",
        "hidden_size": shape.hidden,
        "intermediate_size": shape.ffn,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "num_key_value_heads": shape.kv_heads,
        "hidden_act": "silu",
        "max_position_embeddings": shape.context,
        "rms_norm_eps": 1e-6,
        "rope_theta": 10000.0,
        "initializer_range": 0.02,
        "attention_dropout": 0.0,
        "tie_word_embeddings": False,
        "use_cache": True,
        "use_sliding_window": False,
        "vocab_size": shape.vocabulary,
        "bos_token_id": BOS,
        "eos_token_id": EOS,
        "torch_dtype": "bfloat16",
    }


def tokenizer_config(shape: Shape) -> dict[str, object]:
    """Return the content of ``tokenizer_config.json``."""
    flags = {"lstrip": False, "normalized": False, "rstrip": False, "single_word": False}
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": shape.context,
        "bos_token": None,
        "eos_token": SPECIAL[EOS],
        "pad_token": SPECIAL[BOS],
        "unk_token": None,
        "clean_up_tokenization_spaces": False,
        "chat_template": TEMPLATE,
        "added_tokens_decoder": {
            str(token): {"content": text, **flags, "special": True}
            for token, text in enumerate(SPECIAL)
        },
    }


def save_folder(
    out: Path, shape: Shape, tokenizer: Tokenizer, tensors: Mapping[str, np.ndarray]
) -> None:
    """Write the Hugging Face folder."""
    out.mkdir(parents=True, exist_ok=True)
    generation = {
        "bos_token_id": BOS,
        "eos_token_id": [EOS, BOS],
        "pad_token_id": BOS,
        "do_sample": True,
        "temperature": 0.7,
        "top_p": 0.8,
    }
    documents = {
        "config.json": model_config(shape),
        "generation_config.json": generation,
        "tokenizer_config.json": tokenizer_config(shape),
    }
    for name, value in documents.items():
        text = json.dumps(value, indent=1, ensure_ascii=False) + "\n"
        (out / name).write_text(text, encoding="utf-8")
    tokenizer.save(str(out / "tokenizer.json"))
    save_safetensors(out / "model.safetensors", tensors)


def gguf_name(name: str) -> str:
    """Translate a Hugging Face tensor name into llama.cpp's."""
    base, leaf = name.rsplit(".", 1)
    if base in GGUF_TOP:
        return f"{GGUF_TOP[base]}.{leaf}"
    _, _, index, rest = base.split(".", 3)
    return f"blk.{index}.{GGUF_LAYER[rest]}.{leaf}"


def save_gguf(
    path: Path, shape: Shape, tokenizer: Tokenizer, tensors: Mapping[str, np.ndarray]
) -> None:
    """Write the same weights as one GGUF file, matrices as f16."""
    import gguf

    writer = gguf.GGUFWriter(str(path), "qwen2")
    writer.add_name("tiny-random-qwen2")
    writer.add_context_length(shape.context)
    writer.add_embedding_length(shape.hidden)
    writer.add_block_count(shape.layers)
    writer.add_feed_forward_length(shape.ffn)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.kv_heads)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_freq_base(10000.0)
    writer.add_vocab_size(shape.vocabulary)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_F16)
    by_id = {token: text for text, token in tokenizer.get_vocab(with_added_tokens=True).items()}
    kinds = [
        gguf.TokenType.CONTROL
        if token < len(SPECIAL)
        else gguf.TokenType.NORMAL
        if token in by_id
        else gguf.TokenType.UNUSED
        for token in range(shape.vocabulary)
    ]
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list([by_id.get(i, f"[PAD{i}]") for i in range(shape.vocabulary)])
    writer.add_token_types(kinds)
    writer.add_token_merges([m if isinstance(m, str) else " ".join(m) for m in merges])
    writer.add_bos_token_id(BOS)
    writer.add_eos_token_id(EOS)
    writer.add_pad_token_id(BOS)
    writer.add_add_bos_token(False)
    writer.add_chat_template(TEMPLATE)
    for name, value in tensors.items():
        wanted = np.float16 if value.ndim == 2 else np.float32
        writer.add_tensor(gguf_name(name), value.astype(wanted))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="model folder to write")
    parser.add_argument("--gguf", type=Path, help="also write this GGUF file")
    parser.add_argument("--context", type=int, default=Shape().context)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--eos-bias", type=float, default=-6.0, help="0 or more: answers end early")
    arguments = parser.parse_args()
    shape = Shape(context=arguments.context)
    tokenizer = train_tokenizer(shape.vocabulary)
    tensors = make_weights(shape, tokenizer, seed=arguments.seed, eos_bias=arguments.eos_bias)
    save_folder(arguments.out, shape, tokenizer, tensors)
    if arguments.gguf:
        save_gguf(arguments.gguf, shape, tokenizer, tensors)
    size = sum(value.size for value in tensors.values())
    print(f"{arguments.out}: {size:,} parameters, context {shape.context}")


if __name__ == "__main__":
    main()
