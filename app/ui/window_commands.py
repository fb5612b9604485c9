"""What the palette offers in this moment: pages, hosts, deployments, actions, settings, help."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Final

from app.ui.commands import (
    action_commands,
    deployment_commands,
    help_commands,
    host_commands,
    page_commands,
    setting_commands,
    tool_commands,
)
from app.ui.keys import keys_of
from app.ui.models.commands import Command
from app.ui.pages.registry import PageRequest, PageSpec
from app.ui.parts import WindowParts
from app.ui.viewmodels.help import help_pages
from app.ui.widgets.page import Page
from app.ui.window_face import WindowFace

if TYPE_CHECKING:
    from app.bootstrap import Application

_ADDING: Final = ("add_ssh", "add_local", "import_ssh", "add_demo")


class WindowCommands:
    """Gathers them from the window when it is called."""

    def __init__(
        self,
        app: "Application",
        parts: WindowParts,
        specs: Mapping[str, PageSpec],
        window: WindowFace,
    ) -> None:
        self._app = app
        self._parts = parts
        self._specs = specs
        self._window = window

    def __call__(self) -> tuple[Command, ...]:
        """Return all of them in the order of the palette."""
        texts = help_pages(self._parts.assets.help_pages, self._parts.translations.language)
        window = self._window
        return (
            *page_commands(self._specs.values(), window.open_page),
            *host_commands(window.hosts(), window.select_host),
            *deployment_commands(self._app.deployments.snapshot(), window.open_deployment),
            *action_commands(self._actions(), keys_of),
            *self._of_page(),
            *setting_commands(self._open_setting),
            *help_commands(texts, self._open_topic),
        )

    def _of_page(self) -> tuple[Command, ...]:
        page_id = self._window.current_page
        page = self._window.page(page_id) if page_id else None
        if not isinstance(page, Page):
            return ()
        return tuple(tool_commands(page.offered(), self._specs[page_id].word))

    def _actions(self) -> dict[str, Callable[[], None]]:
        window, shell = self._window, self._window.view_model
        return {
            **{action: partial(self._open, "hosts", action) for action in _ADDING},
            "connect": lambda: window.with_host(window.connect_host),
            "disconnect": lambda: window.with_host(shell.disconnect_host),
            "fingerprint": lambda: window.with_host(shell.take_fingerprint),
            "refresh": window.refresh,
            "errors": window.show_errors,
            "help": window.show_help,
            "as_command": window.show_commands,
        }

    def _open(self, page_id: str, action: str) -> None:
        self._window.open_page(page_id, PageRequest(action=action))

    def _open_setting(self, setting: str) -> None:
        self._open("settings", setting)

    def _open_topic(self, topic: str) -> None:
        self._open("help", topic)
