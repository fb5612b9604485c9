"""What all items of the topology draw with."""

from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QPen

from app.ui.theme import Theme
from app.ui.viewmodels.topology_shapes import Box


@dataclass(frozen=True, slots=True, kw_only=True)
class Pens:
    """Fonts and colours that all items share."""

    theme: Theme
    body: QFont
    bold: QFont
    small: QFont

    def line(self, token: str, width: float) -> QPen:
        """Return a pen with round ends."""
        pen = QPen(self.theme.color(token), width)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        return pen


def rect(box: Box) -> QRectF:
    """Return a box as Qt's rectangle."""
    return QRectF(box.x, box.y, box.width, box.height)
