"""The changed plan before it is deployed: values old and new, the command's diff, memory."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLineEdit, QWidget

from app.ui.icons import IconSet
from app.ui.theme import Theme, letters, space
from app.ui.viewmodels.deployments_findings import ChangeView, ChangeViewModel, ValueRow
from app.ui.widgets.dialog import FormDialog
from app.ui.widgets.text import MonoBlock, label


class ChangeSheet(FormDialog):
    """Show a `ChangeView`; values can be written over, Deploy starts the new revision."""

    def __init__(
        self, icons: IconSet, theme: Theme, parent: QWidget | None, view_model: ChangeViewModel
    ) -> None:
        super().__init__(icons, parent)
        self._theme = theme
        self._view_model = view_model
        self._shown_rows: tuple[ValueRow, ...] = ()
        self.fields: dict[str, QLineEdit] = {}
        self.set_picture("adjustments", "accent")
        self._note = label("muted", wrap=True)
        self._badge = label("badge", self.tr("Simulated: nothing runs on real hardware."))
        self._rows = QWidget()
        self._grid = QGridLayout(self._rows)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(space(3))
        self._grid.setVerticalSpacing(space(1))
        self._grid.setColumnStretch(4, 1)
        self._memory = label("body")
        self._memory.setFont(theme.font("figure"))
        self._diff_title = label("muted", self.tr("Change of the container"))
        self.diff = MonoBlock(theme)
        self.diff.setAccessibleName(self.tr("Change of the container"))
        self.diff.setMinimumHeight(self.diff.fontMetrics().height() * 8)
        self.body.addWidget(self._badge, 0, Qt.AlignmentFlag.AlignLeft)
        self.body.addWidget(self._rows)
        self.body.addWidget(self._memory)
        self.body.addWidget(self._diff_title)
        self.body.addWidget(self.diff, 1)
        self.body.addWidget(self._note)
        self.setMinimumWidth(letters(self.font(), 90))
        view_model.changed.connect(self.show_view)
        self.show_view(view_model.view)

    def show_view(self, view: ChangeView) -> None:
        """Show the newest answer."""
        title = view.title or self.tr("Working out the changed plan …")
        self.set_words(title, self.tr("Deploy"), self.tr("Cancel"))
        self._note.setText(view.note)
        self._badge.setVisible(view.simulated)
        self._memory.setText(view.memory)
        self._memory.setVisible(bool(view.memory))
        self.diff.setPlainText(view.diff)
        for part in (self.diff, self._diff_title):
            part.setVisible(bool(view.diff))
        self._show_rows(view.rows)
        self.set_busy(busy=not view.can_deploy)
        if view.error is not None:
            self.banner.show_error(view.error)
        else:
            self.banner.clear()

    def submit(self) -> None:
        """Deploy; a value that was just written is worked out first."""
        if any(field.isModified() for field in self.fields.values()):
            self._on_written()
            return
        self._view_model.deploy()
        self.accept()

    def _show_rows(self, rows: tuple[ValueRow, ...]) -> None:
        if rows == self._shown_rows:
            return
        self._shown_rows = rows
        while self._grid.count():
            item = self._grid.takeAt(0)
            widget = item.widget() if item is not None else None
            if widget is not None:
                widget.deleteLater()
        self.fields = {}
        for number, row in enumerate(rows):
            self._add_row(number, row)

    def _add_row(self, number: int, row: ValueRow) -> None:
        mono = self._theme.font("mono")
        name, old = label("body", row.label), label("muted", row.old)
        for text in (name, old):
            text.setFont(mono)
        self._grid.addWidget(name, number, 0)
        self._grid.addWidget(old, number, 1)
        self._grid.addWidget(label("muted", "→"), number, 2)
        if row.editable:
            field = QLineEdit(row.new)
            field.setFont(mono)
            field.setAccessibleName(self.tr("New value of {name}").format(name=row.label))
            field.setMaximumWidth(letters(self.font(), 20))
            field.editingFinished.connect(self._on_written)
            self.fields[row.parameter] = field
            self._grid.addWidget(field, number, 3)
        else:
            new = label("body", row.new or "–")
            new.setFont(mono)
            self._grid.addWidget(new, number, 3)
        self._grid.addWidget(label("caption", row.note, wrap=True), number, 4)

    def _on_written(self) -> None:
        if not any(field.isModified() for field in self.fields.values()):
            return
        self.set_busy(busy=True)
        for field in self.fields.values():
            field.setModified(False)
        self._view_model.choose({name: field.text() for name, field in self.fields.items()})
