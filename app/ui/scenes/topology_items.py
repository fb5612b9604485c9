"""What the topology picture is made of: cards, NICs, wires, buses, lanes."""

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPainterPath
from PySide6.QtWidgets import (
    QGraphicsItem,
    QGraphicsObject,
    QGraphicsSceneHoverEvent,
    QGraphicsSceneMouseEvent,
    QStyleOptionGraphicsItem,
    QWidget,
)

from app.core.hardware.fingerprint import Gpu, Link, LinkKind
from app.ui.scenes.topology_pens import Pens, rect
from app.ui.viewmodels.topology_faults import CardFault, mig_text
from app.ui.viewmodels.topology_shapes import Box, Card, NicCard, SwitchBar

FADED: Final = 0.22
_RADIUS: Final = 6.0
_MIDDLE: Final = Qt.AlignmentFlag.AlignVCenter
_LEFT: Final = Qt.AlignmentFlag.AlignLeft
_RIGHT: Final = Qt.AlignmentFlag.AlignRight


class DeviceItem(QGraphicsObject):
    """A device that can be pointed at; it shows how it relates to the one pointed at."""

    def __init__(self, key: str, box: Box, pens: Pens, on_hover: Callable[[str], None]) -> None:
        super().__init__()
        self.key = key
        self._rect = rect(box)
        self._pens = pens
        self._on_hover = on_hover
        self._relation: Link | None = None
        self.setAcceptHoverEvents(True)
        self.setZValue(10)

    def boundingRect(self) -> QRectF:
        """Return the area, borders included."""
        return self._rect.adjusted(-4, -12, 4, 4)

    def shape(self) -> QPainterPath:
        """Return the card itself."""
        path = QPainterPath()
        path.addRoundedRect(self._rect, _RADIUS, _RADIUS)
        return path

    def set_relation(self, link: Link | None) -> None:
        """Show the link to the device that is pointed at."""
        self._relation = link
        self.update()

    def hoverEnterEvent(self, event: QGraphicsSceneHoverEvent) -> None:
        """Tell the scene who is pointed at."""
        self._on_hover(self.key)
        super().hoverEnterEvent(event)

    def hoverLeaveEvent(self, event: QGraphicsSceneHoverEvent) -> None:
        """Nobody is pointed at."""
        self._on_hover("")
        super().hoverLeaveEvent(event)

    def _draw_relation(self, painter: QPainter) -> None:
        if self._relation is None:
            return
        theme = self._pens.theme
        text, color = self._relation.kind.value, "muted"
        if self._relation.kind is LinkKind.NVLINK:
            text, color = f"NV{self._relation.nvlink_count or ''}", "accent"
        painter.setFont(self._pens.small)
        metrics = QFontMetricsF(self._pens.small)
        width = metrics.horizontalAdvance(text) + 12
        tag = QRectF(
            self._rect.center().x() - width / 2,
            self._rect.top() - metrics.height() / 2 - 1,
            width,
            metrics.height() + 2,
        )
        painter.setPen(self._pens.line(color, 1))
        painter.setBrush(theme.color("surface"))
        painter.drawRoundedRect(tag, 6, 6)
        painter.setPen(theme.color(color))
        painter.drawText(tag, Qt.AlignmentFlag.AlignCenter, text)


