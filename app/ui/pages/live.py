"""The Live page: plots over one time axis.

pyqtgraph takes about a second to import: a worker thread does it, while the page says so, and
not before Qt's classes are made (`app.ui.plots.qt_classes`).
"""

import asyncio
import importlib
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QMenu,
    QPushButton,
    QStackedWidget,
    QToolButton,
)

from app.core.events import HostSnapshot
from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.pages.registry import PageContext, PageRequest, PageSpec, register
from app.ui.plots.qt_classes import QtClasses
from app.ui.viewmodels.as_command import CommandLine, command
from app.ui.viewmodels.host_empty import present_away
from app.ui.viewmodels.live import LiveViewModel
from app.ui.viewmodels.live_marks import marks_near
from app.ui.viewmodels.live_plots import present_absent
from app.ui.viewmodels.live_state import RANGES_S, LiveState
from app.ui.widgets.buttons import icon_button, name_button, push_button
from app.ui.widgets.host_empty import HostEmpty
from app.ui.widgets.live_compare import CompareButton
from app.ui.widgets.page import Page
from app.ui.widgets.state import ErrorBanner
from app.ui.widgets.text import label

if TYPE_CHECKING:
    from app.ui.plots.live_grid import PlotGrid


_NEAR: Final = 0.01
"""Share of the range within which a mark is named beside the cross-hair."""


