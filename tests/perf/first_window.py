"""Print the seconds from the first import to the first painted window (run as a script)."""

import json
import sys
import time

START = time.perf_counter()


def main():
    from PySide6.QtCore import QEvent, QObject, QTimer

    from app.bootstrap import build
    from app.services.runtime import LoopThread
    from app.ui.app import create_window, prepare_qt
    from app.ui.bridge import CoreBridge

    class FirstPaint(QObject):
        seconds = 0.0

        def eventFilter(self, _watched, event):  # noqa: N802 - Qt's name
            if event.type() is QEvent.Type.Paint and not self.seconds:
                self.seconds = time.perf_counter() - START
                QTimer.singleShot(0, qt.quit)
            return False

    qt = prepare_qt(sys.argv[:1])
    loop = LoopThread().start()
    application = build()
    bridge = CoreBridge(loop, application.bus)
    window = create_window(application, bridge)
    paint = FirstPaint()
    window.installEventFilter(paint)
    window.show()
    qt.exec()
    window.dispose()
    bridge.detach()
    loop.stop()
    json.dump({"s": paint.seconds}, sys.stdout)


main()
