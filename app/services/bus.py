"""The event bus: services publish, the bridge and the command line listen.

Publishing never blocks and never raises into the publisher; a subscriber that fails is logged.
"""

import logging
import threading
from collections.abc import Callable

from app.core.events import Event

_log = logging.getLogger(__name__)

Subscriber = Callable[[Event], None]


class EventBus:
    """Hand each event to every subscriber, in the publisher's thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._subscribers: tuple[Subscriber, ...] = ()

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Add a subscriber and return the call that removes it again (safe to call twice)."""
        with self._lock:
            self._subscribers = (*self._subscribers, subscriber)

        def detach() -> None:
            with self._lock:
                self._subscribers = tuple(s for s in self._subscribers if s is not subscriber)

        return detach

    def publish(self, event: Event) -> None:
        """Give ``event`` to all subscribers of this moment."""
        for subscriber in self._subscribers:
            try:
                subscriber(event)
            except Exception:  # noqa: BLE001 - one broken listener must not stop a service
                _log.exception("An event listener failed on %s", event.code)
