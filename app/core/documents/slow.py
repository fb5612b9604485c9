"""Where the time goes and what was noticed while watching, as programs and people read it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from app.core.documents.findings import FindingEntry, finding_entry, finding_text
from app.core.slow.alerts import Alert
from app.core.slow.breakdown import Breakdown, Part, Place
from app.core.slow.explain import SlowReport, SlowVerdict
from app.core.texts import Text, said


@dataclass(frozen=True, slots=True, kw_only=True)
class PartEntry:
    """One place's part of the time; ``reason`` says why it is unknown."""

    place: str
    seconds: float | None
    share: float | None
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertEntry:
    """Trouble that was noticed while watching."""

    subject: str
    deployment: str | None
    severity: str
    rule: str
    first_seen: str
    last_seen: str
    count: int
    is_active: bool
    simulated: bool
    finding: FindingEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowEntry:
    """Where the time of requests goes, in a window."""

    verdict: str
    verdict_text: str
    window_s: float | None
    requests: float | None
    e2e_s: float | None
    ttft_s: float | None
    itl_s: float | None
    parts: tuple[PartEntry, ...]
    findings: tuple[FindingEntry, ...]
    figures: Mapping[str, float | str | bool]
    """Every figure that was known, by name; the unit is in the name."""
    alerts: tuple[AlertEntry, ...]


SLOW_VERDICT: Final = {
    SlowVerdict.SLOW: Text(en="Something slows it down.", zh_CN="发现拖慢速度的因素。"),
    SlowVerdict.NOTHING_SLOW: Text(
        en="Nothing is out of the ordinary: these are the figures.",
        zh_CN="没有异常：以下是各项数据。",
    ),
    SlowVerdict.IDLE: Text(
        en="Nobody asked anything in the window, so the figures say nothing of speed.",
        zh_CN="观察窗口内没有请求，数据不足以判断快慢。",
    ),
    SlowVerdict.NOT_KNOWN: Text(
        en="Not known: the engine's figures could not be read.",
        zh_CN="未知：读不到引擎的数据。",
    ),
}
PLACES: Final = {
    Place.QUEUE: Text(en="Queue", zh_CN="排队"),
    Place.PREFILL: Text(en="Prefill (prompt)", zh_CN="Prefill（处理提示词）"),
    Place.DECODE: Text(en="Decode (answer)", zh_CN="Decode（生成回答）"),
    Place.SERVER: Text(en="Around the engine", zh_CN="引擎之外的服务开销"),
}
_HEAD: Final = Text(
    en="Where the time goes ({window:.0f} s, requests that ended: {requests})",
    zh_CN="时间花在哪里（{window:.0f} 秒，结束的请求：{requests}）",
)
_MEAN: Final = Text(en="mean per request", zh_CN="每个请求平均")
_ALERTS: Final = Text(en="Noticed while watching", zh_CN="监视期间注意到")
_COUNT: Final = Text(
    en="since {first}, last {last}, times: {count}",
    zh_CN="自 {first} 起，最近 {last}，次数：{count}",
)
_SHOWN: Final = (
    ("waiting", "waiting {:.1f}"),
    ("running", "running {:.1f}"),
    ("kv_percent", "KV {:.0f} %"),
    ("preemptions", "preemptions +{:.0f}"),
    ("cache_hit_percent", "prefix cache hits {:.0f} %"),
    ("output_tokens", "output tokens +{:.0f}"),
    ("gpu_util_percent", "GPU {:.0f} %"),
    ("clock_percent", "SM clock {:.0f} % of max"),
    ("server_cores", "server CPU {:.2f} cores"),
    ("load_per_thread", "host load {:.2f}/thread"),
    ("client_ttft_ms", "TTFT client {:.0f} ms"),
    ("server_ttft_ms", "server {:.0f} ms"),
    ("connect_ms", "connect {:.0f} ms"),
)


