"""The frame around the pages: rail, host bar, inspector, activity bar, keys and palette."""

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QIcon
from PySide6.QtWidgets import (
    QMainWindow,
    QWidget,
)

from app.core.errors import ErrorInfo
from app.core.events import HostSnapshot
from app.core.ids import HostId
from app.ui.bridge import CoreBridge
from app.ui.keys import WINDOW_KEYS
from app.ui.pages.registry import PageContext, PageRequest, PageSpec
from app.ui.parts import WindowParts
from app.ui.viewmodels.connect import ConnectViewModel
from app.ui.viewmodels.help import topic_of
from app.ui.viewmodels.shell import ShellViewModel, present_host_bar
from app.ui.widgets.command_menu import CommandMenu
from app.ui.widgets.connect_dialogs import ConnectDialogs
from app.ui.widgets.dialog import ConfirmDialog, shortcut
from app.ui.widgets.page import Page
from app.ui.widgets.palette import Palette
from app.ui.window_commands import WindowCommands
from app.ui.window_details import WindowDetails
from app.ui.window_frame import WindowFrame, first_size
from app.ui.window_memory import WindowMemory, bytes_text, kept_bytes
from app.ui.window_style import PageStyles

if TYPE_CHECKING:
    from app.bootstrap import Application

FIRST_PAGE: Final = "hosts"


