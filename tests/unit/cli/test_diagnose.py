"""``pitwall diagnose`` and ``pitwall report bundle``: answers, exit codes, both languages."""

import pytest
from fakes.diagnosis import CAUSES

from app.cli.diagnose import diagnose_text
from app.cli.main import run
from app.cli.operate import ps_text
from app.core.diagnosis.finding import (
    Confidence,
    Diagnosis,
    Evidence,
    Finding,
    ParameterChange,
    PlanChange,
    Verdict,
)
from app.core.documents.diagnose import ChangedParameter, diagnose_document
from app.core.documents.operate import PsDocument, deployment_entry
from app.core.errors import ErrorCode, ErrorInfo
from app.core.events import DeploymentSnapshot, DeploymentState
from app.core.texts import Text


def pitwall(*arguments):
    return run(list(arguments), open_window=lambda: 0, run_tour=lambda _request: None)


@pytest.mark.parametrize(
    "arguments",
    [
        ("diagnose",),
        ("diagnose", "x", "--lang", "klingon"),
        ("diagnose", "x", "--slow"),
        ("diagnose", "x", "--slow", "--window", "soon"),
        ("report", "bundle", "demo/x"),
        ("report", "bundle", "nosuch/x", "--preview"),
        ("report", "bundle", "nosuch", "--preview"),
    ],
)
def test_wrong_use_is_exit_2(arguments, capsys):
    assert pitwall(*arguments) == 2
    assert capsys.readouterr().err


def finding(**changes) -> Finding:
    values = {
        "cause": "port_in_use",
        "family": "container",
        "confidence": Confidence.HIGH,
        "evidence": (Evidence(line=0, text="port is already allocated"),),
        "title": CAUSES["port_in_use"].meaning,
        "explanation": Text(en="Somebody listens there.", zh_CN="已有程序监听。"),
        "remedy": (Text(en="Take another.\nAny will do.", zh_CN="换一个。"),),
        "change": PlanChange(
            parameters=(
                ParameterChange(parameter="host_port", action="set", value="0"),
                ParameterChange(parameter="x", action="raise", value="9"),
                ParameterChange(parameter="y", action="lower"),
                ParameterChange(parameter="z", action="remove"),
                ParameterChange(parameter="w", action="turn"),
            ),
            image_hint="newer_cuda",
        ),
        "sources": ("a page",),
        "rule": "r",
    }
    return Finding(**{**values, **changes})


def test_text_names_cause_evidence_remedy_change_and_the_rest():
    diagnosis = Diagnosis(
        primary=finding(),
        findings=(finding(), finding(cause="usage_error", change=None)),
        verdict=Verdict.CAUSE_FOUND,
        collect=(Text(en="The whole log.", zh_CN="完整日志。"),),
    )
    change = (
        ChangedParameter(parameter="port", old="8000", new="0"),
        ChangedParameter(parameter="--x", old=None, new="1"),
        ChangedParameter(parameter="--y", old="1", new=None),
    )

    text = diagnose_text(diagnosis, "en", change)

    for part in (
        "beside the log: port is already allocated",
        "1. Take another.",
        "set host_port to 0",
        "raise x to 9",
        "lower y",
        "remove z",
        "take another image: one built for a newer CUDA",
        "Also found:",
        "- The whole log.",
        "- port = 8000\n+ port = 0\n+ --x = 1\n- --y = 1",
        "a page",
    ):
        assert part in text, part


@pytest.mark.parametrize("verdict", list(Verdict))
@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_every_verdict_is_said_in_words(verdict, language):
    diagnosis = Diagnosis(
        primary=None, verdict=verdict, telling=(Evidence(line=3, text="e" * 500),)
    )

    text = diagnose_text(diagnosis, language)
    document = diagnose_document(diagnosis, language)

    assert text.splitlines()[0] == document.verdict_text
    assert text.endswith(" …")
    assert (document.primary, document.telling[0].line) == (None, 3)


def test_ps_says_why_under_the_table():
    error = ErrorInfo(code=ErrorCode.PORT_IN_USE, cause="Port taken.", remedy="Another.")
    known = Diagnosis(primary=finding(), findings=(finding(),), verdict=Verdict.CAUSE_FOUND)
    snapshot = DeploymentSnapshot(
        revision=1, host_id="h", host_name="box", name="a", state=DeploymentState.FAILED,
        error=error, diagnosis=known,
    )  # fmt: skip
    other = DeploymentSnapshot(
        revision=1, host_id="h", host_name="box", name="b", state=DeploymentState.FAILED,
        error=error,
    )  # fmt: skip

    text = ps_text(PsDocument(deployments=tuple(map(deployment_entry, (snapshot, other)))))

    assert "box/a: The port is taken. (port_in_use, high confidence)" in text
    assert "What to do: Take another." in text
    assert "box/b: Port taken." in text
