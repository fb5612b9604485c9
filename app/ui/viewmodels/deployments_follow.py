"""The log of the chosen deployment: followed, read anew, and judged while it grows."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.core.diagnosis.finding import Diagnosis
from app.core.errors import ErrorInfo
from app.core.events import DeploymentSnapshot, DeploymentState
from app.ui.bridge import CoreBridge
from app.ui.viewmodels.base import ViewModel
from app.ui.viewmodels.deployments_lines import LogModel
from app.ui.viewmodels.deployments_log import TAIL, LogFeed, context_of, follow
from app.ui.viewmodels.deployments_search import Found

if TYPE_CHECKING:
    from app.bootstrap import Application

_DRAIN_MS: Final = 100
_DRAIN_LINES: Final = 4_000


class FollowedLog(ViewModel):
    """Lines of one log in a model, and what they tell."""

    told = Signal()
    """The log says something new (`diagnosis`)."""
    broke = Signal(object)
    """The `ErrorInfo` it broke off with; ``None`` when it is read anew."""

    def __init__(
        self, app: "Application", bridge: CoreBridge, parent: QObject | None = None
    ) -> None:
        super().__init__(bridge, parent)
        self._app = app
        self.model = LogModel(self, run=self._on_worker)
        self._feed = LogFeed()
        self._judged: Diagnosis | None = None
        self._followed: tuple[object, ...] | None = None
        self._is_unknown = False
        self._following: Future[None] | None = None
        self._drain = QTimer(self)
        self._drain.setInterval(_DRAIN_MS)
        self._drain.timeout.connect(self._take_lines)

    @property
    def diagnosis(self) -> Diagnosis | None:
        """What the log says so far; ``None`` before it said anything."""
        return self._feed.diagnosis if self._followed is not None else None

    def read_whole(self, chosen: DeploymentSnapshot) -> None:
        """Read the log anew from its start, as far as lines are kept."""
        self._begin(chosen, tail=None)

    def wake(self) -> None:
        """Take lines from now on: somebody looks."""
        self._drain.start()

    def follow(self, chosen: DeploymentSnapshot | None) -> None:
        """Follow a deployment's container; a restarted one is read anew."""
        key: tuple[object, ...] | None = None
        if chosen is not None and chosen.container_id is not None:
            key = (chosen.host_id, chosen.name, chosen.container_id, chosen.started_at)
        if key == self._followed and not self._came_back(chosen):
            return
        same_thing = bool(key and self._followed and key[:2] == self._followed[:2])
        self._followed = key
        if key is None:
            self._end()
            if not same_thing:
                self._clear(LogFeed())
        elif chosen is not None:
            self._begin(chosen, tail=TAIL)

    def dispose(self) -> None:
        """Let go."""
        self._drain.stop()
        super().dispose()

    def _begin(self, chosen: DeploymentSnapshot, *, tail: int | None) -> None:
        key = self._followed
        self._end()
        self._clear(LogFeed(context_of(chosen)))
        self._drain.start()
        self._following = self.run(
            follow(self._app, chosen.host_id, chosen.name, self._feed, tail),
            on_error=lambda error: self._on_broken(key, error),
        )

    def _end(self) -> None:
        if self._following is not None:
            self._following.cancel()
            self._following = None

    def _clear(self, feed: LogFeed) -> None:
        self.model.clear()
        self._feed = feed
        self._judged = None
        self.broke.emit(None)

    def _on_worker(self, work: Callable[[], Found], done: Callable[[Found], None]) -> None:
        self.run(asyncio.to_thread(work), on_result=done)

    def _on_broken(self, key: tuple[object, ...] | None, error: ErrorInfo) -> None:
        if key == self._followed:
            self.broke.emit(error)

    def _came_back(self, chosen: DeploymentSnapshot | None) -> bool:
        """Tell whether a log that was cut off with the connection can be read anew."""
        was_unknown = self._is_unknown
        self._is_unknown = chosen is not None and chosen.state is DeploymentState.UNKNOWN
        is_cut = self._following is not None and self._following.done()
        return was_unknown and not self._is_unknown and is_cut

    @Slot()
    def _take_lines(self) -> None:
        self.model.leave_out(self._feed.take_dropped())
        self.model.append(self._feed.take(_DRAIN_LINES))
        if self._feed.diagnosis is not self._judged:
            self._judged = self._feed.diagnosis
            self.told.emit()