class MainWindow(QMainWindow):
    """Rail, host bar, pages, inspector, activity bar: what pages see as their `Shell`."""

    host_selected = Signal(object)
    hosts_changed = Signal(object)
    page_opened = Signal(str)

    def __init__(
        self,
        app: "Application",
        bridge: CoreBridge,
        parts: WindowParts,
        pages: tuple[PageSpec, ...],
    ) -> None:
        super().__init__()
        self._app = app
        self._bridge = bridge
        self._parts = parts
        self._specs = {spec.id: spec for spec in pages}
        self._pages: dict[str, QWidget] = {}
        self._current_page = ""
        self._shown_host = ""
        self._shown_settings = app.settings.get()
        self.view_model = ShellViewModel(app, bridge, self)
        self.connecting = ConnectViewModel(app, bridge, self)
        self._styles = PageStyles(self._pages.values, self)
        parts.theme.around_change = self._styles.only_what_is_seen
        self._memory = WindowMemory(self._shown_settings.view_state, self)
        self._dialogs = ConnectDialogs(self.connecting, parts.icons, parts.theme, self)
        self._details = WindowDetails(self.view_model, parts, self)
        self._commands = WindowCommands(app, parts, self._specs, self)
        self._build()
        self._connect()
        self._bind_keys()
        self.retranslate()
        self._restore()

    # What pages ask for: see `Shell`.

    @property
    def current_host(self) -> HostSnapshot | None:
        """The host in the host bar."""
        return self.view_model.current_host

    def hosts(self) -> tuple[HostSnapshot, ...]:
        """Return the newest snapshot of every host."""
        return self.view_model.hosts()

    def select_host(self, host_id: HostId | None) -> None:
        """Put a host into the host bar."""
        self.view_model.select(host_id)

    def connect_host(self, host_id: HostId) -> None:
        """Connect, asking for the host key or a password as needed."""
        for snapshot in self._app.hosts.snapshot():
            if snapshot.settings.id == host_id:
                self.connecting.connect_host(snapshot)

    def open_page(self, page_id: str, request: PageRequest | None = None) -> None:
        """Show a page and hand it ``request``."""
        if page_id not in self._specs:
            return
        page = self._page(page_id)
        before = self._pages.get(self._current_page)
        if before is not page:
            self.hide_inspector()
            if isinstance(before, Page):
                before.deactivated()
            self._activity.set_note("")
            self._current_page = page_id
            self._styles.bring_up(page)
            self._stack.setCurrentWidget(page)
            self._rail.select(page_id)
            page.setFocus(Qt.FocusReason.OtherFocusReason)
        if isinstance(page, Page):
            if request is not None:
                page.receive(request)
            if before is not page:
                page.activated()
        self.page_opened.emit(page_id)

    def show_inspector(self, widget: QWidget, title: str) -> None:
        """Show details on the right."""
        self._inspector.show_widget(widget, title)

    def hide_inspector(self) -> None:
        """Close the details."""
        self._inspector.clear()

    def forget_arrangement(self) -> None:
        """Arrange tables, splitters, tabs, filters and the window as at the first start."""
        self._memory.forget()
        self._splitter.setSizes([self.width(), 0])
        if not self.isMaximized():
            self.resize(first_size(self.screen().availableGeometry().size()))

    def show_error(self, error: ErrorInfo) -> None:
        """Show an error in the activity bar and open its details."""
        self.view_model.add_error(error)
        self._details.show_errors()

    def notify(self, text: str) -> None:
        """Say in the activity bar that something was done."""
        self._activity.set_note(text)

    def confirm(self, *, title: str, text: str, verb: str, on_yes: Callable[[], None]) -> None:
        """Ask before something that cannot be undone."""
        ConfirmDialog(
            self._parts.icons, self, title=title, text=text, verb=verb, on_yes=on_yes
        ).open()

    # Around the pages

    def with_host(self, act: Callable[[HostId], None]) -> None:
        """Do something with the host in the host bar, if there is one."""
        host = self.view_model.current_host
        if host is not None:
            act(host.settings.id)

    def open_deployment(self, host_id: HostId, name: str) -> None:
        """Show a deployment on its page."""
        self.select_host(host_id)
        self.open_page("deployments", PageRequest(deployment=name))

    @property
    def current_page(self) -> str:
        """Id of the page in front."""
        return self._current_page

    def page(self, page_id: str) -> QWidget:
        """Return a page, made now if it was not visited yet."""
        return self._page(page_id)

    def refresh(self) -> None:
        """F5."""
        page = self._pages.get(self._current_page)
        if isinstance(page, Page):
            page.refresh()

    def escape(self) -> None:
        """Esc: close the inspector, then cancel what the page runs."""
        if self._inspector.isVisible():
            self.hide_inspector()
            return
        page = self._pages.get(self._current_page)
        if isinstance(page, Page):
            page.escape()

    def show_help(self) -> None:
        """F1: the topic of the page in front; on the Help page its first steps."""
        topics = self._parts.assets.help_pages["en"]
        self.open_page("help", PageRequest(action=topic_of(self._current_page, tuple(topics))))

    def show_commands(self) -> None:
        """Ctrl+Shift+C: offer what the page does as commands to be copied."""
        page = self._pages.get(self._current_page)
        if isinstance(page, Page):
            page.show_commands()

    def show_palette(self) -> None:
        """Ctrl+K."""
        Palette(self._commands(), self._parts.icons, self).open()

    def show_errors(self) -> None:
        """Open the details of recent errors."""
        self._details.show_errors()

    def retranslate(self) -> None:
        """Set every text again."""
        self.setWindowTitle("Pitwall")
        # What was said is said in the language before.
        self._activity.set_note("")
        words = {spec.id: spec.word for spec in self._specs.values()}
        keys = {page_id: f"Ctrl+{number}" for number, page_id in self._numbered()}
        self._rail.set_words(words, keys)
        self._on_host_selected(self.view_model.current_host)
        self._activity.set_activities(self.view_model.activities())

    def dispose(self) -> None:
        """Let pages and view-models go of their calls."""
        self._parts.theme.around_change = nullcontext
        for page in self._pages.values():
            if isinstance(page, Page):
                page.dispose()
        self.view_model.dispose()
        self.connecting.dispose()

    def window_state(self) -> dict[str, str]:
        """Return what the window wants back next time."""
        host = self.view_model.current_host
        return {
            "window_geometry": bytes_text(self.saveGeometry()),
            "window_state": bytes_text(self._splitter.saveState()),
            "view_state": self._memory.text(),
            "last_page": self._current_page,
            "last_host_id": host.settings.id if host else "",
        }

    def started(self) -> None:
        """The services are up: show what they know."""
        self.view_model.reload()
        for notice in self._app.notices():
            self.view_model.add_error(notice)
        self.view_model.look_for_update()
        settings = self._app.settings.get()
        hosts = self.view_model.hosts()
        known = {snapshot.settings.id for snapshot in hosts}
        if settings.last_host_id in known:
            self.select_host(HostId(settings.last_host_id))
        elif len(hosts) == 1:
            self.select_host(hosts[0].settings.id)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files and texts from anywhere."""
        if event.mimeData().hasUrls() or event.mimeData().hasText():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Show what was dropped on the Inspect page."""
        content = event.mimeData()
        paths = [url.toLocalFile() for url in content.urls() if url.isLocalFile()]
        values = {"path": paths[0]} if paths else {"text": content.text()}
        event.acceptProposedAction()
        self.open_page("inspect", PageRequest(values=values))

    def changeEvent(self, event: QEvent) -> None:
        """Follow a change of language."""
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def _build(self) -> None:
        frame = WindowFrame(self._parts.icons, self._parts.theme, self._specs.values())
        self._rail, self._host_bar, self._stack = frame.rail, frame.host_bar, frame.stack
        self._inspector, self._activity = frame.inspector, frame.activity
        self._splitter = frame.splitter
        self.setCentralWidget(frame)
        self.setMinimumSize(1000, 640)
        self.setAcceptDrops(True)
        self.resize(first_size(self.screen().availableGeometry().size()))
        self.setWindowIcon(QIcon(self._parts.icons.pixmap("gauge", "accent", size=48)))

    def _connect(self) -> None:
        self._rail.page_chosen.connect(self.open_page)
        bar = self._host_bar
        bar.host_chosen.connect(self.select_host)
        bar.hosts_page_wanted.connect(lambda: self.open_page(FIRST_PAGE))
        bar.connect_clicked.connect(lambda: self.with_host(self.connect_host))
        bar.disconnect_clicked.connect(lambda: self.with_host(self.view_model.disconnect_host))
        bar.fingerprint_clicked.connect(lambda: self.with_host(self.view_model.take_fingerprint))
        self._activity.cancel_clicked.connect(self.view_model.cancel_activity)
        self._activity.errors_clicked.connect(self._details.show_errors)
        self._activity.errors_dismissed.connect(self.view_model.clear_errors)
        self._activity.alerts_clicked.connect(self._details.show_alerts)
        self._activity.activities_clicked.connect(self._details.show_activities)
        self._inspector.closed.connect(self.hide_inspector)
        shell = self.view_model
        shell.hosts_changed.connect(self._on_hosts_changed)
        shell.host_selected.connect(self._on_host_selected)
        shell.activities_changed.connect(self._activity.set_activities)
        shell.errors_changed.connect(self._activity.set_errors)
        shell.alerts_changed.connect(self._activity.set_alerts)
        shell.settings_changed.connect(self._on_settings_changed)
        self.connecting.failed.connect(self.show_error)
        self.connecting.connected.connect(self._on_connected)
        self._parts.theme.changed.connect(self._host_bar.retranslate)
        self._memory.changed.connect(shell.keep_arrangement)
        shell.update_found.connect(self._on_update)

    def _bind_keys(self) -> None:
        for number, page_id in self._numbered():
            shortcut(self, f"Ctrl+{number}", partial(self.open_page, page_id))
        acts: dict[str, Callable[[], object]] = {
            "Ctrl+K": self.show_palette,
            "F1": self.show_help,
            "F5": self.refresh,
            "Esc": self.escape,
            "Ctrl+Shift+C": self.show_commands,
            "Ctrl+Q": self.close,
        }
        for key in WINDOW_KEYS:
            shortcut(self, key.keys, acts[key.keys])

    def _numbered(self) -> tuple[tuple[int, str], ...]:
        """Return the pages that a digit opens: all of the rail, from top to bottom."""
        return tuple(enumerate(tuple(self._specs)[:9], start=1))

    def _restore(self) -> None:
        settings = self._app.settings.get()
        if settings.window_geometry:
            self.restoreGeometry(kept_bytes(settings.window_geometry))
        if settings.window_state:
            self._splitter.restoreState(kept_bytes(settings.window_state))
        page = settings.last_page if settings.last_page in self._specs else FIRST_PAGE
        # After the first paint: the frame is there before the page's work begins.
        QTimer.singleShot(0, self, lambda: self._open_first(page))

    def _open_first(self, page_id: str) -> None:
        if not self._current_page:
            self.open_page(page_id)

    def _page(self, page_id: str) -> QWidget:
        if page_id not in self._pages:
            context = PageContext(
                app=self._app,
                bridge=self._bridge,
                theme=self._parts.theme,
                icons=self._parts.icons,
                translations=self._parts.translations,
                assets=self._parts.assets,
                shell=self,
            )
            page = self._specs[page_id].factory(context)
            self._pages[page_id] = page
            self._memory.follow(page_id, page)
            if isinstance(page, Page):
                page.offer_commands(CommandMenu(self._parts.icons, page.command_lines, self.notify))
            self._stack.addWidget(page)
        return self._pages[page_id]

    @Slot(object)
    def _on_hosts_changed(self, hosts: tuple[HostSnapshot, ...]) -> None:
        self._host_bar.set_hosts(hosts)
        self.hosts_changed.emit(hosts)

    @Slot(object)
    def _on_host_selected(self, snapshot: HostSnapshot | None) -> None:
        host_id = snapshot.settings.id if snapshot is not None else ""
        if host_id != self._shown_host:  # details of one host never stand beside another
            self._shown_host = host_id
            self.hide_inspector()
        self._host_bar.set_view(present_host_bar(snapshot))
        self.host_selected.emit(snapshot)

    @Slot(object)
    def _on_connected(self, snapshot: HostSnapshot) -> None:
        self.notify(self.tr("Connected to {host}").format(host=snapshot.settings.name))
        if self.view_model.current_host is None:
            self.select_host(snapshot.settings.id)
        if snapshot.summary is None:
            self.view_model.take_fingerprint(snapshot.settings.id)

    @Slot(str)
    def _on_update(self, version: str) -> None:
        text = self.tr("Pitwall {version} is out. Settings say where it was looked for.")
        self.notify(text.format(version=version))

    @Slot()
    def _on_settings_changed(self) -> None:
        before, self._shown_settings = self._shown_settings, self._app.settings.get()
        if self._shown_settings.language != before.language:
            self._parts.translations.choose(self._shown_settings.language)
        if self._shown_settings.theme != before.theme:
            self._parts.theme.choose(self._shown_settings.theme)
