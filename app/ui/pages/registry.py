"""What a page is to the window: its entry in the rail, its context and what it may be told.

A page module ends with ``register(PageSpec(...))``; `load_pages` imports every module of this
package once, so adding a page touches no list.
"""

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Protocol

from PySide6.QtCore import QCoreApplication, SignalInstance
from PySide6.QtWidgets import QWidget

import app.ui.pages
from app.core.errors import ErrorInfo
from app.core.events import HostSnapshot
from app.core.ids import HostId
from app.services.assets import Assets
from app.ui.bridge import CoreBridge
from app.ui.i18n import Translations
from app.ui.icons import IconSet
from app.ui.theme import Theme

if TYPE_CHECKING:
    from app.bootstrap import Application

CONTEXT: Final = "Pages"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRequest:
    """What one page hands to another when it opens it."""

    gpu_uuids: tuple[str, ...] = ()
    deployment: str | None = None
    """Name of a deployment on the current host."""
    action: str = ""
    """Something to begin at once; the page knows its own."""
    values: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


class Shell(Protocol):
    """What a page may ask of the window around it."""

    host_selected: SignalInstance
    """Emits the `HostSnapshot` (or ``None``) that is now in the host bar."""
    hosts_changed: SignalInstance
    """Emits ``tuple[HostSnapshot, ...]`` after any host changed, was added or removed."""

    @property
    def current_host(self) -> HostSnapshot | None:
        """The host in the host bar."""

    def hosts(self) -> tuple[HostSnapshot, ...]:
        """Return the newest snapshot of every host."""

    def select_host(self, host_id: HostId | None) -> None:
        """Put a host into the host bar."""

    def connect_host(self, host_id: HostId) -> None:
        """Connect, asking for the host key or a password as needed."""

    def open_page(self, page_id: str, request: PageRequest | None = None) -> None:
        """Show a page and hand it ``request``."""

    def show_inspector(self, widget: QWidget, title: str) -> None:
        """Show details on the right; the window takes ``widget`` over."""

    def hide_inspector(self) -> None:
        """Close the details."""

    def forget_arrangement(self) -> None:
        """Arrange tables, splitters, tabs and filters of every page as at the first start."""

    def show_error(self, error: ErrorInfo) -> None:
        """Show an error with cause and remedy in the activity bar, and open its details."""

    def notify(self, text: str) -> None:
        """Say in the activity bar that something was done."""

    def confirm(self, *, title: str, text: str, verb: str, on_yes: Callable[[], None]) -> None:
        """Ask before something that cannot be undone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageContext:
    """Everything a page is built from."""

    app: "Application"
    bridge: CoreBridge
    theme: Theme
    icons: IconSet
    translations: Translations
    assets: Assets
    shell: Shell


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSpec:
    """One page's entry in the rail."""

    id: str
    title: str
    """English, marked with ``QT_TRANSLATE_NOOP("Pages", "…")``."""
    icon: str
    order: int
    """From top to bottom, as Ctrl+1 to Ctrl+9 count them; from 90 on at the rail's foot."""
    factory: Callable[[PageContext], QWidget]
    needs_host: bool = False

    @property
    def word(self) -> str:
        """The title in the language in force."""
        return QCoreApplication.translate(CONTEXT, self.title)


_pages: dict[str, PageSpec] = {}


def register(spec: PageSpec) -> PageSpec:
    """Add a page; the last one of an id wins."""
    _pages[spec.id] = spec
    return spec


def load_pages() -> tuple[PageSpec, ...]:
    """Import every page module and return the pages in their order."""
    for module in pkgutil.iter_modules(app.ui.pages.__path__):
        importlib.import_module(f"{app.ui.pages.__name__}.{module.name}")
    return tuple(sorted(_pages.values(), key=lambda spec: spec.order))
