"""What can be done with a host, in one order for its details and its menu."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMenu, QWidget

from app.core.events import HostSnapshot, HostState
from app.core.ids import HostId
from app.ui.icons import IconSet
from app.ui.viewmodels.hosts_rows import ssh_command
from app.ui.widgets.hosts_menu import HostAct, fill_menu, host_menu

DOWN = frozenset({HostState.DISCONNECTED, HostState.FAILED})
"""States in which connecting can be asked for."""

OnHost = Callable[[HostId], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class HostDoings:
    """Who does it: the page, its view-model and the window."""

    connect: OnHost
    disconnect: OnHost
    take_fingerprint: OnHost
    open: OnHost
    open_page: Callable[[HostId, str], object]
    copy_ssh: OnHost
    edit: OnHost
    forget_secrets: OnHost
    remove: OnHost
    set_group: Callable[[HostId, str], object]


class HostActs(QObject):
    """Offer what fits a host's state."""

    def __init__(self, icons: IconSet, do: HostDoings, parent: QWidget) -> None:
        super().__init__(parent)
        self._icons = icons
        self._do = do
        self._over = parent

    def quick(self, snapshot: HostSnapshot) -> tuple[HostAct, ...]:
        """Return the quick actions."""
        host_id, do = snapshot.settings.id, self._do
        is_up = snapshot.state is HostState.CONNECTED
        return (
            self._connection(snapshot),
            HostAct(
                icon="fingerprint",
                words=self.tr("Take fingerprint"),
                run=lambda: do.take_fingerprint(host_id),
                is_enabled=is_up and not snapshot.is_busy,
            ),
            HostAct(
                icon="route",
                words=self.tr("Plan"),
                run=lambda: do.open_page(host_id, "plan"),
                is_enabled=is_up or snapshot.is_record or snapshot.summary is not None,
            ),
            HostAct(
                icon="rocket",
                words=self.tr("Deployments"),
                run=lambda: do.open_page(host_id, "deployments"),
            ),
            HostAct(
                icon="terminal-2",
                words=self.tr("Copy SSH command"),
                run=lambda: do.copy_ssh(host_id),
                is_enabled=bool(ssh_command(snapshot.settings)),
                keys="Ctrl+C",
            ),
        )

    def menu(self, snapshot: HostSnapshot, groups: Sequence[str]) -> QMenu:
        """Return the context menu."""
        host_id, do, menu = snapshot.settings.id, self._do, host_menu(self._over)
        look = HostAct(icon="eye", words=self.tr("Open"), run=lambda: do.open(host_id))
        edit = HostAct(icon="pencil", words=self.tr("Edit"), run=lambda: do.edit(host_id))
        forget = HostAct(
            icon="key", words=self.tr("Forget secrets"), run=lambda: do.forget_secrets(host_id)
        )
        remove = HostAct(
            icon="trash",
            words=self.tr("Remove"),
            run=lambda: do.remove(host_id),
            token="status.error",  # noqa: S106 - a colour's name
        )
        can_look = snapshot.is_record or snapshot.state is HostState.CONNECTED
        first = (look,) if can_look else ()
        fill_menu(menu, self._icons, (*first, *self.quick(snapshot), None, edit))
        self._add_groups(menu, snapshot, groups)
        fill_menu(menu, self._icons, (forget, None, remove))
        return menu

    def _connection(self, snapshot: HostSnapshot) -> HostAct:
        host_id, do = snapshot.settings.id, self._do
        if snapshot.state not in DOWN:
            words = self.tr("Disconnect")
            return HostAct(icon="plug-x", words=words, run=lambda: do.disconnect(host_id))
        return HostAct(
            icon="plug",
            words=self.tr("Connect"),
            run=lambda: do.connect(host_id),
            is_enabled=not snapshot.is_record,
        )

    def _add_groups(self, menu: QMenu, snapshot: HostSnapshot, groups: Sequence[str]) -> None:
        settings, do = snapshot.settings, self._do
        chosen = menu.addMenu(self._icons.icon("folder"), self.tr("Group"))
        for group in ("", *groups):
            words = group.replace("&", "&&") or self.tr("Without a group")
            action = chosen.addAction(words, partial(do.set_group, settings.id, group))
            action.setCheckable(True)
            action.setChecked(group == settings.group)
        chosen.addSeparator()
        chosen.addAction(self.tr("New group"), lambda: do.edit(settings.id))
