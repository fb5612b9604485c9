"""How a look and alerts are printed: documents and texts in both languages.

Figures are our recordings of vLLM and llama-server on a CPU; the alert is made up.
"""

import json
from pathlib import Path

import pytest

from app.core.diagnosis.finding import Diagnosis, Verdict
from app.core.documents.diagnose import diagnose_document
from app.core.documents.encode import to_json
from app.core.documents.slow import slow_entry, slow_text
from app.core.ids import HostId
from app.core.slow.alerts import Alert, AlertKey
from app.core.slow.explain import Seen, SlowReport, explain, sign_finding
from app.core.slow.readings import read_engine
from app.io.datafiles import data_root, load_causes, load_slow
from app.io.prometheus import read_prometheus

RECORDED = Path(__file__).parents[3] / "recorded" / "slow"
RULES, CAUSES = load_slow(data_root()), load_causes(data_root())


def looked(engine: str, name: str) -> SlowReport:
    sources = [source for source in RULES.figures if source.engine == engine]
    readings = tuple(
        read_engine(at, read_prometheus((RECORDED / f"{name}-{what}.prom").read_text()), sources)
        for at, what in ((0.0, "before"), (20.0, "after"))
    )
    return explain(Seen(engine=engine, readings=readings), RULES, CAUSES)


@pytest.fixture
def alert() -> Alert:
    judged = sign_finding(RULES.signs[0], "Failed to initialize NVML: Unknown Error", {}, CAUSES)
    assert judged is not None
    return Alert(
        key=AlertKey(host_id=HostId("h"), rule=judged.finding.rule, deployment="chat"),
        host_name="gpu-a",
        finding=judged.finding,
        severity=judged.severity,
        first_s=1_795_981_000.0,
        last_s=1_795_981_060.0,
        count=2,
    )


def test_document_holds_shares_figures_findings_and_alerts(alert):
    entry = slow_entry(looked("vllm", "vllm-0.32.0-cpu"), (alert,))
    document = diagnose_document(Diagnosis(primary=None, verdict=Verdict.HEALTHY), "en", slow=entry)

    printed = json.loads(to_json(document))["slow"]

    assert printed["verdict"] == "slow"
    assert printed["requests"] == 15
    assert [part["place"] for part in printed["parts"]] == ["queue", "prefill", "decode", "server"]
    assert printed["parts"][0]["share"] == pytest.approx(0.327, abs=0.001)
    assert printed["findings"][0]["cause"] == "slow_queue"
    assert printed["figures"]["window_s"] == 20
    assert printed["alerts"][0]["first_seen"] == "2026-11-29T19:36:40Z"
    assert printed["alerts"][0]["deployment"] == "chat"


def test_text_tells_the_same_in_both_languages(alert):
    report = looked("vllm", "vllm-0.32.0-cpu")

    english, chinese = (slow_text(report, (alert,), lang) for lang in ("en", "zh_CN"))

    assert "Where the time goes (20 s, requests that ended: 15)" in english
    assert "Queue: 33% · 535 ms" in english
    assert "gpu-a/chat: since 2026-11-29T19:36:40Z" in english
    assert "排队: 33% · 535 ms" in chinese
    assert "容器失去了 GPU" in chinese


def test_text_of_what_is_not_exposed_says_why():
    text = slow_text(looked("llamacpp", "llama-server-b10434"), ())

    assert "requests that ended: ?" in text
    assert "llama.cpp counts no requests" in text
    assert "ITL 1.7 ms" in text


def test_nothing_seen_is_said_in_one_line():
    report = explain(Seen(engine="ollama"), RULES, CAUSES)

    assert slow_text(report, ()) == "Not known: the engine's figures could not be read."
    assert slow_entry(report, ()).parts == ()