def slow_entry(report: SlowReport, alerts: Iterable[Alert], language: str = "en") -> SlowEntry:
    """Return what is printed of a look."""
    breakdown = report.breakdown
    return SlowEntry(
        verdict=report.verdict.value,
        verdict_text=said(SLOW_VERDICT[report.verdict], language),
        window_s=breakdown.window_s if breakdown else None,
        requests=breakdown.requests if breakdown else None,
        e2e_s=breakdown.e2e_s if breakdown else None,
        ttft_s=breakdown.ttft_s if breakdown else None,
        itl_s=breakdown.itl_s if breakdown else None,
        parts=tuple(_part_entry(part, language) for part in breakdown.parts) if breakdown else (),
        findings=tuple(finding_entry(finding, language) for finding in report.findings),
        figures={name: value for name, value in report.facts.items() if value is not None},
        alerts=tuple(alert_entry(alert, language) for alert in alerts),
    )


def _part_entry(part: Part, language: str) -> PartEntry:
    return PartEntry(
        place=part.place.value,
        seconds=part.seconds,
        share=part.share,
        reason=None if part.reason is None else said(part.reason, language),
    )


def alert_entry(alert: Alert, language: str = "en") -> AlertEntry:
    """Return what is printed of an alert."""
    return AlertEntry(
        subject=alert.subject,
        deployment=alert.key.deployment or None,
        severity=alert.severity.value,
        rule=alert.key.rule,
        first_seen=_utc(alert.first_s),
        last_seen=_utc(alert.last_s),
        count=alert.count,
        is_active=alert.is_active,
        simulated=alert.simulated,
        finding=finding_entry(alert.finding, language),
    )


def slow_text(report: SlowReport, alerts: Iterable[Alert], language: str = "en") -> str:
    """Return a look as text for people."""
    parts = [said(SLOW_VERDICT[report.verdict], language)]
    if report.breakdown is not None:
        parts.append("\n".join(breakdown_lines(report.breakdown, language)))
    figures = figures_line(report)
    if figures:
        parts.append(f"  {figures}")
    parts += [finding_text(finding, language) for finding in report.findings]
    listed = tuple(alerts)
    if listed:
        parts.append(f"{said(_ALERTS, language)}:")
        parts += [alert_text(alert, language) for alert in listed]
    return "\n\n".join(parts)


def breakdown_lines(breakdown: Breakdown, language: str = "en") -> list[str]:
    """Return a breakdown as lines: place, share, seconds, or why it is unknown."""
    requests = "?" if breakdown.requests is None else f"{breakdown.requests:.0f}"
    head = _HEAD.filled({"window": breakdown.window_s, "requests": requests})
    lines = [said(head, language)]
    names = {place: said(text, language) for place, text in PLACES.items()}
    lines += [f"  {names[part.place]}: {_told(part, language)}" for part in breakdown.parts]
    sums = (("E2E", breakdown.e2e_s), ("TTFT", breakdown.ttft_s), ("ITL", breakdown.itl_s))
    told = " · ".join(f"{name} {seconds * 1e3:.1f} ms" for name, seconds in sums if seconds)
    if told:
        lines.append(f"  {said(_MEAN, language)}: {told}")
    return lines


def _told(part: Part, language: str) -> str:
    if part.seconds is None:
        return "–  " + (said(part.reason, language) if part.reason else "")
    share = "" if part.share is None else f"{part.share:.0%} · "
    return f"{share}{part.seconds * 1e3:.0f} ms"


def figures_line(report: SlowReport) -> str:
    """Return the other figures in signs that both languages read."""
    shown = []
    for name, form in _SHOWN:
        value = report.facts.get(name)
        if isinstance(value, int | float):
            shown.append(form.format(value))
    return " · ".join(shown)


def alert_text(alert: Alert, language: str = "en") -> str:
    """Return one alert as text."""
    when = _COUNT.filled(
        {"first": _utc(alert.first_s), "last": _utc(alert.last_s), "count": alert.count}
    )
    head = f"{alert.subject}: {said(when, language)}"
    return f"{head}\n{finding_text(alert.finding, language, sources=False)}"


def _utc(at_s: float) -> str:
    return datetime.fromtimestamp(at_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
