"""Deployments as a list; exact changes only."""

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)

from app.ui.models.roles import ID_ROLE
from app.ui.viewmodels.deployments_texts import DeploymentCard

Index = QModelIndex | QPersistentModelIndex

CARD_ROLE: Final = int(Qt.ItemDataRole.UserRole) + 20
"""A `DeploymentCard`."""


class DeploymentsModel(QAbstractListModel):
    """One row per deployment."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._cards: list[DeploymentCard] = []

    def replace(self, cards: Sequence[DeploymentCard]) -> None:
        """Bring the rows to these cards by removing, changing and adding rows."""
        wanted = {card.ref: card for card in cards}
        for row in range(len(self._cards) - 1, -1, -1):
            if self._cards[row].ref not in wanted:
                self.beginRemoveRows(QModelIndex(), row, row)
                del self._cards[row]
                self.endRemoveRows()
        for row, old in enumerate(self._cards):
            new = wanted.pop(old.ref)
            if new != old:
                self._cards[row] = new
                self.dataChanged.emit(self.index(row), self.index(row))
        if wanted:
            first = len(self._cards)
            self.beginInsertRows(QModelIndex(), first, first + len(wanted) - 1)
            self._cards.extend(wanted.values())
            self.endInsertRows()

    def row_of(self, ref: str) -> int:
        """Return a deployment's row; -1 when it has none."""
        return next((row for row, card in enumerate(self._cards) if card.ref == ref), -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        """Return how many there are."""
        return 0 if parent.isValid() else len(self._cards)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Answer for a row."""
        if not index.isValid() or index.row() >= len(self._cards):
            return None
        card = self._cards[index.row()]
        answers: dict[int, object] = {
            int(Qt.ItemDataRole.DisplayRole): card.name,
            int(Qt.ItemDataRole.ToolTipRole): card.words,
            int(Qt.ItemDataRole.AccessibleTextRole): card.words,
            CARD_ROLE: card,
            ID_ROLE: card.ref,
        }
        return answers.get(int(role))
