"""The Fingerprint page: what a host is, from where we know it, and what nobody could say."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtWidgets import (
    QFileDialog,
    QStackedWidget,
    QTabWidget,
    QToolButton,
    QWidget,
)

from app.core.events import HostSnapshot, HostState
from app.core.hardware.fingerprint import Fingerprint
from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.pages.registry import PageContext, PageRequest, PageSpec, register
from app.ui.theme import space
from app.ui.viewmodels.as_command import CommandLine, command
from app.ui.viewmodels.fingerprint import FingerprintViewModel, present_fingerprint
from app.ui.viewmodels.fingerprint_checks import ChecksViewModel
from app.ui.viewmodels.fingerprint_compare import CompareViewModel
from app.ui.viewmodels.fingerprint_facts import facts_of_gpu
from app.ui.viewmodels.fingerprint_smoke import SmokeViewModel
from app.ui.viewmodels.host_empty import EmptyView, present_no_host
from app.ui.widgets.buttons import name_button, push_button
from app.ui.widgets.dialog import shortcut
from app.ui.widgets.facts import FactList
from app.ui.widgets.fingerprint_checks import FingerprintChecks
from app.ui.widgets.fingerprint_compare import FingerprintCompare
from app.ui.widgets.fingerprint_facts import FingerprintFacts
from app.ui.widgets.fingerprint_raw import FingerprintRaw
from app.ui.widgets.fingerprint_smoke import FingerprintSmoke
from app.ui.widgets.fingerprint_tab import FingerprintTab
from app.ui.widgets.host_empty import HostEmpty
from app.ui.widgets.page import Page
from app.ui.widgets.state import ErrorBanner

_EMPTY, _FACTS, _RAW = range(3)
_FACTS_TAB = 0


class FingerprintPage(Page):
    """Show the newest fingerprint of the chosen host, or one from a file."""

    def __init__(self, context: PageContext) -> None:
        super().__init__()
        self._context = context
        self._shell = context.shell
        self.view_model = FingerprintViewModel(context.app, context.bridge, self)
        self._build_tools()
        self._banner = ErrorBanner(context.icons)
        self._stack = QStackedWidget()
        self._stack.setContentsMargins(0, space(3), 0, 0)
        self._stack.addWidget(self._build_empty())
        self.details = FingerprintFacts(context.theme, context.icons)
        self._stack.addWidget(self.details)
        self.outputs = FingerprintRaw(context.theme, context.icons)
        self._stack.addWidget(self.outputs)
        self.tabs = QTabWidget()
        self.tabs.addTab(self._stack, "")
        self._more: list[FingerprintTab] = []
        self._add_tabs()
        self.body.addWidget(self._banner)
        self.body.addWidget(self.tabs, 1)
        self._connect()
        self.retranslate()
        self._on_host(self._shell.current_host)

    def retranslate(self) -> None:
        """Set every text again."""
        self._take.setText(self.tr("Take again"))
        self._raw.setText(self.tr("Raw output"))
        self._save.setText(self.tr("Save as JSON"))
        self._open.setText(self.tr("Open file"))
        self._copy.setText(self.tr("Copy"))
        self._empty_take.setText(self.tr("Take fingerprint"))
        self._empty_open.setText(self.tr("Open file"))
        self.tabs.setTabText(_FACTS_TAB, self.tr("Facts"))
        for number, tab in enumerate(self._more, start=1):
            tab.retranslate()
            self.tabs.setTabText(number, tab.title())
        for button in self.tabs.tabBar().findChildren(QToolButton):  # Qt's own, when it is narrow
            name_button(button, self.tr("More tabs"))
        self.details.retranslate()
        self.outputs.retranslate()
        self._show()

    def refresh(self) -> None:
        """Ask the host again."""
        tab = self._tab()
        if tab is not None and tab.refresh():
            return
        host = self._shell.current_host
        if host is not None and host.state is HostState.CONNECTED:
            self.view_model.take()

    def escape(self) -> bool:
        """Cancel what runs."""
        tab = self._tab()
        if tab is not None and tab.escape():
            return True
        running = self.view_model.is_busy
        self.view_model.cancel_all()
        return running

    def command_lines(self) -> tuple[CommandLine, ...]:
        """Return what gives the shown facts, their checks, and what the tab in front does."""
        found, file = self.view_model.fingerprint, self.view_model.from_file
        host = self._shell.current_host
        tab = self._tab()
        own = () if tab is None else tab.command_lines()
        if found is not None and file is not None:
            return (*own, command("fingerprint", "--from", str(file)), command("check", str(file)))
        if host is None:
            return own
        name = host.settings.name
        facts = (command("fingerprint", name), command("check", name))
        return tuple(dict.fromkeys((*own, *facts, command("diff", name, "--list"))))

    def dispose(self) -> None:
        """Cancel what runs."""
        for tab in self._more:
            tab.dispose()
        self.view_model.dispose()

    def choose_group(self, group_id: str) -> None:
        """Show a group of facts."""
        self.details.choose_group(group_id)

    def open_tab(self, tab: QWidget) -> None:
        """Bring a tab to the front."""
        self.tabs.setCurrentWidget(tab)

    def receive(self, request: object) -> None:
        """Open a tab: checks, or what a deployment of the current host is compared with."""
        if not isinstance(request, PageRequest):
            return
        if request.action == "checks":
            self.open_tab(self.checks)
        if request.action == "compare":
            self.open_tab(self.compare)
            if request.deployment:
                host = self._shell.current_host
                name = host.settings.name if host is not None else ""
                self.compare.view_model.choose_deployment(f"{name}/{request.deployment}")

    # Inside

    def _add_tabs(self) -> None:
        """Make the tabs beside the facts; each is a `FingerprintTab` and added by `_add_tab`."""
        context = self._context
        checks = ChecksViewModel(context.app, context.bridge, self)
        self.checks = FingerprintChecks(
            checks, context.theme, context.icons, lambda: self.view_model.from_file
        )
        self._add_tab(self.checks)
        compare = CompareViewModel(context.app, context.bridge, self)
        self.compare = FingerprintCompare(compare, context.theme, context.icons)
        self._add_tab(self.compare)
        smoke = SmokeViewModel(context.app, context.bridge, self)
        self.smoke = FingerprintSmoke(smoke, context.theme, context.icons)
        self._add_tab(self.smoke)

    def _add_tab(self, tab: FingerprintTab) -> None:
        self.tabs.addTab(tab, "")
        self._more.append(tab)
        tab.notified.connect(self._shell.notify)
        tab.failed.connect(self._banner.show_error)

    def _tab(self) -> FingerprintTab | None:
        number = self.tabs.currentIndex() - 1
        return self._more[number] if 0 <= number < len(self._more) else None

    def _on_tab(self, _index: int) -> None:
        self._shell.hide_inspector()
        self._show_enabled()
        tab = self._tab()
        if tab is not None:
            tab.activated()

    def _build_tools(self) -> None:
        icons = self._context.icons
        self._raw = push_button(icons, icon="terminal-2", on_click=self._show)
        self._raw.setCheckable(True)
        self._copy = push_button(icons, icon="copy", on_click=self._on_copy)
        self._open = push_button(icons, icon="folder-open", on_click=self._on_open)
        self._save = push_button(icons, icon="device-floppy", on_click=self._on_save)
        self._take = push_button(icons, icon="refresh", kind="primary", on_click=self.refresh)
        for button in (self._raw, self._copy, self._open, self._save, self._take):
            self.tools.addWidget(button)

    def _build_empty(self) -> QWidget:
        icons = self._context.icons
        self._empty = HostEmpty(icons, "fingerprint", self._shell)
        self._empty_take = self._empty.add_step("take", "fingerprint", self._on_empty_take)
        self._empty_open = push_button(icons, on_click=self._on_open)
        self._empty.add_button(self._empty_open)
        return self._empty

    def _connect(self) -> None:
        self.tabs.currentChanged.connect(self._on_tab)
        self._shell.host_selected.connect(self._on_host)
        self.view_model.loaded.connect(self._on_loaded)
        self.view_model.saved.connect(self._on_saved)
        self.view_model.failed.connect(self._banner.show_error)
        self.details.gpu_chosen.connect(self._on_gpu)
        self._context.theme.changed.connect(self._show)
        shortcut(self, QKeySequence(QKeySequence.StandardKey.Copy), self._on_copy)
        shortcut(self, QKeySequence(QKeySequence.StandardKey.Save), self._on_save)

    def _on_host(self, snapshot: HostSnapshot | None) -> None:
        self._banner.follow_host(snapshot)
        self.view_model.show_host(snapshot.settings.id if snapshot else None)
        self._show_enabled()

    def _on_loaded(self, fingerprint: Fingerprint | None) -> None:
        if fingerprint is not None:  # why there is none is what the banner says
            self._banner.clear()
        self._show()

    def _show(self) -> None:
        found = self.view_model.fingerprint
        self._show_enabled()
        for tab in self._more:
            tab.show_fingerprint(found)
        if found is None:
            self._stack.setCurrentIndex(_EMPTY)
            self._show_empty()
            return
        view = present_fingerprint(found, self.view_model.causes)
        file = self.view_model.from_file
        note = f"{file.name} · {view.note}" if file else view.note
        if view.simulated:
            note += " · " + self.tr("simulated")
        self.set_title(self.tr("Fingerprint"), note)
        self.details.show_facts(view.groups, found)
        self.outputs.show_sections(found.sections)
        is_raw = self._raw.isChecked() and bool(found.sections)
        self._stack.setCurrentIndex(_RAW if is_raw else _FACTS)
        self.details.show_group()

    def _show_empty(self) -> None:
        self.set_title(self.tr("Fingerprint"))
        host = self._shell.current_host
        if host is None:
            view = EmptyView(
                title=present_no_host().title,
                text=self.tr("Choose a host on the Hosts page, or open a fingerprint from a file."),
                offer="hosts",
            )
        else:
            view = EmptyView(
                title=self.tr("No fingerprint of {host} yet").format(host=host.settings.name),
                text=self.tr(
                    "One read-only script asks the host for GPUs, driver, links, memory and "
                    "container engine. Nothing is installed or saved there."
                ),
                offer="" if host.is_record else "take",
            )
        self._empty.show_view(view)

    def _show_enabled(self) -> None:
        host = self._shell.current_host
        connected = host is not None and host.state is HostState.CONNECTED
        has_any = self.view_model.fingerprint is not None
        self._take.setEnabled(connected and host is not None and not host.is_busy)
        self._take.setVisible(has_any)  # before the first one the middle of the page offers it
        self._empty_take.setEnabled(host is not None and not host.is_busy)
        self._save.setEnabled(has_any and self.view_model.from_file is None)
        self._copy.setEnabled(has_any)
        self._show_raw_enabled(self.view_model.fingerprint)
        for button in (self._raw, self._copy):
            button.setVisible(self.tabs.currentIndex() == _FACTS_TAB)

    def _show_raw_enabled(self, found: Fingerprint | None) -> None:
        has_raw = found is not None and bool(found.sections)
        self._raw.setEnabled(has_raw)
        why = self.tr("This fingerprint holds no outputs of the host's tools.")
        self._raw.setToolTip(why if found is not None and not has_raw else "")

    def _on_empty_take(self) -> None:
        host = self._shell.current_host
        if host is None:
            return
        if host.state is HostState.CONNECTED:
            self.view_model.take()
        else:
            # Connecting takes the first fingerprint by itself.
            self._shell.connect_host(host.settings.id)

    def _on_gpu(self, row: int) -> None:
        found = self.view_model.fingerprint
        if found is None:
            return
        gpu = self.details.gpus.gpu(row)
        facts = facts_of_gpu(found, row, gpu)
        self._shell.show_inspector(FactList(self._context.theme, facts), f"GPU {gpu.index}")

    def _on_copy(self) -> None:
        found = self.view_model.fingerprint
        if found is None:
            return
        text = self.outputs.text() if self._raw.isChecked() else self.details.text()
        QGuiApplication.clipboard().setText(text)
        self._shell.notify(self.tr("Copied"))

    def _on_save(self) -> None:
        found = self.view_model.fingerprint
        if found is None or not self._save.isEnabled():
            return
        dialog = QFileDialog(self, self.tr("Save fingerprint"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("json")
        date = found.taken_at[:10]
        dialog.selectFile(f"{found.host_name or 'host'}-{date}.fingerprint.json")
        dialog.fileSelected.connect(lambda name: self.view_model.save(Path(name)))
        dialog.open()

    def _on_saved(self, path: Path) -> None:
        self._shell.notify(self.tr("Saved as {file}").format(file=path))

    def _on_open(self) -> None:
        dialog = QFileDialog(self, self.tr("Open fingerprint"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilter(self.tr("Fingerprints (*.json)"))
        dialog.fileSelected.connect(lambda name: self.view_model.open_file(Path(name)))
        dialog.open()


PAGE = register(
    PageSpec(
        id="fingerprint",
        title=QT_TRANSLATE_NOOP("Pages", "Fingerprint"),
        icon="fingerprint",
        order=2,
        factory=FingerprintPage,
        needs_host=True,
    )
)
