"""The cards of the Settings page: look, network, own data files. Each tells what was chosen."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from app.core.settings import TEXT_PERCENTS, Settings
from app.ui.icons import IconSet
from app.ui.theme import letters, space
from app.ui.viewmodels.settings import OwnFileRow
from app.ui.widgets.buttons import push_button
from app.ui.widgets.form import Field
from app.ui.widgets.hosts_notes import NotesEdit
from app.ui.widgets.state import StateLabel
from app.ui.widgets.text import label


class Card(QFrame):
    """A titled card with a quiet sentence below its title."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._title = label("section")
        self._note = label("muted", wrap=True)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(space(4), space(3), space(4), space(4))
        self.column.setSpacing(space(2))
        self.column.addWidget(self._title)
        self.column.addWidget(self._note)

    def set_words(self, title: str, note: str = "") -> None:
        """Set title and sentence."""
        self._title.setText(title)
        self._note.setText(note)
        self._note.setVisible(bool(note))


class LookCard(Card):
    """Language, theme, size of text."""

    chosen = Signal(str, object)
    """Name of the setting and its value."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.language, self.theme, self.text_size = QComboBox(), QComboBox(), QComboBox()
        for words, value in (("", "system"), ("English", "en"), ("简体中文", "zh_CN")):
            self.language.addItem(words, value)
        for value in ("system", "light", "dark"):
            self.theme.addItem("", value)
        for percent in TEXT_PERCENTS:
            self.text_size.addItem(f"{percent} %", percent)
        self._boxes = {"language": self.language, "theme": self.theme}
        self._boxes["text_percent"] = self.text_size
        self._labels = {name: label() for name in self._boxes}
        form = QFormLayout()
        form.setSpacing(space(2))
        for name, box in self._boxes.items():
            box.setMinimumWidth(letters(self.font(), 26))
            self._labels[name].setBuddy(box)
            form.addRow(self._labels[name], box)
            box.activated.connect(
                lambda _row, name=name, box=box: self.chosen.emit(name, box.currentData())
            )
        row = QHBoxLayout()
        row.addLayout(form)
        row.addStretch(1)
        self.column.addLayout(row)

    def retranslate(self) -> None:
        """Set every text again."""
        self.set_words(
            self.tr("Language and look"),
            self.tr("Language and theme change at once, the size of text at the next start."),
        )
        names = {
            "language": self.tr("&Language"),
            "theme": self.tr("&Theme"),
            "text_percent": self.tr("Te&xt size"),
        }
        for name, words in names.items():
            self._labels[name].setText(words)
            self._boxes[name].setAccessibleName(words.replace("&", ""))
        self.language.setItemText(0, self.tr("As the desktop"))
        for row, words in enumerate((self.tr("As the desktop"), self.tr("Light"), self.tr("Dark"))):
            self.theme.setItemText(row, words)

    def show_settings(self, settings: Settings) -> None:
        """Show what is in force."""
        self.language.setCurrentIndex(self.language.findData(settings.language.value))
        self.theme.setCurrentIndex(self.theme.findData(settings.theme.value))
        nearest = min(TEXT_PERCENTS, key=lambda one: abs(one - settings.text_percent))
        self.text_size.setCurrentIndex(self.text_size.findData(nearest))


class NetworkCard(Card):
    """Mirrors of registries, a proxy, and whether anybody is asked for updates."""

    entered = Signal(str, str)
    """Name of the setting and what was typed."""
    updates_chosen = Signal(bool)
    look_wanted = Signal()

    def __init__(self, icons: IconSet, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.mirrors = NotesEdit("")
        self.proxy = QLineEdit()
        self.updates = QCheckBox()
        self.look = push_button(icons, icon="refresh", on_click=self.look_wanted.emit)
        self.told = StateLabel(icons)
        self.told.hide()
        self.fields = {"image_mirrors": Field(self.mirrors), "http_proxy": Field(self.proxy)}
        row = QHBoxLayout()
        row.setSpacing(space(3))
        row.addWidget(self.updates)
        row.addWidget(self.look)
        row.addWidget(self.told)
        row.addStretch(1)
        for field in self.fields.values():
            self.column.addWidget(field)
        self.column.addLayout(row)
        self.mirrors.committed.connect(lambda text: self.entered.emit("image_mirrors", text))
        self.proxy.editingFinished.connect(self._on_proxy)
        self.updates.clicked.connect(self.updates_chosen)
        self._kept = Settings()

    def retranslate(self) -> None:
        """Set every text again."""
        self.set_words(
            self.tr("Network"),
            self.tr(
                "Pitwall works without the internet. Images are fetched by the host's container "
                "engine, through its own proxy; a mirror set here is used in the registry's place."
            ),
        )
        self.fields["image_mirrors"].set_words(
            self.tr("&Mirrors for images"),
            self.tr("One per line: docker.io = mirror.example:5000. In force from the next fetch."),
        )
        self.fields["http_proxy"].set_words(
            self.tr("&Proxy"),
            self.tr("For what this computer asks of the internet: http://HOST:PORT. Empty: as the "
                    "environment says. Hosts are reached as the SSH configuration says."),
        )  # fmt: skip
        self.updates.setText(self.tr("Look for &updates when Pitwall starts"))
        self.look.setText(self.tr("Look now"))

    def show_settings(self, settings: Settings) -> None:
        """Show what is in force."""
        self._kept = settings
        self.mirrors.set_text(settings.image_mirrors)
        if not self.proxy.hasFocus():
            self.proxy.setText(settings.http_proxy)
        self.updates.setChecked(settings.check_for_updates)

    def show_told(self, text: str, status: str) -> None:
        """Show what the package index said."""
        icon = {"ok": "circle-check", "warn": "download"}.get(status, "circle-dashed")
        self.told.set_state(icon, text, status)
        self.told.show()

    def refuse(self, name: str, why: str) -> None:
        """Say what is wrong with an input."""
        if name in self.fields:
            self.fields[name].set_error(why)

    def accept(self, name: str) -> None:
        """Take the error away."""
        if name in self.fields:
            self.fields[name].clear_error()

    def _on_proxy(self) -> None:
        if self.proxy.text().strip() != self._kept.http_proxy or self.fields["http_proxy"].error:
            self.entered.emit("http_proxy", self.proxy.text())


class OwnFilesCard(Card):
    """The user's own data files that are in force."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = QFormLayout()
        self._rows.setHorizontalSpacing(space(4))
        self._rows.setVerticalSpacing(space(1))
        self.column.addLayout(self._rows)
        self._files: tuple[OwnFileRow, ...] = ()

    def retranslate(self) -> None:
        """Set every text again."""
        none = self.tr(
            "None: everything comes from what was shipped. A TOML file in this folder, named and "
            "laid out as in Pitwall's resources, adds to it or changes it at the next start."
        )
        some = self.tr(
            "These files of yours are in force since the start. Take one away and start again to "
            "have what was shipped."
        )
        self.set_words(self.tr("Your own data files"), some if self._files else none)

    def show_files(self, files: Sequence[OwnFileRow]) -> None:
        """List them."""
        self._files = tuple(files)
        while self._rows.rowCount():
            self._rows.removeRow(0)
        for file in files:
            self._rows.addRow(label("body", file.path), label("muted", file.words))
        self.retranslate()
