"""The decision tree as it is drawn: questions with their branches, engines, values, the plan."""

from collections.abc import Sequence
from typing import Final

from app.core.planning.candidate import Outcome
from app.core.planning.conditions import Facts, holds
from app.core.planning.plan import ParameterRange, PathStep, Plan, Reason, Text, TreeNode
from app.core.planning.rules import Branch, Question, RuleSet
from app.core.planning.wording import Wording
from app.core.units import GIB

LIT: Final = "lit"
REFUSED: Final = "refused"
OPEN: Final = "open"

ENGINE_QUESTION: Final = "engine"
"""Id of the question whose answers are the engines."""

SHOWN_PARAMETERS: Final = (
    "tensor_parallel_size",
    "pipeline_parallel_size",
    "expert_parallel_size",
    "gpu_layers",
    "cpu_moe_layers",
    "tensor_split",
    "gpu_indices",
    "context_tokens",
    "concurrency",
    "memory_fraction",
    "kv_dtype",
    "dtype",
    "threads",
    "prefill_tokens",
    "prefix_caching",
    "speculative",
    "gpu_overhead_bytes",
    "kv_cache_bytes",
    "enforce_eager",
)


def draw(
    rules: RuleSet, wording: Wording, facts: Facts, outcomes: Sequence[Outcome]
) -> tuple[tuple[PathStep, ...], tuple[TreeNode, ...]]:
    """Return the path that was taken and the whole tree.

    Args:
        rules: Gives the questions, in their order.
        wording: Gives labels of values.
        facts: Facts of goal, host and model, with those of the best plan.
        outcomes: Engines: the best plan first, then other plans, then refused ones.
    """
    drawing = _Drawing(wording)
    for question in rules.questions:
        if question.id == ENGINE_QUESTION:
            drawing.add_engines(question, outcomes)
        else:
            drawing.add_question(question, facts)
    if outcomes and outcomes[0].plan is not None:
        drawing.add_values(outcomes[0].plan)
    return tuple(drawing.path), tuple(drawing.nodes)


class _Drawing:
    """Collects path and nodes; ``parent`` is where the next question hangs."""

    def __init__(self, wording: Wording) -> None:
        self._wording = wording
        self._parent: str | None = None
        self.path: list[PathStep] = []
        self.nodes: list[TreeNode] = []

    def add_question(self, question: Question, facts: Facts) -> None:
        """Add a question with its branches; the one taken is lit."""
        self._add_question_node(question)
        taken = next((branch for branch in question.branch if holds(branch.when, facts)), None)
        self.nodes.extend(
            TreeNode(
                id=_branch_id(question, branch),
                parent=question.id,
                label=branch.label,
                kind="leaf",
                state=LIT if branch is taken else OPEN,
            )
            for branch in question.branch
        )
        self._parent = question.id
        if taken is not None:
            self._parent = _branch_id(question, taken)
            self.path.append(
                PathStep(
                    node=question.id,
                    question=question.text,
                    answer=taken.label,
                    branch=taken.id,
                )
            )

    def add_engines(self, question: Question, outcomes: Sequence[Outcome]) -> None:
        """Add every engine: the best lit, other plans open, the rest refused with reason."""
        self._add_question_node(question)
        self.nodes.extend(
            TreeNode(
                id=f"engine.{outcome.engine.id}",
                parent=question.id,
                label=_engine_label(outcome),
                kind="engine",
                state=REFUSED if outcome.plan is None else LIT if position == 0 else OPEN,
                reason=_engine_reason(outcome),
            )
            for position, outcome in enumerate(outcomes)
        )
        best = outcomes[0] if outcomes and outcomes[0].plan is not None else None
        self._parent = question.id if best is None else f"engine.{best.engine.id}"
        self.path.append(
            PathStep(
                node=question.id,
                question=question.text,
                answer=_engine_label(best) if best else self._wording.reason("no_engine", {}).text,
                branch=best.engine.id if best else "none",
                reason=_engine_reason(best) if best else None,
            )
        )

    def add_values(self, plan: Plan) -> None:
        """Add the values of the best plan, and the plan itself as the last leaf."""
        reasons = {reason.parameter: reason for reason in plan.reasons}
        ranges = {entry.parameter: entry for entry in plan.ranges}
        for name in SHOWN_PARAMETERS:
            value = getattr(plan.parameters, name)
            if name in reasons and value is not None and value != ():
                self._add_value(name, value, reasons[name])
                self._add_others(name, _shown(name, value), ranges.get(name))
        self.nodes.append(
            TreeNode(
                id="plan",
                parent=self._parent,
                label=Text(en=plan.image, zh_CN=plan.image),
                kind="leaf",
                state=LIT,
                reason=reasons.get("version"),
            )
        )

    def _add_value(self, name: str, value: object, reason: Reason) -> None:
        shown = _shown(name, value)
        # A count keeps its type: its sentence groups the digits.
        told = {"value": value if isinstance(value, int) and str(value) == shown else shown}
        label = self._wording.reason(f"label.{name}", told).text
        node = f"parameter.{name}"
        self.nodes.append(
            TreeNode(
                id=node,
                parent=self._parent,
                label=label,
                kind="parameter",
                state=LIT,
                reason=reason,
            )
        )
        question = self._wording.reason(f"question.{name}", {}).text
        self.path.append(
            PathStep(node=node, question=question, answer=label, branch=shown, reason=reason)
        )

    def _add_others(self, name: str, taken: str, known: ParameterRange | None) -> None:
        """Add the values that were refused, and beside them those that are open."""
        if known is None or not known.refused:
            return
        others: list[tuple[str, str, Reason | None]] = [
            (value, OPEN, None) for value in known.choices if value != taken
        ]
        others += [(entry.value, REFUSED, entry.reason) for entry in known.refused]
        self.nodes.extend(
            TreeNode(
                id=f"value.{name}.{value}",
                parent=f"parameter.{name}",
                label=self._wording.reason(f"label.{name}", {"value": value}).text,
                kind="value",
                state=state,
                reason=reason,
            )
            for value, state, reason in others
        )

    def _add_question_node(self, question: Question) -> None:
        self.nodes.append(
            TreeNode(
                id=question.id,
                parent=self._parent,
                label=question.text,
                kind="question",
                state=LIT,
            )
        )


def _shown(name: str, value: object) -> str:
    if name.endswith("_bytes") and isinstance(value, int):
        return f"{value / GIB:g} GiB"
    if isinstance(value, tuple):
        return ", ".join(str(item) for item in value)
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _branch_id(question: Question, branch: Branch) -> str:
    return f"{question.id}.{branch.id}"


def _engine_label(outcome: Outcome) -> Text:
    version = outcome.plan.version if outcome.plan else ""
    name = f"{outcome.engine.name} {version}".strip()
    return Text(en=name, zh_CN=name)


def _engine_reason(outcome: Outcome) -> Reason | None:
    if outcome.rejection is not None:
        return Reason(
            code=outcome.rejection.code,
            text=outcome.rejection.text,
            source=outcome.rejection.source,
        )
    if outcome.plan is not None:
        return outcome.plan.reasons[0]
    return None
