"""Every key of the window in one table: what is bound, what help lists, what the palette shows."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QKeySequence

from app.ui.i18n import QT_TRANSLATE_NOOP


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One binding."""

    keys: str
    """As Qt writes it in every language: ``Ctrl+K``."""
    words: str
    """What it does, English, marked for translation."""
    action: str = ""
    """Id of the palette's command that it is a short cut for."""
    bound: bool = True
    """A shortcut of its widget; else the widget reads the key itself."""


WINDOW_KEYS: Final = (
    Key(keys="Ctrl+K", words=QT_TRANSLATE_NOOP("Keys", "Find anything: the palette")),
    Key(keys="F1", words=QT_TRANSLATE_NOOP("Keys", "Help on the page in front"), action="help"),
    Key(keys="F5", words=QT_TRANSLATE_NOOP("Keys", "Refresh"), action="refresh"),
    Key(
        keys="Esc",
        words=QT_TRANSLATE_NOOP("Keys", "Close the details, then cancel what the page runs"),
    ),
    Key(
        keys="Ctrl+Shift+C",
        words=QT_TRANSLATE_NOOP("Keys", "Copy what the page does as a command"),
        action="as_command",
    ),
    Key(keys="Ctrl+Q", words=QT_TRANSLATE_NOOP("Keys", "Close the window; hosts go on")),
)
"""Bound everywhere; Ctrl+1 to Ctrl+9 for the pages come on top."""

PAGE_KEYS: Final[Mapping[str, tuple[Key, ...]]] = {
    "hosts": (
        Key(keys="Ctrl+F", words=QT_TRANSLATE_NOOP("Keys", "Search")),
        Key(keys="Ctrl+Z", words=QT_TRANSLATE_NOOP("Keys", "Take back what was just done")),
        Key(keys="F2", words=QT_TRANSLATE_NOOP("Keys", "Edit the chosen host")),
        Key(keys="Space", words=QT_TRANSLATE_NOOP("Keys", "Details of the chosen host")),
        Key(keys="Ctrl+C", words=QT_TRANSLATE_NOOP("Keys", "Copy the chosen host's SSH command")),
    ),
    "fingerprint": (
        Key(keys="Ctrl+F", words=QT_TRANSLATE_NOOP("Keys", "Search the checks")),
        Key(keys="Ctrl+C", words=QT_TRANSLATE_NOOP("Keys", "Copy what is shown")),
        Key(keys="Ctrl+S", words=QT_TRANSLATE_NOOP("Keys", "Save the fingerprint")),
    ),
    "topology": (
        Key(keys="0", words=QT_TRANSLATE_NOOP("Keys", "Fit the picture"), bound=False),
        Key(keys="+", words=QT_TRANSLATE_NOOP("Keys", "Zoom in"), bound=False),
        Key(keys="-", words=QT_TRANSLATE_NOOP("Keys", "Zoom out"), bound=False),
        Key(keys="Right", words=QT_TRANSLATE_NOOP("Keys", "Next GPU"), bound=False),
        Key(keys="Left", words=QT_TRANSLATE_NOOP("Keys", "GPU before"), bound=False),
        Key(keys="Space", words=QT_TRANSLATE_NOOP("Keys", "Choose the GPU as well"), bound=False),
    ),
    "plan": (
        Key(keys="Alt+Right", words=QT_TRANSLATE_NOOP("Keys", "Next step")),
        Key(keys="Alt+Left", words=QT_TRANSLATE_NOOP("Keys", "Step before")),
    ),
    "deployments": (
        Key(keys="Ctrl+F", words=QT_TRANSLATE_NOOP("Keys", "Search the log")),
        Key(keys="F3", words=QT_TRANSLATE_NOOP("Keys", "Next match in the log")),
        Key(keys="Shift+F3", words=QT_TRANSLATE_NOOP("Keys", "Match before in the log")),
        Key(keys="Ctrl+G", words=QT_TRANSLATE_NOOP("Keys", "Go to a time in the log")),
        Key(keys="Ctrl+C", words=QT_TRANSLATE_NOOP("Keys", "Copy lines of the log"), bound=False),
    ),
    "live": (
        Key(keys="Left", words=QT_TRANSLATE_NOOP("Keys", "Look earlier"), bound=False),
        Key(keys="Right", words=QT_TRANSLATE_NOOP("Keys", "Look later"), bound=False),
        Key(keys="+", words=QT_TRANSLATE_NOOP("Keys", "Less time, in more detail"), bound=False),
        Key(keys="-", words=QT_TRANSLATE_NOOP("Keys", "More time"), bound=False),
        Key(keys="0", words=QT_TRANSLATE_NOOP("Keys", "Back to now"), bound=False),
        Key(keys="Shift+Left", words=QT_TRANSLATE_NOOP("Keys", "Move the cross-hair"), bound=False),
    ),
    "inspect": (
        Key(keys="Ctrl+V", words=QT_TRANSLATE_NOOP("Keys", "Read what was copied")),
        Key(keys="Ctrl+O", words=QT_TRANSLATE_NOOP("Keys", "Open a file")),
    ),
    "settings": (
        Key(keys="Ctrl+Z", words=QT_TRANSLATE_NOOP("Keys", "Take back what was just done")),
    ),
    "help": (Key(keys="Ctrl+F", words=QT_TRANSLATE_NOOP("Keys", "Search")),),
}
"""What each page binds while it is in front."""

EVERYWHERE_KEYS: Final = (
    Key(keys="Return", words=QT_TRANSLATE_NOOP("Keys", "Open the chosen row"), bound=False),
    Key(keys="Del", words=QT_TRANSLATE_NOOP("Keys", "Remove the chosen row"), bound=False),
    Key(keys="Menu", words=QT_TRANSLATE_NOOP("Keys", "Menu of the chosen row"), bound=False),
    Key(keys="Tab", words=QT_TRANSLATE_NOOP("Keys", "Go to the next control"), bound=False),
)
"""Read by Qt or by every table."""


def keys_of(action: str) -> str:
    """Return the keys of a palette's command as this desktop writes them; empty without any."""
    return next((shown(key.keys) for key in WINDOW_KEYS if key.action == action), "")


def shown(keys: str) -> str:
    """Return keys as this desktop writes them."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)


def words_of(key: Key) -> str:
    """Return what a key does in the language in force."""
    return QCoreApplication.translate("Keys", key.words)


def portable(sequence: QKeySequence) -> str:
    """Return a sequence as the table writes it."""
    return sequence.toString(QKeySequence.SequenceFormat.PortableText)
