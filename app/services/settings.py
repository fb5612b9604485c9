"""Preferences as a service: read once, changed through `update`, announced on the bus."""

import asyncio
import logging
import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from app.core.errors import ErrorInfo, StoreError, UserInputError
from app.core.events import SettingsChanged
from app.core.mirrors import read_mirrors
from app.core.settings import Settings, read_settings
from app.io.settings_file import (
    broken_settings,
    read_settings_file,
    set_settings_aside,
    write_settings_file,
)
from app.services.bus import EventBus
from app.services.clock import Clock, utc_text

_log = logging.getLogger(__name__)


class SettingsService:
    """Hold the preferences; a file that cannot be understood is kept aside and reported."""

    def __init__(self, *, file: Path, bus: EventBus, clock: Clock) -> None:
        self._file = file
        self._bus = bus
        self._clock = clock
        self._lock = threading.Lock()
        self._settings = Settings()
        self._notices: tuple[ErrorInfo, ...] = ()

    @property
    def notices(self) -> tuple[ErrorInfo, ...]:
        """What went wrong while reading."""
        return self._notices

    def get(self) -> Settings:
        """Return the preferences of this moment; safe from every thread."""
        with self._lock:
            return self._settings

    def mirrors(self) -> Mapping[str, str]:
        """Return registry → mirror; a file that was written by hand and is broken sets none."""
        try:
            return read_mirrors(self.get().image_mirrors)
        except UserInputError as exc:
            _log.warning("The mirrors in the settings are passed over: %s", exc)
            return {}

    def load(self) -> None:
        """Read the file; called once when the application is built, before any window."""
        try:
            raw = read_settings_file(self._file)
        except StoreError as exc:
            self._keep_aside(exc, copy=False)
            return
        settings, broken = read_settings(raw)
        with self._lock:
            self._settings = settings
        if broken:
            names = ", ".join(broken)
            self._keep_aside(broken_settings(self._file, f"{names} has no usable value"), copy=True)

    async def update(self, **changes: str | bool | int) -> Settings:
        """Change preferences by name, write them, announce them.

        Raises:
            StoreError: FILE_UNWRITABLE; the change then holds until the end of the session.
            ValueError: a name or value that no preference has (a mistake of the caller).
        """
        with self._lock:
            raw = {name: getattr(self._settings, name) for name in Settings.__dataclass_fields__}
            settings, broken = read_settings({**raw, **changes})
            unknown = sorted(set(changes) - set(raw))
            if broken or unknown:
                msg = f"no such preference or value: {[*broken, *unknown]}"
                raise ValueError(msg)
            changed = settings != self._settings
            self._settings = replace(settings)
        if changed:
            self._bus.publish(SettingsChanged())
            plain = {name: _plain(getattr(settings, name)) for name in changes}
            await asyncio.to_thread(write_settings_file, self._file, plain)
        return settings

    def _keep_aside(self, error: StoreError, *, copy: bool) -> None:
        self._notices = (*self._notices, error.info)
        if not self._file.is_file():
            return
        date = utc_text(self._clock.now_s()).replace(":", "")
        try:
            set_settings_aside(self._file, date, copy=copy)
        except StoreError as exc:
            self._notices = (*self._notices, exc.info)


def _plain(value: object) -> str | bool | int:
    return value if isinstance(value, bool | int) else str(value)
