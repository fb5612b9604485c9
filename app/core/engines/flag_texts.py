"""What is wrong with a flag, in both languages."""

import re
from typing import Final

from app.core.engines.flags import FlagFinding, FlagProblem
from app.core.texts import Text

_CHINESE: Final = {
    FlagProblem.UNKNOWN: "没有 {flag} 这个参数。",
    FlagProblem.FOREIGN: "{flag} 是 {engine} 的参数。",
    FlagProblem.REMOVED: "{flag} 到 {version} 为止有效，之后已移除。",
    FlagProblem.NOT_YET: "{flag} 从 {version} 起才有。",
    FlagProblem.WRONG_VALUE: "{flag} 不接受“{value}”，应为{allowed}。",
    FlagProblem.NEEDS_VALUE: "{flag} 需要取值：{allowed}。",
    FlagProblem.TAKES_NO_VALUE: "{flag} 不带取值，却给出了“{value}”。",
    FlagProblem.CONFLICT: "{flag} 不能与 {suggestion} 同时使用。",
    FlagProblem.SECRET: "{flag} 会把密钥暴露在进程列表中。",
}
_HINTS: Final = {FlagProblem.UNKNOWN: "是否想写 {suggestion}？", FlagProblem.CONFLICT: ""}
_USE: Final = "请改用 {suggestion}。"

_ALLOWED: Final = (
    (r"a whole number", "整数"),
    (r"a number such as", "数字，例如"),
    (r"a number", "数字"),
    (r"a path", "路径"),
    (r"a word", "一个词"),
    (r"a value", "一个值"),
    (r"JSON", " JSON"),
    (r"(?<=\d) or (?=\d)", " 或 "),
    (r" or one of ", "，或下列之一："),
    (r"^one of ", "下列之一："),
    (r" from (\S+)", r"，不小于 \1"),
    (r" to (\S+)", r"，不大于 \1"),
)
"""The words of `describe_value`, longer ones first."""


def finding_text(finding: FlagFinding) -> Text:
    """Return one problem of one flag as a sentence."""
    hint = _HINTS.get(finding.problem, _USE) if finding.suggestion else ""
    return Text(
        en=finding.sentence,
        zh_CN=(_CHINESE[finding.problem] + hint).format(
            flag=finding.flag,
            value=finding.value,
            version=finding.version,
            suggestion=finding.suggestion,
            allowed=_in_chinese(finding.allowed),
            engine=finding.engine.replace(", ", "、"),
        ),
    )


def _in_chinese(allowed: str) -> str:
    for english, chinese in _ALLOWED:
        allowed = re.sub(english, chinese, allowed)
    return allowed
