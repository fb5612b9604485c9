"""The Help page: short texts in both languages, without a network."""

from PySide6.QtCore import QModelIndex, Qt, QUrl
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QTextBrowser

from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.pages.registry import PageContext, PageSpec, register
from app.ui.theme import letters, space
from app.ui.viewmodels.help import HelpPageText, help_pages
from app.ui.widgets.page import Page
from app.ui.widgets.table import RowDelegate


class HelpPage(Page):
    """Topics on the left, text on the right."""

    def __init__(self, context: PageContext) -> None:
        super().__init__()
        self._context = context
        self._pages: tuple[HelpPageText, ...] = ()
        self.topics = QListWidget()
        self.topics.setFixedWidth(letters(self.font(), 32))
        self.topics.setItemDelegate(RowDelegate(self.topics))
        self.topics.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.text = QTextBrowser()
        self.text.setOpenLinks(False)
        self.text.anchorClicked.connect(self._on_link)
        self.text.document().setDocumentMargin(space(4))
        row = QHBoxLayout()
        row.setSpacing(space(3))
        row.addWidget(self.topics)
        row.addWidget(self.text, 1)
        self.body.addLayout(row, 1)
        self.topics.selectionModel().currentChanged.connect(self._on_topic)
        context.theme.changed.connect(self.retranslate)
        self.retranslate()

    def retranslate(self) -> None:
        """Show the topics in the language in force."""
        self.set_title(self.tr("Help"))
        self.topics.setAccessibleName(self.tr("Topics"))
        self.text.setAccessibleName(self.tr("Text"))
        row = max(self.topics.currentRow(), 0)
        language = self._context.translations.language
        self._pages = help_pages(self._context.assets.help_pages, language)
        self.topics.clear()
        for page in self._pages:
            self.topics.addItem(QListWidgetItem(page.title))
        self.topics.setCurrentRow(min(row, len(self._pages) - 1))

    def open_topic(self, topic: str) -> None:
        """Show a topic by the stem of its file."""
        for row, page in enumerate(self._pages):
            if page.id == topic:
                self.topics.setCurrentRow(row)

    def _on_topic(self, index: QModelIndex) -> None:
        if index.isValid():
            self.text.setMarkdown(self._pages[index.row()].markdown)

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
