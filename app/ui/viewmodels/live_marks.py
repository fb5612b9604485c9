"""What happened, on the time axis of the Live page: states, restarts, revisions, alerts."""

from bisect import insort
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QCoreApplication

from app.core.events import DeploymentSnapshot, DeploymentState
from app.core.ids import HostId
from app.core.logs.stamps import seconds_of
from app.core.slow.alerts import Alert
from app.ui.viewmodels.deployments_texts import snapshot_view
from app.ui.viewmodels.slow import present_alert

translate = QCoreApplication.translate

_LIMIT: Final = 200
_MARKED: Final = frozenset(
    {
        DeploymentState.STARTING,
        DeploymentState.SERVING,
        DeploymentState.DEGRADED,
        DeploymentState.STOPPED,
        DeploymentState.FAILED,
        DeploymentState.CRASH_LOOPING,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """Something that happened, on the time axis."""

    at_s: float
    text: str
    word: str
    """What happened alone, for the plot."""
    status: str


class MarkBook:
    """The newest marks of every host, in the order of their times."""

    def __init__(self, known: Iterable[DeploymentSnapshot]) -> None:
        self._marks: list[tuple[float, int, HostId, Mark]] = []
        self._last: dict[tuple[HostId, str], DeploymentSnapshot] = {}
        self._count = 0
        for snapshot in known:
            self._last[snapshot.host_id, snapshot.name] = snapshot
            started_s = seconds_of(snapshot.started_at or "")
            if started_s is not None:
                self._add(snapshot, started_s, translate("Live", "Started"), "unknown")

    def of(self, host_id: HostId) -> tuple[Mark, ...]:
        """Return a host's marks, oldest first."""
        return tuple(mark for _, _, host, mark in self._marks if host == host_id)

    def note(self, snapshot: DeploymentSnapshot, now_s: float) -> None:
        """Mark what is new about a deployment."""
        key = (snapshot.host_id, snapshot.name)
        before = self._last.get(key)
        self._last[key] = snapshot
        if before is not None and snapshot.deployment_revision != before.deployment_revision:
            word = translate("Live", "Revision {number}")
            word = word.format(number=snapshot.deployment_revision)
            self._add(snapshot, now_s, word, "accent")
        if before is not None and snapshot.restart_count > before.restart_count:
            word = translate("Live", "Restart {number}").format(number=snapshot.restart_count)
            self._add(snapshot, now_s, word, "warn")
        if snapshot.state in _MARKED and (before is None or before.state is not snapshot.state):
            view = snapshot_view(snapshot)
            self._add(snapshot, now_s, view.word, view.status)

    def note_alert(self, alert: Alert) -> None:
        """Trouble that begins is a mark; that it is over is none."""
        if alert.is_active:
            view = present_alert(alert)
            text = f"{view.subject}: {view.card.title}"
            word = translate("Live", "Alert")
            mark = Mark(at_s=alert.last_s, text=text, word=word, status=view.status)
            self._put(alert.key.host_id, mark)

    def _add(self, snapshot: DeploymentSnapshot, at_s: float, word: str, status: str) -> None:
        text = f"{snapshot.name}: {word}"
        self._put(snapshot.host_id, Mark(at_s=at_s, text=text, word=word, status=status))

    def _put(self, host_id: HostId, mark: Mark) -> None:
        self._count += 1
        insort(self._marks, (mark.at_s, self._count, host_id, mark))
        del self._marks[:-_LIMIT]


def marks_near(marks: Iterable[Mark], at_s: float, within_s: float) -> tuple[Mark, ...]:
    """Return the marks beside a time, nearest first."""
    near = [mark for mark in marks if abs(mark.at_s - at_s) <= within_s]
    return tuple(sorted(near, key=lambda mark: abs(mark.at_s - at_s)))
