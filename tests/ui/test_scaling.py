"""From 100 to 300 per cent, and with larger text, nothing that must be read is cut."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import json, sys, tempfile
from pathlib import Path
from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QLabel, QPushButton
from app.bootstrap import build
from app.io.demo.containers import DemoPace
from app.services.runtime import LoopThread
from app.ui.app import create_window, prepare_qt
from app.ui.bridge import CoreBridge
from app.ui.pages.registry import load_pages
from app.ui.parts import build_parts
from app.ui.widgets.text import ElidedLabel

width, height, percent = map(int, sys.argv[1:4])
qt = prepare_qt(["pitwall"])
app = build(home=Path(tempfile.mkdtemp()), demo_pace=DemoPace(speed=200, visitors=False))
loop = LoopThread().start()
loop.submit(app.start()).result()
loop.submit(app.settings.update(language="en", text_percent=percent)).result()
bridge = CoreBridge(loop, app.bus)
window = create_window(app, bridge, build_parts(app))
window.resize(width, height)
window.show()
host = loop.submit(app.hosts.add_demo()).result().settings.id
loop.submit(app.hosts.connect(host)).result()
loop.submit(app.hosts.take_fingerprint(host)).result()
window.started()
window.select_host(host)

def wait(ms):
    inner = QEventLoop()
    QTimer.singleShot(ms, inner.quit)
    inner.exec()

def cut(page):
    found = []
    for widget in page.findChildren(QLabel) + page.findChildren(QPushButton):
        if not widget.isVisible() or isinstance(widget, ElidedLabel) or not widget.text():
            continue
        if isinstance(widget, QLabel) and widget.wordWrap():
            if widget.height() < widget.heightForWidth(widget.width()) - 1:
                found.append(f"wrapped {widget.text()!r}")
            continue
        needs = widget.minimumSizeHint()
        if widget.width() < needs.width() or widget.height() < needs.height() - 1:
            found.append(f"{type(widget).__name__} {widget.text()!r}")
    return found

told = {"ratio": window.devicePixelRatio()}
for spec in load_pages():
    window.open_page(spec.id)
    wait(150)
    told[spec.id] = cut(window.page(spec.id))
told["frame"] = cut(window.centralWidget().findChild(type(window._rail)))
told["size"] = [window.width(), window.height()]
print(json.dumps(told))
window.dispose()
bridge.detach()
loop.finish(app.close(), timeout_s=5)
loop.stop()
"""


@pytest.mark.window
@pytest.mark.parametrize(
    ("factor", "size", "percent"),
    [("1", (1280, 800), 100), ("3", (1280, 720), 100), ("1.5", (1280, 800), 150)],
    ids=["100 %", "300 % of a 4K screen", "150 % with text of 150 %"],
)
def test_nothing_is_cut(tmp_path: Path, factor: str, size: tuple[int, int], percent: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, size), str(percent)],
        env={
            **os.environ,
            "QT_QPA_PLATFORM": "offscreen",
            "QT_SCALE_FACTOR": factor,
            "PITWALL_HOME": str(tmp_path),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=55,
    )

    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert told.pop("ratio") == float(factor)
    assert told.pop("size") == list(size), "the window cannot be made as small as its screen"
    assert {page: found for page, found in told.items() if found} == {}
