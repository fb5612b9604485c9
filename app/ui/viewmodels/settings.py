"""The Settings page without widgets: every change is checked, kept at once, and can be undone."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, Signal, Slot

from app.core.errors import ErrorInfo, UserInputError
from app.core.events import SettingsChanged
from app.core.mirrors import read_mirrors
from app.core.settings import Settings, check_proxy, default_changes
from app.ui.bridge import CoreBridge
from app.ui.messages import cause_text
from app.ui.viewmodels.base import ViewModel

if TYPE_CHECKING:
    from app.bootstrap import Application
    from app.services.updates import UpdateState

translate = QCoreApplication.translate

Value = str | bool | int


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnFileRow:
    """One of the user's own data files."""

    path: str
    """Below the folder of own data files."""
    words: str
    """What it does to the shipped ones."""


class SettingsViewModel(ViewModel):
    """Read and change preferences."""

    changed = Signal()
    refused = Signal(str, str)
    """Name of a setting and what is wrong with what was typed."""
    accepted = Signal(str)
    """Name of a setting whose text may stay."""
    update_told = Signal(str, str)
    """What the package index said, and its status: ``ok warn unknown``."""
    files_listed = Signal(object)
    """``tuple[OwnFileRow, ...]``."""

    def __init__(
        self, app: "Application", bridge: CoreBridge, parent: QObject | None = None
    ) -> None:
        super().__init__(bridge, parent)
        self._app = app
        self._checks: Mapping[str, Callable[[str], object]] = {
            "image_mirrors": read_mirrors,
            "http_proxy": check_proxy,
        }
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

    def change(self, name: str, value: Value) -> None:
        """Keep a preference; it is in force at once."""
        self.run(self._app.settings.update(**{name: value}))

    def enter(self, name: str, text: str) -> None:
        """Keep what was typed when it can be used, else say what is wrong with it."""
        try:
            self._checks[name](text)
        except UserInputError as exc:
            self.refused.emit(name, _wrong(name, exc))
            return
        self.accepted.emit(name)
        self.change(name, text.strip())

    def reset(self) -> Mapping[str, Value]:
        """Go back to the defaults and return what was in force, for `restore`."""
        changes = default_changes(self.settings)
        before = {name: getattr(self.settings, name) for name in changes}
        if changes:
            self.run(self._app.settings.update(**changes))
        return before

    def restore(self, before: Mapping[str, Value]) -> None:
        """Put preferences back that `reset` took away."""
        self.run(self._app.settings.update(**before))

    def look_for_update(self) -> None:
        """Ask the package index now."""
        self.update_told.emit(translate("Settings", "Asking …"), "unknown")
        self.run(self._app.updates.look(), on_result=self._on_update, on_error=self._on_no_update)

    def list_files(self) -> None:
        """Look which data files of the user's own are in force."""
        self.run(
            asyncio.to_thread(self._app.own_data_files),
            on_result=lambda found: self.files_listed.emit(
                tuple(OwnFileRow(path=one.relative, words=_own_words(one.kind)) for one in found)
            ),
        )

    def _on_update(self, state: "UpdateState") -> None:
        if state.is_newer:
            text = translate("Settings", "Version {newest} is out; this is {current}.")
        else:
            text = translate("Settings", "This is the newest version: {current}.")
        told = text.format(newest=state.newest, current=state.current)
        self.update_told.emit(told, "warn" if state.is_newer else "ok")

    def _on_no_update(self, error: ErrorInfo) -> None:
        del error  # an address that does not answer; which one stands beside
        text = translate("Settings", "The package index did not answer. Nothing else needs it.")
        self.update_told.emit(text, "unknown")

    @Slot(object)
    def _on_event(self, event: object) -> None:
        if isinstance(event, SettingsChanged):
            self.changed.emit()


def _wrong(name: str, error: UserInputError) -> str:
    value = error.params.get("value", "")
    if name == "image_mirrors":
        text = translate("Settings", "“{value}” is not REGISTRY = MIRROR.")
        return text.format(value=value)
    if name == "http_proxy":
        return translate(
            "Settings",
            "A proxy is written as http://HOST:PORT. One that asks for a login goes into "
            "HTTPS_PROXY of the environment.",
        )
    return cause_text(error.info)


def _own_words(kind: str) -> str:
    if kind == "changes":
        return translate("Settings", "changes shipped data")
    return translate("Settings", "adds data")
