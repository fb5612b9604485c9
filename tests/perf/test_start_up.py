"""How long it takes until Pitwall answers."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

_WINDOW = Path(__file__).with_name("first_window.py")
_HEAVY = ("PySide6", "pyqtgraph", "numpy", "docker", "paramiko", "aiohttp", "pydantic", "click")


def test_importing_the_package_is_nearly_free(figure, median_run, bare_python_s):
    with_app = median_run(sys.executable, "-c", "import app")
    figure(
        "import app", max(with_app - bare_python_s, 0.0),
        f"interpreter alone {bare_python_s * 1000:.0f} ms", budget_s=0.1,
    )  # fmt: skip
    assert _loaded("import app") == []


def test_help_answers_without_loading_what_it_does_not_need(figure, median_run, bare_python_s):
    help_s = median_run(sys.executable, "-m", "app", "--help")
    figure(
        "pitwall --help", help_s, f"{help_s / bare_python_s:.1f} × interpreter alone", budget_s=0.3
    )
    loaded = _loaded("from app.__main__ import main; main(['--help'])")
    assert loaded == ["click"]


def _loaded(code: str) -> list[str]:
    script = f"{code}\nimport sys, json\nprint()\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )
    modules = json.loads(done.stdout.splitlines()[-1])
    return [name for name in _HEAVY if name in modules]


@pytest.mark.timeout(120)
def test_the_first_window_is_painted(figure, bare_python_s, tmp_path):
    env = os.environ | {"PITWALL_HOME": str(tmp_path), "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, str(_WINDOW)], check=True, capture_output=True, text=True, env=env
    )
    seconds = json.loads(done.stdout)["s"] + bare_python_s
    figure(
        "first window painted", seconds, f"{seconds / bare_python_s:.0f} × interpreter alone",
        budget_s=2.0,
    )  # fmt: skip
    assert seconds > 0
