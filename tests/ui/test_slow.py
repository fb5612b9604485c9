"""Alerts in the bottom bar, in their list, on a deployment and on the time axis; where time goes.

Alerts and figures are made up here; the window is the real one.
"""

from dataclasses import replace
from pathlib import Path

import pytest
from fakes.deploy_host import HOST
from PySide6.QtWidgets import QLabel, QPushButton

from app.core.errors import ErrorCode, ErrorInfo
from app.core.events import AlertChanged, DeploymentSnapshot, DeploymentState
from app.core.ids import HostId
from app.core.slow.alerts import Alert, AlertKey
from app.core.slow.breakdown import break_down
from app.core.slow.explain import Seen, explain, judge
from app.core.slow.readings import read_engine, window_of
from app.core.slow.spec import Use
from app.io.datafiles import data_root, load_causes, load_slow
from app.io.prometheus import read_prometheus
from app.ui.viewmodels.deployments_findings import panel_of
from app.ui.viewmodels.slow import SlowView, present_alert, present_report
from app.ui.widgets.slow_alerts import AlertList
from app.ui.widgets.slow_report import SlowReportView

RECORDED = Path(__file__).parents[1] / "recorded" / "slow"
RULES = load_slow(data_root())
CAUSES = load_causes(data_root())


def alert(rule: str = "watch-preempting", deployment: str = "chat", **changes) -> Alert:
    facts = {
        "preempting_s": 90.0,
        "preemptions": 12.0,
        "window_s": 180.0,
        "kv_percent_max": 99.0,
        "waiting_max": 4.0,
        "gpu": 0,
        "hot_s": 120.0,
        "throttle_reasons": "hw_thermal_slowdown",
        "gpu_temperature_c": 92,
        "clock_percent": 61.0,
    }
    judged = {j.finding.rule: j for j in judge(facts, RULES.of(Use.WATCH), CAUSES)}[rule]
    made = Alert(
        key=AlertKey(host_id=HostId(HOST), rule=rule, deployment=deployment),
        host_name="gpu-a",
        finding=judged.finding,
        severity=judged.severity,
        first_s=1_795_981_000.0,
        last_s=1_795_981_600.0,
    )
    return replace(made, **changes)


def serving() -> DeploymentSnapshot:
    return DeploymentSnapshot(
        revision=1,
        host_id=HostId(HOST),
        host_name="gpu-a",
        name="chat",
        state=DeploymentState.SERVING,
        engine="vllm",
    )


def report(engine: str = "vllm", name: str = "vllm-0.32.0-cpu", after: str = "after"):
    sources = [source for source in RULES.figures if source.engine == engine]
    readings = tuple(
        read_engine(at, read_prometheus((RECORDED / f"{name}-{what}.prom").read_text()), sources)
        for at, what in ((0.0, "before"), (20.0, after))
    )
    window = window_of(readings)
    assert window is not None
    assert break_down(window, RULES, engine).window_s == 20
    return explain(Seen(engine=engine, readings=readings), RULES, CAUSES)


def texts(widget) -> str:
    return "\n".join(part.text() for part in widget.findChildren(QLabel))


def button(widget, text: str) -> QPushButton:
    return next(b for b in widget.findChildren(QPushButton) if b.text() == text)


# Alerts


def test_deployment_that_serves_shows_its_alerts_as_findings():
    panel = panel_of(serving(), None, (alert(),))

    assert panel is not None
    assert panel.headline.word == "Trouble while serving: 1"
    assert panel.headline.status == "warn"
    assert panel.cards[0].cause == "kv_cache_pressure"
    assert panel.cards[0].evidence[0].text.startswith("preemptions +12 / 180 s")
    assert panel.command == "pitwall diagnose gpu-a/chat --slow"
    assert panel_of(serving(), None, ()) is None
    stopped = replace(serving(), state=DeploymentState.STOPPED)
    assert panel_of(stopped, None, (alert(),)) is None


def test_alert_that_is_over_says_from_when_to_when():
    over = present_alert(alert(is_active=False))
    twice = present_alert(alert(count=3))

    assert over.status == "unknown"
    assert over.when.startswith("over; ")
    assert twice.when.endswith("times: 3")


