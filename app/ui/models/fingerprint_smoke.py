"""Figures of a smoke run as a table."""

from typing import Final

from PySide6.QtCore import (
    QAbstractTableModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)

from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.icons import IconSet
from app.ui.theme import Theme
from app.ui.viewmodels.fingerprint_smoke import SmokeRow

Index = QModelIndex | QPersistentModelIndex

_NONE: Final = QModelIndex()
_TITLES: Final = (
    QT_TRANSLATE_NOOP("Smoke", "Measured"),
    QT_TRANSLATE_NOOP("Smoke", "GPUs"),
    QT_TRANSLATE_NOOP("Smoke", "GB/s"),
    QT_TRANSLATE_NOOP("Smoke", "Claimed GB/s"),
    QT_TRANSLATE_NOOP("Smoke", "Share"),
    QT_TRANSLATE_NOOP("Smoke", "Result"),
    QT_TRANSLATE_NOOP("Smoke", "Note"),
)
RATE_COLUMN, CLAIM_COLUMN, SHARE_COLUMN, RESULT_COLUMN, NOTE_COLUMN = range(2, 7)
_FIGURES: Final = frozenset({RATE_COLUMN, CLAIM_COLUMN, SHARE_COLUMN})
_RIGHT: Final = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class SmokeModel(QAbstractTableModel):
    """One row per device and per measurement, in the order of the run."""

    def __init__(self, icons: IconSet, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._theme = theme
        self._rows: tuple[SmokeRow, ...] = ()

    def replace(self, rows: tuple[SmokeRow, ...]) -> None:
        """Show another run."""
        if self._rows:
            self.beginRemoveRows(_NONE, 0, len(self._rows) - 1)
            self._rows = ()
            self.endRemoveRows()
        if rows:
            self.beginInsertRows(_NONE, 0, len(rows) - 1)
            self._rows = rows
            self.endInsertRows()

    def retranslate(self) -> None:
        """The titles are in another language now."""
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, NOTE_COLUMN)

    def rowCount(self, parent: Index = _NONE) -> int:
        """Return how many lines there are."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NONE) -> int:
        """Return seven."""
        return 0 if parent.isValid() else len(_TITLES)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return a column's title."""
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(_TITLES):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return QCoreApplication.translate("Smoke", _TITLES[section])
        if role == Qt.ItemDataRole.TextAlignmentRole and section in _FIGURES:
            return _RIGHT
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Answer for a cell."""
        if not index.isValid():
            return None
        row, column = self._rows[index.row()], index.column()
        cells = (row.what, row.gpus, row.measured, row.claimed, row.share, row.word, row.note)
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole}:
            return cells[column]
        if role == Qt.ItemDataRole.TextAlignmentRole and column in _FIGURES:
            return _RIGHT
        if column == RESULT_COLUMN and role == Qt.ItemDataRole.DecorationRole:
            return self._icons.icon(row.icon, f"status.{row.status}")
        if column == RESULT_COLUMN and role == Qt.ItemDataRole.ForegroundRole:
            return self._theme.color(f"status.{row.status}")
        return None
