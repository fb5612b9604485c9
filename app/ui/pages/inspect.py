"""The Inspect page: open what a customer sent, see what it is, go on with it."""

from pathlib import Path

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.core.events import HostSnapshot
from app.services.user_files import save_file
from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.pages.registry import PageContext, PageRequest, PageSpec, register
from app.ui.theme import letters, space
from app.ui.viewmodels.as_command import CommandLine, command, parsed
from app.ui.viewmodels.inspect import InspectState, InspectViewModel
from app.ui.widgets.buttons import ClearableLine, push_button
from app.ui.widgets.dialog import shortcut
from app.ui.widgets.empty import EmptyState
from app.ui.widgets.inspect_result import InspectResult
from app.ui.widgets.page import Page
from app.ui.widgets.state import ErrorBanner, StateLabel
from app.ui.widgets.text import ElidedLabel, label

EXAMPLE = "2x NVIDIA L40S, PCIe, 2 sockets, driver 550.54"
_EMPTY, _RESULT = range(2)


class InspectPage(Page):
    """Open, drop or paste; the result with its next steps."""

    def __init__(self, context: PageContext) -> None:
        super().__init__()
        self._context = context
        self._shell = context.shell
        self.view_model = InspectViewModel(context.app, context.bridge, self)
        self._build_tools()
        self._banner = ErrorBanner(context.icons)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._build_empty())
        self._stack.addWidget(self._build_result())
        self.body.addWidget(self._banner)
        self.body.addWidget(self._stack, 1)
        self.body.addLayout(self._build_what_if())
        self.view_model.changed.connect(self._show)
        self.view_model.failed.connect(self._banner.show_error)
        self.view_model.host_made.connect(self._on_host)
        self.result.findings.copied.connect(lambda: self._shell.notify(self.tr("Copied")))
        self.result.clinic.copied.connect(lambda: self._shell.notify(self.tr("Copied")))
        shortcut(self, QKeySequence(QKeySequence.StandardKey.Paste), self.paste)
        shortcut(self, QKeySequence(QKeySequence.StandardKey.Open), self.choose_file)
        self.retranslate()

    def retranslate(self) -> None:
        """Set every text again."""
        self.set_title(self.tr("Inspect"), self.tr("What a customer sent, and hosts thought of"))
        self._file.setText(self.tr("Open file"))
        self._folder.setText(self.tr("Open folder"))
        self._paste.setText(self.tr("Paste"))
        self._paste.setToolTip(self.tr("Looks at what is in the clipboard (Ctrl+V)"))
        self._script.setText(self.tr("Save collector script"))
        self._script.setToolTip(
            self.tr(
                "For hosts that you may not enter: an administrator runs it and sends one file."
            )
        )
        self._empty.set_texts(
            self.tr("Open what a customer sent"),
            self.tr(
                "The collector's file, outputs of nvidia-smi and other tools, an engine's log, "
                "how an engine is started (docker run, compose, systemd, a script, nginx in "
                "front), a folder or archive of them. Drop it anywhere on the window, or paste "
                "it with Ctrl+V."
            ),
        )
        self._empty_file.setText(self.tr("Open file"))
        self._empty_paste.setText(self.tr("Paste"))
        self._use.setText(self.tr("Use as a host"))
        self._use.setToolTip(self.tr("Keeps it as a host without a connection, among your hosts."))
        self._check.setText(self.tr("Run checks"))
        self._compare.setText(self.tr("Compare"))
        self._diagnose.setText(self.tr("Diagnose this log"))
        self._command.setText(self.tr("Copy as command"))
        self._what_if_label.setText(self.tr("What if…"))
        self.what_if.setPlaceholderText(EXAMPLE)
        self.what_if.setAccessibleName(self.tr("A host to think of"))
        self.what_if.name_cross(self.tr("Clear"))
        self._think.setText(self.tr("Make host"))
        self.result.retranslate()
        self._show(self.view_model.state)

    def receive(self, request: object) -> None:
        """Take what was dropped on the window."""
        if isinstance(request, PageRequest) and (path := request.values.get("path")):
            self.view_model.open_path(Path(path))
        elif isinstance(request, PageRequest) and (text := request.values.get("text")):
            self.view_model.open_text(text)

    def refresh(self) -> None:
        """Look at the same file again."""
        look = self.view_model.state.look
        if look is not None and look.path is not None:
            self.view_model.open_path(look.path)

    def escape(self) -> bool:
        """Stop looking."""
        running = self.view_model.is_busy
        self.view_model.cancel_all()
        return running

    def dispose(self) -> None:
        """Cancel what runs."""
        self.view_model.dispose()

    def paste(self) -> None:
        """Look at the clipboard: a copied file, or text."""
        content = _in_clipboard()
        files = [] if content is None else [url for url in content.urls() if url.isLocalFile()]
        if files:
            self.view_model.open_path(Path(files[0].toLocalFile()))
        elif content is not None and content.hasText() and content.text().strip():
            self.view_model.open_text(content.text())
        else:
            self._shell.notify(self.tr("There is no text in the clipboard."))

    def choose_file(self) -> None:
        """Ask for a file."""
        dialog = QFileDialog(self, self.tr("Open what a customer sent"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda name: self.view_model.open_path(Path(name)))
        dialog.open()

    # Inside

    def _build_tools(self) -> None:
        icons = self._context.icons
        self._script = push_button(icons, icon="download", on_click=self._on_script)
        self._paste = push_button(icons, icon="clipboard", on_click=self.paste)
        self._folder = push_button(icons, icon="folder-open", on_click=self._choose_folder)
        self._file = push_button(icons, icon="file-import", on_click=self.choose_file)
        for button in (self._script, self._paste, self._folder, self._file):
            self.tools.addWidget(button)

    def _build_empty(self) -> QWidget:
        icons = self._context.icons
        self._empty = EmptyState(icons, "file-search")
        self._empty_file = push_button(icons, kind="primary", on_click=self.choose_file)
        self._empty_paste = push_button(icons, on_click=self.paste)
        self._empty.add_button(self._empty_file)
        self._empty.add_button(self._empty_paste)
        return self._empty

    def _build_result(self) -> QWidget:
        icons = self._context.icons
        self._kind = StateLabel(icons)
        self._name = ElidedLabel(role="muted")
        self._use = push_button(icons, icon="server", kind="primary", on_click=self._on_use)
        self._check = push_button(
            icons, icon="shield-check", on_click=lambda: self.view_model.use_as_host("checks")
        )
        self._compare = push_button(
            icons, icon="arrows-diff", on_click=lambda: self.view_model.use_as_host("compare")
        )
        self._diagnose = push_button(icons, icon="search", on_click=self.view_model.diagnose)
        self._command = push_button(
            icons, icon="terminal-2", kind="quiet", on_click=self._on_command
        )
        head = QHBoxLayout()
        head.setSpacing(space(2))
        head.addWidget(self._kind)
        head.addWidget(self._name, 1)
        for button in (self._command, self._diagnose, self._compare, self._check, self._use):
            head.addWidget(button)
        self.result = InspectResult(self._context.theme, icons)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(space(2))
        column.addLayout(head)
        column.addWidget(self.result, 1)
        return page

    def _build_what_if(self) -> QHBoxLayout:
        icons = self._context.icons
        self._what_if_label = label("muted")
        self.what_if = ClearableLine(icons)
        self.what_if.setMinimumWidth(letters(self.font(), 40))
        self.what_if.returnPressed.connect(self._on_think)
        self._think = push_button(icons, icon="bulb", on_click=self._on_think)
        self._what_if_label.setBuddy(self.what_if)
        row = QHBoxLayout()
        row.setSpacing(space(2))
        row.addWidget(self._what_if_label)
        row.addWidget(self.what_if, 1)
        row.addWidget(self._think)
        return row

    def _show(self, state: InspectState) -> None:
        if state.error is not None:
            self._banner.show_error(state.error)
        elif not state.is_looking:
            self._banner.clear()
        view = self.view_model.view
        self._stack.setCurrentIndex(_EMPTY if view is None else _RESULT)
        if view is None or state.look is None:
            return
        self._kind.set_state(view.state.icon, view.state.word, view.state.status)
        self._name.set_text(" · ".join(part for part in (view.name, view.note) if part))
        for button in (self._use, self._check, self._compare):
            button.setVisible(view.makes_host)
        self._diagnose.setVisible(view.is_log and state.diagnosis is None)
        self.result.show_look(view, state.look.text)
        self.result.show_findings(self.view_model.findings)

    def _choose_folder(self) -> None:
        dialog = QFileDialog(self, self.tr("Open a folder of outputs"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(lambda name: self.view_model.open_path(Path(name)))
        dialog.open()

    def _on_think(self) -> None:
        text = self.what_if.text().strip()
        self.view_model.think_of(text or EXAMPLE)

    def _on_use(self) -> None:
        self.view_model.use_as_host()

    def _on_host(self, made: HostSnapshot, then: str) -> None:
        self._shell.select_host(made.settings.id)
        self._shell.open_page("fingerprint", PageRequest(action=then) if then else None)
        text = self.tr("{name} is among your hosts now.")
        self._shell.notify(text.format(name=made.settings.name))

    def command_lines(self) -> tuple[CommandLine, ...]:
        """Return what reads the same; what was pasted goes in through standard input."""
        view = self.view_model.view
        if view is None:
            return (command("collector"),)
        texts = (view.host_command, view.command)
        return (*(parsed(text) for text in texts if text), command("collector"))

    def _on_command(self) -> None:
        view = self.view_model.view
        if view is not None:
            QGuiApplication.clipboard().setText(view.host_command or view.command)
            self._shell.notify(self.tr("Copied"))

    def _on_script(self) -> None:
        dialog = QFileDialog(self, self.tr("Save collector script"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.selectFile("pitwall-collector.sh")
        dialog.fileSelected.connect(self.save_script)
        dialog.open()

    def save_script(self, name: str) -> None:
        """Write the collector's script."""
        self.view_model.run(
            save_file(Path(name), self.view_model.collector()),
            on_result=lambda path: self._shell.notify(
                self.tr("Saved as {file}").format(file=path.name)
            ),
        )


def _in_clipboard() -> QMimeData | None:
    """Return what was copied; Qt has none after a clearing, whatever its stubs say."""
    return QGuiApplication.clipboard().mimeData()


PAGE = register(
    PageSpec(
        id="inspect",
        title=QT_TRANSLATE_NOOP("Pages", "Inspect"),
        icon="file-search",
        order=7,
        factory=InspectPage,
    )
)
