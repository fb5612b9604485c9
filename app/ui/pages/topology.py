"""The Topology page: how GPUs, NICs and NUMA nodes hang together; choose GPUs for a plan."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QButtonGroup,
    QFileDialog,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.core.events import HostSnapshot, HostState
from app.core.hardware.fingerprint import Fingerprint
from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.pages.registry import PageContext, PageRequest, PageSpec, register
from app.ui.scenes.topology import TopologyScene
from app.ui.theme import space
from app.ui.viewmodels.as_command import CommandLine, command
from app.ui.viewmodels.host_empty import EmptyView, present_no_host
from app.ui.viewmodels.host_texts import local_time_text
from app.ui.viewmodels.topology import (
    GroupChoice,
    TopologyViewModel,
    present_groups,
    ranges_text,
    selection_facts,
)
from app.ui.viewmodels.topology_faults import present_faults
from app.ui.widgets.buttons import icon_button, name_button, push_button
from app.ui.widgets.facts import FactList
from app.ui.widgets.host_empty import HostEmpty
from app.ui.widgets.icon_label import IconLabel
from app.ui.widgets.page import Page
from app.ui.widgets.state import ErrorBanner
from app.ui.widgets.text import ElidedLabel, label, set_status
from app.ui.widgets.topology_view import TopologyView


class TopologyPage(Page):
    """Draw the chosen host."""

    def __init__(self, context: PageContext) -> None:
        super().__init__()
        self._context = context
        self._shell = context.shell
        self.view_model = TopologyViewModel(context.app, context.bridge, self)
        self.scene = TopologyScene(context.theme)
        self.view = TopologyView(self.scene)
        self._groups: tuple[GroupChoice, ...] = ()
        self._build_tools()
        self._banner = ErrorBanner(context.icons)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._build_empty())
        self._stack.addWidget(self._build_picture())
        self.body.addWidget(self._banner)
        self.body.addWidget(self._stack, 1)
        self._connect()
        self.retranslate()
        self._on_host(self._shell.current_host)

    def retranslate(self) -> None:
        """Set every text again and draw anew: the picture holds words too."""
        self._export.setText(self.tr("Export picture"))
        self._png.setText(self.tr("PNG"))
        self._svg.setText(self.tr("SVG"))
        self._plan.setText(self.tr("Plan on these GPUs"))
        self._plan_hint.setText(self.tr("Choose GPUs first"))
        self._empty_take.setText(self.tr("Take fingerprint"))
        self._group_label.setText(self.tr("Recommended"))
        name_button(self._zoom_in, self.tr("Zoom in"), "+")
        name_button(self._zoom_out, self.tr("Zoom out"), "-")
        name_button(self._fit, self.tr("Fit"), "0")
        self.view.setAccessibleName(self.tr("Topology"))
        self.view.setAccessibleDescription(
            self.tr("Arrows move between GPUs, Space adds one to the choice, Enter chooses one.")
        )
        self._show()

    def refresh(self) -> None:
        """Take the fingerprint again."""
        host = self._shell.current_host
        if host is not None and host.state is HostState.CONNECTED:
            self.view_model.take()

    def escape(self) -> bool:
        """Drop the choice."""
        had_any = bool(self.view_model.selected)
        self.view_model.select(())
        return had_any

    def command_lines(self) -> tuple[CommandLine, ...]:
        """Return what prints the same facts."""
        host = self._shell.current_host
        return () if host is None else (command("fingerprint", host.settings.name),)

    def dispose(self) -> None:
        """Cancel what runs."""
        self.view_model.dispose()

    # Inside

    def _build_tools(self) -> None:
        icons = self._context.icons
        self._zoom_out = icon_button(icons, "zoom-out", on_click=lambda: self.view.zoom_by(1 / 1.2))
        self._zoom_in = icon_button(icons, "zoom-in", on_click=lambda: self.view.zoom_by(1.2))
        self._fit = icon_button(icons, "arrows-maximize", on_click=lambda: self.view.fit())  # noqa: PLW0108 - leaves `checked` out
        self._export = push_button(icons, icon="photo")
        menu = QMenu(self._export)
        self._png = menu.addAction("PNG", lambda: self._on_export("png"))
        self._svg = menu.addAction("SVG", lambda: self._on_export("svg"))
        self._export.setMenu(menu)
        self._plan = push_button(icons, icon="route", kind="primary", on_click=self._on_plan)
        self._plan_hint = label("muted")
        for tool in (
            self._zoom_out, self._zoom_in, self._fit, self._export, self._plan_hint, self._plan,
        ):  # fmt: skip
            self.tools.addWidget(tool)

    def _build_empty(self) -> QWidget:
        icons = self._context.icons
        self._empty = HostEmpty(icons, "topology-star-3", self._shell)
        self._empty_take = self._empty.add_step("take", "fingerprint", self._on_empty_take)
        return self._empty

    def _build_picture(self) -> QWidget:
        self._group_label = label("muted")
        self._group_row = QHBoxLayout()
        self._group_row.setSpacing(space(2))
        self._group_row.addWidget(self._group_label)
        self._group_why = ElidedLabel(role="muted")
        self._group_row.addWidget(self._group_why, 1)
        self._faults = label("body")
        self._faults.setWordWrap(True)
        self._faults.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._fault_icon = IconLabel(self._context.icons)
        self._fault_row = QHBoxLayout()
        self._fault_row.setSpacing(space(2))
        self._fault_row.addWidget(self._fault_icon, 0, Qt.AlignmentFlag.AlignTop)
        self._fault_row.addWidget(self._faults, 1)
        self._group_buttons = QButtonGroup(self)
        self._group_buttons.setExclusive(False)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(space(2))
        column.addLayout(self._fault_row)
        column.addLayout(self._group_row)
        column.addWidget(self.view, 1)
        return page

    def _connect(self) -> None:
        self._shell.host_selected.connect(self._on_host)
        self.view_model.loaded.connect(self._on_loaded)
        self.view_model.selection_changed.connect(self._on_selection)
        self.view_model.saved.connect(self._on_saved)
        self.view_model.failed.connect(self._banner.show_error)
        self.scene.gpu_clicked.connect(self._on_click)
        self.view.choose.connect(self._on_click)
        self.view.clear_wanted.connect(lambda: self.view_model.select(()))
        self._context.theme.changed.connect(self._show)

    def _on_host(self, snapshot: HostSnapshot | None) -> None:
        self._banner.follow_host(snapshot)
        self.view_model.show_host(snapshot.settings.id if snapshot else None)

    def _on_loaded(self, _found: Fingerprint | None) -> None:
        self._banner.clear()
        self._show()
        self.view.fit()

    def _show(self) -> None:
        found = self.view_model.fingerprint
        drawable = found is not None and bool(found.gpus or found.topology.numa_nodes)
        self._stack.setCurrentIndex(1 if drawable else 0)
        for tool in (self._zoom_in, self._zoom_out, self._fit, self._export):
            tool.setEnabled(drawable)
        if found is None or not drawable:
            self._show_empty(found)
            self._allow_plan(chosen=False)
            self._plan_hint.hide()
            return
        self.set_title(self.tr("Topology"), self._note(found))
        self.scene.draw(found, caption=self._note(found))
        self.scene.show_selection(self.view_model.selected, None)
        self._show_groups(found)
        self._show_faults(found)
        self._allow_plan(chosen=bool(self.view_model.selected))

    def _note(self, found: Fingerprint) -> str:
        text = self.tr("{host} · taken {time}")
        if not found.gpus and "gpus" not in found.unknown:
            text += " · " + self.tr("no GPU found")
        name = found.host_name or found.machine.hostname or "?"
        return text.format(host=name, time=local_time_text(found.taken_at))

    def _show_empty(self, found: Fingerprint | None) -> None:
        self.set_title(self.tr("Topology"))
        host = self._shell.current_host
        self._empty.show_view(self._why_empty(host, found) if host else present_no_host())

    def _why_empty(self, host: HostSnapshot, found: Fingerprint | None) -> EmptyView:
        offer = "" if host.is_record else "take"
        if found is None:
            return EmptyView(
                title=self.tr("No fingerprint of {host} yet").format(host=host.settings.name),
                text=self.tr("The topology is drawn from the host's fingerprint."),
                offer=offer,
            )
        return EmptyView(
            title=self.tr("No GPU found on {host}").format(host=host.settings.name),
            text=self.tr("The fingerprint shows what was asked and what the host answered."),
            offer=offer,
        )

    def _show_faults(self, found: Fingerprint) -> None:
        notes = present_faults(found)
        self._faults.setVisible(bool(notes.sentences))
        self._faults.setText("\n".join(notes.sentences))
        set_status(self._faults, notes.status)
        self._fault_icon.setVisible(bool(notes.sentences))
        icon = "alert-circle" if notes.status == "error" else "alert-triangle"
        self._fault_icon.set(icon, f"status.{notes.status or 'warn'}")

    def _show_groups(self, found: Fingerprint) -> None:
        for button in self._group_buttons.buttons():
            self._group_buttons.removeButton(button)
            self._group_row.removeWidget(button)
            button.deleteLater()
        self._groups = present_groups(found)
        self._group_label.setVisible(bool(self._groups))
        for number, group in enumerate(self._groups):
            button = self._group_button(group)
            self._group_buttons.addButton(button, number)
            self._group_row.insertWidget(number + 1, button)
        self._mark_groups()

    def _group_button(self, group: GroupChoice) -> QPushButton:
        button = push_button(
            self._context.icons,
            kind="chip",
            on_click=lambda: self.view_model.select(group.indices),
        )
        button.setText(group.words)
        button.setToolTip(group.why)
        button.setAccessibleDescription(group.why)
        button.setCheckable(True)
        return button

    def _mark_groups(self) -> None:
        for number, group in enumerate(self._groups):
            chosen = frozenset(group.indices) == self.view_model.selected
            self._group_buttons.button(number).setChecked(chosen)
        said = next(
            (g for g in self._groups if frozenset(g.indices) == self.view_model.selected),
            self._groups[-1] if self._groups else None,
        )
        self._group_why.set_text(said.why if said else "")

    def _on_click(self, index: int, add: bool) -> None:
        if add:
            self.view_model.toggle(index)
        else:
            self.view_model.select({index})

    def _on_selection(self, chosen: frozenset[int]) -> None:
        self.scene.show_selection(chosen, self.view.current_gpu)
        self._allow_plan(chosen=bool(chosen))
        self._mark_groups()
        found = self.view_model.fingerprint
        if not chosen or found is None:
            self._shell.hide_inspector()
            return
        title = f"GPU {ranges_text(chosen)}"
        self._shell.show_inspector(self._inspector(found, chosen), title)

    def _allow_plan(self, *, chosen: bool) -> None:
        self._plan.setEnabled(chosen)
        self._plan_hint.setVisible(not chosen)

    def _inspector(self, found: Fingerprint, chosen: frozenset[int]) -> QWidget:
        box = QWidget()
        column = QVBoxLayout(box)
        column.setContentsMargins(0, 0, space(2), 0)
        column.setSpacing(space(3))
        column.addWidget(FactList(self._context.theme, selection_facts(found, chosen)))
        column.addStretch(1)
        return box

    def _on_plan(self) -> None:
        uuids = self.view_model.selected_uuids
        if uuids:
            self._shell.open_page("plan", PageRequest(gpu_uuids=uuids))

    def _on_empty_take(self) -> None:
        host = self._shell.current_host
        if host is None:
            return
        if host.state is HostState.CONNECTED:
            self.view_model.take()
        else:
            self._shell.connect_host(host.settings.id)

    def _on_export(self, suffix: str) -> None:
        found = self.view_model.fingerprint
        if found is None:
            return
        dialog = QFileDialog(self, self.tr("Export picture"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(suffix)
        dialog.selectFile(f"{found.host_name or 'host'}-topology.{suffix}")
        dialog.fileSelected.connect(lambda name: self.export(Path(name)))
        dialog.open()

    def export(self, path: Path) -> None:
        """Write the picture; the name's ending decides between PNG and SVG."""
        is_svg = path.suffix.casefold() == ".svg"
        content = self.view.drawing() if is_svg else self.view.picture()
        self.view_model.save(path, content)

    def _on_saved(self, path: Path) -> None:
        self._shell.notify(self.tr("Saved as {file}").format(file=path))


PAGE = register(
    PageSpec(
        id="topology",
        title=QT_TRANSLATE_NOOP("Pages", "Topology"),
        icon="topology-star-3",
        order=3,
        factory=TopologyPage,
        needs_host=True,
    )
)