@pytest.mark.parametrize(
    ("language", "title"), [("en", "lowers its clocks"), ("zh_CN", "过热降频")]
)
def test_bar_counts_what_holds_and_opens_the_list(desk, wait, language, title):
    desk.use(language=language)
    bar = desk.window.view_model
    shown: list = []
    bar.alerts_changed.connect(shown.append)
    hot = alert("watch-hot", deployment="")
    with desk.app.watching._lock:
        for one in (hot, alert(), alert(rule="watch-hot", deployment="x", is_active=False)):
            desk.app.watching._book._alerts[one.key] = one
    desk.app.bus.publish(AlertChanged(alert=hot))
    wait(lambda: bool(shown))

    activity_bar = desk.window._activity
    assert activity_bar.alerts.isVisible()
    assert "2" in activity_bar.alerts.text()
    activity_bar.alerts.click()
    inside = desk.window.findChild(AlertList)
    assert title in texts(inside)
    assert "gpu-a/chat" in texts(inside)


def test_list_leads_to_the_deployment(qtbot, desk):
    views = (present_alert(alert()), present_alert(alert("watch-hot", deployment="")))
    shown = AlertList(desk.parts.icons, desk.parts.theme, views)
    qtbot.addWidget(shown)

    with qtbot.waitSignal(shown.deployment_wanted) as wanted:
        button(shown, "Show deployment").click()

    assert wanted.args == [HOST, "chat"]
    assert len([b for b in shown.findChildren(QPushButton) if b.text() == "Show deployment"]) == 1


def test_empty_list_says_so(qtbot, desk):
    shown = AlertList(desk.parts.icons, desk.parts.theme, ())
    qtbot.addWidget(shown)

    assert texts(shown) == "Nothing was noticed."


def test_alert_is_a_mark_on_the_time_axis(desk, wait):
    desk.window.open_page("live")
    live = desk.window.page("live").view_model

    desk.app.bus.publish(AlertChanged(alert=alert()))
    desk.app.bus.publish(AlertChanged(alert=alert("watch-hot", is_active=False)))

    wait(lambda: bool(live._book.of(HOST)))
    (mark,) = live._book.of(HOST)
    assert mark.word == "Alert"
    assert mark.text.startswith("gpu-a/chat: The KV cache")


# Where the time goes


def test_report_shows_shares_and_what_slows_it_down(qtbot, desk):
    view = present_report("gpu-a/chat", report())
    shown = SlowReportView(desk.parts.theme, desk.parts.icons)
    qtbot.addWidget(shown)

    shown.show_view(view)

    assert view.headline is not None
    assert view.headline.word == "Something slows it down"
    assert view.parts[0].bar.text == "33% · 535 ms"
    assert "TTFT 579.2 ms" in view.means
    assert "Requests wait before the engine begins: 33 % of their time" in texts(shown)
    with qtbot.waitSignal(shown.again_wanted):
        button(shown, "Look again").click()


def test_report_says_why_a_place_of_time_is_unknown(qtbot, desk):
    desk.use(language="zh_CN")
    view = present_report("gpu-a/l", report("llamacpp", "llama-server-b10434"), simulated=True)
    shown = SlowReportView(desk.parts.theme, desk.parts.icons)
    qtbot.addWidget(shown)

    shown.show_view(view)

    assert "llama.cpp 不统计请求数" in texts(shown)
    assert "模拟" in texts(shown)


def test_report_that_still_looks_or_failed_says_so(qtbot, desk):
    shown = SlowReportView(desk.parts.theme, desk.parts.icons)
    qtbot.addWidget(shown)
    shown.show_view(SlowView(ref="a/b", is_looking=True))
    assert "ten seconds" in texts(shown)
    error = ErrorInfo(code=ErrorCode.NOT_CONNECTED, cause="Not connected.", remedy="Connect.")

    shown.show_view(SlowView(ref="a/b", error=error))

    assert "ten seconds" not in texts(shown._inside)
