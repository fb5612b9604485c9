"""Item models for tables, lists and trees: QtCore and QtGui only."""
