"""The Settings page: language, theme, and where Pitwall keeps its things."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.pages.registry import PageContext, PageSpec, register
from app.ui.theme import letters, space
from app.ui.viewmodels.hosts_keyring import KeyringViewModel
from app.ui.viewmodels.settings import SettingsViewModel
from app.ui.widgets.buttons import icon_button, name_button
from app.ui.widgets.hosts_keyring import KeyringCard
from app.ui.widgets.page import Page
from app.ui.widgets.state import ErrorBanner
from app.ui.widgets.text import label

_SELECTABLE = (
    Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
)


class SettingsPage(Page):
    """Few settings, each in force at once."""

    def __init__(self, context: PageContext) -> None:
        super().__init__()
        self._context = context
        self.view_model = SettingsViewModel(context.app, context.bridge, self)
        self._banner = ErrorBanner(context.icons)
        self.body.addWidget(self._banner)
        self.body.addWidget(self._build_look())
        self.keyring = KeyringViewModel(context.app, context.bridge, self)
        self.keyring_card = KeyringCard(context.icons, self.keyring)
        self.body.addWidget(self.keyring_card)
        self.body.addWidget(self._build_folders())
        self.body.addStretch(1)
        self.view_model.failed.connect(self._banner.show_error)
        self.view_model.changed.connect(self._show)
        self.retranslate()

    def retranslate(self) -> None:
        """Set every text again."""
        self.set_title(self.tr("Settings"))
        self._look_title.setText(self.tr("Language and look"))
        self._language_label.setText(self.tr("&Language"))
        self._theme_label.setText(self.tr("&Theme"))
        self.language.setAccessibleName(self.tr("Language"))
        self.theme.setAccessibleName(self.tr("Theme"))
        self.language.setItemText(0, self.tr("As the desktop"))
        for row, words in enumerate((self.tr("As the desktop"), self.tr("Light"), self.tr("Dark"))):
            self.theme.setItemText(row, words)
        self._folders_title.setText(self.tr("Folders"))
        self._folders_note.setText(self.tr("Nothing secret lies in these folders."))
        names = {
            "config": self.tr("Settings and accepted host keys"),
            "data": self.tr("Hosts, fingerprints, saved profiles"),
            "cache": self.tr("What can be made again"),
            "overrides": self.tr("Your own data files"),
        }
        for key, (name, button) in self._folder_rows.items():
            name.setText(names[key])
            name_button(button, self.tr("Open folder: {name}").format(name=names[key]))
        self._show()

    def activated(self) -> None:
        """Look at the keyring when somebody looks here: it may have been unlocked meanwhile."""
        self.keyring.look()

    def dispose(self) -> None:
        """Cancel what runs."""
        self.keyring.dispose()
        self.view_model.dispose()

    # Inside

    def _build_look(self) -> QWidget:
        card, column = _card()
        self._look_title = label("section")
        self._language_label, self._theme_label = label(), label()
        self.language = QComboBox()
        for words, value in (("", "system"), ("English", "en"), ("简体中文", "zh_CN")):
            self.language.addItem(words, value)
        self.theme = QComboBox()
        for value in ("system", "light", "dark"):
            self.theme.addItem("", value)
        self._language_label.setBuddy(self.language)
        self._theme_label.setBuddy(self.theme)
        form = QFormLayout()
        form.setSpacing(space(2))
        form.addRow(self._language_label, self.language)
        form.addRow(self._theme_label, self.theme)
        for box in (self.language, self.theme):
            box.setMinimumWidth(letters(self.font(), 26))
        self.language.activated.connect(
            lambda: self.view_model.set_language(str(self.language.currentData()))
        )
        self.theme.activated.connect(
            lambda: self.view_model.set_theme(str(self.theme.currentData()))
        )
        row = QHBoxLayout()
        row.addLayout(form)
        row.addStretch(1)
        column.addWidget(self._look_title)
        column.addLayout(row)
        return card

    def _build_folders(self) -> QWidget:
        card, column = _card()
        self._folders_title = label("section")
        self._folders_note = label("muted", wrap=True)
        self._folder_rows: dict[str, tuple[QLabel, QToolButton]] = {}
        form = QFormLayout()
        form.setHorizontalSpacing(space(4))
        form.setVerticalSpacing(space(1))
        for key, path in self.view_model.folders().items():
            name, value = label("muted"), label("body", str(path))
            value.setFont(self._context.theme.font("mono"))
            value.setTextInteractionFlags(_SELECTABLE)
            button = icon_button(
                self._context.icons, "folder-open", on_click=partial(self._open, path)
            )
            row = QHBoxLayout()
            row.setSpacing(space(1))
            row.addWidget(button)
            row.addWidget(value, 1)
            form.addRow(name, row)
            self._folder_rows[key] = (name, button)
        column.addWidget(self._folders_title)
        column.addWidget(self._folders_note)
        column.addLayout(form)
        return card

    def _open(self, path: Path) -> None:
        """Open a folder; say so where nothing on this desk can."""
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
            QGuiApplication.clipboard().setText(str(path))
            self._context.shell.notify(
                self.tr("No program here opens folders; the path is copied: {path}").format(
                    path=path
                )
            )

    def _show(self) -> None:
        settings = self.view_model.settings
        self.language.setCurrentIndex(self.language.findData(settings.language.value))
        self.theme.setCurrentIndex(self.theme.findData(settings.theme.value))


def _card() -> tuple[QFrame, QVBoxLayout]:
    card = QFrame()
    card.setProperty("role", "card")
    column = QVBoxLayout(card)
    column.setContentsMargins(space(4), space(3), space(4), space(4))
    column.setSpacing(space(2))
    return card, column


PAGE = register(
    PageSpec(
        id="settings",
        title=QT_TRANSLATE_NOOP("Pages", "Settings"),
        icon="settings",
        order=90,
        factory=SettingsPage,
    )
)
