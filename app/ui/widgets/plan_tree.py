"""The view on the decision tree: as wide as its place, scrolled to the open step, by keyboard."""

from typing import Final

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QGraphicsView

from app.core.planning.plan import TreeNode
from app.ui.scenes.plan_tree import TreeScene
from app.ui.theme import Theme

_LEAST_WIDTH: Final = 470.0
"""In a narrower place the tree is scrolled: words would not fit into narrower boxes."""


class TreeView(QGraphicsView):
    """Look at the tree; arrows walk over the nodes, Enter tells about one."""

    node_chosen = Signal(str)

    def __init__(self, theme: Theme) -> None:
        self.scene_ = TreeScene(theme)
        super().__init__(self.scene_)
        self._current = -1
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignHCenter)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.scene_.node_clicked.connect(self.node_chosen)
        theme.changed.connect(self.scene_.redraw)

    def draw(self, nodes: tuple[TreeNode, ...]) -> None:
        """Draw a tree, keeping the place that is looked at."""
        bar = self.verticalScrollBar()
        position = bar.value()
        self._current = -1
        self.scene_.draw(nodes, self._room())
        bar.setValue(position)
        self._centre()

    def mark(self, question: str) -> None:
        """Mark a question and bring it into sight."""
        self.scene_.mark(question)
        area = self.scene_.area_of(question)
        if area is not None:
            top = self.mapFromScene(area.topLeft()).y() + self.verticalScrollBar().value()
            self.verticalScrollBar().setValue(top - 12)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Use the new width."""
        super().resizeEvent(event)
        self.scene_.resize_to(self._room())
        self._centre()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk with the arrows, choose with Enter or Space."""
        match event.key():
            case Qt.Key.Key_Down | Qt.Key.Key_Right:
                self._walk(1)
            case Qt.Key.Key_Up | Qt.Key.Key_Left:
                self._walk(-1)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter | Qt.Key.Key_Space:
                self._choose()
            case _:
                super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """The keyboard stands elsewhere now."""
        self.scene_.stand_on(None)
        super().focusOutEvent(event)

    def _walk(self, step: int) -> None:
        boxes = self.scene_.drawing.boxes
        if not boxes:
            return
        self._current = (self._current + step) % len(boxes)
        box = boxes[self._current]
        self.scene_.stand_on(box.id)
        self.setAccessibleDescription(f"{box.title} {box.note}".strip())
        self.ensureVisible(QRectF(box.x, box.y, box.width, box.height), 8, 24)

    def _choose(self) -> None:
        boxes = self.scene_.drawing.boxes
        if 0 <= self._current < len(boxes):
            self.node_chosen.emit(boxes[self._current].id)

    def _room(self) -> float:
        # The scroll bar's place is always left free: otherwise it would come and go for ever.
        bar = self.verticalScrollBar().sizeHint().width()
        return max(self.width() - bar - 2.0 * self.frameWidth() - 10.0, _LEAST_WIDTH)

    def _centre(self) -> None:
        """Stand where the middle of what was chosen is."""
        boxes = self.scene_.drawing.boxes
        lit = [box for box in boxes if box.state == "lit" and box.kind in {"leaf", "engine"}]
        if lit:
            left, right = min(box.x for box in lit), max(box.x + box.width for box in lit)
            bar = self.horizontalScrollBar()
            bar.setValue(round((left + right - self.viewport().width()) / 2))
