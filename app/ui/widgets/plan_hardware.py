"""Which hardware would do: a table of owned hosts and products, the smallest enough one marked."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.ui.icons import IconSet
from app.ui.models.plan_hardware import EnoughFilter, HardwareModel
from app.ui.theme import space
from app.ui.viewmodels.plan_hardware import (
    goal_line,
    hardware_text,
    present_hardware,
    smallest_line,
)
from app.ui.viewmodels.plan_sizing import PlanSizingViewModel, SizingState
from app.ui.viewmodels.plan_store import PlanStore
from app.ui.widgets.buttons import name_button, push_button
from app.ui.widgets.state import ErrorBanner
from app.ui.widgets.table import DataTable
from app.ui.widgets.text import ElidedLabel, label


class HardwarePanel(QWidget):
    """The table, what it was asked about, and how to take it along."""

    copied = Signal()

    def __init__(self, view_model: PlanSizingViewModel, store: PlanStore, icons: IconSet) -> None:
        super().__init__()
        self._vm = view_model
        self._store = store
        self._goal = ElidedLabel(role="caption")
        self._smallest = ElidedLabel()
        self.only_enough = QCheckBox()
        self.copy = push_button(icons, kind="chip", icon="copy", on_click=self._copy)
        self.cancel = push_button(icons, kind="chip", on_click=view_model.stop)
        self.again = push_button(icons, kind="chip", on_click=view_model.again)
        self._banner = ErrorBanner(icons)
        self._empty = label("muted", wrap=True)
        self.model = HardwareModel(icons, self)
        self.proxy = EnoughFilter(self.model, self)
        self.only_enough.toggled.connect(self._on_only_enough)
        self.table = DataTable()
        self.table.setModel(self.proxy)
        self.table.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        self.table.set_widths((20, 24, 9, 8, 9), 0)
        self.table.horizontalHeader().setResizeContentsPrecision(-1)  # the bold row is the widest
        self.table.setTextElideMode(Qt.TextElideMode.ElideRight)
        self._place = QStackedWidget()
        self._place.addWidget(self._build_said())
        self._place.addWidget(self.table)
        tools = QHBoxLayout()
        tools.setSpacing(space(2))
        tools.addWidget(self._smallest, 1)
        for part in (self.only_enough, self.cancel, self.again, self.copy):
            tools.addWidget(part)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, space(2), 0, 0)
        layout.setSpacing(space(1))
        layout.addLayout(tools)
        layout.addWidget(self._place, 1)
        layout.addWidget(self._goal)
        view_model.changed.connect(self._show)
        self.retranslate()

    def retranslate(self) -> None:
        """Set every text again."""
        self.only_enough.setText(self.tr("O&nly enough"))
        self.only_enough.setToolTip(self.tr("Leave out what is not enough; hosts of yours stay."))
        self.copy.setText(self.tr("Copy"))
        name_button(self.copy, self.tr("Copy the table"))
        self.cancel.setText(self.tr("Cancel"))
        self.again.setText(self.tr("Ask again"))
        self.table.setAccessibleName(self.tr("Which hardware would do"))
        self._goal.setAccessibleDescription(
            self.tr("Drivers of hardware that you do not have are not known.")
        )
        self.model.refresh_titles()
        self._show(self._vm.state)

    def _build_said(self) -> QWidget:
        said = QWidget()
        column = QVBoxLayout(said)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._banner)
        column.addWidget(self._empty)
        column.addStretch(1)
        return said

    def _show(self, state: SizingState) -> None:
        asked, answer = state.asked, state.answer
        rows = present_hardware(answer.rows) if answer else ()
        is_new = rows != self.model.rows
        self.model.replace(rows)
        self._goal.set_text(goal_line(asked, self._store.state.engines) if asked else "")
        told = [smallest_line(rows)] if rows else []
        if answer is not None and answer.unread:
            text = self.tr("Facts that could not be read: {hosts}.")
            told.append(text.format(hosts=", ".join(answer.unread)))
        self._smallest.set_text(" ".join(told))
        for part in (self._goal, self.only_enough, self.copy):
            part.setVisible(bool(rows))
        self.cancel.setVisible(state.is_asking)
        idle = not state.is_asking and not rows and self._store.state.result is not None
        self.again.setVisible(idle)
        self._place.setCurrentIndex(1 if rows else 0)
        self._show_said(state)
        if is_new:
            self._go_to_smallest()

    def _show_said(self, state: SizingState) -> None:
        if state.error is None:
            self._banner.clear()
        elif state.error is not self._banner.error:
            self._banner.show_error(state.error)
        if state.is_asking:
            text = self.tr("Looking through the hardware …")
        elif self._store.state.result is None:
            text = self.tr("It is answered as soon as there is a plan.")
        else:
            text = self.tr("There is nothing to compare: no engine was refused for its size.")
        self._empty.setText(text)
        self._empty.setVisible(state.error is None)

    def _go_to_smallest(self) -> None:
        """Bring the marked row into sight, if there is one."""
        for place, row in enumerate(self.proxy.shown()):
            if row.is_smallest:
                self.table.selectRow(place)
                self.table.scrollTo(
                    self.proxy.index(place, 0), DataTable.ScrollHint.PositionAtCenter
                )
                return
        self.table.clearSelection()

    def _on_only_enough(self, only: bool) -> None:
        self.proxy.show_only_enough(only)
        self._go_to_smallest()

    def _copy(self) -> None:
        text = hardware_text(self.proxy.shown(), self.model.titles())
        QGuiApplication.clipboard().setText(text)
        self.copied.emit()
