"""Tables as every page shows them: whole rows, sorting, no grid, figures to the right."""

from PySide6.QtCore import (
    QAbstractItemModel,
    QModelIndex,
    QPersistentModelIndex,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from app.ui.theme import letters


class RowDelegate(QStyledItemDelegate):
    """Give the rows of a list their height from the font, whenever they are laid out."""

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Return the text's width and a comfortable height."""
        hint = super().sizeHint(option, index)
        return QSize(hint.width(), option.fontMetrics.height() + 10)


class DataTable(QTableView):
    """A sortable table of whole rows; Enter and double click open the row."""

    opened = Signal(QModelIndex)
    """The row to be opened, as an index of the view's model."""
    deleted = Signal(QModelIndex)
    """Delete was pressed on a row."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._stretch = 0
        self._least: list[int] = []
        self._is_narrow = False
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
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
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.doubleClicked.connect(self.opened)
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

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the stretched column what is left, but never less than its own width."""
        super().resizeEvent(event)
        self._fit_columns()

    def _fit_columns(self) -> None:
        if not self._least or self.model() is None:
            return
        header = self.horizontalHeader()
        columns = range(len(self._least))
        # A title in another language may be longer than what the figures need.
        roomy = [max(self._least[column], header.sectionSizeHint(column)) for column in columns]
        room = self.viewport().width()
        self._is_narrow = sum(roomy) > room
        least = [self._narrow(column, roomy[column]) for column in columns]
        for column in columns:
            if self._is_narrow or self.columnWidth(column) < least[column]:
                self.setColumnWidth(column, least[column])
        others = sum(self.columnWidth(column) for column in columns if column != self._stretch)
        self.setColumnWidth(self._stretch, max(room - others, least[self._stretch]))

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
        if self._is_narrow:
            self._fit_columns()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open with Enter, remove with Delete."""
        index = self.currentIndex()
        if index.isValid() and event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.opened.emit(index)
        elif index.isValid() and event.key() == Qt.Key.Key_Delete:
            self.deleted.emit(index)
        else:
            super().keyPressEvent(event)
