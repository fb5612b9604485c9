"""The sentences that every comparison uses, in both languages."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from app.core.diff.spec import Area, Weight
from app.core.hardware.fingerprint import UnknownReason
from app.core.texts import Text

WEIGHTS: Final[Mapping[Weight, Text]] = MappingProxyType(
    {
        Weight.BEHAVIOUR: Text(en="Changes behaviour", zh_CN="改变行为"),
        Weight.PERFORMANCE: Text(en="Changes speed", zh_CN="影响速度"),
        Weight.COSMETIC: Text(en="Does not matter", zh_CN="没有影响"),
        Weight.UNKNOWN: Text(en="Not known on one side", zh_CN="有一方未知"),
    }
)

AREAS: Final[Mapping[Area, Text]] = MappingProxyType(
    {
        Area.DRIVER: Text(en="Driver and CUDA", zh_CN="驱动与 CUDA"),
        Area.GPUS: Text(en="GPUs", zh_CN="GPU"),
        Area.LINKS: Text(en="Links", zh_CN="互连"),
        Area.MACHINE: Text(en="Machine", zh_CN="主机"),
        Area.CONTAINERS: Text(en="Container engine", zh_CN="容器引擎"),
        Area.MODEL: Text(en="Model files", zh_CN="模型文件"),
        Area.IMAGE: Text(en="Image", zh_CN="镜像"),
        Area.ARGUMENTS: Text(en="Arguments", zh_CN="启动参数"),
        Area.ENVIRONMENT: Text(en="Environment", zh_CN="环境变量"),
        Area.GENERATION: Text(en="Generation defaults", zh_CN="生成默认值"),
        Area.SAID: Text(en="What the engine said", zh_CN="引擎自述"),
    }
)

REASONS: Final[Mapping[UnknownReason, Text]] = MappingProxyType(
    {
        UnknownReason.TOOL_MISSING: Text(
            en="the tool is not installed there", zh_CN="未安装相应工具"
        ),
        UnknownReason.TOOL_FAILED: Text(en="the tool failed", zh_CN="工具执行失败"),
        UnknownReason.TOOL_TIMEOUT: Text(
            en="the tool did not answer in time", zh_CN="工具未及时响应"
        ),
        UnknownReason.NOT_REPORTED: Text(en="the tool left it out", zh_CN="工具没有报告该值"),
        UnknownReason.NOT_SUPPORTED: Text(en="the device does not have it", zh_CN="设备不支持"),
        UnknownReason.NEEDS_ROOT: Text(en="reading it needs root", zh_CN="读取需要 root 权限"),
        UnknownReason.UNREADABLE: Text(
            en="the output could not be understood", zh_CN="输出无法解析"
        ),
        UnknownReason.NOT_ASKED: Text(en="it was not asked for", zh_CN="当时没有采集"),
        UnknownReason.REDACTED: Text(en="the sender hid it", zh_CN="发送方已隐去"),
    }
)

_NO_REASON: Final = Text(en="it was not read", zh_CN="没有读到")

_IF_IT_DIFFERS: Final[Mapping[Weight, Text]] = MappingProxyType(
    {
        Weight.BEHAVIOUR: Text(
            en="If it differs, that can change behaviour.", zh_CN="如果确有不同，可能改变行为。"
        ),
        Weight.PERFORMANCE: Text(
            en="If it differs, that can change speed.", zh_CN="如果确有不同，可能影响速度。"
        ),
    }
)


def not_known(side: str, reason: UnknownReason | Text | None, weight: Weight) -> Text:
    """Say that one side's value is not known, why, and what a difference would do."""
    why = reason if isinstance(reason, Text) else _NO_REASON
    if isinstance(reason, UnknownReason):
        why = REASONS[reason]
    then = _IF_IT_DIFFERS.get(weight, Text(en="", zh_CN=""))
    return Text(
        en=f"Not known on {side}: {why.en}. {then.en}".strip(),
        zh_CN=f"{side} 上未知：{why.zh_CN}。{then.zh_CN}",
    )
