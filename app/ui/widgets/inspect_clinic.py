"""A launch text with the remarks on it: choosing one shows its place in the text."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QSplitter,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from app.ui.icons import IconSet
from app.ui.theme import Theme, letters, space
from app.ui.viewmodels.inspect_clinic import ClinicView, RemarkView
from app.ui.widgets.buttons import push_button
from app.ui.widgets.state import StateLabel
from app.ui.widgets.text import MonoBlock

_SHARES = (3, 2)
"""Of the width: the text, the remarks."""


class ClinicPanel(QWidget):
    """The text on one side, its remarks on the other."""

    copied = Signal()

    def __init__(self, theme: Theme, icons: IconSet, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icons = icons
        self._view: ClinicView | None = None
        self._state = StateLabel(icons)
        self.copy_corrected = push_button(icons, icon="copy", on_click=self._on_copy)
        self.text = MonoBlock(theme)
        self.remarks = QListWidget()
        self.remarks.setWordWrap(True)
        self.remarks.setTextElideMode(Qt.TextElideMode.ElideNone)
        self.remarks.setResizeMode(QListWidget.ResizeMode.Adjust)
        self.remarks.setIconSize(QSize(18, 18))
        self.remarks.setSpacing(space(1))
        self.remarks.setMinimumWidth(letters(self.font(), 30))
        self.remarks.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.remarks.currentRowChanged.connect(self._on_chosen)
        self.remarks.itemClicked.connect(lambda _: self._on_chosen(self.remarks.currentRow()))
        split = QSplitter(Qt.Orientation.Horizontal)
        split.addWidget(self.text)
        split.addWidget(self.remarks)
        for index, share in enumerate(_SHARES):
            split.setStretchFactor(index, share)
        split.setChildrenCollapsible(False)
        head = QHBoxLayout()
        head.addWidget(self._state, 1)
        head.addWidget(self.copy_corrected)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(space(2))
        layout.addLayout(head)
        layout.addWidget(split, 1)
        theme.changed.connect(self._on_theme)
        self.retranslate()

    def retranslate(self) -> None:
        """Set every text again."""
        self.copy_corrected.setText(self.tr("Copy corrected text"))
        self.copy_corrected.setToolTip(
            self.tr("The text with what can be corrected without thinking, secrets included.")
        )
        self.text.setAccessibleName(self.tr("Launch text"))
        self.remarks.setAccessibleName(self.tr("Remarks"))

    def show_clinic(self, view: ClinicView) -> None:
        """Show a text and its remarks; the first is chosen."""
        if view == self._view:
            return
        row = self.remarks.currentRow() if self._view and self._view.text == view.text else 0
        self._view = view
        self._state.set_state(view.state.icon, view.state.word, view.state.status)
        self.copy_corrected.setVisible(bool(view.corrected))
        if self.text.toPlainText() != view.text:
            self.text.setPlainText(view.text)
        self.remarks.clear()
        for remark in view.remarks:
            self.remarks.addItem(self._item(remark))
        self.remarks.setCurrentRow(row)

    def _item(self, remark: RemarkView) -> QListWidgetItem:
        parts = (remark.head, remark.text, remark.instead)
        item = QListWidgetItem("\n".join(part for part in parts if part))
        item.setIcon(self._icons.icon(remark.icon, remark.token))
        item.setToolTip(remark.tip)
        return item

    def _on_chosen(self, row: int) -> None:
        if self._view is None or not 0 <= row < len(self._view.remarks):
            return
        cursor = self.text.textCursor()
        cursor.setPosition(_place(self._view.text, self._view.remarks[row].begin))
        self.text.setTextCursor(cursor)
        self.text.centerCursor()
        self._mark()

    def _mark(self) -> None:
        """Underline the places of all remarks, and underlay that of the chosen one."""
        if self._view is None:
            return
        chosen = self.remarks.currentRow()
        marks = [
            self._selection(remark, strong=row == chosen)
            for row, remark in enumerate(self._view.remarks)
        ]
        self.text.setExtraSelections(marks)

    def _selection(self, remark: RemarkView, *, strong: bool) -> QTextEdit.ExtraSelection:
        mark = QTextEdit.ExtraSelection()
        cursor = QTextCursor(self.text.document())
        text = self.text.toPlainText()
        end = min(_place(self._view.text if self._view else "", remark.end), len(text))
        cursor.setPosition(min(_place(self._view.text if self._view else "", remark.begin), end))
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        mark.cursor = cursor
        mark.format.setFontUnderline(True)
        if strong:
            mark.format.setBackground(self._theme.color("soft.warn"))
        return mark

    def _on_theme(self) -> None:
        for row, remark in enumerate(self._view.remarks if self._view else ()):
            self.remarks.item(row).setIcon(self._icons.icon(remark.icon, remark.token))
        self._mark()

    def _on_copy(self) -> None:
        if self._view is not None:
            QGuiApplication.clipboard().setText(self._view.corrected)
            self.copied.emit()


def _place(text: str, offset: int) -> int:
    """Return a place as Qt counts it: in UTF-16, and without carriage returns."""
    before = text[:offset].replace("\r\n", "\n")
    return len(before.encode("utf-16-le")) // 2
