"""The script for hosts that Pitwall may not enter."""

from app.io.probes import collector


def collector_text() -> str:
    """Return the script, for printing, copying and saving."""
    return collector()
