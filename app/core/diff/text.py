"""A comparison as text that can be handed to a customer, in either language."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from app.core.diff.difference import Comparison, Difference, Side
from app.core.diff.spec import Weight
from app.core.diff.words import AREAS, WEIGHTS
from app.core.texts import Text, said

CHINESE: Final = "zh_CN"

_TOLD: Final = (Weight.BEHAVIOUR, Weight.PERFORMANCE, Weight.UNKNOWN)
"""Weights told line by line; what does not matter is only named."""

_VALUES: Final[Mapping[str, str]] = {
    "yes": "是",
    "no": "否",
    "on": "开",
    "off": "关",
    "none": "无",
    "not supported": "不支持",
    "open": "开源",
    "proprietary": "专有",
}

_TITLE: Final = Text(en="{a} compared with {b}", zh_CN="{a} 与 {b} 的对比")
_TAKEN: Final = Text(en="{name}, read {at} UTC", zh_CN="{name}，采集于 {at} UTC")
_SIMULATED: Final = Text(en=" (simulated)", zh_CN="（模拟）")
_DIFFERS: Final = Text(
    en="They do not behave the same. Differences that change what runs, what fits or what is "
    "answered: {count}.",
    zh_CN="两者行为不同。改变能运行什么、能放下什么或如何回答的差异：{count} 处。",
)
_SAME_BUT_SPEED: Final = Text(
    en="Nothing was found that changes behaviour. Differences that change speed: {count}.",
    zh_CN="没有发现会改变行为的差异。影响速度的差异：{count} 处。",
)
_SAME: Final = Text(
    en="Nothing was found that changes behaviour or speed.",
    zh_CN="没有发现会改变行为或速度的差异。",
)
_OPEN: Final = Text(
    en=" Values that could change behaviour but are not known on one side: {count}.",
    zh_CN="可能改变行为但有一方未知的值：{count} 个。",
)
_NOT_MATTER: Final = Text(en="Does not matter: {names}.", zh_CN="没有影响的差异：{names}。")
_NOT_COMPARED: Final = Text(en="Could not be compared: {names}.", zh_CN="无法比较：{names}。")
_NOT_KNOWN: Final = Text(en="not known", zh_CN="未知")
_SOURCE: Final = Text(en="Source: {source}", zh_CN="依据：{source}")


def value_text(value: str | None, language: str) -> str:
    """Return a value as shown; what the tools print stays as it is."""
    if value is None:
        return said(_NOT_KNOWN, language)
    return _VALUES.get(value, value) if language == CHINESE else value


def headline(comparison: Comparison, language: str) -> str:
    """Answer in one or two sentences whether the two behave the same."""
    behaviour = len(comparison.weighing(Weight.BEHAVIOUR))
    speed = len(comparison.weighing(Weight.PERFORMANCE))
    unknown = comparison.weighing(Weight.UNKNOWN)
    uncertain = sum(d.would_weigh is Weight.BEHAVIOUR for d in unknown)
    if behaviour:
        text = _DIFFERS.filled({"count": behaviour})
    else:
        text = _SAME_BUT_SPEED.filled({"count": speed}) if speed else _SAME
    more = said(_OPEN.filled({"count": uncertain}), language) if uncertain else ""
    return said(text, language) + more


def comparison_text(
    comparison: Comparison,
    language: str = "en",
    *,
    only_behaviour: bool = False,
    with_sources: bool = True,
) -> str:
    """Write everything, the heaviest differences first."""
    lines = [
        said(_TITLE.filled({"a": comparison.a.name, "b": comparison.b.name}), language),
        *(_side_text(side, language) for side in (comparison.a, comparison.b)),
        "",
        headline(comparison, language),
    ]
    weights = (Weight.BEHAVIOUR,) if only_behaviour else _TOLD
    for weight in weights:
        lines += _group(comparison.weighing(weight), weight, language, with_sources=with_sources)
    if not only_behaviour:
        lines += _names(comparison, language)
    return "\n".join(lines)


def _side_text(side: Side, language: str) -> str:
    at = side.taken_at.replace("T", " ").removesuffix("Z")
    text = said(_TAKEN.filled({"name": side.name, "at": at}), language)
    return text + said(_SIMULATED, language) if side.simulated else text


def _group(
    differences: Iterable[Difference], weight: Weight, language: str, *, with_sources: bool
) -> Iterator[str]:
    found = tuple(differences)
    if not found:
        return
    yield ""
    yield f"{said(WEIGHTS[weight], language)} ({len(found)})"
    area = None
    for difference, says_why in with_reasons(found):
        if difference.area is not area:
            area = difference.area
            yield f"  {said(AREAS[area], language)}"
        yield f"    {_line(difference, language)}"
        if says_why:
            yield f"      {said(difference.meaning, language)}"
        if says_why and with_sources:
            yield f"      {said(_SOURCE.filled({'source': difference.source}), language)}"


def with_reasons(differences: Iterable[Difference]) -> Iterator[tuple[Difference, bool]]:
    """Yield each difference, and whether its meaning is told: once for a run of equal ones."""
    found = tuple(differences)
    for number, difference in enumerate(found):
        following = found[number + 1] if number + 1 < len(found) else None
        goes_on = following is not None and (
            (following.meaning, following.area) == (difference.meaning, difference.area)
        )
        yield difference, not goes_on


def _line(difference: Difference, language: str) -> str:
    a, b = (value_text(value, language) for value in (difference.a, difference.b))
    scope = f" [{difference.scope}]" if difference.scope else ""
    return f"{said(difference.label, language)}{scope}: {a} | {b}"


def _names(comparison: Comparison, language: str) -> Iterator[str]:
    between = "、" if language == CHINESE else ", "
    cosmetic = comparison.weighing(Weight.COSMETIC)
    if cosmetic:
        names = dict.fromkeys(said(d.label, language) for d in cosmetic)
        yield ""
        yield said(_NOT_MATTER.filled({"names": between.join(names)}), language)
    if comparison.not_compared:
        names = dict.fromkeys(said(text, language) for text in comparison.not_compared)
        yield ""
        yield said(_NOT_COMPARED.filled({"names": between.join(names)}), language)
