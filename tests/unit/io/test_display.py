"""Finding out before Qt aborts whether a window can open."""

import socket
import sys

import pytest

from app.core.errors import AppError, ErrorCode
from app.io import display
from app.services.display import require_display


def test_without_a_display_the_reason_names_both_variables() -> None:
    with pytest.raises(AppError) as caught:
        require_display({}, "linux")

    assert caught.value.code is ErrorCode.NO_DISPLAY
    assert "DISPLAY" in caught.value.cause
    assert "pitwall tour" in caught.value.remedy


def test_a_display_that_does_not_answer_is_named() -> None:
    reason = display.missing_display({"DISPLAY": ":4711"}, "linux")

    assert reason == "the display :4711 does not answer"


@pytest.mark.parametrize("text", ["", "nonsense", ":x", "localhost:99.0"])
def test_broken_or_dead_displays_are_refused(text: str) -> None:
    assert display.missing_display({"DISPLAY": text}, "linux") is not None


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_other_systems_bring_their_own_display(platform: str) -> None:
    assert display.missing_display({}, platform) is None


def test_platforms_without_a_screen_need_no_display() -> None:
    assert display.missing_display({"QT_QPA_PLATFORM": "offscreen"}, "linux") is None


def test_a_wayland_compositor_that_answers_is_enough(tmp_path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "wayland-0"))
        server.listen()
        environment = {"WAYLAND_DISPLAY": "wayland-0", "XDG_RUNTIME_DIR": str(tmp_path)}

        assert display.missing_display(environment, "linux") is None


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="X11 sockets are Linux's")
def test_an_x_server_that_answers_is_enough_when_its_libraries_are_there(
    tmp_path, monkeypatch
) -> None:
    monkeypatch.setattr(display, "_X11_FOLDER", tmp_path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "X9"))
        server.listen()

        reason = display.missing_display({"DISPLAY": ":9.0"}, "linux")

    assert reason is None or "library is missing" in reason
