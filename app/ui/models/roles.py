"""Roles that our models answer beyond Qt's own."""

from typing import Final

from PySide6.QtCore import Qt

SORT_ROLE: Final = int(Qt.ItemDataRole.UserRole) + 1
"""A value to sort by where the text does not sort well."""
BAR_ROLE: Final = int(Qt.ItemDataRole.UserRole) + 2
"""A `Bar` to be drawn instead of text."""
ID_ROLE: Final = int(Qt.ItemDataRole.UserRole) + 3
"""The id of the row's thing."""
