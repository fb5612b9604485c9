"""The support bundle before it is saved: its files on the left, what they hold on the right."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QListWidget,
    QListWidgetItem,
    QSplitter,
    QWidget,
)

from app.ui.icons import IconSet
from app.ui.theme import Theme, letters, space
from app.ui.viewmodels.bundle import BundleRow, BundleView, BundleViewModel
from app.ui.widgets.dialog import FormDialog
from app.ui.widgets.text import MonoBlock, label, set_status


class BundleSheet(FormDialog):
    """Show a `BundleView`; Save writes exactly what is shown."""

    def __init__(
        self, icons: IconSet, theme: Theme, parent: QWidget | None, view_model: BundleViewModel
    ) -> None:
        super().__init__(icons, parent)
        self._view_model = view_model
        self._rows: tuple[BundleRow, ...] = ()
        self.set_picture("file-export", "accent")
        self.redact = QCheckBox(self.tr("Replace hosts, users, paths, addresses and secrets"))
        self.redact.setChecked(True)
        self.redact.clicked.connect(view_model.set_redacted)
        self._replaced = label("muted", wrap=True)
        self.files = QListWidget()
        self.files.setAccessibleName(self.tr("Files of the bundle"))
        self.files.setMinimumWidth(letters(self.font(), 26))
        self.files.currentItemChanged.connect(self._on_chosen)
        self.content = MonoBlock(theme)
        self.content.setAccessibleName(self.tr("Content of the file"))
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setChildrenCollapsible(False)
        splitter.setHandleWidth(space(3))
        splitter.addWidget(self.files)
        splitter.addWidget(self.content)
        splitter.setStretchFactor(1, 1)
        splitter.setMinimumHeight(self.fontMetrics().height() * 18)
        self._missing = label("caption", wrap=True)
        self.body.addWidget(self.redact)
        self.body.addWidget(self._replaced)
        self.body.addWidget(splitter, 1)
        self.body.addWidget(self._missing)
        self.setMinimumWidth(letters(self.font(), 110))
        view_model.changed.connect(self.show_view)
        view_model.saved.connect(self.accept)
        self.show_view(view_model.view)

    def show_view(self, view: BundleView) -> None:
        """Show the newest state."""
        title = self.tr("Support bundle of {name}").format(name=view.ref)
        self.set_words(title, self.tr("Save…"), self.tr("Cancel"))
        self.redact.setChecked(view.redacted)
        self.redact.setEnabled(not view.is_working)
        self._replaced.setText(self.tr("Gathering …") if view.is_working else view.replaced)
        set_status(self._replaced, "" if view.redacted else "warn")
        self._show_rows(view)
        if self.content.toPlainText() != view.content:
            self.content.setPlainText(view.content)
        missing = self.tr("Not in it: {list}").format(list=" · ".join(view.missing))
        self._missing.setText(missing)
        self._missing.setVisible(bool(view.missing))
        self.set_busy(busy=not view.can_save)
        if view.error is not None:
            self.banner.show_error(view.error)
        else:
            self.banner.clear()

    def submit(self) -> None:
        """Ask where to write it; the dialog closes when it is written."""
        dialog = QFileDialog(self, self.tr("Save the support bundle"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("zip")
        name = self._view_model.view.ref.rpartition("/")[2]
        dialog.selectFile(f"pitwall-bundle-{name}.zip")
        dialog.fileSelected.connect(lambda file: self._view_model.save(Path(file)))
        dialog.open()

    def _show_rows(self, view: BundleView) -> None:
        if view.rows == self._rows:
            return
        self._rows = view.rows
        self.files.blockSignals(True)
        self.files.clear()
        for row in view.rows:
            item = QListWidgetItem(f"{row.path}  ·  {row.size}")
            item.setToolTip(row.title)
            item.setData(Qt.ItemDataRole.UserRole, row.path)
            self.files.addItem(item)
            if row.path == view.selected:
                self.files.setCurrentItem(item)
        self.files.blockSignals(False)

    def _on_chosen(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self._view_model.select(str(item.data(Qt.ItemDataRole.UserRole)))