class GpuItem(DeviceItem):
    """A GPU: index, model, memory, what it does now."""

    def __init__(
        self,
        card: Card,
        pens: Pens,
        on_hover: Callable[[str], None],
        on_click: Callable[[int, bool], None],
        *,
        fault: CardFault | None = None,
    ) -> None:
        super().__init__(card.key, card.box, pens, on_hover)
        self.gpu: Gpu = card.gpu
        self._fault = fault
        self.setToolTip(mig_text(card.gpu))
        self._on_click = on_click
        self._chosen = False
        self._current = False
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def set_chosen(self, *, chosen: bool, current: bool) -> None:
        """Mark the card as chosen, or as the one the keyboard stands on."""
        self._chosen, self._current = chosen, current
        self.update()

    def mousePressEvent(self, event: QGraphicsSceneMouseEvent) -> None:
        """Choose the GPU; with Ctrl add it to the choice."""
        if event.button() is Qt.MouseButton.LeftButton:
            add = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
            self._on_click(self.gpu.index, add)
            event.accept()
        else:
            super().mousePressEvent(event)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,  # noqa: ARG002 - Qt's signature
        widget: QWidget | None = None,  # noqa: ARG002 - Qt's signature
    ) -> None:
        """Draw the card."""
        theme = self._pens.theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._draw_frame(painter)
        inner = self._rect.adjusted(10, 7, -10, -8)
        line = QFontMetricsF(self._pens.body).height()
        first = QRectF(inner.left(), inner.top(), inner.width(), line)
        painter.setPen(theme.color("text"))
        painter.setFont(self._pens.bold)
        painter.drawText(first, _LEFT | _MIDDLE, f"GPU {self.gpu.index}")
        if self.gpu.utilization_percent is not None:
            painter.setFont(self._pens.small)
            painter.setPen(theme.color("muted"))
            painter.drawText(first, _RIGHT | _MIDDLE, f"{self.gpu.utilization_percent} %")
        second = first.translated(0, line)
        painter.setFont(self._pens.small)
        painter.setPen(theme.color("muted"))
        name = (self.gpu.name or "?").removeprefix("NVIDIA ")
        metrics = QFontMetricsF(self._pens.small)
        shown = metrics.elidedText(name, Qt.TextElideMode.ElideRight, second.width())
        painter.drawText(second, _LEFT | _MIDDLE, shown)
        self._draw_memory(painter, second.translated(0, line + 2))
        self._draw_relation(painter)

    def _draw_frame(self, painter: QPainter) -> None:
        theme = self._pens.theme
        token = self._fault.color if self._fault else "border"
        token = "accent" if self._chosen else "strong" if self._current else token
        marked = self._chosen or self._current or self._fault is not None
        painter.setPen(self._pens.line(token, 2 if marked else 1))
        painter.setBrush(theme.color("soft.accent" if self._chosen else "surface"))
        painter.drawRoundedRect(self._rect, _RADIUS, _RADIUS)
        if self._chosen:
            painter.setPen(self._pens.line("accent", 2))
            corner = self._rect.bottomRight() - QPointF(18, 13)
            tick = QPainterPath(corner)
            tick.lineTo(corner + QPointF(4, 4))
            tick.lineTo(corner + QPointF(11, -5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawPath(tick)

    def _draw_memory(self, painter: QPainter, area: QRectF) -> None:
        theme, total, used = self._pens.theme, self.gpu.memory_total_mib, self.gpu.memory_used_mib
        bar = QRectF(area.left(), area.top() + 2, area.width(), 6)
        painter.setPen(self._pens.line("edge", 1))
        painter.setBrush(theme.color("track"))
        painter.drawRoundedRect(bar.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
        painter.setPen(Qt.PenStyle.NoPen)
        text = "–"
        if total and used is not None:
            filled = QRectF(bar)
            if used:  # a sliver at 0 would say that something is held
                filled.setWidth(max(bar.width() * min(used / total, 1), 2))
                painter.setBrush(theme.color("status.warn" if used / total >= 0.95 else "accent"))
                painter.drawRoundedRect(filled, 3, 3)
            self._draw_slices(painter, bar)
            text = f"{used / 1024:,.1f} / {total / 1024:,.0f} GiB"
        elif total:
            text = f"– / {total / 1024:,.0f} GiB"
        painter.setFont(self._pens.small)
        painter.setPen(theme.color("text"))
        height = QFontMetricsF(self._pens.small).height()
        words = QRectF(area.left(), bar.bottom() + 3, area.width(), height)
        painter.drawText(words, _LEFT | _MIDDLE, text)
        last, token = _now(self.gpu), "muted"
        if self._fault is not None:
            last, token = self._fault.words, self._fault.color
        elif self.gpu.mig_mode:
            last = mig_text(self.gpu)
        painter.setPen(theme.color(token))
        metrics = QFontMetricsF(self._pens.small)
        shown = metrics.elidedText(last, Qt.TextElideMode.ElideRight, words.width())
        painter.drawText(words.translated(0, height), _LEFT | _MIDDLE, shown)

    def _draw_slices(self, painter: QPainter, bar: QRectF) -> None:
        """Cut the memory bar where one MIG instance ends and the next begins."""
        total, edge = self.gpu.memory_total_mib, 0.0
        for device in self.gpu.mig_devices[:-1]:
            edge += (device.memory_total_mib or 0) / total if total else 0.0
            if 0 < edge < 1:
                x = bar.left() + bar.width() * edge
                painter.fillRect(
                    QRectF(x - 1, bar.top() - 1, 2, bar.height() + 2),
                    self._pens.theme.color("surface"),
                )


def _now(gpu: Gpu) -> str:
    """Return what a GPU does at the moment, as far as it is known."""
    parts = []
    if gpu.temperature_c is not None:
        parts.append(f"{gpu.temperature_c} °C")
    if gpu.power_w is not None:
        parts.append(f"{gpu.power_w:,.0f} W")
    return " · ".join(parts)


class NicItem(DeviceItem):
    """A network adapter."""

    def __init__(self, card: NicCard, pens: Pens, on_hover: Callable[[str], None]) -> None:
        super().__init__(card.nic.name, card.box, pens, on_hover)
        self._text = " ".join(part for part in (card.nic.name, card.nic.device) if part)
        self.setToolTip(self._text)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,  # noqa: ARG002 - Qt's signature
        widget: QWidget | None = None,  # noqa: ARG002 - Qt's signature
    ) -> None:
        """Draw the chip."""
        theme = self._pens.theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(self._pens.line("border", 1))
        painter.setBrush(theme.color("surface"))
        painter.drawRoundedRect(self._rect, 4, 4)
        painter.setFont(self._pens.small)
        painter.setPen(theme.color("muted"))
        metrics = QFontMetricsF(self._pens.small)
        inner = self._rect.adjusted(6, 0, -6, 0)
        shown = metrics.elidedText(self._text, Qt.TextElideMode.ElideRight, inner.width())
        painter.drawText(inner, Qt.AlignmentFlag.AlignCenter, shown)
        self._draw_relation(painter)


class SwitchItem(QGraphicsItem):
    """A PCIe switch: a thin bar above what hangs below it."""

    def __init__(self, bar: SwitchBar, pens: Pens, words: str) -> None:
        super().__init__()
        self._rect = rect(bar.box)
        self._pens = pens
        self._words = words
        self.setZValue(5)

    def boundingRect(self) -> QRectF:
        """Return the area, border included."""
        return self._rect.adjusted(-1, -1, 1, 1)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,  # noqa: ARG002 - Qt's signature
        widget: QWidget | None = None,  # noqa: ARG002 - Qt's signature
    ) -> None:
        """Draw the bar and its name."""
        theme = self._pens.theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(self._pens.line("link.pcie", 1))
        painter.setBrush(theme.color("surface"))
        painter.drawRoundedRect(self._rect, 4, 4)
        painter.setFont(self._pens.small)
        painter.setPen(theme.color("muted"))
        metrics = QFontMetricsF(self._pens.small)
        inner = self._rect.adjusted(6, 0, -6, 0)
        shown = metrics.elidedText(self._words, Qt.TextElideMode.ElideRight, inner.width())
        painter.drawText(inner, Qt.AlignmentFlag.AlignCenter, shown)
