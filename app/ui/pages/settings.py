"""The Settings page: every setting is in force at once or says when, and can be taken back."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import (
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.pages.registry import PageContext, PageRequest, PageSpec, register
from app.ui.theme import space
from app.ui.viewmodels.hosts_keyring import KeyringViewModel
from app.ui.viewmodels.settings import SettingsViewModel
from app.ui.viewmodels.settings_corrections import CorrectionsViewModel
from app.ui.widgets.buttons import icon_button, name_button, push_button
from app.ui.widgets.dialog import shortcut
from app.ui.widgets.hosts_keyring import KeyringCard
from app.ui.widgets.hosts_undo import UndoStrip
from app.ui.widgets.page import Page
from app.ui.widgets.settings_cards import Card, LookCard, NetworkCard, OwnFilesCard
from app.ui.widgets.settings_corrections import CorrectionsCard
from app.ui.widgets.state import ErrorBanner
from app.ui.widgets.text import label

_SELECTABLE = (
    Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
)


class SettingsPage(Page):
    """Few settings, each checked and kept at once."""

    def __init__(self, context: PageContext) -> None:
        super().__init__()
        self._context = context
        self.view_model = SettingsViewModel(context.app, context.bridge, self)
        self.keyring = KeyringViewModel(context.app, context.bridge, self)
        self._banner = ErrorBanner(context.icons)
        self.undo = UndoStrip(context.icons)
        self._build_tools()
        self.look, self.network = LookCard(), NetworkCard(context.icons)
        self.language, self.theme = self.look.language, self.look.theme
        self.keyring_card = KeyringCard(context.icons, self.keyring)
        self.own_files = OwnFilesCard()
        self.corrections = CorrectionsViewModel(context.app, context.bridge, self)
        self.corrections_card = CorrectionsCard(context.icons, self.corrections)
        self.body.addWidget(self._banner)
        self.body.addWidget(self.undo)
        self.body.addWidget(self._scrolled(), 1)
        self._connect()
        self.retranslate()

    def retranslate(self) -> None:
        """Set every text again."""
        self.set_title(self.tr("Settings"))
        self._defaults.setText(self.tr("Back to the defaults"))
        self._arrangement.setText(self.tr("Reset the arrangement"))
        self._arrangement.setToolTip(
            self.tr(
                "Widths and order of tables, splitters, tabs and filters, as at the first start"
            )
        )
        self.undo.retranslate()
        for card in (self.look, self.network, self.own_files, self.corrections_card):
            card.retranslate()
        self._folders.set_words(
            self.tr("Folders"), self.tr("Nothing secret lies in these folders.")
        )
        names = {
            "config": self.tr("Settings and accepted host keys"),
            "data": self.tr("Hosts, fingerprints, saved profiles"),
            "cache": self.tr("What can be made again"),
            "overrides": self.tr("Your own data files"),
        }
        for key, (name, button) in self._folder_rows.items():
            name.setText(names[key])
            name_button(button, self.tr("Open folder: {name}").format(name=names[key]))
        self.view_model.list_files()
        self._show()

    def activated(self) -> None:
        """Look again when somebody looks here: the keyring may have been unlocked meanwhile."""
        self.keyring.look()
        self.corrections.look()
        self.view_model.list_files()

    def deactivated(self) -> None:
        """Take back what was offered."""
        self.undo.clear()

    def receive(self, request: object) -> None:
        """Go to the setting that the palette asks for."""
        if isinstance(request, PageRequest) and request.action:
            widget = self._places()[request.action]
            self._scroll.ensureWidgetVisible(widget)
            widget.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def dispose(self) -> None:
        """Cancel what runs."""
        self.keyring.dispose()
        self.corrections.dispose()
        self.view_model.dispose()

    # Inside

    def _places(self) -> dict[str, QWidget]:
        """Return the control of each setting by its name in `SETTINGS`."""
        first_button = next(iter(self._folder_rows.values()))[1]
        return {
            "language": self.look.language,
            "theme": self.look.theme,
            "text_percent": self.look.text_size,
            "keyring": self.keyring_card.again,
            "image_mirrors": self.network.mirrors,
            "http_proxy": self.network.proxy,
            "check_for_updates": self.network.updates,
            "folders": first_button,
            "overrides": self._folder_rows["overrides"][1],
            "reset_views": self._arrangement,
        }

    def _build_tools(self) -> None:
        icons = self._context.icons
        self._arrangement = push_button(
            icons, icon="layout-sidebar-right", on_click=self._on_arrangement
        )
        self._defaults = push_button(icons, icon="history", on_click=self._on_defaults)
        self.tools.addWidget(self._arrangement)
        self.tools.addWidget(self._defaults)

    def _scrolled(self) -> QWidget:
        inner = QWidget()
        column = QVBoxLayout(inner)
        column.setContentsMargins(0, 0, space(1), 0)
        column.setSpacing(space(3))
        cards = (
            self.look,
            self.network,
            self.keyring_card,
            self._build_folders(),
            self.corrections_card,
            self.own_files,
        )
        for card in cards:
            column.addWidget(card)
        column.addStretch(1)
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(inner)
        return self._scroll

    def _build_folders(self) -> QWidget:
        self._folders = Card()
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
        self._folders.column.addLayout(form)
        return self._folders

    def _connect(self) -> None:
        vm, network = self.view_model, self.network
        self.look.chosen.connect(vm.change)
        network.entered.connect(vm.enter)
        network.updates_chosen.connect(lambda on: vm.change("check_for_updates", on))
        network.look_wanted.connect(vm.look_for_update)
        vm.update_told.connect(network.show_told)
        vm.refused.connect(network.refuse)
        vm.accepted.connect(network.accept)
        vm.files_listed.connect(self.own_files.show_files)
        vm.failed.connect(self._banner.show_error)
        self.corrections.failed.connect(self._banner.show_error)
        vm.changed.connect(self._show)
        shortcut(self, "Ctrl+Z", self.undo.undo)

    def _on_defaults(self) -> None:
        before = self.view_model.reset()
        if before:
            words = self.tr("Every setting has its default again.")
            self.undo.offer(words, lambda: self.view_model.restore(before))
        else:
            self._context.shell.notify(self.tr("Every setting has its default already."))

    def _on_arrangement(self) -> None:
        self._context.shell.forget_arrangement()
        self._context.shell.notify(self.tr("The arrangement is as at the first start."))

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
        self.look.show_settings(self.view_model.settings)
        self.network.show_settings(self.view_model.settings)


PAGE = register(
    PageSpec(
        id="settings",
        title=QT_TRANSLATE_NOOP("Pages", "Settings"),
        icon="settings",
        order=90,
        factory=SettingsPage,
    )
)
