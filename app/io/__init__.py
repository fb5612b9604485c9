"""Everything that can fail for outside reasons, each behind a small protocol."""
