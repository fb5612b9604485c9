"""The Hosts page: every host in a sortable table, or the ways to begin."""

from PySide6.QtCore import QPoint, QTimer, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QStackedWidget, QWidget

from app.core.events import HostSnapshot, HostState
from app.core.ids import HostId
from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.models.hosts import HostsModel
from app.ui.pages.registry import PageContext, PageRequest, PageSpec, register
from app.ui.viewmodels.as_command import CommandLine, command, host_commands
from app.ui.viewmodels.hosts import HostsViewModel
from app.ui.viewmodels.hosts_import import ImportViewModel
from app.ui.viewmodels.hosts_next import NextStep
from app.ui.viewmodels.hosts_rows import groups_of, ssh_command
from app.ui.widgets.command_menu import add_to_menu
from app.ui.widgets.dialog import shortcut
from app.ui.widgets.hosts_acts import HostActs, HostDoings
from app.ui.widgets.hosts_editor import HostEditor
from app.ui.widgets.hosts_import import ImportDialog
from app.ui.widgets.hosts_inspection import HostInspection
from app.ui.widgets.hosts_next import NextStrip
from app.ui.widgets.hosts_shown import ShownHosts
from app.ui.widgets.hosts_table import HostsTable
from app.ui.widgets.hosts_tools import HostsTools
from app.ui.widgets.hosts_undo import UndoStrip
from app.ui.widgets.hosts_welcome import HostsWelcome
from app.ui.widgets.page import Page
from app.ui.widgets.state import ErrorBanner

_REFRESH_MS = 30_000


