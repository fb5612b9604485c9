"""Which weights a quantized checkpoint leaves in the original dtype, or packs another way.

Patterns come in four writings: names or parts of names, shell patterns (modelopt), regular
expressions (compressed-tensors ``re:``, GPTQ ``-:``) and one entry for each layer. They are matched
as shell patterns only: an expression out of a file is never run, as it could take for ever.
"""

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Final

from app.core.models.architecture import Quantization

_NAMES: Final = {
    "self_attn.qkv_proj": ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"),
    "self_attn.q_a_proj": ("self_attn.q_a_proj", "self_attn.fused_qkv_a_proj"),
    "self_attn.kv_a_proj": ("self_attn.kv_a_proj_with_mqa", "self_attn.fused_qkv_a_proj"),
    "mlp.gate_up_proj": ("mlp.gate_proj", "mlp.up_proj", "feed_forward.gate_proj"),
    "mlp.down_proj": ("mlp.down_proj", "feed_forward.down_proj"),
    "mlp.experts.w13": (
        "mlp.experts.0.gate_proj", "mlp.experts.0.up_proj", "mlp.experts.gate_up_proj",
        "block_sparse_moe.experts.0.w1", "feed_forward.experts.gate_up_proj",
    ),
    "mlp.experts.w2": (
        "mlp.experts.0.down_proj", "mlp.experts.down_proj", "block_sparse_moe.experts.0.w2",
        "feed_forward.experts.down_proj",
    ),
    "mlp.shared_experts.gate_up_proj": (
        "mlp.shared_experts.gate_proj", "mlp.shared_expert.gate_proj",
        "feed_forward.shared_expert.gate_proj",
    ),
    "mlp.shared_experts.down_proj": (
        "mlp.shared_experts.down_proj", "mlp.shared_expert.down_proj",
        "feed_forward.shared_expert.down_proj",
    ),
    "mixer": (
        "linear_attn.in_proj_qkvz", "linear_attn.in_proj_qkv", "linear_attn.out_proj",
        "mamba.in_proj", "mamba.out_proj", "mixer.in_proj", "mixer.out_proj", "conv.in_proj",
    ),
    "lm_head": ("lm_head",),
    "embed_tokens": ("embed_tokens",),
}  # fmt: skip
"""What our kinds of tensors are called in checkpoints; the others keep their own name."""

ANY_LAYER: Final = 2**31
"""More layers than any model has: asks whether a pattern names any of them at all."""

_LAYER: Final = re.compile(r"(?:^|\.)(?:layers|h|blocks)\.(\d+)(?=$|[.*])")
_WILD: Final = re.compile(r"\(\?:|\\d\+?|\[0-9\]\+?|\.\*\??|\.\+")
_MOST_WORDS: Final = 64
_LONGEST: Final = 200
_ALTERNATIVES: Final = re.compile(r"\(([^()]*)\)")


@dataclass(frozen=True, slots=True)
class _Pattern:
    """One entry: a shell pattern for the part below the layer, and the layer where it is one."""

    text: str
    layer: int | None
    whole: bool
    """A pattern has to match from end to end; a plain name may be a part."""


def is_kept(path: str, quantization: Quantization) -> bool:
    """Tell whether a kind of module stays in the original dtype in every layer.

    ``path`` is generic (``self_attn.o_proj``); entries for one layer of many do not count.
    """
    return kept_layers(path, quantization, ANY_LAYER) >= ANY_LAYER


def kept_layers(path: str, quantization: Quantization, layers: int) -> int:
    """Return in how many of the model's layers a kind of module stays in the original dtype."""
    return matching_layers(path, quantization.unquantized, layers)


def matching_layers(path: str, patterns: tuple[str, ...], layers: int) -> int:
    """Return how many layers have a module of this kind that a pattern names."""
    everywhere, apart = _sorted(patterns)
    names = _NAMES.get(path, (path,))
    if any(_matches(pattern, names) for pattern in everywhere):
        return layers
    found: set[int] = set()
    for (text, whole), numbers in apart:
        if _matches(_Pattern(text, None, whole), names):
            found.update(number for number in numbers if number < layers)
    return len(found)


@lru_cache(maxsize=64)
def _sorted(
    patterns: tuple[str, ...],
) -> tuple[tuple[_Pattern, ...], tuple[tuple[tuple[str, bool], frozenset[int]], ...]]:
    """Part the patterns in those of all layers and those of single ones, alike ones together."""
    everywhere: list[_Pattern] = []
    apart: dict[tuple[str, bool], set[int]] = {}
    for entry in patterns:
        for pattern in _read(entry):
            if pattern.layer is None:
                everywhere.append(pattern)
            else:
                apart.setdefault((pattern.text, pattern.whole), set()).add(pattern.layer)
    return tuple(everywhere), tuple((key, frozenset(found)) for key, found in apart.items())


def _read(entry: str) -> list[_Pattern]:
    if not entry or len(entry) > _LONGEST:
        return []
    is_expression = entry.startswith(("re:", "-:", "+:"))
    text = entry[entry.index(":") + 1 :] if is_expression else entry
    texts = [_as_shell(part) for part in _alternatives(text)] if is_expression else [text]
    found = []
    for one in texts:
        number = _LAYER.search(one)
        below = one[number.end() :].lstrip(".") if number is not None else one
        below = below if below or number is None else "*"
        layer = int(number[1]) if number is not None and len(number[1]) < 6 else None
        found.append(_Pattern(below, layer, "*" in below))
    return found


def _as_shell(text: str) -> str:
    """Write a regular expression as a shell pattern; what it says more precisely is lost."""
    ends = text.endswith("$")
    plain = _WILD.sub("*", text.strip("^$")).replace("\\.", ".").replace("\\", "")
    plain = plain.replace("?", "*").replace("[", "*").replace("]", "*").replace("+", "")
    # Expressions are matched from their beginning: an open end goes on.
    return plain if ends or plain.endswith("*") else plain + "*"


def _alternatives(text: str) -> list[str]:
    """Write out ``(a|b)``, innermost first."""
    done: list[str] = []
    waiting = [text.replace("(?:", "(")]
    while waiting and len(done) + len(waiting) <= _MOST_WORDS:
        one = waiting.pop()
        match = _ALTERNATIVES.search(one)
        if match is None:
            done.extend(one.split("|"))
            continue
        waiting += [
            one[: match.start()] + word + one[match.end() :] for word in match[1].split("|")
        ]
    return done


def _matches(pattern: _Pattern, names: tuple[str, ...]) -> bool:
    text = pattern.text.removeprefix("model.").removeprefix("language_model.")
    if pattern.whole:
        stem = text.replace("layers.*.", "*").replace("layers*", "*")
        return any(fnmatchcase(name, stem) or fnmatchcase("." + name, stem) for name in names)
    words = tuple(text.strip(".").split("."))
    return any(_within(words, tuple(name.split("."))) for name in names)


def _within(words: tuple[str, ...], name: tuple[str, ...]) -> bool:
    """Tell whether the words stand in a name, one after another."""
    if not words or words == ("",):
        return False
    size = len(words)
    return any(name[at : at + size] == words for at in range(len(name) - size + 1))
