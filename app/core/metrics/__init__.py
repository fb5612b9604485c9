"""The metric vocabulary and what can be computed from samples."""
