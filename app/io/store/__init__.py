"""What Pitwall keeps on this desktop: SQLite, one writer thread, migrations in order."""
