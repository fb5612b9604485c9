"""Two threads that make the same class of Qt crash: the plots are imported when all are made."""

import subprocess
import sys

import pytest

_PROGRAM = """
import sys
import threading
from importlib.abc import MetaPathFinder

from PySide6 import QtCore, QtGui, QtWidgets


def unmade():
    modules = (QtCore, QtGui, QtWidgets)
    return [name for module in modules for name in dir(module) if name not in vars(module)]


class Watch(MetaPathFinder):
    def find_spec(self, name, *_):
        if name == "pyqtgraph":
            print(threading.current_thread() is threading.main_thread(), unmade()[:5])


from app.bootstrap import build
from app.services.runtime import LoopThread
from app.ui.app import create_window, prepare_qt
from app.ui.bridge import CoreBridge

qt = prepare_qt(["pitwall"])
loop = LoopThread().start()
application = build()
bridge = CoreBridge(loop, application.bus)
window = create_window(application, bridge)
print(len(unmade()) > 100)
sys.meta_path.insert(0, Watch())
page = window.page("live")
clock = QtCore.QTimer()
clock.timeout.connect(lambda: page.is_ready and qt.quit())
clock.start(20)
QtCore.QTimer.singleShot(50_000, lambda: qt.exit(1))
status = qt.exec()
window.dispose()
bridge.detach()
loop.submit(application.close()).result(10)
loop.stop()
sys.exit(status)
"""


@pytest.mark.window
def test_the_plots_are_imported_beside_a_window_when_every_class_is_made() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=False, timeout=58
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["True", "False []"]
