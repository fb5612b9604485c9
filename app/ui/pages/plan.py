"""The Plan page: five steps, the decision tree beside them, the memory picture below."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.core.deployment.spec import DeploymentSpec
from app.core.errors import ErrorInfo
from app.core.events import HostSnapshot, HostState
from app.services.profiles import ProfileEntry
from app.services.user_files import make_folder
from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.pages.registry import PageContext, PageRequest, PageSpec, register
from app.ui.theme import letters, space
from app.ui.viewmodels.as_command import CommandLine as AnyCommand
from app.ui.viewmodels.as_command import deploy_command, parsed
from app.ui.viewmodels.host_empty import present_away
from app.ui.viewmodels.plan import PlanViewModel
from app.ui.viewmodels.plan_command import CommandLine, pitwall_command, pitwall_commands
from app.ui.viewmodels.plan_inputs import read_inputs
from app.ui.viewmodels.plan_memory import present_memory
from app.ui.viewmodels.plan_sizing import PlanSizingViewModel
from app.ui.viewmodels.plan_state import PlanState, Step, present_steps
from app.ui.viewmodels.plan_tree import node_title
from app.ui.widgets.buttons import push_button
from app.ui.widgets.dialog import shortcut
from app.ui.widgets.host_empty import HostEmpty
from app.ui.widgets.page import Page
from app.ui.widgets.plan_arithmetic import ArithmeticPanel
from app.ui.widgets.plan_aside import PlanAside
from app.ui.widgets.plan_container import ContainerPanel
from app.ui.widgets.plan_details import details, node_details
from app.ui.widgets.plan_engine import EnginePanel
from app.ui.widgets.plan_foot import PlanFoot
from app.ui.widgets.plan_memory import MemoryPicture
from app.ui.widgets.plan_profiles import ProfileDialog
from app.ui.widgets.plan_questions import Questions
from app.ui.widgets.plan_sheet import DeploySheet
from app.ui.widgets.plan_steps import StepBar
from app.ui.widgets.state import ErrorBanner
from app.ui.widgets.text import label


class PlanPage(Page):
    """Ask five questions, show what follows from the answers."""

    def __init__(self, context: PageContext) -> None:
        super().__init__()
        self._context = context
        self._shell = context.shell
        self._theme = context.theme
        self.sheet: DeploySheet | None = None
        self.profiles: ProfileDialog | None = None
        self.arithmetic: ArithmeticPanel | None = None
        """The numbers of the memory picture, while the window shows them beside the page."""
        self.view_model = PlanViewModel(context.app, context.bridge, self)
        self.sizing = PlanSizingViewModel(context.app, context.bridge, self.view_model, self)
        self._badge = label("badge")
        self.open_button = push_button(
            context.icons, icon="folder-open", on_click=self._open_profiles
        )
        self.tools.addWidget(self._badge, 0, Qt.AlignmentFlag.AlignVCenter)
        self.tools.addWidget(self.open_button)
        self._banner = ErrorBanner(context.icons)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._build_empty())
        self._stack.addWidget(self._build_wizard())
        self.body.addWidget(self._banner)
        self.body.addWidget(self._stack, 1)
        self._connect()
        self.retranslate()
        self._on_host(self._shell.current_host)

    def retranslate(self) -> None:
        """Set every text again."""
        self.set_title(self.tr("Plan"))
        self._badge.setText(self.tr("Simulated"))
        self.foot.retranslate()
        self.open_button.setText(self.tr("Open profile…"))
        self.aside.retranslate()
        self.questions.retranslate()
        self.memory.retranslate()
        self._show(self.view_model.state)

    def receive(self, request: object) -> None:
        """Take GPUs that were chosen on the topology, or a model's path."""
        if not isinstance(request, PageRequest):
            return
        if request.gpu_uuids:
            self.view_model.choose_gpus(request.gpu_uuids)
        if request.values.get("model"):
            self.view_model.choose_model(request.values["model"])

    def refresh(self) -> None:
        """Look for models again, or plan again."""
        state = self.view_model.state
        if state.step is Step.MODEL:
            self.view_model.find_models(self.questions.model.folder.text())
        else:
            self.view_model.replan()

    def escape(self) -> bool:
        """Cancel what runs."""
        return self.view_model.stop() or self.sizing.stop()

    def command_lines(self) -> tuple[AnyCommand, ...]:
        """Return what makes the same plan, and what deploys the profile that was saved."""
        state = self.view_model.state
        host = self._shell.current_host
        if host is None or state.model is None:
            return ()
        goal, errors = read_inputs(state.inputs)
        engine = state.plan.engine if state.plan is not None else ""
        name = host.settings.name
        path = state.model_path
        plan = () if errors else (parsed(pitwall_command(name, path, goal, engine)),)
        saved = state.saved_path
        return (*plan, *(deploy_command(str(saved), name, state.name) if saved else ()))

    def dispose(self) -> None:
        """Cancel what runs."""
        self.sizing.dispose()
        self.view_model.dispose()

    @property
    def command(self) -> QWidget:
        """The container's command."""
        return self.questions.container.command

    # Building

    def _build_empty(self) -> QWidget:
        self._empty = HostEmpty(self._context.icons, "route", self._shell)
        return self._empty

    def _build_wizard(self) -> QWidget:
        context = self._context
        self.steps = StepBar(len(Step))
        self.questions = Questions(self.view_model, self._theme, context.icons)
        self.foot = PlanFoot(context.icons)
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setChildrenCollapsible(False)
        splitter.setHandleWidth(space(3))
        splitter.addWidget(self.questions)
        splitter.addWidget(self._build_right())
        splitter.setStretchFactor(0, 1)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([560, 600])
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(space(3))
        column.addWidget(self.steps)
        column.addWidget(splitter, 1)
        column.addWidget(self.foot)
        return page

    def _build_right(self) -> QWidget:
        context = self._context
        self.aside = PlanAside(self.view_model, self.sizing, self._theme, context.icons)
        self.tree = self.aside.tree
        self.memory = MemoryPicture(self._theme, context.icons)
        right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(space(3))
        column.addWidget(self.aside, 1)
        column.addWidget(self.memory)
        # Where letters are large, the picture is scrolled to: a tab never shrinks to nothing.
        self._right = QScrollArea()
        self._right.setWidgetResizable(True)
        self._right.setFrameShape(QFrame.Shape.NoFrame)
        self._right.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._right.setWidget(right)
        self._right.setMinimumWidth(letters(self.font(), 40))
        return self._right

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Let the questions alone stand beside the window's details where both have no room."""
        super().resizeEvent(event)
        needed = self.questions.minimumWidth() + self._right.minimumWidth() + space(5) * 2
        self._right.setVisible(self.width() >= needed)

    def _connect(self) -> None:
        vm = self.view_model
        self._shell.host_selected.connect(self._on_host)
        vm.changed.connect(self._show)
        vm.failed.connect(self._on_failed)
        vm.prepared.connect(self._on_prepared)
        vm.deploying.connect(self._on_deploying)
        vm.saved.connect(self._on_saved)
        vm.profiles_listed.connect(self._on_profiles)
        self.steps.step_chosen.connect(vm.go_to_step)
        self.questions.made.connect(self._on_panel)
        self.foot.back_wanted.connect(self._on_back)
        self.foot.next_wanted.connect(self._on_next)
        self.foot.cancel_wanted.connect(vm.stop)
        self.foot.save_wanted.connect(self._ask_where_to_save)
        self.tree.node_chosen.connect(self._on_node)
        self.aside.copied.connect(lambda: self._shell.notify(self.tr("Copied")))
        self.memory.explained.connect(self._on_explained)
        # Without them “Next” is many presses of Tab away from the step's last field.
        shortcut(self, "Alt+Right", lambda: vm.go_to_step(vm.state.step + 1))
        shortcut(self, "Alt+Left", lambda: vm.go_to_step(vm.state.step - 1))

    # Showing

    def _on_host(self, snapshot: HostSnapshot | None) -> None:
        self._banner.follow_host(snapshot)
        self.view_model.show_host(snapshot)
        self._show_empty(snapshot)

    def _show_empty(self, host: HostSnapshot | None) -> None:
        connected = host is not None and (host.is_record or host.state is HostState.CONNECTED)
        knows = self.view_model.state.model is not None
        self._stack.setCurrentIndex(1 if connected or knows else 0)
        needs = self.tr("A plan rests on what the host is: connect it first.")
        view = present_away(host, needs)
        if view is not None:
            self._empty.show_view(view)

    def _show(self, state: PlanState) -> None:
        self._badge.setVisible(state.is_simulated)
        self.steps.show_steps(present_steps(state))
        self.questions.show_state(state)
        self.memory.setVisible(state.step is not Step.MODEL and state.fingerprint is not None)
        self.memory.set_view(present_memory(state.fingerprint, state.plan))
        if self.arithmetic is not None and state.plan is not None:
            self.arithmetic.show_estimate(state.plan.estimate)
        self._show_error(state)
        self.foot.show_state(state)
        self.open_button.setEnabled(state.is_connected)
        self.aside.show_state(state)

    def _show_error(self, state: PlanState) -> None:
        if state.plan_error is not None and self._banner.error is not state.plan_error:
            self._banner.show_error(state.plan_error)

    # Doing

    def _on_panel(self, panel: QWidget) -> None:
        if isinstance(panel, ContainerPanel):
            panel.command.line_chosen.connect(self._on_line)
            panel.copy_docker.connect(self._copy_docker)
            panel.copy_compose.connect(self._copy_compose)
            panel.copy_pitwall.connect(self._copy_pitwall)
        elif isinstance(panel, EnginePanel):
            panel.hardware_wanted.connect(self.aside.open_hardware)

    def _on_back(self) -> None:
        self.view_model.go_to_step(self.view_model.state.step - 1)
        if self.view_model.state.step is Step.MODEL:
            # “Back” is gone there, and the keyboard with it.
            self.foot.next_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_next(self) -> None:
        state = self.view_model.state
        if state.step is Step.CONTAINER:
            self.view_model.prepare_deploy()
        else:
            self.view_model.go_to_step(state.step + 1)

    def _on_node(self, node_id: str) -> None:
        node = self.tree.scene_.node(node_id)
        if node is None:
            return
        self._shell.show_inspector(node_details(self._theme, node), node_title(node))

    def _on_explained(self, quantity: str) -> None:
        plan = self.view_model.state.plan
        if plan is None:
            return
        if self.arithmetic is None:
            panel = ArithmeticPanel(self._theme, self._context.icons, plan.estimate)
            panel.copied.connect(lambda: self._shell.notify(self.tr("Copied")))
            panel.destroyed.connect(self._on_arithmetic_gone)
            panel.left.connect(self.memory.bars.setFocus)
            self.arithmetic = panel
            self._shell.show_inspector(panel, self.tr("How the memory adds up"))
        if quantity:
            self.arithmetic.open(quantity)

    def _on_arithmetic_gone(self) -> None:
        self.arithmetic = None

    def _on_line(self, number: int) -> None:
        lines: tuple[CommandLine, ...] = self.questions.container.command.lines
        if number < len(lines):
            line = lines[number]
            box = details(self._theme, line.why, line.source, command=line.text.rstrip(" \\"))
            self._shell.show_inspector(box, line.title)

    def _copy_docker(self) -> None:
        QGuiApplication.clipboard().setText(self.view_model.state.docker_run)
        self._shell.notify(self.tr("Copied"))

    def _copy_compose(self) -> None:
        QGuiApplication.clipboard().setText(self.view_model.compose_text())
        self._shell.notify(self.tr("Copied"))

    def _copy_pitwall(self) -> None:
        state = self.view_model.state
        if state.plan is None:
            return
        goal, _ = read_inputs(state.inputs)
        lines = pitwall_commands(
            state.host_name, state.model_path, goal, state.plan.engine, state.name
        )
        QGuiApplication.clipboard().setText("\n".join(lines) + "\n")
        self._shell.notify(self.tr("Copied"))

    def _open_profiles(self) -> None:
        self.view_model.list_profiles()

    def _on_profiles(self, entries: tuple[ProfileEntry, ...]) -> None:
        self.profiles = ProfileDialog(
            self._context.icons,
            self,
            entries=entries,
            engines=self.view_model.state.engines,
            model_path=self.view_model.state.model_path,
            folder=str(self._context.app.folders.profiles),
        )
        self.profiles.chosen.connect(self.view_model.prepare_profile)
        self.profiles.finished.connect(self._on_profiles_closed)
        self.profiles.open()

    def _on_profiles_closed(self) -> None:
        self.profiles = None

    def _ask_where_to_save(self) -> None:
        # The dialog falls back to the program's own folder where this one is not there yet.
        self.view_model.run(
            make_folder(self._context.app.folders.profiles),
            on_result=lambda _made: self._choose_where_to_save(),
        )

    def _choose_where_to_save(self) -> None:
        dialog = QFileDialog(self, self.tr("Save profile"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("toml")
        dialog.setDirectory(str(self._context.app.folders.profiles))
        dialog.selectFile(f"{self.view_model.state.name}.toml")
        dialog.fileSelected.connect(lambda name: self.view_model.save_profile(Path(name)))
        dialog.open()

    def _on_saved(self, path: Path) -> None:
        self._shell.notify(self.tr("Saved as {file}").format(file=path))

    def _on_failed(self, error: ErrorInfo) -> None:
        self._banner.show_error(error)
        if not self.isVisible():  # deploying opens another page before a name turns out taken
            self._shell.show_error(error)

    def _on_prepared(self, spec: DeploymentSpec) -> None:
        self.sheet = DeploySheet(
            self._context.icons,
            self._theme,
            self,
            spec=spec,
            state=self.view_model.state,
            docker_run=self._context.app.planning.docker_run_text(spec.container),
        )
        self.sheet.accepted.connect(self.view_model.deploy)
        self.sheet.rejected.connect(self.view_model.drop_prepared)
        self.sheet.finished.connect(self._on_sheet_closed)
        self.sheet.open()

    def _on_sheet_closed(self) -> None:
        self.sheet = None

    def _on_deploying(self, spec: DeploymentSpec) -> None:
        self._shell.open_page("deployments", PageRequest(deployment=spec.name))


PAGE = register(
    PageSpec(
        id="plan",
        title=QT_TRANSLATE_NOOP("Pages", "Plan"),
        icon="route",
        order=4,
        factory=PlanPage,
        needs_host=True,
    )
)
