"""The window's life: set-up before Qt, the loop while it is open, and an orderly end.

Shutdown: the bridge is detached, the services stop, the loop stops within a bounded time, Qt
goes last. Nothing on a host is touched by closing.
"""

import logging
import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QGuiApplication
from PySide6.QtWidgets import QApplication

from app.core.errors import AppError
from app.services.runtime import LoopThread
from app.ui.bridge import CoreBridge
from app.ui.collect import GuiCollector
from app.ui.pages.registry import load_pages
from app.ui.parts import WindowParts, build_parts
from app.ui.window import MainWindow

if TYPE_CHECKING:
    from app.bootstrap import Application

__all__ = ["MainWindow", "create_window", "main", "prepare_qt", "run_window"]

CLOSE_DEADLINE_S: Final = 3.0

_log = logging.getLogger(__name__)


def create_window(
    app: "Application", bridge: CoreBridge, parts: WindowParts | None = None
) -> MainWindow:
    """Return the window, not yet shown; `MainWindow.started` follows once the services run."""
    return MainWindow(app, bridge, parts or build_parts(app), load_pages())


def prepare_qt(arguments: list[str]) -> QApplication:
    """Return the one QApplication, set up; to be called after the display was looked for."""
    QGuiApplication.setHighDpiScaleFactorRoundingPolicy(
        Qt.HighDpiScaleFactorRoundingPolicy.PassThrough
    )
    application = QApplication(arguments)
    application.setStyle("Fusion")
    application.setApplicationName("pitwall")
    application.setApplicationDisplayName("Pitwall")
    application.setDesktopFileName("pitwall")
    font = application.font()
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    application.setFont(font)
    GuiCollector(application)
    return application


def run_window(app: "Application", loop: LoopThread) -> int:
    """Show the window until it is closed, then end everything in order."""
    bridge = CoreBridge(loop, app.bus)
    window = create_window(app, bridge)
    window.view_model.run(
        app.start(), on_result=lambda _: window.started(), on_error=window.show_error
    )
    window.show()
    status = QApplication.exec()
    window.dispose()
    bridge.detach()
    # The window is gone and Qt's loop has ended: waiting, for a bounded time, harms nobody now.
    loop.finish(_end(app, window.window_state()), timeout_s=CLOSE_DEADLINE_S)
    loop.stop(timeout_s=CLOSE_DEADLINE_S)
    return status


async def _end(app: "Application", window_state: Mapping[str, str]) -> None:
    """Keep the window's state, then close the services; what runs on hosts goes on."""
    try:
        await app.settings.update(**window_state)
    except AppError as exc:
        _log.warning("The window's state was not kept: %s", exc)
    await app.close()


def main() -> int:
    """Open the window; the command line's launcher.

    Raises:
        AppError: NO_DISPLAY.
    """
    from app.bootstrap import build
    from app.services.display import require_display

    require_display(os.environ, sys.platform)
    prepare_qt(sys.argv[:1])
    return run_window(build(), LoopThread().start())
