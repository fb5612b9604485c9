"""Saved and shipped profiles: choose one, say which model, look at what would be deployed."""

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QLineEdit, QListWidget, QListWidgetItem, QWidget

from app.core.engines.spec import EngineData
from app.services.profiles import ProfileEntry
from app.ui.icons import IconSet
from app.ui.theme import letters
from app.ui.viewmodels.plan_profiles import ProfileRow, needs_model, present_profiles
from app.ui.widgets.buttons import push_button
from app.ui.widgets.dialog import FormDialog
from app.ui.widgets.form import Field
from app.ui.widgets.table import RowDelegate
from app.ui.widgets.text import label


class ProfileDialog(FormDialog):
    """A list of profiles and the model they shall serve; a file may be taken instead."""

    chosen = Signal(Path, str)
    """The profile's file and the model's path on the host (empty: the profile's own)."""

    def __init__(
        self,
        icons: IconSet,
        parent: QWidget | None,
        *,
        entries: tuple[ProfileEntry, ...],
        engines: Mapping[str, EngineData],
        model_path: str,
        folder: str,
    ) -> None:
        super().__init__(icons, parent)
        self._folder = folder
        self._current_model = model_path
        self.rows = present_profiles(entries, engines)
        self.set_picture("folder-open", "accent")
        self.set_words(self.tr("Open a profile"), self.tr("Deploy…"), self.tr("Cancel"))
        self.list = QListWidget()
        self.list.setItemDelegate(RowDelegate(self.list))
        self.list.setAccessibleName(self.tr("Profiles"))
        self.list.setMinimumHeight(self.list.fontMetrics().height() * 9)
        for row in self.rows:
            item = QListWidgetItem(row.title)
            item.setToolTip(str(row.path))
            self.list.addItem(item)
        self._about = label("muted", wrap=True)
        self._about.setMinimumHeight(self._about.fontMetrics().height() * 2)
        self.model = QLineEdit()
        self.model_field = Field(self.model)
        self.model_field.set_words(
            self.tr("&Model on the host"), self.tr("A model's folder, or a GGUF file.")
        )
        self.body.addWidget(self.list, 1)
        self.body.addWidget(self._about)
        self.body.addWidget(self.model_field)
        self.file_button = push_button(icons, icon="file-text", on_click=self._ask_for_file)
        self.file_button.setText(self.tr("From a file…"))
        self.buttons.insertWidget(0, self.file_button)
        self.list.currentRowChanged.connect(self._show)
        self.list.itemActivated.connect(lambda _item: self.submit())
        self.list.setCurrentRow(0)
        self._show()
        self.list.setFocus()
        self.setMinimumWidth(letters(self.font(), 72))

    def submit(self) -> None:
        """Hand profile and model over, unless the model is missing."""
        row = self._row()
        if row is None or row.is_broken:
            return
        path = self.model.text().strip()
        if not path and needs_model(row):
            self.model_field.set_error(self.tr("This profile leaves the model open: name one."))
            self.model.setFocus()
            return
        self._take(row.path, path)

    def _take(self, file: Path, model_path: str) -> None:
        self.accept()
        self.chosen.emit(file, model_path)

    def _row(self) -> ProfileRow | None:
        number = self.list.currentRow()
        return self.rows[number] if 0 <= number < len(self.rows) else None

    def _show(self) -> None:
        row = self._row()
        self._about.setText("" if row is None else row.about)
        self.accept_button.setEnabled(row is not None and not row.is_broken)
        self.model.setText((row.model if row is not None else "") or self._current_model)
        self.model_field.clear_error()

    def _ask_for_file(self) -> None:
        dialog = QFileDialog(self, self.tr("Open a profile"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilter(self.tr("Profiles") + " (*.toml)")
        dialog.setDirectory(self._folder)
        dialog.fileSelected.connect(self._on_file)
        dialog.open()

    def _on_file(self, name: str) -> None:
        # Which model the file names is not known yet: only what was typed here goes along.
        typed = self.model.text().strip() if self.model.isModified() else self._current_model
        self._take(Path(name), typed)