class HostsPage(Page):
    """Show all hosts; add, connect, arrange, edit and remove them."""

    def __init__(self, context: PageContext) -> None:
        super().__init__()
        self._context = context
        self._shell = context.shell
        self.view_model = HostsViewModel(context.app, context.bridge, self)
        self._editor = HostEditor(context.icons, self.view_model, self)
        self.acts = self._make_acts()
        self._build_tools()
        self._stack = QStackedWidget()
        for view in (self._build_welcome(), self._build_table()):
            self._stack.addWidget(view)
        self._banner = ErrorBanner(context.icons)
        self.undo = UndoStrip(context.icons)
        self.next = NextStrip(context.icons, self._go_next)
        self.inspection = HostInspection(
            context.theme,
            context.icons,
            self.view_model,
            self,
            find=self._find,
            acts=self.acts,
            undo=self.undo,
        )
        self.body.addWidget(self._banner)
        self.body.addWidget(self.undo)
        self.body.addWidget(self.next)
        self.body.addWidget(self._stack, 1)
        # Fifty deployments that change in one turn are shown once, not fifty times.
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self._on_deployments)
        self._clock = QTimer(self)
        self._clock.setInterval(_REFRESH_MS)
        self._clock.timeout.connect(self.model.refresh_texts)
        self._connect()
        self._bind_keys()
        self.retranslate()
        self._on_hosts(self._shell.hosts())
        self.view_model.load_layout()

    def retranslate(self) -> None:
        """Set every text again."""
        self.tools_row.retranslate()
        self.welcome.retranslate()
        self.undo.retranslate()
        self.hosts.retranslate()
        self.model.refresh_texts()
        self._show_count()
        self._show_next()

    def activated(self) -> None:
        """Keep “3 min ago” true while the page is seen."""
        self.model.refresh_texts()
        self._clock.start()

    def deactivated(self) -> None:
        """Nobody looks: let the clock rest, and take back what was offered."""
        self._clock.stop()
        self.undo.clear()

    def refresh(self) -> None:
        """Take the fingerprint of every connected host again."""
        for snapshot in self._shell.hosts():
            if snapshot.state is HostState.CONNECTED:
                self.view_model.take_fingerprint(snapshot.settings.id)

    def receive(self, request: object) -> None:
        """Begin what the palette asked for."""
        begin = {
            "add_ssh": self.add_over_ssh,
            "add_local": self._on_local,
            "add_demo": self.view_model.add_demo,
            "import_ssh": self.import_ssh_config,
        }
        if isinstance(request, PageRequest) and request.action in begin:
            begin[request.action]()

    def command_lines(self) -> tuple[CommandLine, ...]:
        """Return what is done with hosts, those of the chosen one first."""
        chosen = self._shell.current_host
        return (
            *(host_commands(chosen) if chosen is not None else ()),
            command("hosts", "list"),
            command("hosts", "import-ssh-config", "--dry-run"),
        )

    def dispose(self) -> None:
        """Cancel what runs."""
        self._clock.stop()
        self.hosts.dispose()
        self.view_model.dispose()

    # What can be done with hosts

    def add_over_ssh(self) -> None:
        """Open the dialog for a new host."""
        self._editor.add(self._groups(), self.tools_row.chosen_group or "")

    def import_ssh_config(self) -> None:
        """Open the dialog that takes hosts over from an SSH configuration."""
        view_model = ImportViewModel(self._context.app, self._context.bridge, self)
        view_model.added.connect(self._on_imported)
        ImportDialog(self._context.icons, self.window(), view_model, self._groups()).open()

    def edit(self, host_id: HostId) -> None:
        """Open the dialog for a host."""
        snapshot = self._find(host_id)
        if snapshot is not None:
            self._editor.edit(snapshot, self._groups())

    def remove(self, host_id: HostId) -> None:
        """Ask, then take a host off the list."""
        snapshot = self._find(host_id)
        if snapshot is None:
            return
        self._shell.confirm(
            title=self.tr("Remove {host}?").format(host=snapshot.settings.name),
            text=self.tr(
                "The host goes off this list, with its fingerprints; its remembered password is "
                "forgotten. What runs on it goes on; nothing there is touched."
            ),
            verb=self.tr("Remove"),
            on_yes=lambda: self.view_model.remove(host_id),
        )

    def open_host(self, host_id: HostId) -> None:
        """Choose a host and look at it; connect it first when it is not."""
        self._shell.select_host(host_id)
        snapshot = self._find(host_id)
        if snapshot is not None and (snapshot.is_record or snapshot.state is HostState.CONNECTED):
            self._shell.open_page("fingerprint")
        else:
            self._shell.connect_host(host_id)

    def open_on(self, host_id: HostId, page: str, deployment: str | None = None) -> None:
        """Choose a host and show one of its pages."""
        self._shell.select_host(host_id)
        request = PageRequest(deployment=deployment) if deployment else None
        self._shell.open_page(page, request)

    def menu_for(self, host_id: HostId) -> QMenu:
        """Return the context menu of a host."""
        snapshot = self._find(host_id)
        if snapshot is None:
            return QMenu(self)
        menu = self.acts.menu(snapshot, self._groups())
        words = self.tr("Copy as command")
        add_to_menu(menu, self._context.icons, words, host_commands(snapshot), self._copy)
        return menu

    # Inside

    def _make_acts(self) -> HostActs:
        model, shell = self.view_model, self._shell
        do = HostDoings(
            connect=shell.connect_host,
            disconnect=model.disconnect_host,
            take_fingerprint=model.take_fingerprint,
            open=self.open_host,
            open_page=self.open_on,
            copy_ssh=self._copy_ssh,
            edit=self.edit,
            forget_secrets=self._forget_secrets,
            remove=self.remove,
            set_group=lambda host_id, group: model.change(host_id, group=group),
        )
        return HostActs(self._context.icons, do, self)

    def _build_tools(self) -> None:
        self.tools_row = HostsTools(
            self._context.icons,
            self.tools,
            self,
            add_over_ssh=self.add_over_ssh,
            add_local=self._on_local,
            fill_menu=self._fill_more,
        )

    def _build_welcome(self) -> QWidget:
        self.welcome = HostsWelcome(self._context.icons)
        self.choice_demo, self.choice_local = self.welcome.demo, self.welcome.local
        self.choice_demo.clicked.connect(self.view_model.add_demo)
        self.choice_local.clicked.connect(self._on_local)
        self.welcome.ssh.clicked.connect(self.add_over_ssh)
        self.welcome.imported.clicked.connect(self.import_ssh_config)
        return self.welcome

    def _build_table(self) -> QWidget:
        icons, theme = self._context.icons, self._context.theme
        self.model = HostsModel(
            icons, now=self.view_model.now_s, deployments=self.view_model.deployments, parent=self
        )
        self.hosts = HostsTable(icons, theme, self.model)
        self.table, self.proxy = self.hosts.view, self.hosts.proxy
        self.shown = ShownHosts(
            self.hosts,
            self._shell.hosts,
            connect=self._shell.connect_host,
            disconnect=self.view_model.disconnect_host,
        )
        return self.hosts

    def _connect(self) -> None:
        self.tools_row.searched.connect(self._on_search)
        self.tools_row.group_chosen.connect(self._on_group)
        self._shell.hosts_changed.connect(self._on_hosts)
        hosts = self.hosts
        hosts.opened.connect(self.open_host)
        hosts.deleted.connect(self.remove)
        hosts.menu_wanted.connect(self._show_menu)
        hosts.moved_to.connect(self._shell.select_host)
        hosts.looked_at.connect(self._look_at)
        hosts.edit_wanted.connect(self.edit)
        hosts.copy_wanted.connect(self._copy_ssh)
        hosts.cleared.connect(self.tools_row.clear)
        model = self.view_model
        model.added.connect(self._on_added)
        model.removed.connect(self._on_removed)
        model.restored.connect(lambda one: self._shell.select_host(one.settings.id))
        model.secrets_forgotten.connect(self._on_forgotten)
        hosts.arranged.connect(model.keep_layout)
        model.layout_loaded.connect(hosts.arrange)
        model.failed.connect(self._banner.show_error)
        model.deployments_changed.connect(self._soon.start)
        self.inspection.made.connect(self._shell.show_inspector)
        self.inspection.deployment_opened.connect(
            lambda host, name: self.open_on(HostId(host), "deployments", deployment=name)
        )
        self._shell.host_selected.connect(self._on_selected)
        self._context.theme.changed.connect(self.model.refresh_texts)

    def _bind_keys(self) -> None:
        # Anywhere in the window while this page is seen: what was removed may have had the focus.
        shortcut(self, "Ctrl+F", self.tools_row.search.setFocus)
        shortcut(self, "Ctrl+Z", self.undo.undo)

    def _fill_more(self, menu: QMenu) -> None:
        icons = self._context.icons
        menu.addAction(
            icons.icon("file-import"), self.tr("Import from SSH config"), self.import_ssh_config
        )
        menu.addSeparator()
        menu.addAction(icons.icon("plug"), self.tr("Connect all shown"), self.shown.connect)
        menu.addAction(icons.icon("plug-x"), self.tr("Disconnect all shown"), self.shown.disconnect)

    def _on_local(self) -> None:
        self.view_model.add_local(self.tr("this-computer"))

    def _on_hosts(self, hosts: tuple[HostSnapshot, ...]) -> None:
        self.hosts.set_hosts(hosts)
        self.tools_row.set_groups(self._groups())
        self.tools_row.set_shown(shown=bool(hosts))
        self._on_selected(self._shell.current_host)
        self._stack.setCurrentIndex(1 if hosts else 0)
        self._show_count()
        self.inspection.follow()

    def _on_search(self, text: str) -> None:
        self.hosts.search(text)
        self._show_count()

    def _on_group(self, group: str | None) -> None:
        self.hosts.show_group(group)
        self._show_count()

    def _show_count(self) -> None:
        count, shown = self.model.rowCount(), self.proxy.rowCount()
        note = self.tr("{count} on this desk").format(count=count) if count else ""
        if shown != count:
            note = self.tr("{shown} of {count} shown").format(shown=shown, count=count)
        self.set_title(self.tr("Hosts"), note)

    def _on_added(self, snapshot: HostSnapshot) -> None:
        self.next.expect(snapshot.settings.id)
        self._shell.select_host(snapshot.settings.id)
        self._shell.connect_host(snapshot.settings.id)

    def _on_imported(self, hosts: tuple[HostSnapshot, ...]) -> None:
        self._shell.notify(self.tr("Hosts added: {count}").format(count=len(hosts)))

    def _on_removed(self, snapshot: HostSnapshot) -> None:
        host_id = snapshot.settings.id
        words = self.tr("{host} was removed from the list.").format(host=snapshot.settings.name)
        self.undo.offer(words, lambda: self.view_model.restore(host_id))
        if self.inspection.shows(host_id):
            self._shell.hide_inspector()

    def _on_forgotten(self, snapshot: HostSnapshot) -> None:
        words = self.tr("Nothing secret of {host} is kept any more.")
        self._shell.notify(words.format(host=snapshot.settings.name))

    def _find(self, host_id: HostId) -> HostSnapshot | None:
        for snapshot in self._shell.hosts():
            if snapshot.settings.id == host_id:
                return snapshot
        return None

    def _groups(self) -> tuple[str, ...]:
        return groups_of(self._shell.hosts())

    def _copy_ssh(self, host_id: HostId) -> None:
        snapshot = self._find(host_id)
        self._copy(ssh_command(snapshot.settings) if snapshot is not None else "")

    def _copy(self, text: str) -> None:
        if text:
            QGuiApplication.clipboard().setText(text)
            self._shell.notify(self.tr("Copied: {command}").format(command=text))

    def _forget_secrets(self, host_id: HostId) -> None:
        snapshot = self._find(host_id)
        if snapshot is not None:
            self.view_model.forget_secrets(snapshot)

    def _on_selected(self, snapshot: HostSnapshot | None) -> None:
        """Mark the host of the host bar in the table."""
        self.hosts.select(snapshot.settings.id if snapshot is not None else None)
        self._show_next()

    def _show_next(self) -> None:
        """Say what can be done with the chosen host, if nothing runs there yet."""
        host = self._shell.current_host
        runs = None if host is None else self.view_model.deployments(host.settings.id)
        is_free = self.table.hasFocus() or self.hasFocus()
        self.next.follow(host, runs, may_take_focus=is_free)
        self.tools_row.set_primary(primary=self.next.step is None)

    def _go_next(self, step: NextStep) -> None:
        self._shell.open_page(step.page, PageRequest(action=step.action))

    def _look_at(self, host_id: HostId) -> None:
        snapshot = self._find(host_id)
        if snapshot is not None:
            self._shell.select_host(host_id)
            self.view_model.load_details(snapshot)

    def _on_deployments(self) -> None:
        self.model.refresh_texts()
        self._show_next()
        self.inspection.follow()

    @Slot(str, QPoint)
    def _show_menu(self, host_id: str, position: QPoint) -> None:
        self.menu_for(HostId(host_id)).popup(position)


PAGE = register(
    PageSpec(
        id="hosts",
        title=QT_TRANSLATE_NOOP("Pages", "Hosts"),
        icon="server",
        order=1,
        factory=HostsPage,
    )
)
