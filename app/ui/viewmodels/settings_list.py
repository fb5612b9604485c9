"""The settings by name, so that the palette finds each one and the page can go to it."""

from collections.abc import Mapping
from typing import Final

from app.ui.i18n import QT_TRANSLATE_NOOP

SETTINGS: Final[Mapping[str, str]] = {
    "language": QT_TRANSLATE_NOOP("Settings", "Language"),
    "theme": QT_TRANSLATE_NOOP("Settings", "Theme"),
    "text_percent": QT_TRANSLATE_NOOP("Settings", "Text size"),
    "keyring": QT_TRANSLATE_NOOP("Settings", "Passwords and the keyring"),
    "image_mirrors": QT_TRANSLATE_NOOP("Settings", "Mirrors for images"),
    "http_proxy": QT_TRANSLATE_NOOP("Settings", "Proxy"),
    "check_for_updates": QT_TRANSLATE_NOOP("Settings", "Look for updates"),
    "folders": QT_TRANSLATE_NOOP("Settings", "Folders"),
    "overrides": QT_TRANSLATE_NOOP("Settings", "Your own data files"),
    "reset_views": QT_TRANSLATE_NOOP("Settings", "Arrangement of the window"),
}
"""Setting → its words in English, in the page's order."""
