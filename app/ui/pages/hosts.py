"""The Hosts page: every host in a sortable table, or three ways to begin."""

from PySide6.QtCore import QModelIndex, QPoint, Qt, QTimer
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.core.errors import ErrorInfo
from app.core.events import HostSnapshot, HostState
from app.core.hardware.fingerprint import Fingerprint
from app.core.ids import HostId
from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.models.hosts import Column, HostsModel, HostsProxy
from app.ui.models.roles import ID_ROLE
from app.ui.pages.registry import PageContext, PageRequest, PageSpec, register
from app.ui.theme import letters, space
from app.ui.viewmodels.hosts import HostForm, HostsViewModel, form_of
from app.ui.widgets.bars import BarDelegate
from app.ui.widgets.buttons import ChoiceButton, push_button
from app.ui.widgets.hosts_details import HostDetails
from app.ui.widgets.hosts_dialog import HostDialog
from app.ui.widgets.page import Page
from app.ui.widgets.state import ErrorBanner
from app.ui.widgets.table import DataTable
from app.ui.widgets.text import label

_REFRESH_MS = 30_000


class HostsPage(Page):
    """Show all hosts; add, connect, edit and remove them."""

    def __init__(self, context: PageContext) -> None:
        super().__init__()
        self._context = context
        self._shell = context.shell
        self.view_model = HostsViewModel(context.app, context.bridge, self)
        self._dialog: HostDialog | None = None
        self._build_tools()
        self._stack = QStackedWidget()
        self._stack.addWidget(self._build_empty())
        self._stack.addWidget(self._build_table())
        self._banner = ErrorBanner(context.icons)
        self.body.addWidget(self._banner)
        self.body.addWidget(self._stack, 1)
        self._connect()
        self._clock = QTimer(self)
        self._clock.setInterval(_REFRESH_MS)
        self._clock.timeout.connect(self.model.refresh_texts)
        self.retranslate()
        self._on_hosts(self._shell.hosts())

    def retranslate(self) -> None:
        """Set every text again."""
        self._add.setText(self.tr("Add over SSH"))
        self._add_local.setText(self.tr("Add this computer"))
        self._filter.setPlaceholderText(self.tr("Filter"))
        self._filter.setAccessibleName(self.tr("Filter hosts"))
        self.table.setAccessibleName(self.tr("Hosts"))
        self._welcome.setText(self.tr("Where shall the models run?"))
        self._welcome_note.setText(
            self.tr(
                "Pitwall installs nothing on a host. It needs SSH, or this computer, and the "
                "container engine that is there."
            )
        )
        self.choice_demo.set_texts(
            self.tr("Try the demo host"),
            self.tr(
                "Two H200 GPUs from a recording and a simulated engine: try everything at once, "
                "without hardware."
            ),
        )
        self.choice_local.set_texts(
            self.tr("This computer"),
            self.tr("Use the GPUs, or the processors, of the computer that Pitwall runs on."),
        )
        self.choice_ssh.set_texts(
            self.tr("Add over SSH"),
            self.tr("A server with key or password. Its host key is shown before anything else."),
        )
        self.model.refresh_texts()
        self._show_count()

    def activated(self) -> None:
        """Keep “3 min ago” true while the page is seen."""
        self.model.refresh_texts()
        self._clock.start()

    def deactivated(self) -> None:
        """Nobody looks: let the clock rest."""
        self._clock.stop()

    def refresh(self) -> None:
        """Take the fingerprint of every connected host again."""
        for snapshot in self._shell.hosts():
            if snapshot.state is HostState.CONNECTED:
                self.view_model.run(self._context.app.hosts.take_fingerprint(snapshot.settings.id))

    def receive(self, request: object) -> None:
        """Begin what the palette asked for."""
        begin = {
            "add_ssh": self.add_over_ssh,
            "add_local": self._on_local,
            "add_demo": self.view_model.add_demo,
        }
        if isinstance(request, PageRequest) and request.action in begin:
            begin[request.action]()

    def dispose(self) -> None:
        """Cancel what runs."""
        self._clock.stop()
        self.view_model.dispose()

    # What can be done with a host

    def add_over_ssh(self) -> None:
        """Open the dialog for a new host."""
        self._open_dialog(HostForm(), None)

    def edit(self, host_id: HostId) -> None:
        """Open the dialog for a host."""
        snapshot = self._find(host_id)
        if snapshot is not None:
            self._open_dialog(form_of(snapshot.settings), snapshot)

    def remove(self, host_id: HostId) -> None:
        """Ask, then take a host off the list."""
        snapshot = self._find(host_id)
        if snapshot is None:
            return
        self._shell.confirm(
            title=self.tr("Remove {host}?").format(host=snapshot.settings.name),
            text=self.tr(
                "The host goes off this list, with its fingerprints. What runs on it goes on; "
                "nothing there is touched."
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

    # Inside

    def _build_tools(self) -> None:
        icons = self._context.icons
        self._filter = QLineEdit()
        self._filter.setClearButtonEnabled(True)
        self._filter.setFixedWidth(letters(self.font(), 26))
        self._add_local = push_button(icons, icon="device-desktop", on_click=self._on_local)
        self._add = push_button(icons, icon="plus", kind="primary", on_click=self.add_over_ssh)
        for tool in (self._filter, self._add_local, self._add):
            self.tools.addWidget(tool)

    def _build_empty(self) -> QWidget:
        icons = self._context.icons
        self._welcome = label("title")
        self._welcome_note = label("muted", wrap=True)
        self._welcome_note.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.choice_demo = ChoiceButton(icons, "flask")
        self.choice_local = ChoiceButton(icons, "device-desktop")
        self.choice_ssh = ChoiceButton(icons, "server")
        self.choice_demo.clicked.connect(self.view_model.add_demo)
        self.choice_local.clicked.connect(self._on_local)
        self.choice_ssh.clicked.connect(self.add_over_ssh)
        row = QHBoxLayout()
        row.setSpacing(space(4))
        for choice in (self.choice_demo, self.choice_local, self.choice_ssh):
            row.addWidget(choice, 1)
        column = QWidget()
        column.setMaximumWidth(letters(self.font(), 140))
        inner = QVBoxLayout(column)
        inner.setSpacing(space(3))
        inner.addStretch(2)
        inner.addWidget(self._welcome, 0, Qt.AlignmentFlag.AlignHCenter)
        inner.addWidget(self._welcome_note)
        inner.addSpacing(space(3))
        inner.addLayout(row)
        inner.addStretch(3)
        page = QWidget()
        outer = QHBoxLayout(page)
        outer.addStretch(1)
        outer.addWidget(column, 20)
        outer.addStretch(1)
        return page

    def _build_table(self) -> QWidget:
        self.model = HostsModel(
            self._context.icons,
            now=self.view_model.now_s,
            deployments=self.view_model.deployment_count,
            parent=self,
        )
        self.proxy = HostsProxy(self)
        self.proxy.setSourceModel(self.model)
        self.table = DataTable()
        self.table.setModel(self.proxy)
        self.table.sortByColumn(Column.NAME, Qt.SortOrder.AscendingOrder)
        self.table.setItemDelegateForColumn(
            Column.MEMORY, BarDelegate(self._context.theme, self.table)
        )
        self.table.set_widths((15, 20, 18, 18, 12, 25, 12, 12), stretch=Column.ADDRESS)
        return self.table

    def _connect(self) -> None:
        self._filter.textChanged.connect(self.proxy.setFilterFixedString)
        self._shell.hosts_changed.connect(self._on_hosts)
        self.table.opened.connect(self._on_opened)
        self.table.deleted.connect(self._on_deleted)
        self.table.customContextMenuRequested.connect(self._show_menu)
        selection = self.table.selectionModel()
        selection.currentRowChanged.connect(self._on_current)
        self.view_model.added.connect(self._on_added)
        self.view_model.saved.connect(self._on_saved)
        self.view_model.form_refused.connect(self._on_refused)
        self.view_model.failed.connect(self._banner.show_error)
        self.view_model.deployments_changed.connect(self.model.refresh_texts)
        self.view_model.details_loaded.connect(self._show_details)
        self._shell.host_selected.connect(self._on_selected)
        self.table.clicked.connect(self._on_clicked)
        self._context.theme.changed.connect(self.model.refresh_texts)

    def _on_local(self) -> None:
        self.view_model.add_local(self.tr("this-computer"))

    def _on_hosts(self, hosts: tuple[HostSnapshot, ...]) -> None:
        self.model.replace(hosts)
        self._on_selected(self._shell.current_host)
        self._stack.setCurrentIndex(1 if hosts else 0)
        for tool in (self._filter, self._add_local, self._add):
            tool.setVisible(bool(hosts))
        self._show_count()

    def _show_count(self) -> None:
        count = self.model.rowCount()
        note = self.tr("{count} on this desk").format(count=count) if count else ""
        self.set_title(self.tr("Hosts"), note)

    def _on_added(self, snapshot: HostSnapshot) -> None:
        self._shell.select_host(snapshot.settings.id)
        self._shell.connect_host(snapshot.settings.id)

    def _on_saved(self, _snapshot: HostSnapshot) -> None:
        if self._dialog is not None:
            self._dialog.accept()

    def _on_refused(self, errors: dict[str, str], error: ErrorInfo) -> None:
        if self._dialog is not None:
            self._dialog.refuse(errors, error)

    def _open_dialog(self, form: HostForm, snapshot: HostSnapshot | None) -> None:
        dialog = HostDialog(self._context.icons, self.window(), form, is_new=snapshot is None)
        before = snapshot.settings if snapshot is not None else None
        dialog.submitted.connect(lambda given: self.view_model.save(given, before))
        dialog.finished.connect(self._forget_dialog)
        self._dialog = dialog
        dialog.open()

    def _forget_dialog(self) -> None:
        self._dialog = None

    def _find(self, host_id: HostId) -> HostSnapshot | None:
        for snapshot in self._shell.hosts():
            if snapshot.settings.id == host_id:
                return snapshot
        return None

    def _on_current(self, index: QModelIndex) -> None:
        if index.isValid() and self.table.hasFocus():
            self._shell.select_host(HostId(str(index.data(ID_ROLE))))

    def _on_selected(self, snapshot: HostSnapshot | None) -> None:
        """Mark the host of the host bar in the table."""
        row = self.model.row_of(snapshot.settings.id) if snapshot is not None else -1
        if row < 0:
            self.table.clearSelection()
            return
        index = self.proxy.mapFromSource(self.model.index(row, 0))
        if index.isValid() and index.row() != self.table.currentIndex().row():
            self.table.selectRow(index.row())

    def _on_clicked(self, index: QModelIndex) -> None:
        snapshot = self._find(HostId(str(index.data(ID_ROLE))))
        if snapshot is not None:
            self._shell.select_host(snapshot.settings.id)
            self.view_model.load_details(snapshot)

    def _show_details(self, snapshot: HostSnapshot, found: Fingerprint | None) -> None:
        icons, theme = self._context.icons, self._context.theme
        details = HostDetails(icons, theme, snapshot, found)
        self._shell.show_inspector(details, snapshot.settings.name)

    def _on_opened(self, index: QModelIndex) -> None:
        self.open_host(HostId(str(index.data(ID_ROLE))))

    def _on_deleted(self, index: QModelIndex) -> None:
        self.remove(HostId(str(index.data(ID_ROLE))))

    def _show_menu(self, position: QPoint) -> None:
        index = self.table.indexAt(position)
        if not index.isValid():
            return
        menu = self.menu_for(HostId(str(index.data(ID_ROLE))))
        menu.popup(self.table.viewport().mapToGlobal(position))

    def menu_for(self, host_id: HostId) -> QMenu:
        """Return the context menu of a host."""
        icons, shell, hosts = self._context.icons, self._shell, self._context.app.hosts
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        snapshot = self._find(host_id)
        connected = snapshot is not None and snapshot.state is HostState.CONNECTED
        is_record = snapshot is not None and snapshot.is_record
        if connected or is_record:
            menu.addAction(
                icons.icon("fingerprint"), self.tr("Open"), lambda: self.open_host(host_id)
            )
        if connected:
            menu.addAction(
                icons.icon("plug-x"),
                self.tr("Disconnect"),
                lambda: self.view_model.run(hosts.disconnect(host_id)),
            )
        else:
            menu.addAction(
                icons.icon("plug"), self.tr("Connect"), lambda: shell.connect_host(host_id)
            ).setEnabled(not is_record)
        menu.addAction(icons.icon("pencil"), self.tr("Edit"), lambda: self.edit(host_id))
        menu.addSeparator()
        menu.addAction(
            icons.icon("trash", "status.error"), self.tr("Remove"), lambda: self.remove(host_id)
        )
        return menu


PAGE = register(
    PageSpec(
        id="hosts",
        title=QT_TRANSLATE_NOOP("Pages", "Hosts"),
        icon="server",
        order=1,
        factory=HostsPage,
    )
)
