"""Open the dialog for a host, hand what it holds to the service, and show what was refused."""

from collections.abc import Sequence

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.core.errors import ErrorInfo
from app.core.events import HostSnapshot
from app.ui.icons import IconSet
from app.ui.viewmodels.hosts import HostForm, HostsViewModel, form_of
from app.ui.widgets.hosts_dialog import HostDialog


class HostEditor(QObject):
    """One dialog at a time."""

    def __init__(self, icons: IconSet, view_model: HostsViewModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._icons = icons
        self._view_model = view_model
        self._over = parent
        self._dialog: HostDialog | None = None
        view_model.saved.connect(self._on_saved)
        view_model.form_refused.connect(self._on_refused)

    def add(self, groups: Sequence[str], group: str) -> None:
        """Ask for a new host."""
        self._open(HostForm(group=group), None, groups)

    def edit(self, snapshot: HostSnapshot, groups: Sequence[str]) -> None:
        """Change a host."""
        self._open(form_of(snapshot.settings), snapshot, groups)

    def _open(self, form: HostForm, snapshot: HostSnapshot | None, groups: Sequence[str]) -> None:
        window, is_new = self._over.window(), snapshot is None
        dialog = HostDialog(self._icons, window, form, is_new=is_new, groups=groups)
        before = snapshot.settings if snapshot is not None else None
        dialog.submitted.connect(lambda given: self._view_model.save(given, before))
        dialog.finished.connect(self._forget)
        self._dialog = dialog
        dialog.open()

    def _on_saved(self, _snapshot: HostSnapshot) -> None:
        if self._dialog is not None:
            self._dialog.accept()

    def _on_refused(self, errors: dict[str, str], error: ErrorInfo) -> None:
        if self._dialog is not None:
            self._dialog.refuse(errors, error)

    def _forget(self) -> None:
        self._dialog = None
