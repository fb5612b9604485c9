"""Collect reference cycles on the GUI thread only.

Python collects on whichever thread happens to allocate. A cycle can hold Qt objects (a scene, a
removed plot item), and destroying those on the core loop's thread crashes the process: with
frequent collections the tests of one page died within seconds, with this never.
"""

import gc
from typing import Final

from PySide6.QtCore import QObject, QTimer, Slot

INTERVAL_MS: Final = 500


def collect_due() -> int | None:
    """Collect the oldest generation whose turn it is, and return which; ``None`` for none."""
    for generation, threshold in reversed(tuple(enumerate(gc.get_threshold()))):
        if gc.get_count()[generation] > threshold:
            gc.collect(generation)
            return generation
    return None


class GuiCollector(QObject):
    """Takes over from the automatic collector until `stop`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._was_automatic = gc.isenabled()
        # What is there now (modules, data files) stays for good: no need to look at it again.
        gc.collect()
        gc.freeze()
        gc.disable()
        self._timer = QTimer(self)
        self._timer.setInterval(INTERVAL_MS)
        self._timer.timeout.connect(self.collect_due)
        self._timer.start()

    @Slot()
    def collect_due(self) -> int | None:
        """Collect what is due, on this thread."""
        return collect_due()

    def stop(self) -> None:
        """Hand back to the automatic collector, if it was at work."""
        self._timer.stop()
        gc.unfreeze()
        if self._was_automatic:
            gc.enable()
