"""What the window's own parts ask of it: all that pages may, and a little more."""

from collections.abc import Callable
from typing import Protocol

from PySide6.QtWidgets import QWidget

from app.core.ids import HostId
from app.ui.pages.registry import Shell
from app.ui.viewmodels.shell import ShellViewModel


class WindowFace(Shell, Protocol):
    """The window, as its commands and its lists see it."""

    view_model: ShellViewModel

    @property
    def current_page(self) -> str:
        """Id of the page in front."""

    def page(self, page_id: str) -> QWidget:
        """Return a page, made now if it was not visited yet."""

    def open_deployment(self, host_id: HostId, name: str) -> None:
        """Show a deployment on its page."""

    def with_host(self, act: Callable[[HostId], None]) -> None:
        """Do something with the host in the host bar, if there is one."""

    def refresh(self) -> None:
        """Read again what the page in front shows."""

    def show_help(self) -> None:
        """Show the topic of the page in front."""

    def show_errors(self) -> None:
        """Show the details of recent errors."""

    def show_commands(self) -> None:
        """Show the page in front as commands of the command line."""
