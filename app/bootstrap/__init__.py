"""The only place where concrete objects are built and handed to each other."""

from app.bootstrap.application import Application, build

__all__ = ["Application", "build"]
