"""``pitwall tour``: the real window on the demo host, without a screen; pictures, profile, log.

Everything in it is simulated and says so on each picture; it is the quickest way to see the whole
program, and to notice when a page looks wrong.
"""

import os
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from PySide6.QtCore import QBuffer, QCoreApplication, QIODevice, QObject, QTimer, Slot
from PySide6.QtGui import QCursor

from app.bootstrap import build
from app.core.documents.tour import TourDocument, TourRequest
from app.core.errors import AppError, ErrorCode
from app.services.runtime import LoopThread
from app.services.user_files import save_file
from app.ui.app import MainWindow, create_window, prepare_qt
from app.ui.bridge import CoreBridge
from app.ui.tour_steps import PROFILE_FILE, TourSteps, Wait

SIZE: Final = (1280, 800)
LOG_FILE: Final = "log.txt"
POLL_MS: Final = 40
SETTLE_S: Final = 0.35
"""A page gets this long to finish its own work before it is pictured."""


class Guide(QObject):
    """Go from step to step between turns of the event loop; stop it at the end or on an error."""

    def __init__(self, steps: Iterator[Wait], window: MainWindow) -> None:
        super().__init__(window)
        self._steps = steps
        self._wait: Wait | None = None
        self._since = self._ready_at = 0.0
        self.error: Exception | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(POLL_MS)
        self._timer.timeout.connect(self._look)

    def begin(self) -> None:
        """Start with the first step."""
        self._timer.start()

    @Slot()
    def _look(self) -> None:
        now = time.monotonic()
        if self._wait is None:
            self._next(now)
        elif self._wait.ready():
            self._ready_at = self._ready_at or now
            if now - self._ready_at >= SETTLE_S:
                self._next(now)
        elif now - self._since > self._wait.limit_s:
            self._end(_never_came(self._wait))

    def _next(self, now: float) -> None:
        try:
            self._wait = next(self._steps)
        except StopIteration:
            self._end(None)
        except Exception as error:  # noqa: BLE001 - raised again once Qt's loop has ended
            self._end(error)
        else:
            self._since, self._ready_at = now, 0.0

    def _end(self, error: Exception | None) -> None:
        self.error = error
        self._timer.stop()
        QCoreApplication.quit()


class _Album:
    """Numbered pictures of the window as PNG."""

    def __init__(self, window: MainWindow, request: TourRequest) -> None:
        self._window = window
        self._request = request
        self.pictures: dict[str, bytes] = {}

    def __call__(self, name: str) -> None:
        buffer = QBuffer()
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        self._window.grab().save(buffer, "PNG")
        file = f"{len(self.pictures) + 1:02d}-{name}.png"
        self.pictures[file] = bytes(buffer.data().data())
        self._request.say(f"picture {file}")


def run_tour(request: TourRequest) -> TourDocument:
    """Drive the window through the main job and write what was seen into the folder.

    Raises:
        AppError: a step that never came, or a folder that cannot be written.
    """
    folder = Path(request.folder).absolute()
    with tempfile.TemporaryDirectory(prefix="pitwall-tour-") as home:
        return _drive(request, folder, Path(home))


def _drive(request: TourRequest, folder: Path, home: Path) -> TourDocument:
    # It needs no screen, and Qt ends the process where it looks for one in vain.
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    qt = prepare_qt(["pitwall"])
    loop = LoopThread().start()
    application = build(home=home)
    bridge = CoreBridge(loop, application.bus)
    window = create_window(application, bridge)
    window.resize(*SIZE)
    # The pointer starts at the corner, on the rail: the first button would look hovered.
    QCursor.setPos(*SIZE)
    window.show()
    album = _Album(window, request)
    steps = TourSteps(window, application, loop.submit, album, request)
    guide = Guide(steps.run(), window)
    guide.begin()
    qt.exec()
    window.dispose()
    bridge.detach()
    loop.finish(application.close(), timeout_s=5)
    # Also after an error: the last picture shows where it happened.
    loop.finish(_save(folder, album.pictures, steps.log), timeout_s=20)
    loop.stop(timeout_s=5)
    if guide.error is not None:
        raise guide.error
    return TourDocument(
        folder=str(folder),
        language=request.language,
        theme=request.theme,
        pictures=tuple(album.pictures),
        profile=str(folder / PROFILE_FILE),
        log=str(folder / LOG_FILE),
        figures=steps.figures,
    )


async def _save(folder: Path, pictures: Mapping[str, bytes], log: Sequence[str]) -> None:
    for name, content in pictures.items():
        await save_file(folder / name, content)
    await save_file(folder / LOG_FILE, "\n".join((*log, "")).encode())


def _never_came(wait: Wait) -> AppError:
    return AppError(
        ErrorCode.INTERNAL,
        {"step": wait.what},
        cause=f"The tour waited {wait.limit_s:.0f} s for {wait.what}, and it did not come.",
        remedy="Look at the last picture in the folder; please report it with the log beside it.",
    )
