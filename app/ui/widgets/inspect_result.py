"""What was found in something that was sent: warnings, facts, tables, findings, the text."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QTabWidget, QVBoxLayout, QWidget

from app.ui.icons import IconSet
from app.ui.models.inspect import TextTableModel
from app.ui.theme import Theme, space
from app.ui.viewmodels.findings import FindingsPanel
from app.ui.viewmodels.inspect_texts import LookView, TableView
from app.ui.widgets.facts import FactList
from app.ui.widgets.findings import FindingsView
from app.ui.widgets.icon_label import IconLabel
from app.ui.widgets.table import DataTable
from app.ui.widgets.text import MonoBlock, label

_SHOWN_ROWS = 60
"""Rows of a table before it scrolls by itself; the page scrolls as a whole."""


class InspectResult(QTabWidget):
    """Two tabs: what was read, and the text itself."""

    def __init__(self, theme: Theme, icons: IconSet, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icons = icons
        self.setDocumentMode(True)
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
        column.addWidget(self.findings, 3)
        column.addWidget(self._area, 2)
        self.text = MonoBlock(theme)
        self.addTab(first, "")
        self.addTab(self.text, "")
        self.retranslate()

    def retranslate(self) -> None:
        """Set every text again."""
        self.setTabText(0, self.tr("What it says"))
        self.setTabText(1, self.tr("Text"))
        self.text.setAccessibleName(self.tr("Text"))

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
        for table in view.tables:
            layout.addWidget(label("section", table.title))
            layout.addWidget(_table(table))
        layout.addStretch(1)
        self._area.setWidget(inside)
        if self.text.toPlainText() != text:
            self.text.setPlainText(text)
        self.setTabVisible(1, bool(text))

    def show_findings(self, panel: FindingsPanel | None) -> None:
        """Show what a log's diagnosis says, or nothing."""
        self.findings.show_panel(panel)

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


def _table(view: TableView) -> DataTable:
    table = DataTable()
    model = TextTableModel(view.titles, view.rows, table)
    table.setModel(model)
    table.setSortingEnabled(False)
    table.setAccessibleName(view.title)
    widths = model.widths()
    table.set_widths(widths, stretch=len(widths) - 1)
    shown = min(len(view.rows), _SHOWN_ROWS)
    row = table.verticalHeader().defaultSectionSize()
    header = table.horizontalHeader().sizeHint().height()
    # One row more than the rows: a horizontal scroll bar may come.
    table.setFixedHeight(header + row * shown + row // 2 + 2)
    return table
