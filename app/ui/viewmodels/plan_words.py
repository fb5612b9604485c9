"""The memory model's own words, as a reader says them: inputs, formulas, where values are from."""

import re
from collections.abc import Mapping
from typing import Final

from PySide6.QtCore import QCoreApplication

from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.messages import is_english

translate = QCoreApplication.translate

_INPUTS: Final[Mapping[str, str]] = {
    "activation": QT_TRANSLATE_NOOP("Plan", "activation"),
    "beside_tensors": QT_TRANSLATE_NOOP("Plan", "beside the tensors"),
    "block": QT_TRANSLATE_NOOP("Plan", "a block"),
    "block_tokens": QT_TRANSLATE_NOOP("Plan", "tokens in a block"),
    "blocks": QT_TRANSLATE_NOOP("Plan", "blocks"),
    "blocks_per_request": QT_TRANSLATE_NOOP("Plan", "blocks of a request"),
    "context": QT_TRANSLATE_NOOP("Plan", "context"),
    "dtype_bytes": QT_TRANSLATE_NOOP("Plan", "bytes of a value"),
    "expert_width": QT_TRANSLATE_NOOP("Plan", "width of an expert"),
    "experts_per_token": QT_TRANSLATE_NOOP("Plan", "experts of a token"),
    "fraction": QT_TRANSLATE_NOOP("Plan", "memory share"),
    "gpus": QT_TRANSLATE_NOOP("Plan", "GPUs"),
    "head_dim": QT_TRANSLATE_NOOP("Plan", "width of a head"),
    "hidden_size": QT_TRANSLATE_NOOP("Plan", "hidden size"),
    "inside_budget": QT_TRANSLATE_NOOP("Plan", "within the limit"),
    "intermediate_size": QT_TRANSLATE_NOOP("Plan", "intermediate size"),
    "kv_cache": QT_TRANSLATE_NOOP("Plan", "KV cache"),
    "kv_dtype": QT_TRANSLATE_NOOP("Plan", "type of the KV cache"),
    "kv_heads": QT_TRANSLATE_NOOP("Plan", "KV heads"),
    "layers": QT_TRANSLATE_NOOP("Plan", "layers"),
    "non_torch": QT_TRANSLATE_NOOP("Plan", "non-torch, other"),
    "nvml_total": QT_TRANSLATE_NOOP("Plan", "in all by NVML"),
    "parameters": QT_TRANSLATE_NOOP("Plan", "parameters"),
    "reserved": QT_TRANSLATE_NOOP("Plan", "kept by the driver"),
    "sequences": QT_TRANSLATE_NOOP("Plan", "requests in a batch"),
    "tokens": QT_TRANSLATE_NOOP("Plan", "tokens in a batch"),
    "total": QT_TRANSLATE_NOOP("Plan", "in all"),
    "usable": QT_TRANSLATE_NOOP("Plan", "usable, the limit"),
    "vocab_size": QT_TRANSLATE_NOOP("Plan", "vocabulary"),
    "weights": QT_TRANSLATE_NOOP("Plan", "weights"),
}
"""Names of inputs; others are shown with their underscores taken out."""

_SOURCES: Final[Mapping[str, str]] = {
    "options": QT_TRANSLATE_NOOP("Plan", "the plan's values"),
    "asked for": QT_TRANSLATE_NOOP("Plan", "the plan's values"),
    "driver or catalogue": QT_TRANSLATE_NOOP("Plan", "driver or catalogue"),
    "options, else config.json": QT_TRANSLATE_NOOP("Plan", "the plan's values, else config.json"),
    "options, else the engine's own": QT_TRANSLATE_NOOP(
        "Plan", "the plan's values, else the engine's own"
    ),
}
_THIS: Final = "this estimate"
"""Source of a number that stands in the same list."""

_IN_CHINESE: Final = (
    (r"\bof free before load\b", "× 加载前空闲"),
    (r"\bof free after weights\b", "× 加载权重后空闲"),
    (r"\bof free after load\b", "× 加载后空闲"),
    (r"\bof total\b", "× 总量"),
    (r"\brounded up\b", "向上取整"),
    (r"\bcompiling the embedding\b", "编译嵌入层"),
    (r"\bbetween layers\b", "层间"),
    (r"\bbeside the tensors\b", "张量之外"),
    (r"\bby the checkpoint's\b", "（检查点为）"),
    (r"\bper tensor\b", "按张量计"),
    (r"\bblocks per request\b", "每请求块数"),
    (r"\bbytes per token\b", "每 token 字节数"),
    (r"\bmemory in use\b", "已占用"),
    (r"\bCUDA context\b", "CUDA 上下文"),
    (r"\bfull layers\b", "个全注意力层"),
    (r"\bgroups of\b", "组，每组"),
    (r"\bpages of\b", "每页"),
    (r"\btokens a block\b", "token/块"),
    (r"\bKV heads\b", "个 KV 头"),
    (r"\bnon-torch\b", "其他"),
    (r"\bactivation\b", "激活值"),
    (r"\bweights as\b", "个权重，类型"),
    (r"\bweights\b", "权重"),
    (r"\busable\b", "可用"),
    (r"\btotal\b", "总量"),
    (r"\breserved\b", "保留"),
    (r"\bexperts\b", "专家"),
    (r"\blayers\b", "层"),
    (r"\bsizes\b", "种批大小"),
    (r"\bslots\b", "个槽位"),
    (r"\btokens\b", "token"),
    (r"\brows\b", "行"),
    (r"\bvalues\b", "个值"),
    (r"\bblock\b", "块"),
    (r"\bcontext\b", "上下文"),
)
"""The words of formulas, longer ones first."""


def input_words(name: str) -> str:
    """Return an input's name in the language in force."""
    known = _INPUTS.get(name)
    return name.replace("_", " ") if known is None else translate("Plan", known)


def source_words(source: str) -> str:
    """Return where an input is from; empty for a number of the same list."""
    if source == _THIS:
        return ""
    known = _SOURCES.get(source)
    return source if known is None else translate("Plan", known)


def formula_words(formula: str) -> str:
    """Return a formula with its words in the language in force."""
    if is_english():
        return formula
    for english, chinese in _IN_CHINESE:
        formula = re.sub(english, chinese, formula)
    return formula
