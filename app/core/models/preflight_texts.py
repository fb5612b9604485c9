"""What the pre-flight of a model says, in both languages."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from app.core.models.preflight import PreflightId
from app.core.texts import Text

NOTHING: Final = Text(en="", zh_CN="")


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The sentences of one look: what is looked at, why, what cures it, what came of it."""

    title: Text
    why: Text
    remedy: Text
    said: Mapping[str, Text]


_FETCH_AGAIN: Final = Text(
    en="Finish the copy or download, for example with “hf download NAME --local-dir FOLDER”; it "
    "fetches only what is missing.",
    zh_CN="把拷贝或下载做完，例如执行“hf download 模型名 --local-dir 目录”，它只会补齐缺少的文件。",
)

WORDS: Final[Mapping[PreflightId, Words]] = {
    PreflightId.CONFIG: Words(
        title=Text(en="Config", zh_CN="模型配置"),
        why=Text(
            en="Without a usable config.json no engine knows how to build the model.",
            zh_CN="没有可用的 config.json，任何引擎都不知道如何构建模型。",
        ),
        remedy=Text(
            en="Copy config.json from the same place as the weights.",
            zh_CN="从权重的来源处重新拷贝 config.json。",
        ),
        said={
            "pass": Text(en="It was read.", zh_CN="已读取。"),
            "missing": Text(en="There is no config.json.", zh_CN="没有 config.json。"),
            "broken": Text(en="It cannot be used: {detail}", zh_CN="无法使用：{detail}"),
        },
    ),
    PreflightId.SHARDS: Words(
        title=Text(en="Weight files", zh_CN="权重文件"),
        why=Text(
            en="The engine stops at the first file that is not there, after minutes of loading.",
            zh_CN="引擎往往加载几分钟后才因缺少文件而退出。",
        ),
        remedy=_FETCH_AGAIN,
        said={
            "pass": Text(en="All {count} are there.", zh_CN="{count} 个文件齐全。"),
            "missing": Text(en="{count} are missing.", zh_CN="缺少 {count} 个文件。"),
            "none": Text(en="The folder holds no weights.", zh_CN="目录中没有权重。"),
            "uncounted": Text(
                en="{count} are there; no index says whether that is all.",
                zh_CN="找到 {count} 个文件；没有索引文件，无法确认是否齐全。",
            ),
        },
    ),
    PreflightId.WHOLE_FILES: Words(
        title=Text(en="Whole files", zh_CN="文件完整性"),
        why=Text(
            en="A file that was cut off fails while loading (“HeaderTooLarge”, "
            "“MetadataIncompleteBuffer”) or, worse, is padded with zeros.",
            zh_CN="被截断的文件会在加载时报错（HeaderTooLarge、MetadataIncompleteBuffer），"
            "更糟的是可能被补零而不报错。",
        ),
        remedy=Text(
            en="Delete the named files and fetch them again.",
            zh_CN="删除列出的文件后重新获取。",
        ),
        said={
            "pass": Text(
                en="Each file is as long as its header says.", zh_CN="各文件长度与文件头一致。"
            ),
            "damaged": Text(en="{count} are damaged.", zh_CN="{count} 个文件已损坏。"),
            "unreadable": Text(
                en="{count} could not be read by this user.",
                zh_CN="当前用户无法读取 {count} 个文件。",
            ),
            "unread": Text(
                en="This format has no header to compare with.", zh_CN="此格式没有可比对的文件头。"
            ),
        },
    ),
    PreflightId.POINTERS: Words(
        title=Text(en="Git LFS pointers", zh_CN="Git LFS 指针"),
        why=Text(
            en="After a clone without Git LFS, files of a few lines lie where weights should be.",
            zh_CN="未安装 Git LFS 就克隆仓库时，权重文件只是几行文字的指针。",
        ),
        remedy=Text(
            en="Run “git lfs pull” in the folder, or download the files themselves.",
            zh_CN="在该目录执行“git lfs pull”，或直接下载这些文件。",
        ),
        said={
            "pass": Text(en="None.", zh_CN="没有。"),
            "found": Text(en="{count} files are pointers.", zh_CN="{count} 个文件只是指针。"),
        },
    ),
    PreflightId.DOWNLOAD: Words(
        title=Text(en="Download", zh_CN="下载状态"),
        why=Text(
            en="What a download left unfinished looks like a model, but is not whole.",
            zh_CN="未完成的下载看起来像模型，但并不完整。",
        ),
        remedy=_FETCH_AGAIN,
        said={
            "pass": Text(en="Nothing unfinished lies around.", zh_CN="没有未完成的文件。"),
            "links": Text(en="{count} links lead nowhere.", zh_CN="{count} 个链接指向空处。"),
            "unfinished": Text(
                en="{count} files are still being fetched, or were never finished.",
                zh_CN="{count} 个文件仍在下载，或从未下载完。",
            ),
            "unknown": Text(en="Not known: {detail}", zh_CN="未知：{detail}"),
            "leftover": Text(
                en="{count} unfinished files lie around, but the model's own are all there.",
                zh_CN="有 {count} 个未完成的残留文件，但模型文件齐全。",
            ),
        },
    ),
    PreflightId.TOKENIZER: Words(
        title=Text(en="Tokenizer", zh_CN="分词器"),
        why=Text(
            en="Without it the engine tries to fetch one, or stops.",
            zh_CN="缺少分词器时，引擎会尝试联网获取，或直接退出。",
        ),
        remedy=Text(
            en="Copy tokenizer.json (or tokenizer.model) and tokenizer_config.json from the "
            "model's source.",
            zh_CN="从模型来源处拷贝 tokenizer.json（或 tokenizer.model）和 tokenizer_config.json。",
        ),
        said={
            "pass": Text(en="It is there.", zh_CN="已就位。"),
            "missing": Text(en="There is none.", zh_CN="没有找到。"),
            "unknown": Text(en="The header was not read.", zh_CN="未能读取文件头。"),
        },
    ),
    PreflightId.CHAT_TEMPLATE: Words(
        title=Text(en="Chat template", zh_CN="对话模板"),
        why=Text(
            en="Without it /v1/chat/completions is refused, or a generic template spoils answers.",
            zh_CN="没有对话模板，/v1/chat/completions 会被拒绝，或因通用模板导致回答变差。",
        ),
        remedy=Text(
            en="A base model has none: use /v1/completions. Else give one, in vLLM with "
            "--chat-template FILE.",
            zh_CN="基座模型本来就没有：请使用 /v1/completions；否则请指定一个，"
            "vLLM 用 --chat-template 文件。",
        ),
        said={
            "pass": Text(en="It is there.", zh_CN="已就位。"),
            "missing": Text(en="There is none.", zh_CN="没有找到。"),
            "unknown": Text(en="The header was not read.", zh_CN="未能读取文件头。"),
            "encoder": Text(en="An encoder needs none.", zh_CN="编码器模型不需要。"),
        },
    ),
    PreflightId.GENERATION_CONFIG: Words(
        title=Text(en="Generation config", zh_CN="生成配置"),
        why=Text(
            en="It holds the authors' sampling values and end tokens; without it the engine takes "
            "its own, and answers may differ or not end.",
            zh_CN="其中有作者给出的采样参数和结束 token；缺少时引擎使用自己的默认值，"
            "回答可能不同，甚至停不下来。",
        ),
        remedy=Text(
            en="Copy generation_config.json from the model's source.",
            zh_CN="从模型来源处拷贝 generation_config.json。",
        ),
        said={
            "pass": Text(en="It is there.", zh_CN="已就位。"),
            "missing": Text(en="There is none.", zh_CN="没有找到。"),
            "gguf": Text(en="A GGUF file carries what it needs.", zh_CN="GGUF 文件自带所需信息。"),
        },
    ),
    PreflightId.CUSTOM_CODE: Words(
        title=Text(en="Own code", zh_CN="自带代码"),
        why=Text(
            en="The config names Python code of the model's authors. With --trust-remote-code it "
            "runs with the engine's rights: read it before you allow that.",
            zh_CN="配置中指定了模型作者的 Python 代码。加上 --trust-remote-code 后，它会以引擎的"
            "权限运行：允许之前请先审阅。",
        ),
        remedy=Text(
            en="Many engines know this architecture themselves: try without the flag first.",
            zh_CN="多数引擎本身就支持该架构：请先不加此参数试试。",
        ),
        said={
            "pass": Text(en="None is needed.", zh_CN="不需要。"),
            "needed": Text(en="The model brings its own code.", zh_CN="模型自带代码。"),
        },
    ),
    PreflightId.QUANTIZATION: Words(
        title=Text(en="Weight format", zh_CN="权重格式"),
        why=Text(
            en="A format that no engine loads cannot be served, whatever the hardware.",
            zh_CN="没有引擎能加载的格式，换什么硬件都无法提供服务。",
        ),
        remedy=Text(
            en="Take the model as AWQ, GPTQ, FP8, GGUF or unquantized.",
            zh_CN="请改用 AWQ、GPTQ、FP8、GGUF 或未量化的版本。",
        ),
        said={
            "pass": Text(en="Engines load it.", zh_CN="引擎可以加载。"),
            "unsupported": Text(en="No engine loads {detail}.", zh_CN="没有引擎能加载 {detail}。"),
        },
    ),
    PreflightId.FILE_SYSTEM: Words(
        title=Text(en="Where it lies", zh_CN="存放位置"),
        why=Text(
            en="Over a network each start reads all the weights again, and mapped reads are slow.",
            zh_CN="经网络存放时，每次启动都要重新读取全部权重，而且内存映射读取很慢。",
        ),
        remedy=Text(
            en="Copy the model to a local disk of the host, or let the engine read it in one go "
            "(SafeTensors “eager” loading).",
            zh_CN="把模型拷到主机本地磁盘，或让引擎顺序整读（safetensors eager 加载方式）。",
        ),
        said={
            "pass": Text(en="A local file system ({detail}).", zh_CN="本地文件系统（{detail}）。"),
            "network": Text(
                en="A network file system ({detail}).", zh_CN="网络文件系统（{detail}）。"
            ),
            "memory": Text(
                en="Main memory ({detail}): it counts against the host's RAM.",
                zh_CN="位于内存（{detail}）：会占用主机内存。",
            ),
            "unknown": Text(en="Not known: {detail}", zh_CN="未知：{detail}"),
        },
    ),
    PreflightId.LOAD_TIME: Words(
        title=Text(en="Load time", zh_CN="加载时间"),
        why=Text(
            en="Reading the weights is most of a cold start; waits and health checks must be "
            "longer.",
            zh_CN="冷启动的大部分时间花在读取权重上；等待时间和健康检查要留得更长。",
        ),
        remedy=Text(
            en="A faster disk, or keep the model in the page cache by not stopping the engine.",
            zh_CN="换更快的磁盘，或避免停止引擎，让模型留在页缓存中。",
        ),
        said={
            "measured": Text(
                en="{least} to {most} at {rate} as measured.",
                zh_CN="按实测 {rate} 计算，约 {least} 至 {most}。",
            ),
            "unknown": Text(en="Not known: {detail}", zh_CN="未知：{detail}"),
        },
    ),
}
