"""What the host's tools printed, section by section."""

from PySide6.QtCore import QCoreApplication, QModelIndex, QSize
from PySide6.QtWidgets import QFrame, QHBoxLayout, QListView, QSplitter, QVBoxLayout, QWidget

from app.core.hardware.sections import RawSection
from app.ui.icons import IconSet
from app.ui.models.fingerprint import SectionsModel
from app.ui.theme import Theme, letters, space
from app.ui.widgets.table import RowDelegate
from app.ui.widgets.text import MonoBlock, label

translate = QCoreApplication.translate


class FingerprintRaw(QWidget):
    """Sections on the left, the chosen one's output beside them."""

    def __init__(self, theme: Theme, icons: IconSet) -> None:
        super().__init__()
        self.sections = SectionsModel(icons, self)
        self.sections_view = QListView()
        self.sections_view.setModel(self.sections)
        self.sections_view.setUniformItemSizes(True)
        self.sections_view.setIconSize(QSize(16, 16))
        self.sections_view.setItemDelegate(RowDelegate(self.sections_view))
        self._title = label("muted")
        self._text = MonoBlock(theme)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._build_splitter())
        self.sections_view.selectionModel().currentChanged.connect(self._on_section)

    def retranslate(self) -> None:
        """Set every text again."""
        self.sections_view.setAccessibleName(translate("FingerprintPage", "Raw sections"))
        self._text.setAccessibleName(translate("FingerprintPage", "Raw output"))

    def show_sections(self, sections: tuple[RawSection, ...]) -> None:
        """Show these; the row that was chosen stays chosen."""
        before = self.sections_view.currentIndex().row()
        self.sections.replace(sections)
        row = before if 0 <= before < len(sections) else 0
        self.sections_view.setCurrentIndex(self.sections.index(row))

    def text(self) -> str:
        """Return what is selected, or else the whole output, for the clipboard."""
        return self._text.textCursor().selectedText() or self._text.toPlainText()

    def _build_splitter(self) -> QSplitter:
        right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(space(1))
        column.addWidget(self._title)
        column.addWidget(self._text, 1)
        splitter = QSplitter()
        splitter.setHandleWidth(space(3))
        splitter.addWidget(self.sections_view)
        splitter.addWidget(right)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([letters(self.font(), 30), letters(self.font(), 120)])
        splitter.setFrameShape(QFrame.Shape.NoFrame)
        return splitter

    def _on_section(self, index: QModelIndex) -> None:
        if not index.isValid():
            self._text.clear()
            return
        section = self.sections.section(index.row())
        code = "–" if section.exit_code is None else str(section.exit_code)
        text = translate("FingerprintPage", "{command}   ·   exit status {code}")
        self._title.setText(text.format(command=section.command, code=code))
        parts = [section.stdout, section.stderr]
        self._text.setPlainText("\n".join(part for part in parts if part))
