"""Themes, icons and the reference counts that PySide6 must keep."""

import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QPalette, QTextDocument

from app.core.appearance import LINE_CONTRAST, TEXT_CONTRAST, contrast
from app.io.datafiles import data_root, load_theme
from app.services.assets import load_assets
from app.ui.icons import IconSet
from app.ui.stylesheet import build_style_sheet
from app.ui.theme import Theme, letters
from app.ui.widgets.help_text import lay_out

pytestmark = pytest.mark.usefixtures("qapp")
ROOT = Path(__file__).parents[2]
GROUNDS = ("window", "surface", "raised")
TEXTS = ("text", "muted", "accent", "status.ok", "status.warn", "status.error", "status.unknown")
SOFT = {
    "status.ok": "soft.ok",
    "status.warn": "soft.warn",
    "status.error": "soft.error",
    "text": "selected",
    "accent": "soft.accent",
    "muted": "soft.unknown",
}
LINES = ("strong", "link.nvlink", "link.pcie", "memory.limit")


def themes():
    return {name: load_theme(name) for name in ("light", "dark")}


@pytest.mark.parametrize("name", ["light", "dark"])
@pytest.mark.parametrize("ground", GROUNDS)
def test_texts_can_be_read_on_every_ground(name: str, ground: str) -> None:
    colors = load_theme(name).colors

    low = {t: contrast(colors[t], colors[ground]) for t in TEXTS}

    assert min(low.values()) >= TEXT_CONTRAST, low


@pytest.mark.parametrize("name", ["light", "dark"])
def test_texts_can_be_read_on_their_quiet_fills(name: str) -> None:
    colors = load_theme(name).colors

    low = {t: contrast(colors[t], colors[soft]) for t, soft in SOFT.items()}

    assert min(low.values()) >= TEXT_CONTRAST, low
    assert contrast(colors["on_accent"], colors["accent"]) >= TEXT_CONTRAST


@pytest.mark.parametrize("name", ["light", "dark"])
def test_lines_and_curves_stand_out(name: str) -> None:
    theme = load_theme(name)
    surface = theme.colors["surface"]

    low = {t: contrast(theme.colors[t], surface) for t in LINES}
    low |= {f"series.{n}": contrast(c, surface) for n, c in enumerate(theme.series)}

    assert min(low.values()) >= LINE_CONTRAST, low


def test_contrast_of_black_on_white_is_21() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21.0)


def test_both_themes_name_the_same_tokens() -> None:
    light, dark = themes()["light"], themes()["dark"]

    assert set(light.colors) == set(dark.colors)
    assert len(light.series) == len(dark.series) == 8


@pytest.mark.parametrize("name", ["light", "dark"])
def test_the_style_sheet_leaves_no_token_open(name: str) -> None:
    sheet = build_style_sheet(load_theme(name), 10)

    assert "$" not in sheet


def test_choosing_a_theme_sets_the_palette(qapp) -> None:
    theme = Theme(themes(), data_root() / "resources" / "themes")

    theme.choose("dark")

    assert theme.is_dark
    assert qapp.palette().color(QPalette.ColorRole.Base) == theme.color("surface")
    theme.choose("light")
    assert qapp.palette().color(QPalette.ColorRole.Base) == theme.color("surface")


def test_the_system_theme_is_one_of_ours() -> None:
    theme = Theme(themes())

    theme.choose("system")

    assert theme.name in {"light", "dark"}
    assert theme.color("series.1") == theme.series_color(0) == theme.series_color(8)
    theme.choose("light")


def test_fonts_follow_their_roles() -> None:
    theme = Theme(themes())

    sizes = [theme.font(role).pointSizeF() for role in ("title", "section", "body", "caption")]

    assert sizes == sorted(sizes, reverse=True)
    assert letters(theme.font(), 10) > letters(theme.font(), 5) > 0


def test_icons_take_the_colour_of_the_theme(qtbot) -> None:
    theme = Theme(themes())
    icons = IconSet(load_assets(data_root()).icons, theme)

    class Target:
        def setIcon(self, icon) -> None:  # noqa: N802 - Qt's name
            self.icon = icon

    target = Target()
    icons.set_icon(target, "server", "accent")
    before = target.icon.cacheKey()
    theme.choose("dark")

    qtbot.waitUntil(lambda: target.icon.cacheKey() != before)  # what is not seen comes later
    pixmap = icons.pixmap("server", "accent", size=24, ratio=2.0)
    assert pixmap.width() == 48
    theme.choose("light")


def test_every_icon_that_is_named_in_the_code_is_there() -> None:
    names = set(load_assets(data_root()).icons)
    used = set()
    for file in (ROOT / "app" / "ui").rglob("*.py"):
        for line in file.read_text("utf-8").splitlines():
            if 'icon="' in line:
                used.add(line.partition('icon="')[2].partition('"')[0])

    assert used - names - {""} == set()


def test_pyside_keeps_the_reference_counts_of_shared_values() -> None:
    script = ROOT / "packaging" / "tools" / "check_qt_references.py"
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=False, timeout=50
    )

    assert done.returncode == 0, done.stdout + done.stderr


def test_no_word_of_a_help_text_is_slanted() -> None:
    document = QTextDocument()
    document.setMarkdown("Click *Next*, then **stop**.")
    lay_out(document, Theme(themes()))
    assert "italic" not in document.toHtml()
    assert document.toPlainText() == "Click Next, then stop."
