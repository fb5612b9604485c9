"""What was found in something that was sent: warnings, facts, tables, findings, the text."""

from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QTabWidget, QVBoxLayout, QWidget

from app.ui.icons import IconSet
from app.ui.models.inspect import TextTableModel
from app.ui.theme import Theme, space
from app.ui.viewmodels.findings import FindingsPanel
from app.ui.viewmodels.inspect_texts import LookView, TableView
from app.ui.widgets.facts import FactList
from app.ui.widgets.findings import FindingsView
from app.ui.widgets.icon_label import IconLabel
from app.ui.widgets.inspect_clinic import ClinicPanel
from app.ui.widgets.table import DataTable
from app.ui.widgets.text import MonoBlock, label

_NO_LIMIT = 16_777_215
"""Qt's greatest height of a widget."""
_SHOWN_ROWS = 60
"""Rows of a table before it scrolls by itself; the page scrolls as a whole."""


class InspectResult(QTabWidget):
    """Two tabs: what was read, and the text itself."""

    def __init__(self, theme: Theme, icons: IconSet, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icons = icons
        self.findings = FindingsView(theme, icons)
        self.findings.hide()
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        first = QWidget()
        column = QVBoxLayout(first)
        column.setContentsMargins(0, space(2), 0, 0)
        column.setSpacing(space(3))
        self.clinic = ClinicPanel(theme, icons)
        self.clinic.hide()
        column.addWidget(self.clinic, 5)
        column.addWidget(self.findings, 3)
        column.addWidget(self._area, 2)
        self._is_bare = True
        self.text = MonoBlock(theme)
        self.addTab(first, "")
        self.addTab(self.text, "")
        self.retranslate()

    def retranslate(self) -> None:
        """Set every text again."""
        self.setTabText(0, self.tr("What it says"))
        self.setTabText(1, self.tr("Text"))
        self.text.setAccessibleName(self.tr("Text"))
        self.clinic.retranslate()
        self._area.setAccessibleName(self.tr("What it says"))

    def show_look(self, view: LookView, text: str) -> None:
        """Show one thing."""
        inside = QWidget()
        layout = QVBoxLayout(inside)
        layout.setContentsMargins(0, 0, space(2), 0)
        layout.setSpacing(space(3))
        for fact in view.warnings:
            layout.addWidget(self._warning(f"{fact.value or fact.reason}"))
        if view.facts:
            layout.addWidget(FactList(self._theme, view.facts))
        tables = [_table(table) for table in view.tables]
        for table, shown in zip(view.tables, tables, strict=True):
            layout.addWidget(label("section", table.title))
            layout.addWidget(shown)
        layout.addStretch(1)
        self._is_bare = layout.count() == 1
        self._area.setWidget(inside)
        for before, after in pairwise((self._area, *tables)):  # made last, they would come last
            QWidget.setTabOrder(before, after)
        self.clinic.setVisible(view.clinic is not None)
        if view.clinic is not None:
            self.clinic.show_clinic(view.clinic)
        self._share()
        if self.text.toPlainText() != text:
            self.text.setPlainText(text)
        self.setTabVisible(1, bool(text) and view.clinic is None)

    def show_findings(self, panel: FindingsPanel | None) -> None:
        """Show what a log's diagnosis says, or nothing."""
        self.findings.show_panel(panel)
        self._share()

    def _share(self) -> None:
        """Give findings the room that little else leaves."""
        alone = self.findings.isVisibleTo(self) or self.clinic.isVisibleTo(self)
        inside = self._area.widget()
        room = inside.sizeHint().height() if alone and inside is not None else _NO_LIMIT
        self._area.setMaximumHeight(room)
        self._area.setVisible(not (alone and self._is_bare))

    def _warning(self, text: str) -> QWidget:
        line = QWidget()
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(space(2))
        picture = IconLabel(self._icons)
        picture.set("alert-triangle", "status.warn")
        words = label(text=text, wrap=True)
        words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        row.addWidget(picture, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(words, 1)
        return line


class _WholeTable(DataTable):
    """As high as its rows, and its own scroll bar where it is too wide."""

    def fit_height(self) -> None:
        """Take the height of what is shown."""
        rows = min(self.model().rowCount(), _SHOWN_ROWS)
        height = self.horizontalHeader().sizeHint().height()
        height += self.verticalHeader().defaultSectionSize() * rows + 2 * self.frameWidth()
        bar = self.horizontalScrollBar()
        if bar.maximum() > 0:
            height += bar.sizeHint().height()
        self.setFixedHeight(height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """See whether the columns fit now."""
        super().resizeEvent(event)
        self.fit_height()


def _table(view: TableView) -> DataTable:
    table = _WholeTable()
    model = TextTableModel(view.titles, view.rows, table, unknown=view.unknown)
    table.setModel(model)
    table.setSortingEnabled(False)
    table.setAccessibleName(view.title)
    if model.is_code():
        table.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # its ends tell ids apart
    table.set_widths(model.widths(), stretch=model.stretched())
    table.fit_height()
    return table
