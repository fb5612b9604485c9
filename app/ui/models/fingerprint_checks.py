"""Checks as a table: state, category, check, what was found; filtered by a proxy."""

from typing import Final

from PySide6.QtCore import (
    QObject,
    QSortFilterProxyModel,
    Qt,
)

from app.core.checks.spec import CheckState
from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.icons import IconSet
from app.ui.models.roles import ID_ROLE, SEARCH_ROLE, SORT_ROLE
from app.ui.models.rows import Index, RowsModel
from app.ui.theme import Theme
from app.ui.viewmodels.fingerprint_checks import CheckRow

STATE_ROLE: Final = int(Qt.ItemDataRole.UserRole) + 30
"""The `CheckState`: the words of states change with the language."""
AREA_ROLE: Final = int(Qt.ItemDataRole.UserRole) + 31
"""The category's id."""

_TITLES: Final = (
    QT_TRANSLATE_NOOP("Checks", "State"),
    QT_TRANSLATE_NOOP("Checks", "Area"),
    QT_TRANSLATE_NOOP("Checks", "Check"),
    QT_TRANSLATE_NOOP("Checks", "Found"),
)
STATE_COLUMN, CATEGORY_COLUMN, TITLE_COLUMN, FOUND_COLUMN = range(len(_TITLES))
_QUIET: Final = frozenset({CheckState.NOT_APPLICABLE, CheckState.UNKNOWN})


class ChecksModel(RowsModel[CheckRow]):
    """One row per check."""

    context = "Checks"
    titles = _TITLES

    def __init__(self, icons: IconSet, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._theme = theme

    def key(self, row: CheckRow) -> object:
        """The same check stays the same line."""
        return row.id

    def row_of(self, check_id: str) -> int:
        """Return a check's row; -1 when it has none."""
        return next((number for number, row in enumerate(self._rows) if row.id == check_id), -1)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Answer for a cell."""
        if not index.isValid():
            return None
        row, column = self._rows[index.row()], index.column()
        values: dict[int, object] = {
            ID_ROLE: row.id,
            SEARCH_ROLE: row.search,
            STATE_ROLE: row.state,
            AREA_ROLE: row.area,
        }
        if role in values:
            return values[role]
        if role == SORT_ROLE:
            return (row.order, row.category, row.title, row.found)[column]
        if role == Qt.ItemDataRole.DisplayRole:
            return (row.look.word, row.category, row.title, row.found)[column]
        if role == Qt.ItemDataRole.ToolTipRole:
            return _tip(row, column)
        return self._paint(row, column, role)

    def _paint(self, row: CheckRow, column: int, role: int) -> object:
        colour = row.look.token
        if role == Qt.ItemDataRole.DecorationRole and column == STATE_COLUMN:
            return self._icons.icon(row.look.icon, colour)
        if role == Qt.ItemDataRole.ForegroundRole:
            if column == STATE_COLUMN:
                return self._theme.color(colour)
            quiet = column == CATEGORY_COLUMN or row.state in _QUIET
            return self._theme.color("muted" if quiet else "text")
        return None


def _tip(row: CheckRow, column: int) -> str | None:
    """Return what the column may be too narrow for, and what it was found by."""
    if column == FOUND_COLUMN:
        return "\n".join(part for part in (row.found, row.evidence) if part)
    return row.title if column == TITLE_COLUMN else None


class ChecksFilter(QSortFilterProxyModel):
    """Only the chosen states, one area, and what holds the words that were typed."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._states: frozenset[CheckState] = frozenset(CheckState)
        self._area = ""
        self._words: tuple[str, ...] = ()
        self.setSortRole(SORT_ROLE)
        self.setSortLocaleAware(True)

    def choose(self, *, states: frozenset[CheckState], area: str, text: str) -> None:
        """Choose by states, by a category's id (empty: all) and by words."""
        self.beginFilterChange()
        self._states, self._area = states, area
        self._words = tuple(text.lower().split())
        self.endFilterChange()

    def filterAcceptsRow(self, source_row: int, source_parent: Index) -> bool:
        """Tell whether a row is shown."""
        index = self.sourceModel().index(source_row, STATE_COLUMN, source_parent)
        if index.data(STATE_ROLE) not in self._states:
            return False
        if self._area and index.data(AREA_ROLE) != self._area:
            return False
        search = str(index.data(SEARCH_ROLE))
        return all(word in search for word in self._words)
