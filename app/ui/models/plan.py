"""The models that were found, as a table."""

from enum import IntEnum
from typing import Final

from PySide6.QtCore import (
    QAbstractTableModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)

from app.core.models.folders import ModelCandidate
from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.models.roles import ID_ROLE, SORT_ROLE
from app.ui.viewmodels.plan_texts import present_candidate

Index = QModelIndex | QPersistentModelIndex


class CandidateColumn(IntEnum):
    """Columns, left to right."""

    NAME = 0
    FORMAT = 1
    SIZE = 2
    PLACE = 3


_TITLES: Final = {
    CandidateColumn.NAME: QT_TRANSLATE_NOOP("Plan", "Model"),
    CandidateColumn.FORMAT: QT_TRANSLATE_NOOP("Plan", "Format"),
    CandidateColumn.SIZE: QT_TRANSLATE_NOOP("Plan", "Weights"),
    CandidateColumn.PLACE: QT_TRANSLATE_NOOP("Plan", "Path"),
}


class CandidatesModel(QAbstractTableModel):
    """One row per model that was found; a new search replaces them all."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._found: tuple[ModelCandidate, ...] = ()
        self._folder = ""

    def replace(self, found: tuple[ModelCandidate, ...], folder: str = "") -> None:
        """Show the result of another search, of ``folder``."""
        self._folder = folder
        if found == self._found:
            return
        if self._found:
            self.beginRemoveRows(QModelIndex(), 0, len(self._found) - 1)
            self._found = ()
            self.endRemoveRows()
        if found:
            self.beginInsertRows(QModelIndex(), 0, len(found) - 1)
            self._found = found
            self.endInsertRows()

    def refresh_texts(self) -> None:
        """Write every text again."""
        if self._found:
            last = self.index(len(self._found) - 1, len(CandidateColumn) - 1)
            self.dataChanged.emit(self.index(0, 0), last)
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(CandidateColumn) - 1)

    def row_of(self, path: str) -> int:
        """Return the row of a path; -1 when it is not among them."""
        return next((row for row, found in enumerate(self._found) if found.path == path), -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        """Return how many models there are."""
        return 0 if parent.isValid() else len(self._found)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        """Return how many columns there are."""
        return 0 if parent.isValid() else len(CandidateColumn)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return a column's title."""
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(CandidateColumn):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return QCoreApplication.translate("Plan", _TITLES[CandidateColumn(section)])
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(CandidateColumn(section))
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Answer for a cell."""
        if not index.isValid() or index.row() >= len(self._found):
            return None
        found, column = self._found[index.row()], CandidateColumn(index.column())
        row = present_candidate(found, self._folder)
        texts = {
            CandidateColumn.NAME: row.name,
            CandidateColumn.FORMAT: row.format,
            CandidateColumn.SIZE: row.size,
            CandidateColumn.PLACE: row.place,
        }
        sort_keys: dict[CandidateColumn, object] = {
            CandidateColumn.NAME: row.name.casefold(),
            CandidateColumn.FORMAT: row.format,
            CandidateColumn.SIZE: found.size_bytes or 0,
            CandidateColumn.PLACE: row.place.casefold(),
        }
        answers: dict[int, object] = {
            int(Qt.ItemDataRole.DisplayRole): texts[column],
            int(Qt.ItemDataRole.ToolTipRole): row.path,
            int(Qt.ItemDataRole.TextAlignmentRole): _alignment(column),
            SORT_ROLE: sort_keys[column],
            ID_ROLE: row.path,
        }
        return answers.get(int(role))


def _alignment(column: CandidateColumn) -> Qt.AlignmentFlag:
    is_figure = column is CandidateColumn.SIZE
    side = Qt.AlignmentFlag.AlignRight if is_figure else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
