"""The Deployments page: what runs, how its start goes, its log, and a word with it."""

from pathlib import Path

from PySide6.QtCore import QItemSelection, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QSplitter, QStackedWidget, QWidget

from app.core.events import HostSnapshot
from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.models.deployments import DeploymentsModel
from app.ui.models.roles import ID_ROLE
from app.ui.pages.registry import PageContext, PageRequest, PageSpec, register
from app.ui.theme import space
from app.ui.viewmodels.as_command import CommandLine, command, deployment_commands
from app.ui.viewmodels.bundle import BundleViewModel
from app.ui.viewmodels.deployments import DeploymentsState, DeploymentsViewModel
from app.ui.viewmodels.deployments_actuals import ActualsViewModel
from app.ui.viewmodels.deployments_empty import present_empty, present_unseen
from app.ui.viewmodels.deployments_findings import ChangeViewModel
from app.ui.viewmodels.slow import SlowViewModel
from app.ui.widgets.bundle_sheet import BundleSheet
from app.ui.widgets.deployments_actuals import ActualsTable
from app.ui.widgets.deployments_change import ChangeSheet
from app.ui.widgets.deployments_detail import DetailPane
from app.ui.widgets.deployments_list import DeploymentList
from app.ui.widgets.host_empty import HostEmpty
from app.ui.widgets.page import Page
from app.ui.widgets.slow_report import SlowReportView
from app.ui.widgets.state import ErrorBanner


