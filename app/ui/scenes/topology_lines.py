"""The lines of the topology: wires, buses and trunks between devices."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import (
    QGraphicsItem,
    QStyleOptionGraphicsItem,
    QWidget,
)

from app.core.hardware.fingerprint import LinkKind
from app.ui.scenes.topology_pens import Pens
from app.ui.viewmodels.fingerprint_facts import link_text, pair_name
from app.ui.viewmodels.topology_shapes import Bus, Card, Trunk, Wire


class LineItem(QGraphicsItem):
    """Lines that belong to devices, with words on them if there are any."""

    def __init__(
        self,
        keys: frozenset[str],
        path: QPainterPath,
        pen: QPen,
        *,
        z: float,
    ) -> None:
        super().__init__()
        self.keys = keys
        self._path = path
        self._pen = pen
        self._label: tuple[QRectF, str, Pens] | None = None
        self.setZValue(z)

    def set_label(self, middle: QPointF, text: str, pens: Pens) -> None:
        """Put words on the line, on a ground of their own."""
        metrics = QFontMetricsF(pens.small)
        width, height = metrics.horizontalAdvance(text) + 14, metrics.height() + 4
        area = QRectF(middle.x() - width / 2, middle.y() - height / 2, width, height)
        self._label = (area, text, pens)

    def boundingRect(self) -> QRectF:
        """Return the area of lines and words."""
        margin = self._pen.widthF() / 2 + 1
        area = self._path.boundingRect().adjusted(-margin, -margin, margin, margin)
        return area.united(self._label[0]) if self._label else area

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,  # noqa: ARG002 - Qt's signature
        widget: QWidget | None = None,  # noqa: ARG002 - Qt's signature
    ) -> None:
        """Draw lines, then words."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(self._pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(self._path)
        if self._label is None:
            return
        area, text, pens = self._label
        painter.setPen(pens.line("link.nvlink", 1))
        painter.setBrush(pens.theme.color("surface"))
        painter.drawRoundedRect(area, 6, 6)
        painter.setFont(pens.small)
        painter.setPen(pens.theme.color("accent"))
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, text)


def wire_item(wire: Wire, pens: Pens, *, broken: bool = False) -> LineItem:
    """Return a link between two devices; a broken one is dashed, in the colour of errors."""
    path = QPainterPath(QPointF(*wire.points[0]))
    for point in wire.points[1:]:
        path.lineTo(QPointF(*point))
    nvlink = wire.link.kind is LinkKind.NVLINK
    pen = pens.line("link.nvlink", 5) if nvlink else pens.line("link.pcie", 1.2)
    if broken:
        pen = pens.line("status.error", 3)
        pen.setStyle(Qt.PenStyle.DashLine)
    item = LineItem(frozenset({wire.a, wire.b}), path, pen, z=6 if nvlink else 3)
    item.setToolTip(f"{pair_name(wire.a, wire.b)}: {link_text(wire.link)}")
    if wire.labelled:
        middle = (QPointF(*wire.points[0]) + QPointF(*wire.points[-1])) / 2
        item.set_label(middle, link_text(wire.link), pens)
    return item


def bus_items(bus: Bus, cards: dict[str, Card], pens: Pens, words: str) -> list[LineItem]:
    """Return an island's bar and the stub of each of its GPUs."""
    pen = pens.line("link.nvlink", 5)
    bar = QPainterPath(QPointF(bus.left, bus.y))
    bar.lineTo(QPointF(bus.right, bus.y))
    main = LineItem(frozenset(bus.members), bar, pen, z=6)
    main.set_label(QPointF((bus.left + bus.right) / 2, bus.y), words, pens)
    main.setZValue(7)
    items = [main]
    for key in bus.members:
        box = cards[key].box
        above = box.bottom <= bus.y
        x = box.x + box.width / 2
        stub = QPainterPath(QPointF(x, box.bottom if above else box.y))
        stub.lineTo(QPointF(x, bus.y))
        items.append(LineItem(frozenset({key}), stub, pen, z=6))
    return items


def trunk_item(trunk: Trunk, pens: Pens) -> LineItem:
    """Return the thin PCIe line of one device."""
    path = QPainterPath(QPointF(*trunk.points[0]))
    for point in trunk.points[1:]:
        path.lineTo(QPointF(*point))
    return LineItem(trunk.keys, path, pens.line("link.pcie", 1.2), z=3)
