"""The About page without widgets: versions and the parts with their licences."""

import asyncio
import platform
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication, QObject, Signal, qVersion

from app.services.installed import InstalledPart
from app.ui.bridge import CoreBridge
from app.ui.viewmodels.base import ViewModel

if TYPE_CHECKING:
    from app.bootstrap import Application

translate = QCoreApplication.translate


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Something that Pitwall is shipped with or needs."""

    name: str
    licence: str
    home: str
    note: str = ""
    notices: tuple[str, ...] = ()
    """Names of texts in ``resources/notices``."""
    packages: tuple[str, ...] = ()
    """Installed packages that it stands for."""
    text: str = ""
    """Licence texts and notices as the package ships them."""


_LGPL_NOTE: Final = (
    "Used unchanged, as a library under the GNU Lesser General Public License. Its files lie "
    "apart from Pitwall's own, so that they can be replaced by a version of your own. Source: "
    "see the address above."
)

PARTS: Final = (
    Part(
        name="Pitwall",
        licence="Apache-2.0",
        home="https://www.apache.org/licenses/LICENSE-2.0",
        notices=("Apache-2.0",),
    ),
    Part(
        name="Qt / PySide6",
        licence="LGPL-3.0",
        home="https://code.qt.io/",
        note=_LGPL_NOTE,
        notices=("LGPL-3.0", "GPL-3.0"),
        packages=("pyside6-essentials", "shiboken6"),
    ),
    Part(
        name="paramiko",
        licence="LGPL-2.1",
        home="https://github.com/paramiko/paramiko",
        note=_LGPL_NOTE,
        notices=("LGPL-2.1",),
        packages=("paramiko",),
    ),
    Part(
        name="Tabler Icons",
        licence="MIT",
        home="https://tabler.io/icons",
        notices=("MIT-tabler",),
    ),
)
"""What asks for more than its own text: the LGPL parts, and what is no Python package."""

_PACKAGES: Final = ("PySide6-Essentials", "paramiko", "docker", "aiohttp", "pyqtgraph")


class AboutViewModel(ViewModel):
    """Fetch what is installed, off this thread: it reads many small files."""

    listed = Signal(object)
    """``tuple[Part, ...]``: everything, the parts that ask for more first."""

    def __init__(
        self, app: "Application", bridge: CoreBridge, parent: QObject | None = None
    ) -> None:
        super().__init__(bridge, parent)
        self._app = app

    def load(self) -> None:
        """Read the list."""
        self.run(
            asyncio.to_thread(self._app.installed_parts),
            on_result=lambda found: self.listed.emit(all_parts(found)),
        )


def all_parts(installed: Iterable[InstalledPart]) -> tuple[Part, ...]:
    """Return `PARTS` and every installed package that none of them stands for."""
    told = {package for part in PARTS for package in part.packages}
    others = (
        Part(name=f"{one.name} {one.version}", licence=one.licence, home=one.home, text=one.text)
        for one in installed
        if one.plain_name not in told
    )
    return (*PARTS, *others)


def version_rows() -> tuple[tuple[str, str], ...]:
    """Return what a report should say about this installation."""
    return (
        ("Pitwall", _version("pitwall-desk")),
        ("Python", platform.python_version()),
        ("Qt", qVersion()),
        *((name, _version(name)) for name in _PACKAGES),
        (
            translate("About", "System"),
            f"{platform.system()} {platform.release()} {platform.machine()}",
        ),
    )


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "–"
