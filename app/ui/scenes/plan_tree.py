"""The decision tree as a scene: lit path in accent, refused branches grey with their reason."""

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QFont,
    QFontMetricsF,
    QPainter,
    QPainterPath,
    QPen,
    QTextOption,
)
from PySide6.QtWidgets import (
    QGraphicsItem,
    QGraphicsPathItem,
    QGraphicsScene,
    QGraphicsSceneHoverEvent,
    QGraphicsSceneMouseEvent,
    QStyleOptionGraphicsItem,
    QWidget,
)

from app.core.planning.plan import TreeNode
from app.ui.theme import Theme
from app.ui.viewmodels.plan_tree import Box, Drawing, Edge, Look, lay_out_tree

_RADIUS: Final = 6.0
_MARGIN: Final = 12.0
_PADDING: Final = 6.0


class NodeItem(QGraphicsItem):
    """One node; a click, or Enter in the view, tells which."""

    def __init__(self, box: Box, theme: Theme, clicked: Callable[[str], None]) -> None:
        super().__init__()
        self.box = box
        self._theme = theme
        self._clicked = clicked
        self._hovered = False
        self._marked = False
        self._current = False
        self.setAcceptHoverEvents(True)
        self.setPos(box.x, box.y)
        self.setZValue(2)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        if box.note or box.reason is not None:
            self.setToolTip(f"{box.title}: {box.note}" if box.note else box.title)

    def set_marked(self, *, marked: bool) -> None:
        """Mark the question of the step that is open."""
        if marked != self._marked:
            self._marked = marked
            self.update()

    def set_current(self, *, current: bool) -> None:
        """Show where the keyboard stands."""
        if current != self._current:
            self._current = current
            self.update()

    def boundingRect(self) -> QRectF:
        """Return the area with room for a thick frame."""
        return QRectF(-1.5, -1.5, self.box.width + 3, self.box.height + 3)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,  # noqa: ARG002 - Qt's signature
        widget: QWidget | None = None,  # noqa: ARG002 - Qt's signature
    ) -> None:
        """Draw frame and words."""
        area = QRectF(0, 0, self.box.width, self.box.height)
        self._paint_frame(painter, area)
        self._paint_words(painter, area)

    def _paint_frame(self, painter: QPainter, area: QRectF) -> None:
        box, theme = self.box, self._theme
        lit = box.state == "lit"
        if box.kind == "question":
            fill, line = ("soft.accent" if self._marked else "surface"), ""
        else:
            fill = "soft.accent" if lit else "surface"
            line = "accent" if lit else "strong"
        if self._hovered:
            fill = "hover"
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(QBrush(theme.color(fill)))
        width = 2.0 if self._current else 1.2 if lit else 1.0
        token = "accent" if self._current else line
        pen = QPen(theme.color(token), width) if token else QPen(Qt.PenStyle.NoPen)
        if box.state == "refused":
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.drawRoundedRect(area, _RADIUS, _RADIUS)

    def _paint_words(self, painter: QPainter, area: QRectF) -> None:
        box, theme = self.box, self._theme
        inner = area.adjusted(_PADDING, _PADDING, -_PADDING, -_PADDING)
        option = QTextOption(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter)
        option.setWrapMode(QTextOption.WrapMode.WordWrap)
        painter.setFont(title_font(theme, question=box.kind == "question"))
        is_quiet = box.kind != "question" and box.state != "lit"
        painter.setPen(theme.color("muted" if is_quiet else "text"))
        if not box.note:
            if box.kind == "engine":
                # In a row of tall boxes that the view cuts off, a name in the middle is not seen.
                option.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
            painter.drawText(inner, box.title, option)
            return
        metrics = painter.fontMetrics()
        flags = int(Qt.AlignmentFlag.AlignHCenter | Qt.TextFlag.TextWordWrap)
        used = metrics.boundingRect(inner.toRect(), flags, box.title).height()
        top = QRectF(inner.left(), inner.top(), inner.width(), used)
        painter.drawText(top, box.title, option)
        painter.setFont(note_font(theme))
        painter.setPen(theme.color("muted"))
        rest = QRectF(inner.left(), top.bottom(), inner.width(), inner.bottom() - top.bottom())
        option.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        painter.drawText(rest, box.note, option)

    def hoverEnterEvent(self, event: QGraphicsSceneHoverEvent) -> None:
        """Show that it can be clicked."""
        self._hovered = True
        self.update()
        super().hoverEnterEvent(event)

    def hoverLeaveEvent(self, event: QGraphicsSceneHoverEvent) -> None:
        """Back to normal."""
        self._hovered = False
        self.update()
        super().hoverLeaveEvent(event)

    def mousePressEvent(self, event: QGraphicsSceneMouseEvent) -> None:
        """Take the press, so that the release comes here."""
        event.accept()

    def mouseReleaseEvent(self, event: QGraphicsSceneMouseEvent) -> None:
        """Tell which node was clicked."""
        if self.boundingRect().contains(event.pos()):
            self._clicked(self.box.id)


