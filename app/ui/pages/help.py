"""The Help page: short texts in both languages, searched and read without a network."""

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QTextCursor, QTextDocument
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QTextBrowser,
    QTextEdit,
    QVBoxLayout,
)

from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.pages.registry import PageContext, PageRequest, PageSpec, load_pages, register
from app.ui.theme import letters, space
from app.ui.viewmodels.help import HelpPageText, find_topics, help_pages, with_keys
from app.ui.widgets.buttons import ClearableLine
from app.ui.widgets.dialog import shortcut
from app.ui.widgets.help_text import lay_out
from app.ui.widgets.page import Page
from app.ui.widgets.table import RowDelegate
from app.ui.widgets.text import label


class HelpPage(Page):
    """Search and topics on the left, text on the right."""

    def __init__(self, context: PageContext) -> None:
        super().__init__()
        self._context = context
        self._pages: tuple[HelpPageText, ...] = ()
        self._topic = ""
        self.search = ClearableLine(context.icons)
        self.topics = QListWidget()
        self.topics.setItemDelegate(RowDelegate(self.topics))
        self.topics.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.nothing = label("muted", wrap=True)
        for widget in (self.search, self.topics, self.nothing):
            widget.setFixedWidth(letters(self.font(), 32))
        self.text = QTextBrowser()
        self.text.setOpenLinks(False)
        self.text.document().setDocumentMargin(space(4))
        left = QVBoxLayout()
        left.setSpacing(space(2))
        left.addWidget(self.search)
        left.addWidget(self.nothing)
        left.addWidget(self.topics, 1)
        row = QHBoxLayout()
        row.setSpacing(space(3))
        row.addLayout(left)
        row.addWidget(self.text, 1)
        self.body.addLayout(row, 1)
        self.text.anchorClicked.connect(self._on_link)
        self.search.textChanged.connect(self._show_topics)
        self.topics.currentRowChanged.connect(self._on_topic)
        context.theme.changed.connect(self._show_text)
        shortcut(self, "Ctrl+F", self._on_search)
        self.retranslate()

    def retranslate(self) -> None:
        """Show the topics in the language in force."""
        self.set_title(self.tr("Help"))
        self.search.setPlaceholderText(self.tr("Search the help"))
        self.search.setAccessibleName(self.tr("Search the help"))
        self.search.name_cross(self.tr("Clear"))
        self.topics.setAccessibleName(self.tr("Topics"))
        self.text.setAccessibleName(self.tr("Text"))
        self._show_topics()

    def receive(self, request: object) -> None:
        """Show the topic that F1 or the palette asks for: ``topic`` or ``topic#Heading``."""
        if isinstance(request, PageRequest) and request.action:
            self.search.clear()
            topic, _, heading = request.action.partition("#")
            self.open_topic(topic, heading)

    def open_topic(self, topic: str, heading: str = "") -> None:
        """Show a topic by the stem of its file, from a heading on."""
        for row, page in enumerate(self._pages):
            if page.id == topic:
                self.topics.setCurrentRow(row)
                self._go_to(heading)

    def escape(self) -> bool:
        """Take the search away."""
        searched = bool(self.search.text())
        self.search.clear()
        return searched

    # Inside

    def _show_topics(self) -> None:
        texts = help_pages(self._context.assets.help_pages, self._context.translations.language)
        self._pages = find_topics(texts, self.search.text())
        self.topics.blockSignals(True)
        self.topics.clear()
        for page in self._pages:
            self.topics.addItem(QListWidgetItem(page.title))
        self.topics.blockSignals(False)
        self.nothing.setText(self.tr("No topic holds all of these words."))
        self.nothing.setVisible(not self._pages)
        ids = [page.id for page in self._pages]
        if ids:
            self.topics.setCurrentRow(ids.index(self._topic) if self._topic in ids else 0)
        self._show_text()

    def _on_topic(self, row: int) -> None:
        if row >= 0:
            self._topic = self._pages[row].id
            self._show_text()

    def _show_text(self) -> None:
        row = self.topics.currentRow()
        if not 0 <= row < len(self._pages):
            self.text.clear()
            return
        words = {spec.id: spec.word for spec in load_pages()}
        self.text.setMarkdown(with_keys(self._pages[row].markdown, words))
        lay_out(self.text.document(), self._context.theme)
        self._mark_found()

    def _mark_found(self) -> None:
        """Mark every place of the searched words and go to the first."""
        marks: list[QTextEdit.ExtraSelection] = []
        for word in self.search.text().split():
            found = self.text.document().find(word, 0)
            while not found.isNull():
                mark = QTextEdit.ExtraSelection()
                mark.cursor = found
                mark.format.setBackground(self._context.theme.color("soft.warn"))
                marks.append(mark)
                found = self.text.document().find(word, found)
        self.text.setExtraSelections(marks)
        if marks:
            first = min(marks, key=lambda mark: mark.cursor.position()).cursor
            self.text.setTextCursor(QTextCursor(self.text.document()))
            self._scroll_to(first)

    def _go_to(self, heading: str) -> None:
        found = self.text.document().find(heading, 0, QTextDocument.FindFlag.FindCaseSensitively)
        if heading and not found.isNull():
            self._scroll_to(found)

    def _scroll_to(self, place: QTextCursor) -> None:
        top = self.text.document().documentLayout().blockBoundingRect(place.block()).top()
        self.text.verticalScrollBar().setValue(round(top))

    def _on_search(self) -> None:
        self.search.setFocus()
        self.search.selectAll()

    def _on_link(self, url: QUrl) -> None:
        # Links name other topics; the help has none that leave the program.
        self.open_topic(url.fileName().removesuffix(".md"))


PAGE = register(
    PageSpec(
        id="help",
        title=QT_TRANSLATE_NOOP("Pages", "Help"),
        icon="help-circle",
        order=91,
        factory=HelpPage,
    )
)
