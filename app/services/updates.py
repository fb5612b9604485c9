"""Whether there is a newer Pitwall: asked only when the user turned it on, or asks now."""

from dataclasses import dataclass

from app.core.versions import VersionScheme, version_key
from app.io.releases import newest_release
from app.services.settings import SettingsService


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateState:
    """What the index said."""

    current: str
    newest: str
    is_newer: bool


class UpdateService:
    """Ask a package index for the newest version; nothing is ever installed."""

    def __init__(self, *, settings: SettingsService, current: str) -> None:
        self._settings = settings
        self._current = current

    async def look(self) -> UpdateState:
        """Ask now.

        Raises:
            HostError: HOST_UNREACHABLE.
        """
        settings = self._settings.get()
        newest = await newest_release(settings.update_url, proxy=settings.http_proxy)
        return UpdateState(
            current=self._current, newest=newest, is_newer=_is_newer(newest, self._current)
        )

    async def look_if_wanted(self) -> UpdateState | None:
        """Ask when the user turned it on; ``None`` when not."""
        return await self.look() if self._settings.get().check_for_updates else None


def _is_newer(newest: str, current: str) -> bool:
    found, own = (version_key(text, VersionScheme.SEMVER) for text in (newest, current))
    return found is not None and own is not None and found > own
