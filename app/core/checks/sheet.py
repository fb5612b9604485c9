"""The preparation sheet: what a host's administrator should change, as Markdown.

It is made out of what failed, what deserves a look and what only root could read. Pitwall never
runs any of it.
"""

from collections.abc import Iterable, Mapping
from typing import Final, Literal

from app.core.checks.spec import CheckReport, CheckResult, CheckState
from app.core.hardware.fingerprint import Fingerprint
from app.core.texts import Text, said

Language = Literal["en", "zh_CN"]

_WORDS: Final[Mapping[str, Text]] = {
    "title": Text(en="Preparing {host} for LLM serving", zh_CN="{host} 的大模型推理准备清单"),
    "made": Text(
        en="Facts of {taken_at}. Driver {driver}; GPUs: {gpus}. "
        "Must change: {fail}; should change: {warn}; to be read with root: {root}.",
        zh_CN="信息读取时间：{taken_at}。驱动 {driver}；GPU：{gpus}。"
        "必须处理 {fail} 项，建议处理 {warn} 项，需 root 读取 {root} 项。",
    ),
    "note": Text(
        en="For the administrator of this host. Pitwall changed nothing and runs none of these "
        "commands. Read them before you run them: some end running work or need a reboot. "
        "Words in capitals (N, USER, BRIDGE, IMAGE) stand for your own values.",
        zh_CN="供该主机的管理员使用。Pitwall 没有做任何修改，也不会执行下列命令。执行前请先阅读："
        "部分命令会中断正在运行的任务或需要重启。大写单词（N、USER、BRIDGE、IMAGE）请替换为实际值。",
    ),
    "simulated": Text(
        en="**Simulated: these facts are not those of a machine of yours.**",
        zh_CN="**模拟数据：以下信息并非来自您的机器。**",
    ),
    "nothing": Text(
        en="Nothing has to be changed: no check failed or warned.",
        zh_CN="无需处理：没有失败或警告的检查项。",
    ),
    "fail": Text(en="Must be changed", zh_CN="必须处理"),
    "warn": Text(en="Should be changed", zh_CN="建议处理"),
    "root": Text(
        en="To be read with root", zh_CN="需要 root 权限读取"
    ),
    "root_note": Text(
        en="This account may not read these. Please run the commands as root and send the output.",
        zh_CN="当前账户无权读取以下内容。请以 root 执行这些命令并提供输出。",
    ),
    "found": Text(en="Found", zh_CN="现状"),
    "why": Text(en="Why", zh_CN="原因"),
    "do": Text(en="What to do", zh_CN="处理方法"),
    "verify": Text(en="How to see that it is done", zh_CN="如何确认"),
}  # fmt: skip


def preparation_sheet(report: CheckReport, fingerprint: Fingerprint, language: Language) -> str:
    """Return the sheet in one language."""
    failed = [r for r in report.results if r.state is CheckState.FAIL]
    warned = [r for r in report.results if r.state is CheckState.WARN]
    closed = [r for r in report.results if r.state is CheckState.UNKNOWN and r.needs_root]
    host = fingerprint.host_name or fingerprint.machine.hostname or "host"
    say = _Words(language)
    lines = [f"# {say('title', host=host)}", ""]
    lines += [say("simulated"), ""] if fingerprint.simulated else []
    lines += [
        say(
            "made",
            taken_at=report.taken_at,
            driver=fingerprint.driver_version or "–",
            gpus=_gpu_words(fingerprint),
            fail=len(failed),
            warn=len(warned),
            root=len(closed),
        ),
        "",
        say("note"),
        "",
    ]
    if not (failed or warned or closed):
        lines += [say("nothing"), ""]
    for title, results in (("fail", failed), ("warn", warned)):
        lines += _part(say, title, results)
    if closed:
        lines += [f"## {say('root')}", "", say("root_note"), ""]
        for result in closed:
            lines += [f"### {say.of(result.title)}", ""]
            lines += [f"{say('why')}: {say.of(result.why)}", "", *_block(result.verify)]
    return "\n".join(lines).rstrip() + "\n"


class _Words:
    """Texts in the sheet's language."""

    def __init__(self, language: Language) -> None:
        self._language = language

    def __call__(self, name: str, **values: object) -> str:
        return self.of(_WORDS[name].filled(values))

    def of(self, text: Text) -> str:
        return said(text, self._language)


def _part(say: _Words, title: str, results: Iterable[CheckResult]) -> list[str]:
    listed = list(results)
    if not listed:
        return []
    lines = [f"## {say(title)}", ""]
    for number, result in enumerate(listed, start=1):
        lines += [f"### {number}. {say.of(result.title)}", ""]
        lines += [f"- **{say('found')}**: {say.of(result.said)}"]
        lines += [f"  - `{_plain(text)}`" for text in result.evidence[:4]]
        lines += [f"- **{say('why')}**: {say.of(result.why)}", "", f"**{say('do')}**", ""]
        for step in result.remedy:
            lines += [say.of(step.text), ""]
            lines += _block((step.command,)) if step.command else []
        if result.verify:
            lines += [f"**{say('verify')}**", "", *_block(result.verify)]
    return lines


def _block(commands: tuple[str, ...]) -> list[str]:
    return ["```sh", *commands, "```", ""]


def _plain(text: str) -> str:
    return text.replace("`", "'").replace("\n", " ")


def _gpu_words(fingerprint: Fingerprint) -> str:
    names: dict[str, int] = {}
    for gpu in fingerprint.gpus:
        names[gpu.name or "?"] = names.get(gpu.name or "?", 0) + 1
    return ", ".join(f"{count} × {name}" for name, count in names.items()) or "–"
