"""Why a speed is not known, what widens its band, and which limit is out of reach."""

from typing import Final

from app.core.texts import Text

UNKNOWN: Final = {
    "cpu": Text(
        en="It computes on the CPU, whose memory bandwidth is not known: no speed is stated.",
        zh_CN="在 CPU 上计算，其内存带宽未知，因此不给出速度。",
    ),
    "gpu": Text(
        en="“{gpu}” is not in the GPU catalogue, so its bandwidth is not known.",
        zh_CN="GPU 目录中没有“{gpu}”，其带宽未知。",
    ),
    "slice": Text(
        en="“{gpu}” is a part of a GPU; what share of the bandwidth it has is not known.",
        zh_CN="“{gpu}”只是 GPU 的一部分，其带宽份额未知。",
    ),
    "figures": Text(
        en="The catalogue does not know memory bandwidth or tensor throughput of {gpu}.",
        zh_CN="目录中没有 {gpu} 的显存带宽或张量算力数据。",
    ),
    "link": Text(
        en="How fast {gpu} reaches its neighbours is not known.",
        zh_CN="{gpu} 与相邻 GPU 之间的链路速度未知。",
    ),
    "engine": Text(
        en="No run of {engine} was measured, so what share of the GPU it reaches is not known.",
        zh_CN="尚未测量过 {engine}，它能达到 GPU 性能的多少未知。",
    ),
    "main_memory": Text(
        en="Part of the model stays in main memory, whose bandwidth is not known.",
        zh_CN="模型有一部分留在主存中，其带宽未知。",
    ),
    "memory": Text(
        en="The memory picture is not known, so neither is what each step reads.",
        zh_CN="显存占用未知，因此每一步读取的数据量也未知。",
    ),
    "encoder": Text(
        en="The model generates no text.",
        zh_CN="该模型不生成文本。",
    ),
}
NOTES: Final = {
    "estimated": Text(
        en="roofline estimate, not measured here",
        zh_CN="屋顶线模型估算，未在此实测",
    ),
    "measured": Text(
        en="measured here, {samples} runs: {source}",
        zh_CN="在此实测，{samples} 次运行：{source}",
    ),
    "one_stream": Text(
        en="measured here at {at}, one request at a time (prompt of {prompt}, answer of {answer} "
        "tokens): first token {ttft}, {itl} between tokens",
        zh_CN="于 {at} 在此实测，单个请求（提示 {prompt}、回答 {answer} token）：首个 token "
        "{ttft}，token 间隔 {itl}",
    ),
    "gpu": Text(
        en="Constants were measured on another GPU ({measured}): the band is wider.",
        zh_CN="常数在另一种 GPU（{measured}）上测得，误差带放宽。",
    ),
    "version": Text(
        en="Constants were measured on other versions ({measured}): the band is wider.",
        zh_CN="常数在其他版本（{measured}）上测得，误差带放宽。",
    ),
    "parallel": Text(
        en="More GPUs than were measured ({measured}): the band is wider.",
        zh_CN="GPU 数量多于实测（{measured}），误差带放宽。",
    ),
    "stages": Text(
        en="Pipeline stages were not measured: the band is wider.",
        zh_CN="流水线并行未实测，误差带放宽。",
    ),
    "concurrency": Text(
        en="More requests at once than were measured well ({measured}): bursts with short answers "
        "came out up to {factor} times slower.",
        zh_CN="并发请求数超过可靠实测范围（{measured}）：短回答的突发负载曾慢至 1/{factor}。",
    ),
}
LIMITS: Final = {
    "ttft_out_of_reach": Text(
        en="A first token within {limit} is out of reach: {best} at best for a prompt of {prompt} "
        "tokens with {count} at once. Take a shorter prompt, fewer requests, a smaller model or "
        "more GPUs.",
        zh_CN="首个 token 无法在 {limit} 内返回：{count} 个请求同时到达、提示 {prompt} token 时"
        "最快也要 {best}。可缩短提示、减少并发、换更小的模型或增加 GPU。",
    ),
    "ttft_doubtful": Text(
        en="A first token within {limit} is doubtful: {expected} is expected for a prompt of "
        "{prompt} tokens with {count} at once, {best} at best.",
        zh_CN="首个 token 在 {limit} 内返回存在疑问：{count} 个请求同时到达、提示 {prompt} 个 "
        "token 时预计 {expected}，最快 {best}。",
    ),
    "itl_out_of_reach": Text(
        en="A gap of {limit} between tokens is out of reach: {best} at best with {count} at once. "
        "Take a smaller or quantized model, or more GPUs.",
        zh_CN="token 间隔无法达到 {limit}：{count} 个请求同时进行时最快也要 {best}。"
        "可换更小或量化的模型，或增加 GPU。",
    ),
    "itl_doubtful": Text(
        en="A gap of {limit} between tokens is doubtful: {expected} is expected with {count} at "
        "once, {best} at best.",
        zh_CN="token 间隔达到 {limit} 存在疑问：{count} 个请求同时进行时预计 {expected}，"
        "最快 {best}。",
    ),
}
