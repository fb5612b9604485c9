"""The palette's list: everything that can be opened or done, filtered as one types."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
)

from app.ui.icons import IconSet
from app.ui.models.fuzzy import score
from app.ui.models.roles import KEYS_ROLE, SEARCH_ROLE


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One entry: words, a quiet hint, and what happens."""

    words: str
    hint: str
    icon: str
    run: Callable[[], None]
    also: str = ""
    """Other words that find it, such as its English name."""
    keys: str = ""
    """Keys that do the same, as this desktop writes them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedTool:
    """What a button of the page in front does."""

    words: str
    run: Callable[[], None]
    keys: str = ""


class CommandModel(QAbstractListModel):
    """All commands of this moment."""

    def __init__(
        self, commands: Sequence[Command], icons: IconSet, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._commands = tuple(commands)
        self._icons = icons

    def command(self, row: int) -> Command:
        """Return the command of a row."""
        return self._commands[row]

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        """Return how many there are."""
        return 0 if parent.isValid() else len(self._commands)

    def data(
        self,
        index: QModelIndex | QPersistentModelIndex,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        """Answer for a row."""
        if not index.isValid():
            return None
        command = self._commands[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{command.words}   ·   {command.hint}" if command.hint else command.words
        if role == Qt.ItemDataRole.DecorationRole:
            return self._icons.icon(command.icon, "muted")
        if role == SEARCH_ROLE:
            return f"{command.words} {command.hint} {command.also}".casefold()
        if role == KEYS_ROLE:
            return command.keys
        return None


class CommandFilter(QSortFilterProxyModel):
    """Keep what fits the typed words, in any order; the best fit comes first."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._words: tuple[str, ...] = ()
        self._scores: dict[int, float] = {}
        self.sort(0)

    def set_text(self, text: str) -> None:
        """Filter by what was typed."""
        self.beginFilterChange()
        self._words = tuple(text.casefold().split())
        self._scores = {}
        self.endFilterChange()
        self.invalidate()

    def filterAcceptsRow(
        self, source_row: int, source_parent: QModelIndex | QPersistentModelIndex
    ) -> bool:
        """Tell whether a row is kept."""
        del source_parent
        return self._score(source_row) > 0

    def lessThan(
        self,
        source_left: QModelIndex | QPersistentModelIndex,
        source_right: QModelIndex | QPersistentModelIndex,
    ) -> bool:
        """Tell whether the left one fits better; those that fit alike keep their order."""
        left, right = source_left.row(), source_right.row()
        return (-self._score(left), left) < (-self._score(right), right)

    def _score(self, row: int) -> float:
        if row not in self._scores:
            text = str(self.sourceModel().index(row, 0).data(SEARCH_ROLE))
            self._scores[row] = score(text, self._words)
        return self._scores[row]
