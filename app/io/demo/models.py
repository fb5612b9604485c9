"""Models of the demo host: real configurations, file headers made from them, and no weights."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from app.io.datafiles import read_data
from app.io.demo import adapters
from app.io.demo.files import Maker, VirtualFile, VirtualTree

FOLDER: Final = "/models"
_SHARD_BYTES: Final = 4 * 10**9
_MARK: Final = "simulated: a real configuration without weights"

ConfigValue = bool | int | float | str | tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoModel:
    """One model and what was measured with it."""

    folder: str
    point: str
    """Name of the measured run the figures are from."""
    ttft_s: float
    itl_s: float
    weights_gib: float
    activation_gib: float
    non_torch_gib: float
    graph_gib: float
    config: Mapping[str, ConfigValue]

    @property
    def path(self) -> str:
        """Where it lies on the demo host."""
        return f"{FOLDER}/{self.folder}"

    def number(self, key: str, default: int = 0) -> int:
        """Return a whole number of the configuration."""
        value = self.config.get(key, default)
        return value if isinstance(value, int) else default


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoModelFile:
    """Shape of ``resources/demo/models.toml``."""

    schema_version: int
    source: str
    checked: str
    model: tuple[DemoModel, ...]


def load_demo_models(root: Path) -> tuple[DemoModel, ...]:
    """Return the demo host's models.

    Raises:
        DataFileError: DATA_FILE_BROKEN.
    """
    return read_data(DemoModelFile, root, "demo/models.toml").model


def model_tree(models: tuple[DemoModel, ...]) -> VirtualTree:
    """Return the file tree below ``/models``."""
    folders = {model.path: _maker(model) for model in models}
    first = models[0]
    folders[f"{adapters.FOLDER}/{adapters.NAME}"] = lambda: adapters.adapter_files(
        first.folder, first.config
    )
    return VirtualTree(folders)


def kv_bytes_per_token(model: DemoModel) -> int:
    """Return bytes of KV cache per token at two bytes a value, over all GPUs."""
    heads = model.number("num_attention_heads")
    head = model.number("head_dim") or model.number("hidden_size") // heads
    return 2 * model.number("num_hidden_layers") * model.number("num_key_value_heads") * head * 2


def _maker(model: DemoModel) -> Maker:
    return lambda: dict(_files(model))


def _files(model: DemoModel) -> Iterator[tuple[str, VirtualFile]]:
    yield "config.json", _text(json.dumps({"_comment": _MARK, **model.config}, indent=2))
    yield "SIMULATED.txt", _text(f"{_MARK}\nmeasured run: {model.point}\n")
    template = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}"
    yield "tokenizer_config.json", _text(json.dumps({"_comment": _MARK, "chat_template": template}))
    yield "tokenizer.json", _text(json.dumps({"_comment": _MARK}))
    shards = _shards(model)
    names = [f"model-{n + 1:05d}-of-{len(shards):05d}.safetensors" for n in range(len(shards))]
    index = {
        "metadata": {"total_size": sum(shard.data_bytes for shard in shards)},
        "weight_map": {t.name: n for n, s in zip(names, shards, strict=True) for t in s.tensors},
    }
    yield "model.safetensors.index.json", _text(json.dumps(index))
    for name, shard in zip(names, shards, strict=True):
        yield name, shard.file()


def _text(text: str) -> VirtualFile:
    content = text.encode()
    return VirtualFile(size_bytes=len(content), head=lambda: content)


@dataclass(frozen=True, slots=True)
class _Tensor:
    name: str
    shape: tuple[int, ...]

    @property
    def size_bytes(self) -> int:
        size = 2  # bfloat16
        for length in self.shape:
            size *= length
        return size


@dataclass(frozen=True, slots=True)
class _Shard:
    tensors: tuple[_Tensor, ...]

    @property
    def data_bytes(self) -> int:
        return sum(tensor.size_bytes for tensor in self.tensors)

    def header(self) -> bytes:
        entries: dict[str, object] = {"__metadata__": {"format": "pt", "comment": _MARK}}
        start = 0
        for tensor in self.tensors:
            end = start + tensor.size_bytes
            entries[tensor.name] = {
                "dtype": "BF16",
                "shape": list(tensor.shape),
                "data_offsets": [start, end],
            }
            start = end
        text = json.dumps(entries, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 8)
        return len(text).to_bytes(8, "little") + text

    def file(self) -> VirtualFile:
        made = lru_cache(maxsize=1)(self.header)
        return VirtualFile(size_bytes=len(made()) + self.data_bytes, head=made)


def _shards(model: DemoModel) -> tuple[_Shard, ...]:
    shards: list[_Shard] = []
    pending: list[_Tensor] = []
    size = 0
    for tensor in _tensors(model):
        if pending and size + tensor.size_bytes > _SHARD_BYTES:
            shards.append(_Shard(tuple(pending)))
            pending, size = [], 0
        pending.append(tensor)
        size += tensor.size_bytes
    return (*shards, _Shard(tuple(pending)))


def _tensors(model: DemoModel) -> Iterator[_Tensor]:
    hidden, vocabulary = model.number("hidden_size"), model.number("vocab_size")
    yield _Tensor("model.embed_tokens.weight", (vocabulary, hidden))
    for layer in range(model.number("num_hidden_layers")):
        prefix = f"model.layers.{layer}"
        yield _Tensor(f"{prefix}.input_layernorm.weight", (hidden,))
        yield _Tensor(f"{prefix}.post_attention_layernorm.weight", (hidden,))
        yield from _attention(model, f"{prefix}.self_attn")
        yield from _feed_forward(model, f"{prefix}.mlp")
    yield _Tensor("model.norm.weight", (hidden,))
    if not model.config.get("tie_word_embeddings"):
        yield _Tensor("lm_head.weight", (vocabulary, hidden))


def _attention(model: DemoModel, prefix: str) -> Iterator[_Tensor]:
    hidden, heads = model.number("hidden_size"), model.number("num_attention_heads")
    head = model.number("head_dim") or hidden // heads
    queries, keys = heads * head, model.number("num_key_value_heads") * head
    family = model.config["model_type"]
    for name, rows in (("q", queries), ("k", keys), ("v", keys)):
        yield _Tensor(f"{prefix}.{name}_proj.weight", (rows, hidden))
        if family == "qwen2":  # the only family here whose projections have biases
            yield _Tensor(f"{prefix}.{name}_proj.bias", (rows,))
    yield _Tensor(f"{prefix}.o_proj.weight", (hidden, queries))
    if family == "qwen3_moe":
        yield _Tensor(f"{prefix}.q_norm.weight", (head,))
        yield _Tensor(f"{prefix}.k_norm.weight", (head,))


def _feed_forward(model: DemoModel, prefix: str) -> Iterator[_Tensor]:
    hidden, experts = model.number("hidden_size"), model.number("num_experts")
    if not experts:
        yield from _gated(prefix, hidden, model.number("intermediate_size"))
        return
    yield _Tensor(f"{prefix}.gate.weight", (experts, hidden))
    for expert in range(experts):
        yield from _gated(
            f"{prefix}.experts.{expert}", hidden, model.number("moe_intermediate_size")
        )


def _gated(prefix: str, hidden: int, inner: int) -> Iterator[_Tensor]:
    yield _Tensor(f"{prefix}.gate_proj.weight", (inner, hidden))
    yield _Tensor(f"{prefix}.up_proj.weight", (inner, hidden))
    yield _Tensor(f"{prefix}.down_proj.weight", (hidden, inner))
