"""The view on the topology: wheel zooms, dragging moves, `0` fits, arrows and Space choose."""

from typing import Final

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QImage,
    QImageWriter,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QFrame, QGraphicsView

from app.ui.scenes.topology import TopologyScene

_LEAST: Final = 0.25
_MOST: Final = 4.0
_STEP: Final = 1.2


class TopologyView(QGraphicsView):
    """Look at the picture and choose GPUs."""

    choose = Signal(int, bool)
    """GPU index, and whether it is added to the choice or taken out."""
    clear_wanted = Signal()

    def __init__(self, scene: TopologyScene) -> None:
        super().__init__(scene)
        self._scene = scene
        self._fitted = True
        self._current = 0
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.setDragMode(QGraphicsView.DragMode.ScrollHandDrag)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorUnderMouse)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setCursor(Qt.CursorShape.ArrowCursor)

    @property
    def current_gpu(self) -> int | None:
        """Index of the GPU the keyboard stands on, while the view has the focus."""
        indices = self._scene.gpu_indices
        if not indices or not self.hasFocus():
            return None
        return indices[min(self._current, len(indices) - 1)]

    @property
    def zoom(self) -> float:
        """How many pixels one unit of the scene takes."""
        return self.transform().m11()

    def fit(self) -> None:
        """Show the whole picture, never larger than life."""
        self._fitted = True
        area = self.sceneRect()
        view = self.viewport().rect()
        if area.width() <= 0 or area.height() <= 0:
            return
        factor = min(view.width() / area.width(), view.height() / area.height(), 1.25)
        self.resetTransform()
        self.scale(factor, factor)
        self.centerOn(area.center())

    def zoom_by(self, factor: float) -> None:
        """Zoom in or out, within limits."""
        wanted = min(max(self.zoom * factor, _LEAST), _MOST)
        self._fitted = False
        self.scale(wanted / self.zoom, wanted / self.zoom)

    def picture(self, *, scale: float = 2.0) -> bytes:
        """Return the whole picture as PNG."""
        area = self._scene.sceneRect()
        size = QSize(round(area.width() * scale), round(area.height() * scale))
        image = QImage(size, QImage.Format.Format_RGB32)
        image.fill(self._scene.backgroundBrush().color())
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._scene.render(painter, QRectF(image.rect()), area)
        painter.end()
        content = QByteArray()
        buffer = QBuffer(content)
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        QImageWriter(buffer, QByteArray(b"PNG")).write(image)
        return bytes(content.data())

    def drawing(self) -> bytes:
        """Return the whole picture as SVG."""
        area = self._scene.sceneRect()
        content = QByteArray()
        buffer = QBuffer(content)
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        generator = QSvgGenerator()
        generator.setOutputDevice(buffer)
        generator.setSize(area.size().toSize())
        generator.setViewBox(QRectF(0, 0, area.width(), area.height()))
        generator.setTitle("Pitwall topology")
        painter = QPainter(generator)
        painter.fillRect(QRectF(0, 0, area.width(), area.height()), self._scene.backgroundBrush())
        self._scene.render(painter, QRectF(0, 0, area.width(), area.height()), area)
        painter.end()
        return bytes(content.data())

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom around the pointer."""
        self.zoom_by(_STEP if event.angleDelta().y() > 0 else 1 / _STEP)
        event.accept()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stay fitted while the window changes, unless the user zoomed."""
        super().resizeEvent(event)
        if self._fitted:
            self.fit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A press on nothing clears the choice; dragging moves the picture."""
        if self.itemAt(event.position().toPoint()) is None:
            self.clear_wanted.emit()
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move with the arrows, choose with Space or Enter, fit with 0."""
        match event.key():
            case Qt.Key.Key_0:
                self.fit()
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                self.zoom_by(_STEP)
            case Qt.Key.Key_Minus:
                self.zoom_by(1 / _STEP)
            case Qt.Key.Key_Right | Qt.Key.Key_Down:
                self._move(1)
            case Qt.Key.Key_Left | Qt.Key.Key_Up:
                self._move(-1)
            case Qt.Key.Key_Space:
                self._choose(add=True)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self._choose(add=False)
            case _:
                super().keyPressEvent(event)

    def _move(self, step: int) -> None:
        count = len(self._scene.gpu_indices)
        if count:
            self._current = (self._current + step) % count
            self._scene.point_at(f"GPU{self._scene.gpu_indices[self._current]}")

    def _choose(self, *, add: bool) -> None:
        current = self.current_gpu
        if current is not None:
            self.choose.emit(current, add)
