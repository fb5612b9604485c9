"""Tables as every page shows them: whole rows, sorting, no grid, figures to the right."""

import json
from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import (
    QAbstractItemModel,
    QModelIndex,
    QPersistentModelIndex,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QBrush, QGuiApplication, QKeyEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from app.ui.theme import letters

_WIDEST: Final = 4000
"""In pixels; a stored width beyond is not one that anybody chose."""


class RowDelegate(QStyledItemDelegate):
    """Give the rows of a list their height from the font, whenever they are laid out."""

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Return the text's width and a comfortable height."""
        hint = super().sizeHint(option, index)
        return QSize(hint.width(), option.fontMetrics.height() + 10)


class ToneDelegate(QStyledItemDelegate):
    """Keep a cell's own colour while its row is selected: a state's colour goes with its word."""

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Take what the model says of the colour for selected cells, too."""
        super().initStyleOption(option, index)
        tone = index.data(Qt.ItemDataRole.ForegroundRole)
        if tone is not None:
            palette = option.palette
            palette.setBrush(QPalette.ColorRole.HighlightedText, QBrush(tone))
            option.palette = palette


class DataTable(QTableView):
    """A sortable table of whole rows; Enter and double click open the row."""

    opened = Signal(QModelIndex)
    """The row to be opened, as an index of the view's model."""
    deleted = Signal(QModelIndex)
    """Delete was pressed on a row."""
    arranged = Signal()
    """The user changed a width or the order; see `arrangement`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._stretch = 0
        self._least: list[int] = []
        self._is_narrow = False
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self._fit_columns)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setItemDelegate(ToneDelegate(self))
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setMouseTracking(True)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setResizeContentsPrecision(0)  # what is seen, not a thousand rows
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.doubleClicked.connect(self.opened)
        header.sectionResized.connect(self._on_resized)
        header.sortIndicatorChanged.connect(self._on_sorted)
        header.setSectionsMovable(True)
        header.sectionMoved.connect(self._on_sorted)
        self.fit_rows()

    def setModel(self, model: QAbstractItemModel | None) -> None:
        """Show a model; sorting is on from the start."""
        super().setModel(model)
        self.setSortingEnabled(model is not None)
        if model is not None:
            model.headerDataChanged.connect(self._fit_columns)
            model.dataChanged.connect(self._on_contents)
            model.rowsInserted.connect(self._on_contents)

    def fit_rows(self) -> None:
        """Give rows the height that the font asks for."""
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 12)

    def set_widths(self, characters: tuple[int, ...], stretch: int) -> None:
        """Set column widths in letters; column ``stretch`` takes what is left."""
        self._stretch = stretch
        self._least = [letters(self.font(), count) + 20 for count in characters]
        for column, width in enumerate(self._least):
            self.setColumnWidth(column, width)
        self._fit_columns()

    def show_column(self, column: int, *, shown: bool) -> None:
        """Show or hide a column; the others take or give the room."""
        if self.isColumnHidden(column) is shown:
            self.setColumnHidden(column, not shown)
            self._fit_columns()

    def arrangement(self, names: Sequence[str]) -> str:
        """Return widths and order as a text; ``names`` are the columns' own, not their titles."""
        header = self.horizontalHeader()
        widths = {
            name: self.columnWidth(column)
            for column, name in enumerate(names)
            if column != self._stretch and not self.isColumnHidden(column)
        }
        by = header.sortIndicatorSection()
        sort = [names[by] if 0 <= by < len(names) else "", header.sortIndicatorOrder().value]
        order = [names[header.logicalIndex(place)] for place in range(len(names))]
        return json.dumps({"widths": widths, "sort": sort, "order": order})

    def arrange(self, text: str, names: Sequence[str]) -> None:
        """Take an `arrangement` up again; what does not fit this table is passed over."""
        try:
            kept = json.loads(text)
            widths, (by, order) = dict(kept["widths"]), kept["sort"]
            sorted_by = (names.index(by) if by else -1, Qt.SortOrder(order))
            places = [names.index(name) for name in kept.get("order", names)]
        except (ValueError, TypeError, KeyError):
            return
        for column, name in enumerate(names):
            width = widths.get(name)
            if isinstance(width, int) and 0 < width < _WIDEST and column != self._stretch:
                self.setColumnWidth(column, width)
        for place, column in enumerate(places if sorted(places) == list(range(len(names))) else ()):
            header = self.horizontalHeader()
            header.moveSection(header.visualIndex(column), place)
        if self.isSortingEnabled():
            self.sortByColumn(*sorted_by)
        self._fit_columns()

    def _on_resized(self) -> None:
        # The table sets widths too; only what the mouse did is the user's.
        if QGuiApplication.mouseButtons() & Qt.MouseButton.LeftButton:
            self.arranged.emit()

    def _on_sorted(self) -> None:
        self.arranged.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the stretched column what is left, but never less than its own width."""
        super().resizeEvent(event)
        self._fit_columns()

    def _fit_columns(self) -> None:
        if not self._least or self.model() is None:
            return
        header = self.horizontalHeader()
        columns = [n for n in range(len(self._least)) if not self.isColumnHidden(n)]
        # A title in another language may be longer than what the figures need.
        roomy = {n: max(self._least[n], header.sectionSizeHint(n)) for n in columns}
        room = self.viewport().width()
        self._is_narrow = sum(roomy.values()) > room
        least = {n: self._narrow(n, roomy[n]) for n in columns}
        for n in columns:
            if self._is_narrow or self.columnWidth(n) < least[n]:
                self.setColumnWidth(n, least[n])
        others = sum(self.columnWidth(n) for n in columns if n != self._stretch)
        self.setColumnWidth(self._stretch, max(room - others, least.get(self._stretch, 0)))

    def _narrow(self, column: int, roomy: int) -> int:
        """Return a column's width: where room is short, what title and contents need."""
        if not self._is_narrow:
            return roomy
        header = self.horizontalHeader()
        words = self.model().headerData(column, Qt.Orientation.Horizontal)
        # The header's own hint keeps room for an arrow in every column.
        title = header.fontMetrics().horizontalAdvance(str(words)) + 18
        if header.isSortIndicatorShown() and header.sortIndicatorSection() == column:
            title += 14
        return min(roomy, max(title, self.sizeHintForColumn(column) + 4))

    def _on_contents(self) -> None:
        # Fifty rows that change one after the other are measured once.
        if self._is_narrow:
            self._soon.start()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open with Enter, remove with Delete."""
        index = self.currentIndex()
        if index.isValid() and event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.opened.emit(index)
        elif index.isValid() and event.key() == Qt.Key.Key_Delete:
            self.deleted.emit(index)
        else:
            super().keyPressEvent(event)
