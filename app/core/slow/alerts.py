"""Trouble that was seen while watching: each kind once, since when and how often."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from app.core.diagnosis.finding import Finding
from app.core.ids import HostId
from app.core.slow.explain import Judged
from app.core.slow.spec import Severity

KEPT: Final = 200
QUIET_S: Final = 900.0
"""Not seen for this long, it is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertKey:
    """What an alert is about; one alert per key."""

    host_id: HostId
    rule: str
    deployment: str = ""
    """Empty when it is about the host."""
    part: str = ""
    """Which GPU or process, where that matters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """One kind of trouble at one place."""

    key: AlertKey
    host_name: str
    finding: Finding
    """As of the last time it was seen."""
    severity: Severity
    first_s: float
    """Seconds since the epoch."""
    last_s: float
    count: int = 1
    """How many times it began, or came as a line of a log."""
    is_active: bool = True
    simulated: bool = False

    @property
    def subject(self) -> str:
        """``HOST/NAME`` or ``HOST``, with the GPU where it is about one."""
        place = f"{self.host_name}/{self.key.deployment}" if self.key.deployment else self.host_name
        return f"{place} · {self.key.part}" if self.key.part else place


class AlertBook:
    """A bounded list of alerts, the newest first. Not locked: its owner does that."""

    def __init__(self) -> None:
        self._alerts: dict[AlertKey, Alert] = {}

    def all(self) -> tuple[Alert, ...]:
        """Return the alerts: those that hold first, then by when they were last seen."""
        return tuple(
            sorted(self._alerts.values(), key=lambda a: (not a.is_active, -a.last_s, a.key.rule))
        )

    def see(
        self,
        key: AlertKey,
        judged: Judged,
        at_s: float,
        *,
        host_name: str,
        simulated: bool = False,
        again: bool = False,
    ) -> Alert | None:
        """Note that something was seen; return the alert when that is news.

        Args:
            key: What it is about.
            judged: What was found.
            at_s: When.
            host_name: Its host's name.
            simulated: True on a demo host.
            again: True for a single happening such as a line of a log: each counts.
        """
        known = self._alerts.get(key)
        alert = Alert(
            key=key,
            host_name=host_name,
            finding=judged.finding,
            severity=judged.severity,
            first_s=at_s if known is None else known.first_s,
            last_s=at_s,
            count=1 if known is None else known.count + int(again or not known.is_active),
            simulated=simulated,
        )
        self._alerts[key] = alert
        self._drop_oldest()
        is_news = known is None or not known.is_active or known.count != alert.count
        return alert if is_news else None

    def quiet_down(self, at_s: float) -> tuple[Alert, ...]:
        """Mark what was not seen for long as over; return those alerts."""
        over = []
        for key, alert in self._alerts.items():
            if alert.is_active and at_s - alert.last_s > QUIET_S:
                self._alerts[key] = replace(alert, is_active=False)
                over.append(self._alerts[key])
        return tuple(over)

    def drop(self, host_id: HostId, deployment: str | None = None) -> None:
        """Forget a host, or one deployment of it."""
        gone = [
            key
            for key in self._alerts
            if key.host_id == host_id and deployment in {None, key.deployment}
        ]
        for key in gone:
            del self._alerts[key]

    def _drop_oldest(self) -> None:
        while len(self._alerts) > KEPT:
            oldest = min(self._alerts.values(), key=lambda a: (a.is_active, a.last_s))
            del self._alerts[oldest.key]


def of_deployment(alerts: Iterable[Alert], host_id: HostId, name: str) -> tuple[Alert, ...]:
    """Return the alerts of a deployment that hold."""
    return tuple(
        a for a in alerts if a.is_active and a.key.host_id == host_id and a.key.deployment == name
    )
