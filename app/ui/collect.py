"""Collect reference cycles on the GUI thread only.

Python collects on whichever thread happens to allocate. A cycle can hold Qt objects (a scene, a
removed plot item), and destroying those on the core loop's thread crashes the process: with
frequent collections the tests of one page died within seconds, with this never.
"""

import gc
from typing import Final

from PySide6.QtCore import QObject, QTimer, Slot

INTERVAL_MS: Final = 500


class GuiCollector(QObject):
    """Takes over from the automatic collector until `stop`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thresholds = gc.get_threshold()
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
        """Collect the oldest generation whose turn it is, and return which; ``None`` for none."""
        for generation in (2, 1, 0):
            if gc.get_count()[generation] > self._thresholds[generation]:
                gc.collect(generation)
                return generation
        return None

    def stop(self) -> None:
        """Hand back to the automatic collector."""
        self._timer.stop()
        gc.unfreeze()
        gc.enable()
