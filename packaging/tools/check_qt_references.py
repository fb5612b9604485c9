#!/usr/bin/env python3
"""Fail when this PySide6 gives away references to shared values on this Python.

PySide6 6.12.0 on Python 3.11 takes one reference from ``None`` on each call that returns nothing
(and from ``True`` on each ``emit``); after some thousand calls the interpreter aborts with
``none_dealloc: deallocating None``. From Python 3.12 on these values are immortal. Exit status 1
means: do not use this pair.
"""

import os
import sys

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import PySide6
from PySide6 import QtCore, QtGui

CALLS = 200


class Sender(QtCore.QObject):
    """Something that emits."""

    sent = QtCore.Signal(int)


def lost_per_call() -> dict[str, float]:
    """Measure how many references a call adds (negative: gives away), by value."""
    _application = QtGui.QGuiApplication([])
    pixmap = QtGui.QPixmap(8, 8)
    painter = QtGui.QPainter(pixmap)
    rectangle = QtCore.QRectF(0, 0, 3, 3)
    sender = Sender()
    before = (sys.getrefcount(None), sys.getrefcount(True))
    for number in range(CALLS):
        painter.drawRect(rectangle)
        sender.sent.emit(number)
    after = (sys.getrefcount(None), sys.getrefcount(True))
    painter.end()
    return {
        "None": (after[0] - before[0]) / CALLS,
        "True": (after[1] - before[1]) / CALLS,
    }


def main() -> int:
    """Run the check."""
    lost = lost_per_call()
    figures = ", ".join(f"{count:+.2f} to {name}" for name, count in lost.items())
    pair = f"PySide6 {PySide6.__version__} on Python {sys.version.split()[0]}"
    print(f"{pair}: references per call {figures}", flush=True)
    return 1 if min(lost.values()) < -0.5 else 0


if __name__ == "__main__":
    # Not sys.exit: with a bad pair the interpreter may abort while it shuts down.
    status = main()
    sys.stdout.flush()
    os._exit(status)
