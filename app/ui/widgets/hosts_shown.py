"""What is done at once with every host that the table shows."""

from collections.abc import Callable

from app.core.events import HostSnapshot, HostState
from app.core.ids import HostId
from app.ui.widgets.hosts_acts import DOWN
from app.ui.widgets.hosts_table import HostsTable


class ShownHosts:
    """The hosts of the table, as they are now; its rows follow a little later."""

    def __init__(
        self,
        table: HostsTable,
        newest: Callable[[], tuple[HostSnapshot, ...]],
        *,
        connect: Callable[[HostId], None],
        disconnect: Callable[[HostId], None],
    ) -> None:
        self._table = table
        self._newest = newest
        self._connect = connect
        self._disconnect = disconnect

    def connect(self) -> None:
        """Connect every one that is not connected."""
        for snapshot in self._shown():
            if not snapshot.is_record and snapshot.state in DOWN:
                self._connect(snapshot.settings.id)

    def disconnect(self) -> None:
        """Disconnect every one; what runs there goes on."""
        for snapshot in self._shown():
            if snapshot.state is not HostState.DISCONNECTED:
                self._disconnect(snapshot.settings.id)

    def _shown(self) -> tuple[HostSnapshot, ...]:
        shown = {one.settings.id for one in self._table.shown()}
        return tuple(one for one in self._newest() if one.settings.id in shown)
