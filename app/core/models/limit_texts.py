"""What each limit of a memory estimate means, in both languages."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from app.core.models.memory import Limit
from app.core.texts import Text
from app.core.units import format_size

_TEXTS: Final[Mapping[Limit, Text]] = MappingProxyType(
    {
        Limit.TOO_FEW_GPUS: Text(
            en="Tensor or pipeline parallel size: more GPUs are asked for than there are"
            " ({detail}).",
            zh_CN="张量并行度或流水线并行度：要求的 GPU 多于现有数量（{detail}）。",
        ),
        Limit.HEADS_NOT_DIVISIBLE: Text(
            en="Tensor parallel size: the model cannot be divided over this many GPUs ({detail}).",
            zh_CN="张量并行度：模型无法在这么多 GPU 之间均分（{detail}）。",
        ),
        Limit.WEIGHTS_TOO_LARGE: Text(
            en="The weights alone need more than the engine may use.",
            zh_CN="仅权重就超出引擎可用的显存。",
        ),
        Limit.NO_ROOM_FOR_KV: Text(
            en="Beside the weights nothing is left for the KV cache.",
            zh_CN="放下权重后，没有空间留给 KV cache。",
        ),
        Limit.CONTEXT_TOO_LONG: Text(
            en="One request of this context does not fit into the KV cache ({detail} tokens).",
            zh_CN="一个该上下文长度的请求就放不进 KV cache（{detail} token）。",
        ),
        Limit.CONTEXT_ABOVE_MODEL: Text(
            en="The context is longer than the model was made for ({detail} tokens).",
            zh_CN="上下文超过模型支持的长度（{detail} token）。",
        ),
        Limit.CONTEXT_UNKNOWN: Text(
            en="The model does not say how long its context may be.",
            zh_CN="模型没有说明支持的上下文长度。",
        ),
        Limit.CONCURRENCY_QUEUES: Text(
            en="At full context fewer requests fit at once than wanted ({detail}); others wait.",
            zh_CN="满上下文时能同时容纳的请求少于期望（{detail}），其余请求会排队。",
        ),
        Limit.MEMORY_IN_USE: Text(
            en="{detail} of the memory are already used by something else.",
            zh_CN="已有 {detail} 显存被其他程序占用。",
        ),
        Limit.MEMORY_UNKNOWN: Text(
            en="The GPU's memory is not known, so nothing can be said about fitting.",
            zh_CN="GPU 显存大小未知，无法判断是否放得下。",
        ),
        Limit.GRAPHS_DO_NOT_FIT: Text(
            en="The CUDA graphs ({detail}) come on top and do not fit.",
            zh_CN="CUDA graph（{detail}）要额外占用显存，放不下。",
        ),
        Limit.GRAPHS_TIGHT: Text(
            en="The CUDA graphs ({detail}) come on top of the fraction; it is tight.",
            zh_CN="CUDA graph（{detail}）在比例之外额外占用显存，余量很紧。",
        ),
        Limit.RAM_TOO_SMALL: Text(
            en="Main memory is too small ({detail} are needed there).",
            zh_CN="内存不足（需要 {detail}）。",
        ),
        Limit.NO_GENERATION: Text(
            en="The model is an encoder: it generates no text and needs no KV cache.",
            zh_CN="该模型是编码器：不生成文本，也不需要 KV cache。",
        ),
        Limit.WITHIN_ERROR: Text(
            en="These figures may be off by {detail} per GPU: a start will tell.",
            zh_CN="这些数字每块 GPU 可能有 {detail} 的误差：启动后才能确定。",
        ),
        Limit.OUTSIDE_CALIBRATION: Text(
            en="Not measured for {detail}: the error band is wider.",
            zh_CN="没有针对{detail}的实测数据：误差范围更大。",
        ),
        Limit.ENGINE_NOT_MEASURED: Text(
            en="For this engine nothing was measured yet: a rule of thumb with a wide band.",
            zh_CN="该引擎尚无实测数据：仅为经验估算，误差范围较大。",
        ),
        Limit.VISION_NOT_COUNTED: Text(
            en="Memory for images is not counted.",
            zh_CN="未计入处理图像所需的显存。",
        ),
        Limit.PROMPT_CACHE_RAM: Text(
            en="The server may also keep prompts in main memory ({detail}).",
            zh_CN="服务还可能在内存中缓存提示（{detail}）。",
        ),
        Limit.ARCHITECTURE_UNKNOWN: Text(
            en="The architecture {detail} is not known: it is read by the usual names of its"
            " fields, so sizes may be off.",
            zh_CN="未知架构 {detail}：按常见字段名读取，各项大小可能有偏差。",
        ),
        Limit.QUANTIZATION_UNKNOWN: Text(
            en="The quantization “{detail}” is not known and names no bits: the weights are counted"
            " as if they were not quantized.",
            zh_CN="未知的量化方法“{detail}”，且没有写明位数：权重按未量化计算。",
        ),
    }
)
_UNMEASURED: Final[Mapping[str, Text]] = MappingProxyType(
    {
        "gpu": Text(en="this GPU", zh_CN="该 GPU "),
        "version": Text(en="this version", zh_CN="该版本"),
        "tensor_parallel": Text(en="this tensor parallelism", zh_CN="该张量并行度"),
        "pipeline_parallel": Text(en="pipeline parallelism", zh_CN="流水线并行"),
        "prefill_tokens": Text(en="this many prefill tokens", zh_CN="该 prefill token 数"),
        "quantization": Text(en="this quantization", zh_CN="该量化方式"),
        "experts": Text(en="this kind of experts", zh_CN="该类专家模型"),
        "latent_attention": Text(en="latent attention", zh_CN="MLA 注意力"),
        "sliding_window": Text(en="sliding windows", zh_CN="滑动窗口"),
        "architecture": Text(en="this architecture", zh_CN="该架构"),
        "recurrent": Text(en="recurrent layers", zh_CN="循环层"),
    }
)
"""What may lie outside the measured range, as part of a sentence."""

_SIZES: Final = {
    Limit.MEMORY_IN_USE,
    Limit.GRAPHS_DO_NOT_FIT,
    Limit.GRAPHS_TIGHT,
    Limit.RAM_TOO_SMALL,
    Limit.PROMPT_CACHE_RAM,
    Limit.WITHIN_ERROR,
}


def limit_text(limit: str) -> Text:
    """Return the sentence for ``code`` or ``code:detail``; an unknown code stays readable."""
    code, _, detail = limit.partition(":")
    try:
        known = Limit(code)
    except ValueError:
        return Text(en=limit, zh_CN=limit)
    if known is Limit.OUTSIDE_CALIBRATION and detail in _UNMEASURED:
        what = _UNMEASURED[detail]
        return Text(
            en=_TEXTS[known].filled({"detail": what.en}).en,
            zh_CN=_TEXTS[known].filled({"detail": what.zh_CN}).zh_CN,
        )
    if known in _SIZES and detail.isdigit():
        detail = format_size(int(detail))
    return _TEXTS[known].filled({"detail": detail.replace("_", " ")})
