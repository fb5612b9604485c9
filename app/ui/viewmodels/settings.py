"""The Settings page without widgets."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from app.core.events import SettingsChanged
from app.core.settings import Settings
from app.ui.bridge import CoreBridge
from app.ui.viewmodels.base import ViewModel

if TYPE_CHECKING:
    from app.bootstrap import Application


class SettingsViewModel(ViewModel):
    """Read and change preferences."""

    changed = Signal()

    def __init__(
        self, app: "Application", bridge: CoreBridge, parent: QObject | None = None
    ) -> None:
        super().__init__(bridge, parent)
        self._app = app
        bridge.event_arrived.connect(self._on_event)

    @property
    def settings(self) -> Settings:
        """The preferences in force."""
        return self._app.settings.get()

    def folders(self) -> Mapping[str, Path]:
        """Return where Pitwall keeps its things."""
        folders = self._app.folders
        return {
            "config": folders.config,
            "data": folders.data,
            "cache": folders.cache,
            "overrides": folders.overrides,
        }

    def set_language(self, language: str) -> None:
        """Change the language; the window follows by itself."""
        self.run(self._app.settings.update(language=language))

    def set_theme(self, theme: str) -> None:
        """Change the theme; the window follows by itself."""
        self.run(self._app.settings.update(theme=theme))

    @Slot(object)
    def _on_event(self, event: object) -> None:
        if isinstance(event, SettingsChanged):
            self.changed.emit()
