"""Where the nodes of the decision tree stand: questions in tiers, branches in staggered rows.

A second row of branches stands in the gaps of the first, so that the lines to it, and from the
lit branch to the next question, pass between boxes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QCoreApplication

from app.core.planning.plan import Reason, TreeNode
from app.ui.viewmodels.plan_texts import short_reason
from app.ui.viewmodels.said import said

translate = QCoreApplication.translate

_GAP: Final = 10.0
_DROP: Final = 22.0
_ROW_GAP: Final = 14.0
_PADDING: Final = 6.0
_SINGLE_ROW: Final = 4
_OTHERS_ROW: Final = 4
_WIDEST: Final = 170.0

CountLines = Callable[[str, float], int]
"""Lines that a text takes in a width."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """One drawn node."""

    id: str
    kind: str
    state: str
    title: str
    note: str
    """Short words under the title: why it is refused."""
    reason: Reason | None
    x: float
    y: float
    width: float
    height: float

    @property
    def center(self) -> float:
        """Middle, from the left."""
        return self.x + self.width / 2

    @property
    def bottom(self) -> float:
        """Lower edge."""
        return self.y + self.height


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A line from a node down to another: drop to ``bus_y``, across, down."""

    x1: float
    y1: float
    bus_y: float
    x2: float
    y2: float
    is_lit: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """The tree with all positions."""

    boxes: tuple[Box, ...] = ()
    edges: tuple[Edge, ...] = ()
    width: float = 0.0
    height: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What the layout has to know of fonts and room."""

    width: float
    line: float
    title_lines: CountLines
    note_lines: CountLines


def lay_out_tree(nodes: tuple[TreeNode, ...], look: Look) -> Drawing:
    """Return the boxes and lines of a tree in a given width."""
    return _Layout(nodes, look).run()


def node_title(node: TreeNode) -> str:
    """Return the words on a node."""
    return said(node.label)


class _Layout:
    def __init__(self, nodes: tuple[TreeNode, ...], look: Look) -> None:
        self._look = look
        self._children: dict[str | None, list[TreeNode]] = {}
        for node in nodes:
            self._children.setdefault(node.parent, []).append(node)
        self._boxes: list[Box] = []
        self._edges: list[Edge] = []

    def run(self) -> Drawing:
        y, above = 0.0, None
        parent: str | None = None
        while True:
            root = next((n for n in self._children.get(parent, []) if n.kind == "question"), None)
            if root is None:
                break
            question = self._question(root, y, above)
            taken, y = self._branches(root.id, question)
            if taken is None:
                break
            above, parent = taken, taken.id
        if above is not None and parent is not None:
            y = self._values(parent, above, y)
        return Drawing(
            boxes=tuple(self._boxes),
            edges=tuple(self._edges),
            width=self._look.width,
            height=max((box.bottom for box in self._boxes), default=0.0),
        )

    def _question(self, node: TreeNode, y: float, above: Box | None) -> Box:
        width = min(self._look.width, 300.0)
        box = self._box(node, (self._look.width - width) / 2, y, width, "")
        self._boxes.append(box)
        if above is not None:
            self._connect(above, box, bus_y=y - _DROP / 2, is_lit=True)
        return box

    def _branches(self, parent: str, question: Box) -> tuple[Box | None, float]:
        branches = [n for n in self._children.get(parent, []) if n.kind in {"leaf", "engine"}]
        boxes = self._staggered(branches, question.bottom + _DROP)
        taken = None
        for box in boxes:
            self._connect(question, box, question.bottom + _DROP / 2, is_lit=box.state == "lit")
            taken = box if box.state == "lit" else taken
        bottom = max((box.bottom for box in boxes), default=question.bottom)
        return taken, bottom + _DROP

    def _values(self, parent: str, above: Box, y: float) -> float:
        """The values of the plan below its engine, and the plan itself as the last box."""
        children = self._children.get(parent, [])
        values = self._staggered([n for n in children if n.kind == "parameter"], y)
        for box in values:
            self._connect(above, box, y - _DROP / 2, is_lit=True)
        y = max((box.bottom for box in values), default=y - _DROP) + _DROP
        y = self._others(values, y)
        for node in children:
            if node.kind == "leaf":
                width = min(self._look.width, 320.0)
                box = self._box(node, (self._look.width - width) / 2, y, width, "")
                self._boxes.append(box)
                start = above if not values else values[len(values) // 4]
                self._connect(start, box, y - _DROP / 2, is_lit=True)
                y = box.bottom
        return y

    def _others(self, values: list[Box], y: float) -> float:
        """The values that were refused, and those that are open, each below its parameter."""
        for value in values:
            others = [n for n in self._children.get(value.id, []) if n.kind == "value"]
            for start in range(0, len(others), _OTHERS_ROW):
                row = self._staggered(others[start : start + _OTHERS_ROW], y)
                for box in row:
                    self._connect(value, box, y - _DROP / 2, is_lit=False)
                y = max(box.bottom for box in row) + _DROP
        return y

    def _staggered(self, nodes: list[TreeNode], top: float) -> list[Box]:
        """Place nodes in one row, or in two of which the second stands in the first's gaps."""
        count = len(nodes)
        if count == 0:
            return []
        first = count if count <= _SINGLE_ROW else (count + 2) // 2
        cell = min(self._look.width / first, _WIDEST + _GAP)
        left = (self._look.width - cell * first) / 2
        boxes = [
            self._box(node, left + cell * i + _GAP / 2, top, cell - _GAP, self._note(node))
            for i, node in enumerate(nodes[:first])
        ]
        rest = nodes[first:]
        if rest:
            below = max(box.bottom for box in boxes) + _ROW_GAP
            start = left + cell / 2 + cell * ((first - 1 - len(rest)) // 2)
            boxes += [
                self._box(node, start + cell * i + _GAP / 2, below, cell - _GAP, self._note(node))
                for i, node in enumerate(rest)
            ]
        boxes = _evened(boxes)
        self._boxes.extend(boxes)
        return boxes

    def _note(self, node: TreeNode) -> str:
        if node.state != "refused" or node.reason is None:
            return ""
        return short_reason(node.reason.code, said(node.reason.text))

    def _box(self, node: TreeNode, x: float, y: float, width: float, note: str) -> Box:
        look = self._look
        title = node_title(node)
        inner = width - 2 * _PADDING
        lines = look.title_lines(title, inner)
        if note:
            lines += look.note_lines(note, inner)
        return Box(
            id=node.id,
            kind=node.kind,
            state=node.state,
            title=title,
            note=note,
            reason=node.reason,
            x=x,
            y=y,
            width=width,
            height=lines * look.line + 2 * _PADDING,
        )

    def _connect(self, upper: Box, lower: Box, bus_y: float, *, is_lit: bool) -> None:
        self._edges.append(
            Edge(
                x1=upper.center,
                y1=upper.bottom,
                bus_y=bus_y,
                x2=lower.center,
                y2=lower.y,
                is_lit=is_lit,
            )
        )


def _evened(boxes: list[Box]) -> list[Box]:
    """Give the boxes of one row the same height."""
    tallest: dict[float, float] = {}
    for box in boxes:
        tallest[box.y] = max(tallest.get(box.y, 0.0), box.height)
    tops = sorted(tallest)
    # The first row grew: the second one moves down with it.
    shift = {tops[0]: 0.0}
    if len(tops) > 1:
        shift[tops[1]] = max(tops[0] + tallest[tops[0]] + _ROW_GAP - tops[1], 0.0)
    return [_moved(box, shift[box.y], tallest[box.y]) for box in boxes]


def _moved(box: Box, down: float, height: float) -> Box:
    return Box(
        id=box.id,
        kind=box.kind,
        state=box.state,
        title=box.title,
        note=box.note,
        reason=box.reason,
        x=box.x,
        y=box.y + down,
        width=box.width,
        height=height,
    )
