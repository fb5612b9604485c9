"""Roles that our models answer beyond Qt's own."""

from typing import Final

from PySide6.QtCore import Qt

SORT_ROLE: Final = int(Qt.ItemDataRole.UserRole) + 1
"""A value to sort by where the text does not sort well."""
BAR_ROLE: Final = int(Qt.ItemDataRole.UserRole) + 2
"""A `Bar` to be drawn instead of text."""
SEARCH_ROLE: Final = int(Qt.ItemDataRole.UserRole) + 4
"""Everything that finds a row, in lower case."""
ID_ROLE: Final = int(Qt.ItemDataRole.UserRole) + 3
"""The id of the row's thing."""
GROUP_ROLE: Final = int(Qt.ItemDataRole.UserRole) + 5
"""The group that the row is listed under; empty is none."""
KEYS_ROLE: Final = int(Qt.ItemDataRole.UserRole) + 6
"""Keys that do the same as the row."""
