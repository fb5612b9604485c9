"""What stands right of the Hosts page's title: search, group, more, and the ways to add a host."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QBoxLayout, QComboBox, QMenu, QWidget

from app.ui.icons import IconSet
from app.ui.theme import letters
from app.ui.widgets.buttons import (
    ClearableLine,
    icon_button,
    name_button,
    push_button,
    set_primary,
)


class HostsTools(QObject):
    """Find hosts and add them: controls in the row of the page's own tools."""

    searched = Signal(str)
    group_chosen = Signal(object)
    """A group, an empty text for the hosts without, ``None`` for all."""

    def __init__(
        self,
        icons: IconSet,
        row: QBoxLayout,
        parent: QWidget,
        *,
        add_over_ssh: Callable[[], None],
        add_local: Callable[[], None],
        fill_menu: Callable[[QMenu], None],
    ) -> None:
        super().__init__(parent)
        self._icons = icons
        self._fill_menu = fill_menu
        self._groups: tuple[str, ...] = ()
        self.search = ClearableLine(icons)
        self.search.setProperty("kept", "search")
        self.search.setFixedWidth(letters(parent.font(), 24))
        self.search.textChanged.connect(self.searched)
        self.group = QComboBox()
        self.group.setMaximumWidth(letters(parent.font(), 24))
        self.group.currentIndexChanged.connect(self._on_group)
        self.more = icon_button(icons, "dots-vertical", on_click=self._show_menu)
        self.local = push_button(icons, icon="device-desktop", on_click=add_local)
        self.add = push_button(icons, icon="plus", kind="primary", on_click=add_over_ssh)
        self._tools = (self.search, self.group, self.more, self.local, self.add)
        for tool in self._tools:
            row.addWidget(tool)
        self.group.hide()

    def retranslate(self) -> None:
        """Set every text again."""
        self.add.setText(self.tr("Add over SSH"))
        self.local.setText(self.tr("Add this computer"))
        self.search.setPlaceholderText(self.tr("Search"))
        self.search.setToolTip(
            self.tr("Name, address, group, GPU, notes or deployment; every word must be there")
        )
        self.search.setAccessibleName(self.tr("Search hosts"))
        self.search.name_cross(self.tr("Clear"))
        self.group.setAccessibleName(self.tr("Group"))
        name_button(self.more, self.tr("More"))
        self._name_groups()

    def set_shown(self, *, shown: bool) -> None:
        """Show the tools, the groups only where there are any."""
        for tool in self._tools:
            tool.setVisible(shown and (tool is not self.group or bool(self._groups)))

    def set_primary(self, *, primary: bool) -> None:
        """Adding a host is what to do next, or something else on the page is."""
        set_primary(self._icons, self.add, "plus", primary=primary)

    @property
    def chosen_group(self) -> str | None:
        """The group that is shown; ``None`` when all are."""
        return None if self.group.currentIndex() < 1 else str(self.group.currentData())

    def set_groups(self, groups: Sequence[str]) -> None:
        """Offer these groups; without any there is nothing to choose."""
        if tuple(groups) == self._groups:
            return
        chosen = self.chosen_group
        self._groups = tuple(groups)
        self.group.blockSignals(True)
        self.group.clear()
        for data in (None, *groups, ""):
            self.group.addItem("", data)
        self._name_groups()
        self.group.setCurrentIndex(0 if chosen is None else max(self.group.findData(chosen), 0))
        self.group.blockSignals(False)
        self.group.setVisible(bool(groups))
        if self.chosen_group != chosen:
            self._on_group()

    def clear(self) -> None:
        """Show every host again."""
        self.search.clear()
        self.group.setCurrentIndex(0)

    def _name_groups(self) -> None:
        words = (self.tr("All groups"), *self._groups, self.tr("Without a group"))
        for number, text in enumerate(words[: self.group.count()]):
            self.group.setItemText(number, text)

    def _on_group(self) -> None:
        self.group_chosen.emit(self.chosen_group)

    def _show_menu(self) -> None:
        menu = QMenu(self.more)
        self._fill_menu(menu)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.more.mapToGlobal(self.more.rect().bottomLeft()))
