"""What Pitwall keeps on this desktop, in SQLite."""