class LivePage(Page):
    """Watch GPUs and engine of the chosen host."""

    def __init__(self, context: PageContext) -> None:
        super().__init__()
        self._context = context
        self._shell = context.shell
        self.view_model = LiveViewModel(context.app, context.bridge, self)
        self.grid: PlotGrid | None = None
        self._at_s: float | None = None
        self._banner = ErrorBanner(context.icons)
        self._empty = HostEmpty(context.icons, "activity", context.shell)
        self._loading = label("muted")
        self._loading.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self._loading)
        self._build_tools()
        self.body.addWidget(self._banner)
        self.absent = label("muted", wrap=True)
        self.absent.hide()
        self.body.addWidget(self._stack, 1)
        self.body.addWidget(self.absent)
        self._connect()
        self.retranslate()
        self._on_host(self._shell.current_host)
        classes = QtClasses(self)
        classes.made.connect(self._import_plots)
        classes.start()

    @property
    def is_ready(self) -> bool:
        """True once the plots are there."""
        return self.grid is not None and self.grid.is_built

    def retranslate(self) -> None:
        """Set every text again."""
        words = {
            60: self.tr("1 min"),
            300: self.tr("5 min"),
            900: self.tr("15 min"),
            3600: self.tr("1 h"),
            21_600: self.tr("6 h"),
            86_400: self.tr("24 h"),
        }
        for range_s, chip in self._chips.items():
            chip.setText(words[range_s])
        self._compare.retranslate()
        self._gpu.setAccessibleName(self.tr("GPU"))
        self._gpu.setItemText(0, self.tr("All GPUs"))
        name_button(self._keep, self.tr("Copy or save what is shown"))
        self._copy_csv.setText(self.tr("Copy as CSV"))
        self._save_csv.setText(self.tr("Save as CSV…"))
        self._save_png.setText(self.tr("Save as picture…"))
        self._loading.setText(self.tr("Loading the plots …"))
        self._badge.setText(self.tr("Simulated"))
        self._name_pause(self.view_model.state)
        self._show_empty()
        self.view_model.refresh_texts()
        self._show_title(self.view_model.state, self._at_s)

    def activated(self) -> None:
        """Sample and draw while the page is seen."""
        self.view_model.set_visible(visible=True)

    def deactivated(self) -> None:
        """Nobody looks."""
        self.view_model.set_visible(visible=False)

    def refresh(self) -> None:
        """Go on when paused."""
        self.view_model.set_paused(False)

    def receive(self, request: object) -> None:
        """Show a deployment."""
        if isinstance(request, PageRequest) and request.deployment:
            self.view_model.choose_deployment(request.deployment)

    def command_lines(self) -> tuple[CommandLine, ...]:
        """Return what prints the same values as lines."""
        host, chosen = self._shell.current_host, self.view_model.state.deployment
        if host is None:
            return ()
        name = host.settings.name
        ref = () if chosen is None else (command("watch", f"{name}/{chosen}"),)
        return (*ref, command("watch", name))

    def dispose(self) -> None:
        """Cancel what runs."""
        self.view_model.dispose()

    # Building

    def _build_tools(self) -> None:
        icons, vm = self._context.icons, self.view_model
        self._badge = label("badge")
        self._compare = CompareButton(icons, self._context.theme, vm)
        self._gpu = QComboBox()
        self._gpu.addItem("")
        self._gpu.activated.connect(self._on_gpu)
        self._chips: dict[int, QPushButton] = {}
        for range_s in RANGES_S:
            chip = push_button(icons, kind="chip")
            chip.setCheckable(True)
            chip.setProperty("kept", f"range-{range_s}")
            chip.setProperty("tight", "true")
            chip.clicked.connect(lambda _on, seconds=range_s: vm.set_range(seconds))
            self._chips[range_s] = chip
        self._pause = push_button(icons, icon="player-pause", on_click=self._on_pause)
        self._keep = icon_button(icons, "device-floppy")
        menu = QMenu(self._keep)
        self._copy_csv = menu.addAction(icons.icon("copy"), "", vm.copy_csv)
        self._save_csv = menu.addAction(icons.icon("file-text"), "", lambda: self._ask("csv"))
        self._save_png = menu.addAction(icons.icon("photo"), "", lambda: self._ask("png"))
        self._keep.setMenu(menu)
        self._keep.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.tools.addWidget(self._badge, 0, Qt.AlignmentFlag.AlignVCenter)
        tools = (self._compare, self._gpu, *self._chips.values(), self._pause, self._keep)
        for tool in tools:
            self.tools.addWidget(tool)

    def _import_plots(self) -> None:
        self.view_model.run(
            asyncio.to_thread(importlib.import_module, "app.ui.plots.live_grid"),
            on_result=lambda _module: self._build_grid(),
        )

    def _build_grid(self) -> None:
        # A page's module must not import pyqtgraph: by now it is loaded.
        from app.ui.plots.live_grid import PlotGrid

        self.grid = PlotGrid(self._context.theme, self.view_model)
        self.grid.pointed.connect(self._on_pointed)
        # All at once: a grid that fills up looks as if a plot were missing.
        self.grid.built.connect(lambda: self._show(self.view_model.state))
        self._stack.addWidget(self.grid)
        self._show(self.view_model.state)

    def _connect(self) -> None:
        vm = self.view_model
        self._shell.host_selected.connect(self._on_host)
        vm.changed.connect(self._show)
        vm.failed.connect(self._banner.show_error)
        vm.csv_ready.connect(self._on_csv)
        vm.saved.connect(self._on_saved)

    # Showing

    def _on_host(self, snapshot: HostSnapshot | None) -> None:
        self._banner.follow_host(snapshot)
        self.view_model.show_host(snapshot)
        self._show_empty()

    def _show_empty(self) -> None:
        needs = self.tr("Live values come over the host's connection: connect it first.")
        view = present_away(self._shell.current_host, needs)
        if view is not None:
            self._empty.show_view(view)

    def _show(self, state: LiveState) -> None:
        knows = state.is_connected or any(plot.curves for plot in state.plots)
        if not knows:
            self._stack.setCurrentWidget(self._empty)
        elif self.grid is None or not self.grid.is_built:
            self._stack.setCurrentWidget(self._loading)
        else:
            self._stack.setCurrentWidget(self.grid)
            self.grid.show_state(state)
        absent = present_absent(state.plots)
        self.absent.setText(" · ".join(absent))
        self.absent.setVisible(bool(absent) and self._stack.currentWidget() is self.grid)
        self._badge.setVisible(state.is_simulated)
        self._compare.show_state(state)
        self._show_gpus(state)
        for range_s, chip in self._chips.items():
            chip.setChecked(range_s == state.range_s)
        self._name_pause(state)
        self._show_title(state, self._at_s)

    def _show_gpus(self, state: LiveState) -> None:
        box = self._gpu
        if box.count() - 1 != len(state.gpus):
            while box.count() > 1:
                box.removeItem(1)
            for index in state.gpus:
                box.addItem(f"GPU {index}", index)
        box.setVisible(len(state.gpus) > 1)
        row = 0 if state.gpu is None else box.findData(state.gpu)
        if row != box.currentIndex():
            box.setCurrentIndex(max(row, 0))

    def _name_pause(self, state: LiveState) -> None:
        icon = "player-play" if state.is_paused else "player-pause"
        self._context.icons.set_icon(self._pause, icon)
        # Paused or moved back: both end with the newest values.
        self._pause.setText(self.tr("Back to now") if state.is_paused else self.tr("Pause"))

    def _show_title(self, state: LiveState, at_s: float | None) -> None:
        note = state.host_name
        if at_s is None and state.is_simulated and state.deployment is not None:
            note += " · " + self.tr("simulated visitors make load")
        if at_s is not None:
            note += " · " + time.strftime("%H:%M:%S", time.localtime(at_s))
            near = marks_near(state.marks, at_s, state.range_s * _NEAR)
            note += "".join(f" · {mark.text}" for mark in near[:1])
        self.set_title(self.tr("Live"), note)

    def _on_pointed(self, at_s: float | None) -> None:
        self._at_s = at_s
        self._show_title(self.view_model.state, at_s)

    # Doing

    def _on_gpu(self, row: int) -> None:
        self.view_model.choose_gpu(self._gpu.itemData(row) if row else None)

    def _ask(self, kind: str) -> None:
        """Ask where to save; the picture is of this moment."""
        picture = self.grid.picture() if kind == "png" and self.grid is not None else None
        dialog = QFileDialog(self, self.tr("Save what is shown"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(kind)
        dialog.selectFile(f"{self.view_model.state.host_name}-live.{kind}")

        def save(name: str) -> None:
            if picture is None:
                self.view_model.save_csv(Path(name))
            else:
                self.view_model.save_picture(picture, Path(name))

        dialog.fileSelected.connect(save)
        dialog.open()

    def _on_saved(self, path: Path) -> None:
        self._shell.notify(self.tr("Saved as {file}").format(file=path))

    def _on_pause(self) -> None:
        self.view_model.set_paused(not self.view_model.state.is_paused)

    def _on_csv(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self._shell.notify(self.tr("Copied as CSV"))


PAGE = register(
    PageSpec(
        id="live",
        title=QT_TRANSLATE_NOOP("Pages", "Live"),
        icon="activity",
        order=6,
        factory=LivePage,
        needs_host=True,
    )
)
