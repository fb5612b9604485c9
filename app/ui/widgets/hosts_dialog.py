"""The dialog for one host: add over SSH, or change any host; errors stand beside the fields."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from app.core.errors import ErrorInfo
from app.core.events import AuthMethod, HostKind
from app.ui.icons import IconSet
from app.ui.theme import space
from app.ui.viewmodels.hosts import HostForm, split_address
from app.ui.widgets.buttons import ClearableLine, icon_button, name_button
from app.ui.widgets.dialog import FormDialog
from app.ui.widgets.form import Field


class GroupBox(QComboBox):
    """Choose a group that there is, or type a new one."""

    def __init__(self, icons: IconSet, groups: Sequence[str], chosen: str = "") -> None:
        super().__init__()
        line = ClearableLine(icons)
        self.setEditable(True)
        self.setLineEdit(line)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.addItems(["", *groups])
        self.setCurrentText(chosen)
        line.setAccessibleName(self.tr("Group"))
        line.name_cross(self.tr("Clear"))


class HostDialog(FormDialog):
    """Edit the settings of a host; `submitted` carries the form, the service judges it."""

    submitted = Signal(object)

    def __init__(
        self,
        icons: IconSet,
        parent: QWidget | None,
        form: HostForm,
        *,
        is_new: bool,
        groups: Sequence[str] = (),
    ) -> None:
        super().__init__(icons, parent)
        self._kind = form.kind
        self._make_editors(form)
        self.group = GroupBox(icons, groups, form.group)
        self._fields = {
            "name": Field(self.name),
            "address": Field(self.address),
            "port": Field(self.port),
            "user": Field(self.user),
            "auth": Field(self.auth),
            "key_file": Field(self._key_row),
            "docker_socket": Field(self.docker_socket),
            "model_folder": Field(self.model_folder),
            "group": Field(self.group),
        }
        self._fields["key_file"].focus_on(self.key_file)
        self._lay_out()
        verb = self.tr("Add host") if is_new else self.tr("Save")
        title = self.tr("Add a host over SSH") if is_new else self.tr("Host settings")
        self.set_words(title, verb, self.tr("Cancel"))
        self._name_fields()
        self._show_fields()
        (self.name if form.kind is not HostKind.SSH else self.address).setFocus()

    @property
    def form(self) -> HostForm:
        """What the dialog holds now."""
        return HostForm(
            kind=self._kind,
            name=self.name.text(),
            address=self.address.text(),
            port=self.port.value(),
            user=self.user.text(),
            auth=AuthMethod(self.auth.currentData()),
            key_file=self.key_file.text() if self._needs_key() else "",
            docker_socket=self.docker_socket.text(),
            model_folder=self.model_folder.text(),
            group=self.group.currentText(),
        )

    def submit(self) -> None:
        """Hand the form over; the dialog stays until it was taken."""
        for field in self._fields.values():
            field.clear_error()
        self.banner.clear()
        self.set_busy(busy=True)
        self.submitted.emit(self.form)

    def refuse(self, errors: Mapping[str, str], error: ErrorInfo) -> None:
        """Show what is wrong: beside the fields, else on top of the buttons."""
        self.set_busy(busy=False)
        for name, text in errors.items():
            self._fields[name].set_error(text)
        if errors:
            self._fields[next(iter(errors))].editor.setFocus()
        else:
            self.show_error(error)

    def field_error(self, name: str) -> str:
        """Return the error shown beside a field."""
        return self._fields[name].error

    def _make_editors(self, form: HostForm) -> None:
        self.name = QLineEdit(form.name)
        self.address = QLineEdit(form.address)
        self.port = QSpinBox()
        self.port.setRange(1, 65535)
        self.port.setGroupSeparatorShown(False)
        self.port.setValue(form.port)
        # The style sheet's padding does not reach the text inside.
        self.port.lineEdit().setTextMargins(space(2) - 2, 0, 0, 0)
        self.user = QLineEdit(form.user)
        self.auth = QComboBox()
        for method, words in (
            (AuthMethod.AUTO, self.tr("SSH agent and usual keys")),
            (AuthMethod.KEY, self.tr("Key file")),
            (AuthMethod.PASSWORD, self.tr("Password")),
        ):
            self.auth.addItem(words, method.value)
        self.auth.setCurrentIndex(self.auth.findData(form.auth.value))
        self.auth.currentIndexChanged.connect(self._show_fields)
        self.key_file = QLineEdit(form.key_file)
        browse = icon_button(self.icons, "folder-open", on_click=self._choose_key)
        name_button(browse, self.tr("Choose the key file"))
        self._key_row = QWidget()
        row = QHBoxLayout(self._key_row)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(space(1))
        row.addWidget(self.key_file, 1)
        row.addWidget(browse)
        self.docker_socket = QLineEdit(form.docker_socket)
        self.docker_socket.setPlaceholderText("/var/run/docker.sock")
        self.model_folder = QLineEdit(form.model_folder)
        self.model_folder.setPlaceholderText("/models")
        self.address.setPlaceholderText("gpu01.example.com")
        self.address.editingFinished.connect(self._split_address)

    def _lay_out(self) -> None:
        rows = (("address", "port"), ("user", "name"), ("auth", "key_file"))
        for left, right in rows:
            row = QHBoxLayout()
            row.setSpacing(space(3))
            row.addWidget(self._fields[left], 3)
            row.addWidget(self._fields[right], 1 if right == "port" else 3)
            self.body.addLayout(row)
        more = QVBoxLayout()
        row = QHBoxLayout()
        row.setSpacing(space(3))
        row.addWidget(self._fields["group"], 3)
        row.addWidget(self._fields["model_folder"], 3)
        more.addLayout(row)
        more.addWidget(self._fields["docker_socket"])
        self.body.addLayout(more)

    def _name_fields(self) -> None:
        fields = self._fields
        fields["name"].set_words(
            self.tr("&Name"), self.tr("How it is called here; empty takes the address.")
        )
        fields["address"].set_words(
            self.tr("&Address"), self.tr("Host name, IP address, or a name from ~/.ssh/config.")
        )
        fields["port"].set_words(self.tr("P&ort"))
        fields["user"].set_words(self.tr("&User"), self.tr("Empty takes what SSH would take."))
        fields["auth"].set_words(self.tr("&Log in with"), self.tr("A password is asked for later."))
        fields["key_file"].set_words(self.tr("&Key file"))
        fields["model_folder"].set_words(
            self.tr("&Model folder on the host"), self.tr("Where models are looked for first.")
        )
        fields["group"].set_words(
            self.tr("&Group"), self.tr("What it is listed under; may stay empty.")
        )
        fields["docker_socket"].set_words(
            self.tr("&Container engine socket"), self.tr("Empty finds it by itself.")
        )

    def _show_fields(self) -> None:
        over_ssh = self._kind is HostKind.SSH
        for name in ("address", "port", "user", "auth", "key_file"):
            self._fields[name].setVisible(over_ssh)
        self._fields["key_file"].setEnabled(self._needs_key())
        asks_socket = self._kind not in {HostKind.DEMO, HostKind.IMPORTED}
        self._fields["docker_socket"].setVisible(asks_socket)

    def _split_address(self) -> None:
        """Show where ``user@host:port`` goes as soon as the address is left."""
        given = split_address(self.form)
        if not self.port.minimum() <= given.port <= self.port.maximum():
            return  # left as typed: the field would quietly make another port of it
        self.address.setText(given.address)
        self.user.setText(given.user)
        self.port.setValue(given.port)

    def _needs_key(self) -> bool:
        return bool(self.auth.currentData() == AuthMethod.KEY.value)

    def _choose_key(self) -> None:
        dialog = QFileDialog(self, self.tr("Choose the key file"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self.key_file.setText)
        dialog.open()
