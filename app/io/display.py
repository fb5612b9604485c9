"""Is there a display to open a window on? Asked before Qt, which would abort the process."""

import ctypes
import socket
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Final

_X11_FOLDER: Final = Path("/tmp/.X11-unix")  # noqa: S108 - where X servers listen
_X11_PORT: Final = 6000
_DEADLINE_S: Final = 2.0
_SCREENLESS: Final = ("offscreen", "minimal", "vnc", "linuxfb", "eglfs")


def missing_display(environment: Mapping[str, str], platform: str) -> str | None:
    """Return why no window can open, in English; ``None`` when one can.

    Args:
        environment: the process's variables.
        platform: `sys.platform`; only Linux and the BSDs need a display server.
    """
    chosen = environment.get("QT_QPA_PLATFORM", "").partition(":")[0]
    if platform in {"win32", "darwin"} or chosen in _SCREENLESS:
        return None
    if chosen != "xcb" and _wayland_answers(environment):
        return None
    display = environment.get("DISPLAY", "")
    if not display:
        return "neither DISPLAY nor WAYLAND_DISPLAY leads to a display"
    if not _x11_answers(display):
        return f"the display {display} does not answer"
    return _missing_library()


def _wayland_answers(environment: Mapping[str, str]) -> bool:
    name = environment.get("WAYLAND_DISPLAY", "")
    if not name:
        return False
    folder = environment.get("XDG_RUNTIME_DIR", "")
    return _unix_answers(str(Path(folder) / name))


def _x11_answers(display: str) -> bool:
    host, _, rest = display.rpartition(":")
    number = rest.partition(".")[0]
    if not number.isdigit():
        return False
    if host in {"", "unix"}:
        path = str(_X11_FOLDER / f"X{number}")
        return _unix_answers(path) or _unix_answers(f"\0{path}")
    try:
        with socket.create_connection((host, _X11_PORT + int(number)), timeout=_DEADLINE_S):
            return True
    except OSError:
        return False


def _unix_answers(path: str) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(_DEADLINE_S)
        try:
            probe.connect(path)
        except OSError:
            return False
        return True


def _missing_library() -> str | None:
    """Load Qt's X11 plug-in as the loader would; its complaint names what is not installed."""
    spec = find_spec("PySide6")
    if spec is None or spec.origin is None:
        return "PySide6 is not installed"
    plugin = Path(spec.origin).parent / "Qt" / "plugins" / "platforms" / "libqxcb.so"
    if not plugin.exists():
        return None
    try:
        ctypes.CDLL(str(plugin))
    except OSError as exc:
        return f"a system library is missing: {exc}"
    return None
