"""The About page: versions for a report, licences of everything that is shipped."""

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QListWidget,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.pages.registry import PageContext, PageSpec, register
from app.ui.theme import letters, space
from app.ui.viewmodels.about import PARTS, AboutViewModel, Part, version_rows
from app.ui.widgets.buttons import push_button
from app.ui.widgets.icon_label import IconLabel
from app.ui.widgets.page import Page
from app.ui.widgets.table import RowDelegate
from app.ui.widgets.text import MonoBlock, label

_LINES: Final = 9
"""Lines of a licence that are seen at least."""


class AboutPage(Page):
    """Say what this is, which version, and under which licences."""

    def __init__(self, context: PageContext) -> None:
        super().__init__()
        self._context = context
        self._copy = push_button(context.icons, icon="copy", on_click=self._on_copy)
        self.tools.addWidget(self._copy)
        inner = QWidget()
        column = QVBoxLayout(inner)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(space(3))
        column.addWidget(self._build_versions())
        self._licences_title = label("section")
        self._licences_note = label("muted", wrap=True)
        self.parts = QListWidget()
        self.parts.setFixedWidth(letters(self.font(), 40))
        self.parts.setItemDelegate(RowDelegate(self.parts))
        self.parts.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.notice = MonoBlock(context.theme, wrap=True)
        row = QHBoxLayout()
        row.setSpacing(space(3))
        row.addWidget(self.parts)
        row.addWidget(self.notice, 1)
        # With large text the page is higher than its place: it scrolls instead of being squeezed.
        self.notice.setMinimumHeight(self.fontMetrics().lineSpacing() * _LINES)
        column.addWidget(self._licences_title)
        column.addWidget(self._licences_note)
        column.addLayout(row, 1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(inner)
        self.body.addWidget(scroll, 1)
        self.view_model = AboutViewModel(context.app, context.bridge, self)
        self.view_model.listed.connect(self._show_parts)
        self._shown: tuple[Part, ...] = ()
        self.parts.currentRowChanged.connect(self._on_part)
        self.retranslate()
        self._show_parts(PARTS)
        self.view_model.load()

    def retranslate(self) -> None:
        """Set every text again."""
        self.set_title(self.tr("About Pitwall"))
        self._copy.setText(self.tr("Copy versions"))
        self._what.setText(
            self.tr(
                "The desk from which a solution engineer puts LLM inference engines onto GPU "
                "hosts, sees what they do, and can prove why."
            )
        )
        for shown, (name, _) in zip(self._names, version_rows(), strict=True):
            shown.setText(name)
        self._licences_title.setText(self.tr("Licences"))
        self._licences_note.setText(
            self.tr(
                "Pitwall is under the Apache License 2.0. Qt for Python and paramiko are used "
                "under the LGPL: they are separate files that you may replace with your own build."
            )
        )
        self.parts.setAccessibleName(self.tr("Parts"))
        self.notice.setAccessibleName(self.tr("Licence text"))

    def _build_versions(self) -> QFrame:
        card = QFrame()
        card.setProperty("role", "card")
        picture = IconLabel(self._context.icons, size=48)
        picture.set("gauge", "accent")
        self._what = label("body", wrap=True)
        form = QFormLayout()
        form.setHorizontalSpacing(space(4))
        form.setVerticalSpacing(2)
        self._names = [label("muted") for _ in version_rows()]
        for name, (_, version) in zip(self._names, version_rows(), strict=True):
            value = label("body", version)
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            form.addRow(name, value)
        texts = QVBoxLayout()
        texts.setSpacing(space(2))
        texts.addWidget(self._what)
        texts.addLayout(form)
        layout = QHBoxLayout(card)
        layout.setContentsMargins(space(4), space(4), space(4), space(4))
        layout.setSpacing(space(4))
        layout.addWidget(picture, 0, Qt.AlignmentFlag.AlignTop)
        layout.addLayout(texts, 1)
        return card

    def dispose(self) -> None:
        """Cancel what runs."""
        self.view_model.dispose()

    def _show_parts(self, parts: tuple[Part, ...]) -> None:
        row = max(self.parts.currentRow(), 0)
        self._shown = parts
        self.parts.clear()
        self.parts.addItems([f"{part.name} · {part.licence}" for part in parts])
        self.parts.setCurrentRow(row)

    def _on_part(self, row: int) -> None:
        if not 0 <= row < len(self._shown):
            return
        part = self._shown[row]
        notices = self._context.assets.notices
        texts = [notices[name] for name in part.notices if name in notices]
        head = f"{part.name}\n{part.licence}\n{part.home}"
        parts = (text.strip("\n") for text in (head, part.note, part.text, *texts))
        self.notice.setPlainText("\n\n".join(text for text in parts if text.strip()))

    def _on_copy(self) -> None:
        lines = (f"{name}: {version}" for name, version in version_rows())
        QGuiApplication.clipboard().setText("\n".join(lines))
        self._context.shell.notify(self.tr("Copied"))


PAGE = register(
    PageSpec(
        id="about",
        title=QT_TRANSLATE_NOOP("Pages", "About"),
        icon="info-circle",
        order=92,
        factory=AboutPage,
    )
)
