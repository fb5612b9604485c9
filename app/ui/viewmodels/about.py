"""The About page without widgets: versions and the parts with their licences."""

import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from PySide6.QtCore import QCoreApplication, qVersion

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
        name="Qt and PySide6",
        licence="LGPL-3.0",
        home="https://code.qt.io/",
        note=_LGPL_NOTE,
        notices=("LGPL-3.0", "GPL-3.0"),
    ),
    Part(
        name="paramiko",
        licence="LGPL-2.1",
        home="https://github.com/paramiko/paramiko",
        note=_LGPL_NOTE,
        notices=("LGPL-2.1",),
    ),
    Part(
        name="Tabler Icons",
        licence="MIT",
        home="https://tabler.io/icons",
        notices=("MIT-tabler",),
    ),
    Part(name="pyqtgraph", licence="MIT", home="https://www.pyqtgraph.org/"),
    Part(name="NumPy", licence="BSD-3-Clause", home="https://numpy.org/"),
    Part(
        name="Docker SDK for Python",
        licence="Apache-2.0",
        home="https://github.com/docker/docker-py",
    ),
    Part(name="aiohttp", licence="Apache-2.0 AND MIT", home="https://github.com/aio-libs/aiohttp"),
    Part(name="pydantic", licence="MIT", home="https://github.com/pydantic/pydantic"),
    Part(name="keyring", licence="MIT", home="https://github.com/jaraco/keyring"),
    Part(
        name="nvidia-ml-py", licence="BSD-3-Clause", home="https://pypi.org/project/nvidia-ml-py/"
    ),
    Part(name="click", licence="BSD-3-Clause", home="https://github.com/pallets/click"),
    Part(name="tomlkit", licence="MIT", home="https://github.com/python-poetry/tomlkit"),
    Part(name="platformdirs", licence="MIT", home="https://github.com/tox-dev/platformdirs"),
    Part(
        name="prometheus-client",
        licence="Apache-2.0 AND BSD-2-Clause",
        home="https://github.com/prometheus/client_python",
    ),
)

_PACKAGES: Final = ("PySide6-Essentials", "paramiko", "docker", "aiohttp", "pyqtgraph")


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
