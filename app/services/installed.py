"""What is installed for Pitwall to run, for whoever shows licences."""

from app.io.installed import InstalledPart, installed_parts

__all__ = ["InstalledPart", "installed_parts"]
