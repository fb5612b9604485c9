"""The topology picture: lanes, cards, links and a legend that is part of it."""

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QBrush, QFontMetricsF, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import (
    QGraphicsRectItem,
    QGraphicsScene,
    QGraphicsSimpleTextItem,
    QStyleOptionGraphicsItem,
    QWidget,
)

from app.core.hardware.fingerprint import Fingerprint
from app.ui.scenes.topology_items import FADED, DeviceItem, GpuItem, NicItem, SwitchItem
from app.ui.scenes.topology_lines import LineItem, bus_items, trunk_item, wire_item
from app.ui.scenes.topology_pens import Pens, rect
from app.ui.theme import Theme
from app.ui.viewmodels.fingerprint_facts import link_text
from app.ui.viewmodels.topology import lane_text, switch_text, switch_tip
from app.ui.viewmodels.topology_faults import FaultNotes, present_faults
from app.ui.viewmodels.topology_lanes import NEAR
from app.ui.viewmodels.topology_layout import lay_out
from app.ui.viewmodels.topology_shapes import Scene, Sizes

_MARGIN: Final = 20.0


class TopologyScene(QGraphicsScene):
    """Draw one host; say what is pointed at and clicked."""

    gpu_clicked = Signal(int, bool)
    """GPU index, and whether it is to be added to the choice."""
    background_clicked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._layout = Scene()
        self._devices: dict[str, DeviceItem] = {}
        self._lines: list[LineItem] = []

    @property
    def gpu_indices(self) -> tuple[int, ...]:
        """Indices of the GPUs in the order they stand."""
        return tuple(card.gpu.index for card in self._layout.cards)

    def draw(self, fingerprint: Fingerprint | None, *, caption: str) -> None:
        """Draw a host, or nothing; ``caption`` stands above the picture."""
        self.clear()
        self._devices, self._lines = {}, []
        self.setBackgroundBrush(QBrush(self._theme.color("surface")))
        if fingerprint is None:
            self.setSceneRect(QRectF(0, 0, 1, 1))
            return
        pens = self._pens()
        metrics = QFontMetricsF(pens.body)
        sizes = Sizes(letter=metrics.horizontalAdvance("0"), line=metrics.height())
        self._layout = lay_out(fingerprint, sizes)
        self._draw_ground(pens, sizes)
        faults = present_faults(fingerprint)
        self._draw_lines(pens, faults)
        self._draw_devices(pens, faults)
        top = self._draw_caption(pens, caption, simulated=fingerprint.simulated)
        bottom = self._draw_legend(pens, fingerprint)
        width = max(self._layout.width, self.itemsBoundingRect().width())
        area = QRectF(0, top, width, bottom - top)
        self.setSceneRect(area.adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN))

    def show_selection(self, chosen: frozenset[int], current: int | None) -> None:
        """Mark the chosen GPUs."""
        for item in self._devices.values():
            if isinstance(item, GpuItem):
                index = item.gpu.index
                item.set_chosen(chosen=index in chosen, current=index == current)

    def point_at(self, key: str) -> None:
        """Fade everything that is not connected to a device; an empty key shows all again."""
        links = self._layout.links or {}
        near = {key} | {
            other for (a, other), link in links.items() if a == key and link.kind in NEAR
        }
        for name, item in self._devices.items():
            item.set_relation(links.get((key, name)) if key and name != key else None)
            item.setOpacity(1.0 if not key or name in near else 0.55)
        for line in self._lines:
            line.setOpacity(1.0 if not key or key in line.keys else FADED)

    def _pens(self) -> Pens:
        bold = self._theme.font("body")
        bold.setBold(True)
        return Pens(
            theme=self._theme,
            body=self._theme.font("body"),
            bold=bold,
            small=self._theme.font("caption"),
        )

    def _draw_ground(self, pens: Pens, sizes: Sizes) -> None:
        for lane in self._layout.lanes:
            self._rounded(rect(lane.box), fill="lane", line="border", z=0, radius=8)
            head = QRectF(lane.box.x + 12, 10, lane.box.width - 24, sizes.line * 1.5)
            bar = self._rounded(head, fill="surface", line="strong", z=4, radius=4)
            text = lane_text(lane)
            metrics = QFontMetricsF(pens.small)
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, head.width() - 16)
            words = self._text(shown, pens, color="text", small=True)
            words.setPos(head.left() + 8, head.center().y() - words.boundingRect().height() / 2)
            words.setZValue(5)
            bar.setToolTip(text)
        for box in self._layout.islands:
            self._rounded(rect(box), fill="island", line="", z=1, radius=10)

    def _draw_lines(self, pens: Pens, faults: FaultNotes) -> None:
        cards = {card.key: card for card in self._layout.cards}
        for trunk in self._layout.trunks:
            self._add_line(trunk_item(trunk, pens))
        for wire in self._layout.wires:
            broken = frozenset({wire.a, wire.b}) in faults.pairs
            self._add_line(wire_item(wire, pens, broken=broken))
        for bus in self._layout.buses:
            words = self.tr("each pair {link}") if bus.all_pairs else self.tr("most pairs {link}")
            words = words.format(link=link_text(bus.link))
            if bus.by_switch:
                words = f"NVSwitch · {words}"
            for item in bus_items(bus, cards, pens, words):
                self._add_line(item)

    def _draw_devices(self, pens: Pens, faults: FaultNotes) -> None:
        for bar in self._layout.switches:
            switch = SwitchItem(bar, pens, switch_text(bar.switch))
            switch.setToolTip(switch_tip(bar.switch))
            self.addItem(switch)
        for card in self._layout.cards:
            fault = faults.cards.get(card.gpu.index)
            item = GpuItem(card, pens, self.point_at, self.gpu_clicked.emit, fault=fault)
            self._devices[item.key] = item
            self.addItem(item)
        for nic in self._layout.nics:
            chip = NicItem(nic, pens, self.point_at)
            self._devices[chip.key] = chip
            self.addItem(chip)

    def _draw_caption(self, pens: Pens, caption: str, *, simulated: bool) -> float:
        words = self._text(caption, pens, color="text", small=False)
        height = words.boundingRect().height()
        words.setPos(0, -height - 12)
        if simulated:
            badge = self._text(self.tr("Simulated"), pens, color="status.warn", small=True)
            area = badge.boundingRect()
            x = words.boundingRect().width() + 16
            y = -height - 12 + (height - area.height()) / 2
            badge.setPos(x + 8, y)
            badge.setZValue(2)
            frame = QRectF(x, y - 2, area.width() + 16, area.height() + 4)
            self._rounded(frame, fill="soft.warn", line="status.warn", z=1, radius=6)
        return -height - 12

    def _draw_legend(self, pens: Pens, fingerprint: Fingerprint) -> float:
        line = QFontMetricsF(pens.small).height()
        y = self._layout.height + 14 + line / 2
        x = 0.0
        for draw, words in self._legend(fingerprint):
            draw(x, y)
            text = self._text(words, pens, color="muted", small=True)
            text.setPos(x + 34, y - text.boundingRect().height() / 2)
            x += 34 + text.boundingRect().width() + 24
        return y + line

    def _legend(self, found: Fingerprint) -> list[tuple[Callable[[float, float], None], str]]:
        entries: list[tuple[Callable[[float, float], None], str]] = []
        if found.topology.nvlink_islands:
            entries += [
                (self._sample_line("link.nvlink", 5), self.tr("NVLink: links · GB/s, both ways")),
                (self._sample_box("island"), self.tr("NVLink island")),
            ]
        entries.append((self._sample_line("link.pcie", 1.2), self.tr("PCIe")))
        entries.append((self._sample_box("lane"), self.tr("NUMA node")))
        if self._layout.switches:
            entries.append((self._sample_box("surface"), self.tr("PCIe switch")))
        if not found.topology.complete:
            entries.append((self._sample_box("soft.warn"), self.tr("The link matrix is not known")))
        return entries

    def _sample_line(self, token: str, width: float) -> Callable[[float, float], None]:
        def draw(x: float, y: float) -> None:
            path = QPainterPath(QPointF(x + 2, y))
            path.lineTo(QPointF(x + 26, y))
            self.addItem(LineItem(frozenset(), path, self._pens().line(token, width), z=2))

        return draw

    def _sample_box(self, token: str) -> Callable[[float, float], None]:
        def draw(x: float, y: float) -> None:
            self._rounded(QRectF(x, y - 7, 26, 14), fill=token, line="border", z=2, radius=4)

        return draw

    def _add_line(self, item: LineItem) -> None:
        self._lines.append(item)
        self.addItem(item)

    def _text(self, text: str, pens: Pens, *, color: str, small: bool) -> QGraphicsSimpleTextItem:
        item = QGraphicsSimpleTextItem(text)
        item.setFont(pens.small if small else pens.bold)
        item.setBrush(QBrush(self._theme.color(color)))
        self.addItem(item)
        return item

    def _rounded(
        self, area: QRectF, *, fill: str, line: str, z: float, radius: float
    ) -> QGraphicsRectItem:
        item = _RoundedRect(area, radius)
        item.setBrush(QBrush(self._theme.color(fill)))
        item.setPen(QPen(self._theme.color(line), 1) if line else QPen(Qt.PenStyle.NoPen))
        item.setZValue(z)
        self.addItem(item)
        return item


class _RoundedRect(QGraphicsRectItem):
    """A rectangle with round corners."""

    def __init__(self, area: QRectF, radius: float) -> None:
        super().__init__(area)
        self._radius = radius

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,  # noqa: ARG002 - Qt's signature
        widget: QWidget | None = None,  # noqa: ARG002 - Qt's signature
    ) -> None:
        """Draw it."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(self.pen())
        painter.setBrush(self.brush())
        painter.drawRoundedRect(self.rect(), self._radius, self._radius)
