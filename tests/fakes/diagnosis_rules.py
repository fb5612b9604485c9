"""Rules, advice and causes made up for the engine's own tests."""

from types import MappingProxyType

from app.core.causes import Cause
from app.core.diagnosis.finding import Confidence
from app.core.diagnosis.log_diagnosis import diagnose_text
from app.core.diagnosis.rules import Advice, DiagnosisRules, Marker, MarkerKind, Rule
from app.core.texts import Text

WHERE = {"source": "made up", "checked": "2026-11-30"}
MARKERS = (
    Marker(
        kind=MarkerKind.START,
        engine="vllm",
        any=(r"server version (?P<version>\d\S*)",),
        **WHERE,
    ),
    Marker(kind=MarkerKind.PHASE, phase="load", any=("Loading the weights",), **WHERE),
    Marker(kind=MarkerKind.PHASE, phase="graphs", any=("Capturing graphs",), **WHERE),
    Marker(kind=MarkerKind.READY, any=("startup complete",), **WHERE),
    Marker(kind=MarkerKind.STOP, any=("shutdown triggered",), **WHERE),
    Marker(kind=MarkerKind.ENGINE, engine="sglang", any=("sglang/srt",), **WHERE),
    Marker(kind=MarkerKind.QUOTE, any=("request r1: prompt: ",), **WHERE),
)


def rule(cause="no_room", **kept):
    """Return a rule that finds ``out of memory`` unless told otherwise."""
    told = {
        "id": f"r.{cause}",
        "any": ("out of memory",) if "needs" not in kept else (),
        "confidence": Confidence.HIGH,
        "sources": ("made up",),
        "checked": "2026-11-30",
    }
    return Rule(cause=cause, **(told | kept))


def text(words):
    return Text(en=words, zh_CN=words)


def advice_for(rules, **kept):
    """Return advice for each cause; ``kept`` adds to all of them."""
    names = {one.advice or one.cause for one in rules}
    return {
        name: Advice(id=name, title=text(name), explanation=text("because"), **kept)
        for name in names
    }


def rule_set(*rules, advice=None, facts=(), markers=MARKERS):
    return DiagnosisRules(
        rules=rules,
        markers=markers,
        facts=facts,
        advice=MappingProxyType(advice_for(rules) if advice is None else advice),
    )


def causes_of(rules):
    return {
        one.cause: Cause(id=one.cause, family="made_up", meaning=text(one.cause))
        for one in rules.rules
    }


def diagnose(log, *rules, **kept):
    """Diagnose a log by these rules, or by the set ``rules`` if one is given."""
    context = {"context": kept.pop("context")} if "context" in kept else {}
    made = rule_set(*rules, **kept)
    return diagnose_text(log, rules=made, causes=causes_of(made), **context)
