"""The dialog that takes hosts over from an SSH configuration: look, tick, add."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QCheckBox, QFileDialog, QHBoxLayout, QLineEdit, QWidget

from app.core.errors import ErrorInfo
from app.core.ssh_hosts import SshHostEntry
from app.services.host_import import ImportPreview
from app.ui.icons import IconSet
from app.ui.theme import letters, space
from app.ui.viewmodels.hosts_import import ImportRow, ImportViewModel, present_choice
from app.ui.widgets.buttons import icon_button, name_button, push_button
from app.ui.widgets.dialog import FormDialog
from app.ui.widgets.form import Field
from app.ui.widgets.hosts_dialog import GroupBox
from app.ui.widgets.table import DataTable
from app.ui.widgets.text import label

_WIDTHS = (16, 22, 10, 7, 18, 12, 40)
_NOTES = 6
_ROW = int(Qt.ItemDataRole.UserRole) + 1
"""Which row of the preview an item is, however the table is sorted."""


class ImportDialog(FormDialog):
    """List what a configuration names; add the ticked ones."""

    def __init__(
        self,
        icons: IconSet,
        parent: QWidget | None,
        view_model: ImportViewModel,
        groups: Sequence[str],
    ) -> None:
        super().__init__(icons, parent)
        self.view_model = view_model
        self._rows: tuple[ImportRow, ...] = ()
        self.file = QLineEdit()
        self.file.setPlaceholderText("~/.ssh/config")
        self.file.setAccessibleName(self.tr("SSH configuration"))
        self.commands = QCheckBox()
        self.commands.hide()
        self.said = label("muted", wrap=True)
        self.table = DataTable()
        self.group = GroupBox(icons, groups)
        self._model = QStandardItemModel(self)
        self._lay_out()
        self.set_words(
            self.tr("Import hosts from an SSH configuration"),
            self.tr("Add hosts"),
            self.tr("Cancel"),
        )
        self._connect()
        self.setMinimumWidth(letters(self.font(), 118))
        self.setMinimumHeight(self.fontMetrics().lineSpacing() * 26)
        self.load()

    @property
    def chosen(self) -> tuple[SshHostEntry, ...]:
        """The ticked names."""
        firsts = (self._model.item(row, 0) for row in range(self._model.rowCount()))
        return tuple(
            self._rows[first.data(_ROW)].entry
            for first in firsts
            if first.checkState() is Qt.CheckState.Checked
        )

    def load(self) -> None:
        """Read the file that is named."""
        self.banner.clear()
        self.accept_button.setEnabled(False)
        self.said.setText(self.tr("Reading the configuration"))
        text = self.file.text().strip()
        file = Path(text).expanduser() if text else None
        self.view_model.load(file, run_commands=self.commands.isChecked())

    def submit(self) -> None:
        """Add the ticked hosts; the dialog stays until they are there."""
        self.set_busy(busy=True)
        self.view_model.take(self.chosen, self.group.currentText())

    def _lay_out(self) -> None:
        browse = icon_button(self.icons, "folder-open", on_click=self._choose_file)
        name_button(browse, self.tr("Choose the configuration"))
        read = push_button(self.icons, icon="refresh", on_click=self.load)
        read.setText(self.tr("Read"))
        top = QHBoxLayout()
        top.setSpacing(space(2))
        for widget, stretch in ((self.file, 1), (browse, 0), (read, 0)):
            top.addWidget(widget, stretch)
        field = Field(self.group)
        field.set_words(self.tr("&Group for the new hosts"))
        self.table.setAccessibleName(self.tr("Hosts of the configuration"))
        self.body.addLayout(top)
        self.body.addWidget(self.commands)
        self.body.addWidget(self.table, 1)
        self.body.addWidget(self.said)
        self.body.addWidget(field)

    def _connect(self) -> None:
        self.file.returnPressed.connect(self.load)
        self.commands.toggled.connect(self.load)
        self.view_model.loaded.connect(self._show)
        self.view_model.added.connect(self.accept)
        self.view_model.failed.connect(self._refuse)
        self._model.itemChanged.connect(self._count)
        self.finished.connect(self.view_model.dispose)

    def _show(self, preview: ImportPreview) -> None:
        self._rows = tuple(present_choice(choice) for choice in preview.choices)
        self.file.setPlaceholderText(str(preview.file))
        self._model.clear()
        self._model.setHorizontalHeaderLabels(self._titles())
        for number, row in enumerate(self._rows):
            self._model.appendRow(self._items(row, number))
        if self.table.model() is None:
            # In the file's own order until a title is clicked.
            self.table.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
            self.table.setModel(self._model)
        self.table.set_widths(_WIDTHS, stretch=_NOTES)
        self._show_commands(preview)
        self._count()

    def _titles(self) -> list[str]:
        return [
            self.tr("Name"),
            self.tr("Address"),
            self.tr("User"),
            self.tr("Port"),
            self.tr("Key file"),
            self.tr("Jump host"),
            self.tr("Worth knowing"),
        ]

    def _items(self, row: ImportRow, number: int) -> list[QStandardItem]:
        items = [QStandardItem(text) for text in row.texts]
        for item in items:
            item.setEditable(False)
            item.setToolTip(item.text())
        items[0].setData(number, _ROW)
        items[0].setCheckable(True)
        wanted = Qt.CheckState.Checked if row.is_wanted else Qt.CheckState.Unchecked
        items[0].setCheckState(wanted)
        if row.needs_care:
            items[_NOTES].setIcon(self.icons.icon("info-circle", "status.unknown"))
        return items

    def _show_commands(self, preview: ImportPreview) -> None:
        """Ask before OpenSSH may run what the configuration says."""
        self.commands.setVisible(bool(preview.commands))
        words = self.tr("Let OpenSSH run what “Match exec” says: {commands}")
        self.commands.setText(words.format(commands="; ".join(preview.commands)))

    def _count(self) -> None:
        chosen = len(self.chosen)
        self.accept_button.setEnabled(chosen > 0)
        if not self._rows:
            self.said.setText(self.tr("This file names no host without wildcards."))
            return
        words = self.tr("{chosen} of {count} hosts will be added; none is contacted.")
        self.said.setText(words.format(chosen=chosen, count=len(self._rows)))

    def _refuse(self, error: ErrorInfo) -> None:
        self._rows = ()
        self._model.clear()
        self.said.clear()
        self.accept_button.setEnabled(False)
        self.show_error(error)

    def _choose_file(self) -> None:
        dialog = QFileDialog(self, self.tr("Choose the configuration"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self._on_file)
        dialog.open()

    def _on_file(self, path: str) -> None:
        self.file.setText(path)
        self.load()