class TreeScene(QGraphicsScene):
    """Draw a tree in the width that there is."""

    node_clicked = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._nodes: tuple[TreeNode, ...] = ()
        self._items: dict[str, NodeItem] = {}
        self._drawing = Drawing()
        self._width = 0.0
        self._marked = ""

    @property
    def drawing(self) -> Drawing:
        """What is drawn."""
        return self._drawing

    def node(self, node_id: str) -> TreeNode | None:
        """Return a node by its id."""
        return next((node for node in self._nodes if node.id == node_id), None)

    def area_of(self, node_id: str) -> QRectF | None:
        """Return where a node stands."""
        item = self._items.get(node_id)
        return None if item is None else item.sceneBoundingRect()

    def draw(self, nodes: tuple[TreeNode, ...], width: float) -> None:
        """Draw a tree anew."""
        self._nodes, self._width = nodes, width
        self.redraw()

    def redraw(self) -> None:
        """Draw again: the theme, the language or the width changed."""
        self.clear()
        self._items = {}
        self.setBackgroundBrush(QBrush(self._theme.color("surface")))
        self._drawing = lay_out_tree(self._nodes, self._look())
        for edge in sorted(self._drawing.edges, key=lambda e: e.is_lit):
            self._add_edge(edge)
        for box in self._drawing.boxes:
            item = NodeItem(box, self._theme, self.node_clicked.emit)
            item.set_marked(marked=box.id == self._marked)
            self._items[box.id] = item
            self.addItem(item)
        area = QRectF(0, 0, self._drawing.width, self._drawing.height)
        self.setSceneRect(area.adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN))

    def resize_to(self, width: float) -> None:
        """Lay the tree out in another width."""
        if self._nodes and abs(width - self._width) >= 1:
            self._width = width
            self.redraw()

    def mark(self, question: str) -> None:
        """Mark a question: the one of the open step."""
        self._marked = question
        for item in self._items.values():
            item.set_marked(marked=item.box.id == question)

    def stand_on(self, node_id: str | None) -> None:
        """Show where the keyboard stands."""
        for item in self._items.values():
            item.set_current(current=item.box.id == node_id)

    def _look(self) -> Look:
        titles = QFontMetricsF(title_font(self._theme, question=True))
        notes = QFontMetricsF(note_font(self._theme))
        return Look(
            width=max(self._width - 2 * _MARGIN, 320.0),
            line=titles.height(),
            title_lines=lambda text, width: _lines(titles, text, width),
            note_lines=lambda text, width: _lines(notes, text, width),
        )

    def _add_edge(self, edge: Edge) -> None:
        path = QPainterPath(QPointF(edge.x1, edge.y1))
        path.lineTo(edge.x1, edge.bus_y)
        path.lineTo(edge.x2, edge.bus_y)
        path.lineTo(edge.x2, edge.y2)
        item = QGraphicsPathItem(path)
        token = "accent" if edge.is_lit else "strong"
        pen = QPen(self._theme.color(token), 2.0 if edge.is_lit else 1.0)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        item.setPen(pen)
        item.setZValue(1 if edge.is_lit else 0)
        self.addItem(item)


def title_font(theme: Theme, *, question: bool) -> QFont:
    """Return the font of a node's title."""
    font = theme.font("caption")
    font.setBold(question)
    return font


def note_font(theme: Theme) -> QFont:
    """Return the font of a refusal's short words."""
    return theme.font("caption")


def _lines(metrics: QFontMetricsF, text: str, width: float) -> int:
    flags = int(Qt.TextFlag.TextWordWrap)
    area = metrics.boundingRect(QRectF(0, 0, width, 10_000), flags, text)
    return max(round(area.height() / metrics.height()), 1)
