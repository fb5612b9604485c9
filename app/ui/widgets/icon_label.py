"""A label that shows an icon and keeps to the theme."""

from PySide6.QtCore import QSize
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QLabel

from app.ui.icons import IconSet


class IconLabel(QLabel):
    """An icon beside words; it carries no meaning of its own, so it has no accessible name."""

    def __init__(self, icons: IconSet, *, size: int = 16) -> None:
        super().__init__()
        self._icons = icons
        self._size = size
        self.setFixedSize(QSize(size, size))

    def set(self, name: str, token: str = "text") -> None:  # noqa: S107 - a colour's name
        """Show the icon ``name`` in a token's colour."""
        self._icons.set_icon(self, name, token)

    def setIcon(self, icon: QIcon) -> None:
        """Show an icon (called again when the theme changes)."""
        self.setPixmap(icon.pixmap(QSize(self._size, self._size), self.devicePixelRatioF()))
