"""The only place where concrete objects are built and handed to each other."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.bootstrap.application import Application, build

__all__ = ["Application", "build"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - PEP 562
    """Import the application when it is asked for: a quick command needs only a part of it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from app.bootstrap import application

    return getattr(application, name)
