"""Figures of a smoke run as a table."""

from typing import Final

from PySide6.QtCore import QObject, Qt

from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.icons import IconSet
from app.ui.models.rows import RIGHT, Index, RowsModel
from app.ui.theme import Theme
from app.ui.viewmodels.fingerprint_smoke import SmokeRow

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


class SmokeModel(RowsModel[SmokeRow]):
    """One row per device and per measurement, in the order of the run."""

    context = "Smoke"
    titles = _TITLES
    figures = frozenset({RATE_COLUMN, CLAIM_COLUMN, SHARE_COLUMN})

    def __init__(self, icons: IconSet, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._theme = theme

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Answer for a cell."""
        if not index.isValid():
            return None
        row, column = self._rows[index.row()], index.column()
        cells = (row.what, row.gpus, row.measured, row.claimed, row.share, row.word, row.note)
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole}:
            return cells[column]
        if role == Qt.ItemDataRole.TextAlignmentRole and column in self.figures:
            return RIGHT
        if column == RESULT_COLUMN and role == Qt.ItemDataRole.DecorationRole:
            return self._icons.icon(row.icon, f"status.{row.status}")
        if column == RESULT_COLUMN and role == Qt.ItemDataRole.ForegroundRole:
            return self._theme.color(f"status.{row.status}")
        return None
