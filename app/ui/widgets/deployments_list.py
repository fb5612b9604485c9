"""The list of deployments: name and state, model and engine, where and how long."""

from typing import Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.ui.icons import IconSet
from app.ui.models.deployments import CARD_ROLE
from app.ui.theme import Theme, letters
from app.ui.viewmodels.deployments_texts import DeploymentCard

_PADDING: Final = 10
_ICON: Final = 16


class CardDelegate(QStyledItemDelegate):
    """Draw a `DeploymentCard`."""

    def __init__(self, theme: Theme, icons: IconSet, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icons = icons

    def sizeHint(
        self,
        option: QStyleOptionViewItem,  # noqa: ARG002 - Qt's signature
        index: QModelIndex | QPersistentModelIndex,  # noqa: ARG002 - Qt's signature
    ) -> QSize:
        """Three lines."""
        body = QFontMetrics(self._theme.font("body")).height()
        small = QFontMetrics(self._theme.font("caption")).height()
        return QSize(200, body + 2 * small + 2 * _PADDING + 6)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Draw the card."""
        card = index.data(CARD_ROLE)
        self.initStyleOption(option, index)
        option.text = ""
        style = option.widget.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        if isinstance(card, DeploymentCard):
            area = option.rect.adjusted(_PADDING, _PADDING, -_PADDING, -_PADDING)
            self._paint_card(painter, area, card)

    def _paint_card(self, painter: QPainter, area: QRect, card: DeploymentCard) -> None:
        theme = self._theme
        bold, small = theme.font("body"), theme.font("caption")
        bold.setBold(True)
        y = area.top()
        state_width = self._paint_state(painter, area, card)
        y += self._line(painter, area.adjusted(0, 0, -state_width, 0), card.name, bold, "text") + 3
        first = " · ".join(part for part in (card.engine, card.model) if part)
        rest = QRect(area.left(), y, area.width(), area.bottom() - y)
        y += self._line(painter, rest, first, small, "text") + 3
        second = " · ".join(part for part in (card.host_name, card.endpoint, card.uptime) if part)
        rest = QRect(area.left(), y, area.width(), area.bottom() - y)
        self._line(painter, rest, second, small, "muted")

    def _paint_state(self, painter: QPainter, area: QRect, card: DeploymentCard) -> int:
        status = card.state.status
        token = status if status == "accent" else f"status.{status}"
        font = self._theme.font("caption")
        metrics = QFontMetrics(font)
        width = metrics.horizontalAdvance(card.state.word) + _ICON + 6
        left = area.right() - width
        line = QFontMetrics(self._theme.font("body")).height()
        icon = QRect(left, area.top() + (line - _ICON) // 2, _ICON, _ICON)
        self._icons.icon(card.state.icon, token).paint(painter, icon)
        painter.setFont(font)
        painter.setPen(self._theme.color(token))
        words = QRect(left + _ICON + 4, area.top(), width - _ICON, line)
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, card.state.word)
        return width + 6

    def _line(self, painter: QPainter, area: QRect, text: str, font: QFont, token: str) -> int:
        metrics = QFontMetrics(font)
        painter.setFont(font)
        painter.setPen(self._theme.color(token))
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, area.width())
        place = QRect(area.left(), area.top(), area.width(), metrics.height())
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, shown)
        return metrics.height()


class DeploymentList(QListView):
    """Choose a deployment."""

    def __init__(self, theme: Theme, icons: IconSet) -> None:
        super().__init__()
        self.setItemDelegate(CardDelegate(theme, icons, self))
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSpacing(1)
        self.setMinimumWidth(letters(self.font(), 30))
        theme.changed.connect(self.viewport().update)