class DeploymentsPage(Page):
    """Choose a deployment on the left, see and steer it on the right."""

    def __init__(self, context: PageContext) -> None:
        super().__init__()
        self._context = context
        self._shell = context.shell
        self.view_model = DeploymentsViewModel(context.app, context.bridge, self)
        self.changes = ChangeViewModel(context.app, context.bridge, self)
        self.sheet: ChangeSheet | None = None
        self.bundles = BundleViewModel(context.app, context.bridge, self)
        self.slow = SlowViewModel(context.app, context.bridge, self)
        self.actuals = ActualsViewModel(context.app, context.bridge, self)
        self.bundle_sheet: BundleSheet | None = None
        self.model = DeploymentsModel(self)
        self._is_replacing = False
        self._banner = ErrorBanner(context.icons)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._build_empty())
        self._stack.addWidget(self._build_lists())
        self.body.addWidget(self._banner)
        self.body.addWidget(self._stack, 1)
        self._connect()
        self.retranslate()

    def retranslate(self) -> None:
        """Set every text again."""
        self._show_note()
        self.list.setAccessibleName(self.tr("Deployments"))
        self.steps["look"].setText(self.tr("Look again"))
        self.steps["plan"].setText(self.tr("Make a plan"))
        self._show_empty()
        self.detail.retranslate()
        self.view_model.reload()

    def activated(self) -> None:
        """Look, and keep times true."""
        self.view_model.set_visible(visible=True)
        self.view_model.refresh(self._shell.current_host)

    def deactivated(self) -> None:
        """Nobody looks."""
        self.view_model.set_visible(visible=False)

    def refresh(self) -> None:
        """Ask the host what runs there."""
        self.view_model.refresh(self._shell.current_host)

    def escape(self) -> bool:
        """Wait no longer for the model's answer."""
        return self.view_model.cancel_chat()

    def receive(self, request: object) -> None:
        """Choose a deployment of the current host."""
        if isinstance(request, PageRequest) and request.deployment:
            host = self._shell.current_host
            host_id = host.settings.id if host is not None else None
            self.view_model.select_name(host_id, request.deployment)

    def command_lines(self) -> tuple[CommandLine, ...]:
        """Return what is done with the chosen deployment, and what lists all of its host."""
        chosen, host = self.view_model.snapshot, self._shell.current_host
        of_host = () if host is None else (command("ps", host.settings.name),)
        return (*(deployment_commands(chosen.ref) if chosen is not None else ()), *of_host)

    def dispose(self) -> None:
        """Cancel what runs."""
        self.view_model.dispose()
        self.changes.dispose()
        self.bundles.dispose()
        self.slow.dispose()
        self.actuals.dispose()

    # Building

    def _build_empty(self) -> QWidget:
        self._empty = HostEmpty(self._context.icons, "rocket", self._shell)
        self._empty.add_step("look", "refresh", self.refresh)
        self._empty.add_step("plan", "route", lambda: self._shell.open_page("plan"))
        self.steps = self._empty.steps
        return self._empty

    def _build_lists(self) -> QWidget:
        context = self._context
        self.list = DeploymentList(context.theme, context.icons)
        self.list.setModel(self.model)
        self.detail = DetailPane(context.theme, context.icons, self.view_model.log)
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setChildrenCollapsible(False)
        splitter.setHandleWidth(space(3))
        splitter.addWidget(self.list)
        splitter.addWidget(self.detail)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([250, 920])
        return splitter

    def _connect(self) -> None:
        vm, detail = self.view_model, self.detail
        vm.changed.connect(self._show)
        vm.failed.connect(self._banner.show_error)
        vm.log_saved.connect(self._on_saved)
        vm.tunnel_opened.connect(self._on_tunnel)
        vm.told.connect(self._shell.notify)
        vm.text_ready.connect(self._on_text)
        self._shell.hosts_changed.connect(self._show_note)
        self._shell.host_selected.connect(self._on_host)
        self.list.selectionModel().selectionChanged.connect(self._on_selection)
        detail.asked.connect(self._on_asked)
        self.actuals.changed.connect(detail.actuals.show_view)
        detail.chat.said.connect(vm.say)
        detail.log.whole_wanted.connect(vm.read_whole_log)
        detail.log.command_wanted.connect(self._copy_log_command)
        detail.log.missed.connect(self._say_missed)
        detail.log.save_wanted.connect(self._ask_where_to_save)
        detail.log.copied.connect(self._say_copied)
        detail.findings.copied.connect(self._say_copied)
        detail.findings.line_wanted.connect(self._on_line)
        detail.findings.change_wanted.connect(self._on_change)
        self.changes.failed.connect(self._banner.show_error)
        self.bundles.saved.connect(self._on_saved)

    # Showing

    def _show(self, state: DeploymentsState) -> None:
        # Rows that go move the list's selection: that is no choice of the user's, and choosing
        # in the middle of a change would begin the same change again.
        self._is_replacing = True
        self.model.replace(state.cards)
        self._is_replacing = False
        self._stack.setCurrentIndex(1 if state.cards else 0)
        self._show_empty()
        row = -1 if state.selected is None else self.model.row_of(state.selected)
        if row >= 0 and self.list.currentIndex().row() != row:
            self.list.setCurrentIndex(self.model.index(row))
        self.detail.show_state(state)
        self.actuals.follow(self.view_model.snapshot)

    def _show_empty(self) -> None:
        looked_at = self.view_model.state.looked_at
        self._empty.show_view(present_empty(self._shell.current_host, looked_at))

    def _show_note(self) -> None:
        self.set_title(self.tr("Deployments"), present_unseen(self._shell.hosts()))

    def _on_host(self, snapshot: HostSnapshot | None) -> None:
        self._banner.follow_host(snapshot)
        self.view_model.follow_host(snapshot)
        self._show_empty()

    def _on_selection(self, selected: QItemSelection) -> None:
        indexes = selected.indexes()
        if indexes and not self._is_replacing:
            self.view_model.select(str(indexes[0].data(ID_ROLE)))

    # Doing

    def _on_asked(self, action: str) -> None:
        vm = self.view_model
        acts = {
            "start": vm.start,
            "tunnel": vm.open_tunnel,
            "close_tunnel": vm.close_tunnel,
            "copy_endpoint": self._copy_endpoint,
            "copy_key": vm.copy_key,
            "copy_curl": vm.copy_curl,
            "bundle": self._open_bundle,
            "compare": self._compare,
            "slow": self._look_for_time,
            "actuals": self._show_actuals,
        }
        act = acts.get(action)
        if act is None:
            self._confirm(action)
        else:
            act()

    def _show_actuals(self) -> None:
        """Show predicted and actual side by side, beside the page."""
        view = self.actuals.view
        if view is not None:
            table = ActualsTable(self._context.theme, self._context.icons, view)
            self._shell.show_inspector(table, self.tr("Predicted and actual"))

    def _look_for_time(self) -> None:
        """Show where the time of requests goes, beside the page."""
        chosen = self.view_model.snapshot
        if chosen is None:
            return
        shown = SlowReportView(self._context.theme, self._context.icons)
        shown.again_wanted.connect(self._look_for_time)
        # The view is deleted with the inspector's contents, and this connection with it.
        self.slow.changed.connect(shown.show_view)
        self._shell.show_inspector(
            shown, self.tr("Where the time of {name} goes").format(name=chosen.ref)
        )
        self.slow.look(chosen)

    def _compare(self) -> None:
        """Go on where hosts and deployments are held against each other."""
        chosen = self.view_model.snapshot
        if chosen is not None:
            self._shell.select_host(chosen.host_id)
            request = PageRequest(deployment=chosen.name, action="compare")
            self._shell.open_page("fingerprint", request)

    def _confirm(self, action: str) -> None:
        chosen = self.view_model.snapshot
        if chosen is None:
            return
        vm = self.view_model
        match action:
            case "stop":
                title = self.tr("Stop {name}?")
                text = self.tr(
                    "Requests that run are cut off and the GPU memory is given back. The container "
                    "stays, so it can be started again."
                )
                verb, act = self.tr("Stop"), vm.stop
            case "restart":
                title = self.tr("Restart {name}?")
                text = self.tr(
                    "Requests that run are cut off, and nothing answers until the model is loaded."
                )
                verb, act = self.tr("Restart"), vm.restart
            case "roll_back":
                title = self.tr("Roll {name} back?")
                text = self.tr(
                    "What runs is stopped, and the earlier revision is started and verified. When "
                    "it does not serve, what runs now is started again. Both containers stay."
                )
                verb, act = self.tr("Roll back"), vm.roll_back
            case "remove_older":
                title = self.tr("Remove old revisions of {name}?")
                text = self.tr(
                    "The stopped containers of other revisions and their logs are removed from "
                    "the host. What runs is not touched."
                )
                verb, act = self.tr("Remove"), vm.remove_older
            case _:
                title = self.tr("Remove {name}?")
                text = self.tr(
                    "All its containers and their logs are removed from the host. The model, the "
                    "image and saved profiles stay."
                )
                verb, act = self.tr("Remove"), vm.remove
        self._shell.confirm(title=title.format(name=chosen.ref), text=text, verb=verb, on_yes=act)

    def _on_line(self, number: int, text: str) -> None:
        self.detail.log.show_line(number, text)

    def _say_missed(self) -> None:
        self._shell.notify(self.tr("This line is not in the part of the log that is shown"))

    def _copy_log_command(self) -> None:
        chosen = self.view_model.snapshot
        if chosen is not None:
            QGuiApplication.clipboard().setText(command("logs", chosen.ref).text)
            self._say_copied()

    def _on_change(self, cause: str) -> None:
        """Show what the remedy would change before anything is done."""
        chosen, finding = self.view_model.snapshot, self.view_model.finding(cause)
        if chosen is None or finding is None:
            return
        if self.changes.prepare_finding(chosen, finding):
            self.sheet = ChangeSheet(self._context.icons, self._context.theme, self, self.changes)
            self.sheet.finished.connect(self._on_sheet_closed)
            self.sheet.open()

    def _open_bundle(self) -> None:
        """Gather the support bundle and show it before anything is written."""
        chosen = self.view_model.snapshot
        if chosen is not None:
            self.bundles.make(chosen.ref)
            self.bundle_sheet = BundleSheet(
                self._context.icons, self._context.theme, self, self.bundles
            )
            self.bundle_sheet.finished.connect(self._on_bundle_closed)
            self.bundle_sheet.open()

    def _on_bundle_closed(self) -> None:
        self.bundle_sheet = None
        self.bundles.cancel_all()

    def _on_sheet_closed(self) -> None:
        self.sheet = None

    def _copy_endpoint(self) -> None:
        detail = self.view_model.state.detail
        if detail is not None:
            address = detail.tunnel_url or f"http://{detail.card.endpoint}"
            QGuiApplication.clipboard().setText(address)
            self._say_copied()

    def _on_tunnel(self, url: str) -> None:
        QGuiApplication.clipboard().setText(url)
        text = self.tr("Tunnel open, address copied: {url}. Clients need the key as well.")
        self._shell.notify(text.format(url=url))

    def _on_text(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self._say_copied()

    def _say_copied(self) -> None:
        self._shell.notify(self.tr("Copied"))

    def _ask_where_to_save(self) -> None:
        chosen = self.view_model.snapshot
        if chosen is None:
            return
        dialog = QFileDialog(self, self.tr("Save the log"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("log")
        dialog.selectFile(f"{chosen.host_name}-{chosen.name}.log")
        dialog.fileSelected.connect(lambda name: self.view_model.save_log(Path(name)))
        dialog.open()

    def _on_saved(self, path: Path) -> None:
        self._shell.notify(self.tr("Saved as {file}").format(file=path))


PAGE = register(
    PageSpec(
        id="deployments",
        title=QT_TRANSLATE_NOOP("Pages", "Deployments"),
        icon="rocket",
        order=5,
        factory=DeploymentsPage,
        needs_host=False,
    )
)
