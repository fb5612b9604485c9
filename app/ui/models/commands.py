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
from app.ui.models.roles import SEARCH_ROLE


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One entry: words, a quiet hint, and what happens."""

    words: str
    hint: str
    icon: str
    run: Callable[[], None]
    also: str = ""
    """Other words that find it, such as its English name."""


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
        return None


class CommandFilter(QSortFilterProxyModel):
    """Keep what contains all typed words, in any order."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._words: tuple[str, ...] = ()

    def set_text(self, text: str) -> None:
        """Filter by what was typed."""
        self.beginFilterChange()
        self._words = tuple(text.casefold().split())
        self.endFilterChange()

    def filterAcceptsRow(
        self, source_row: int, source_parent: QModelIndex | QPersistentModelIndex
    ) -> bool:
        """Tell whether a row is kept."""
        text = self.sourceModel().index(source_row, 0, source_parent).data(SEARCH_ROLE)
        return all(word in str(text) for word in self._words)
