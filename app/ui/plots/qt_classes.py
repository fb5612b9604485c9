"""Make Qt's classes on the GUI thread before another thread imports what asks for all of them.

PySide makes a class when it is first asked for, and two threads that ask at once crash the
process. pyqtgraph asks for every class when it is imported: beside a GUI thread that asked, too,
4 of 30 such imports on a worker thread ended in a segmentation fault, none of 30 once all were
made. All of them take 0.14 s; here they are made a few at a time, so that the window goes on.
"""

import time
from typing import Final

from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtCore import QObject, QTimer, Signal, Slot

_TURN_S: Final = 0.005
_MODULES: Final = (QtCore, QtGui, QtWidgets)


class QtClasses(QObject):
    """Make the classes after `start`, one short turn of the event loop after the other."""

    made = Signal()
    """Every class is there: other threads may ask for any."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting = [(module, name) for module in _MODULES for name in dir(module)]
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._make_some)

    def start(self) -> None:
        """Begin; `made` follows."""
        self._timer.start()

    @Slot()
    def _make_some(self) -> None:
        until_s = time.perf_counter() + _TURN_S
        while self._waiting:
            getattr(*self._waiting.pop())
            if time.perf_counter() > until_s:
                return
        self._timer.stop()
        self.made.emit()
