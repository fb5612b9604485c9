"""A handful of rules, so that services and window are tested apart from those that ship."""

from app.core.causes import Cause
from app.core.diagnosis.finding import Confidence, ParameterChange, PlanChange
from app.core.diagnosis.rules import Advice, DiagnosisRules, Marker, MarkerKind, Role, Rule
from app.core.texts import Text
from app.services.diagnosing import Diagnoser


def _text(en: str, zh: str) -> Text:
    return Text(en=en, zh_CN=zh)


_CAUSES = (
    Cause(
        id="corrupt_or_partial_weights",
        family="model_files",
        meaning=_text("The weights are damaged or incomplete.", "权重文件损坏或不完整。"),
    ),
    Cause(
        id="usage_error",
        family="usage",
        meaning=_text("A flag is not known.", "参数不被识别。"),
    ),
    Cause(
        id="port_in_use",
        family="container",
        meaning=_text("The port is taken.", "端口已被占用。"),
    ),
    Cause(
        id="kv_cache_smaller_than_max_len",
        family="memory_at_start",
        meaning=_text("The KV cache is too small.", "KV cache 太小。"),
    ),
    Cause(
        id="wrapper_error_unknown",
        family="not_in_log",
        meaning=_text("The cause is not in this log.", "原因不在日志中。"),
    ),
)
CAUSES = {cause.id: cause for cause in _CAUSES}


def _advice(cause: str, remedy: Text, **more: object) -> Advice:
    title = CAUSES[cause].meaning
    return Advice(id=cause, title=title, explanation=title, remedy=(remedy,), **more)


def _rule(cause: str, pattern: str, **more: object) -> Rule:
    return Rule(
        id=f"test.{cause}",
        cause=cause,
        any=(pattern,),
        **{"confidence": Confidence.HIGH, "sources": ("written for tests",), **more},
        checked="2026-11-29",
    )


RULES = DiagnosisRules(
    markers=(
        Marker(
            kind=MarkerKind.READY,
            engine="llamacpp",
            any=("listening on http",),
            source="written for tests",
            checked="2026-11-29",
        ),
    ),
    advice={
        item.id: item
        for item in (
            _advice(
                "corrupt_or_partial_weights",
                _text("Copy the model's files again.", "重新复制模型文件。"),
            ),
            _advice("usage_error", _text("Correct the flag.", "更正该参数。")),
            _advice(
                "kv_cache_smaller_than_max_len",
                _text("Limit the context.", "限制上下文长度。"),
                change=PlanChange(
                    parameters=(
                        ParameterChange(parameter="context_tokens", action="lower", value="{fits}"),
                    )
                ),
            ),
            _advice(
                "wrapper_error_unknown",
                _text("Look further up.", "请查看更早的日志。"),
                collect=(_text("The whole log from its start.", "从启动开始的完整日志。"),),
            ),
        )
    },
    rules=(
        _rule("corrupt_or_partial_weights", "not within the file bounds"),
        _rule("usage_error", r"invalid argument: (?P<flag>\S+)"),
        _rule("kv_cache_smaller_than_max_len", r"only (?P<fits>\d+) tokens fit"),
        _rule(
            "wrapper_error_unknown",
            "exiting due to",
            role=Role.WRAPPER,
            confidence=Confidence.LOW,
        ),
    ),
)


def small_diagnoser() -> Diagnoser:
    """Return a diagnoser with these rules, ready at once: a fake clock waits for no thread."""
    diagnoser = Diagnoser(lambda: RULES, lambda: CAUSES)
    diagnoser.load()
    return diagnoser
