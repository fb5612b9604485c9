"""For everybody: names for screen readers, contrast of what is used, colours from tokens only."""

import re
from pathlib import Path

import pytest
import ui_fakes
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QComboBox,
    QDialog,
    QHeaderView,
    QLineEdit,
    QScrollArea,
    QScrollBar,
    QTabBar,
    QTabWidget,
    QToolButton,
    QWidget,
)

from app.core.appearance import LINE_CONTRAST, TEXT_CONTRAST, contrast
from app.core.errors import ErrorCode, ErrorInfo
from app.io.datafiles import load_theme
from app.ui.pages.registry import load_pages
from app.ui.stylesheet import build_style_sheet
from app.ui.widgets.connect_dialogs import KeyChangedDialog, KeyDialog, SecretDialog
from app.ui.widgets.dialog import ConfirmDialog

ROOT = Path(__file__).parents[2]
PAGES = tuple(spec.id for spec in load_pages())

# Names


def name_of(widget: QWidget) -> str:
    """Return what a screen reader says of a widget: its name, else the text it shows."""
    text = widget.text() if isinstance(widget, QAbstractButton) else ""
    return widget.accessibleName().strip() or text.replace("&", "").strip()


def is_part_of_another(widget: QWidget) -> bool:
    """Tell whether Qt made it inside a control that has the name itself."""
    parent = widget.parentWidget()
    return (
        isinstance(widget, QScrollBar | QTabBar | QScrollArea | QTabWidget | QHeaderView)
        or (isinstance(widget, QLineEdit) and isinstance(parent, QComboBox | QAbstractSpinBox))
        or (isinstance(parent, QAbstractScrollArea) and parent.viewport() is widget)
        or type(widget).__name__ in {"QComboBoxPrivateContainer", "QComboBoxListView"}
    )


def nameless(root: QWidget) -> list[str]:
    """Return the controls below ``root`` that can have the focus and say nothing."""
    found = []
    for widget in (root, *root.findChildren(QWidget)):
        if not widget.isVisibleTo(root) or is_part_of_another(widget) or widget is root:
            continue
        reached = widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        control = isinstance(widget, QAbstractButton | QLineEdit | QComboBox | QAbstractItemView)
        if (reached or control) and not name_of(widget):
            found.append(f"{type(widget).__name__} in {type(widget.parentWidget()).__name__}")
        if isinstance(widget, QToolButton) and not widget.text() and not widget.toolTip():
            found.append(f"no tool tip: {type(widget.parentWidget()).__name__}")
    return found


def states(page: QWidget) -> list[QWidget]:
    """Return each state of a page in turn: its tabs, else the page as it is."""
    tabs = getattr(page, "tabs", None)
    return [tabs.widget(n) for n in range(tabs.count())] if isinstance(tabs, QTabWidget) else [page]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_every_control_of_every_page_has_a_name(demo, language) -> None:
    demo.use(language=language)
    assert nameless(demo.window.centralWidget()) == []
    for page_id in PAGES:
        demo.window.open_page(page_id)
        page = demo.window.page(page_id)
        for state in states(page):
            if state is not page:
                page.tabs.setCurrentWidget(state)
            demo.qtbot.wait(20)
            assert nameless(page) == [], page_id


def test_every_control_of_a_page_without_a_host_has_a_name(desk) -> None:
    for page_id in PAGES:
        desk.window.open_page(page_id)
        assert nameless(desk.window.page(page_id)) == [], page_id


def error(code: ErrorCode) -> ErrorInfo:
    params = {"host": "h", "user": "u", "port": "22", "sha256": "SHA256:x", "previous": "SHA256:y"}
    return ErrorInfo(code=code, params=params, cause="c", remedy="r")


def test_every_control_of_every_dialog_has_a_name_and_escape_closes_it(desk, wait) -> None:
    host = desk.add_host(ui_fakes.ssh_settings(), connect=False)
    icons, theme, window = desk.parts.icons, desk.parts.theme, desk.window
    desk.window.open_page("hosts")
    page = desk.window.page("hosts")
    asked = error(ErrorCode.AUTH_FAILED)
    for make in (
        lambda: KeyDialog(icons, theme, window, host, error(ErrorCode.HOST_KEY_UNKNOWN)).open(),
        lambda: KeyChangedDialog(
            icons, theme, window, host, error(ErrorCode.HOST_KEY_CHANGED)
        ).open(),
        lambda: SecretDialog(icons, window, host, asked, passphrase=True).open(),
        lambda: ConfirmDialog(
            icons, window, title="t", text="x", verb="v", on_yes=lambda: None
        ).open(),
        lambda: page.edit(host.settings.id),
        page.add_over_ssh,
        page.import_ssh_config,
        window.show_palette,
    ):
        make()
        wait(lambda: any(d.isVisible() for d in window.findChildren(QDialog)))
        dialog = next(d for d in window.findChildren(QDialog) if d.isVisible())
        assert nameless(dialog) == [], type(dialog).__name__
        desk.qtbot.keyClick(dialog, Qt.Key.Key_Escape)
        wait(lambda: not any(d.isVisible() for d in window.findChildren(QDialog)))


def test_tab_reaches_every_control_of_a_page_and_comes_back(desk) -> None:
    desk.window.open_page("settings")
    desk.window.activateWindow()
    desk.qtbot.waitUntil(desk.window.isActiveWindow)
    page = desk.window.page("settings")
    page.language.setFocus()
    reached = []
    for _ in range(80):
        desk.qtbot.keyClick(desk.window.focusWidget(), Qt.Key.Key_Tab)
        widget = desk.window.focusWidget()
        if widget is page.language:
            break
        reached.append(widget)
    assert widget is page.language
    for control in (page.theme, page.look.text_size, page.network.mirrors, page.network.proxy):
        assert control in reached
    assert reached.index(page.theme) < reached.index(page.network.proxy)


# Colours

HEX = re.compile(r"#[0-9A-Fa-f]{6,8}\b|rgba?\(")
NAMED = re.compile(r"Qt\.GlobalColor\.(?!transparent)\w+|QColor\(\s*[\"'0-9]")


def test_no_colour_stands_outside_the_themes() -> None:
    found = []
    for file in sorted((ROOT / "app" / "ui").rglob("*.py")):
        for number, line in enumerate(file.read_text("utf-8").splitlines(), start=1):
            if HEX.search(line) or NAMED.search(line):
                found.append(f"{file.relative_to(ROOT)}:{number}: {line.strip()}")
    assert found == []


RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
DISABLED = re.compile(r":disabled")


def pairs(sheet: str) -> list[tuple[str, str, str]]:
    """Return selector, text colour and ground of every rule of a style sheet that sets both."""
    found = []
    for selectors, body in RULE.findall(sheet):
        values = dict(
            (part.strip() for part in one.split(":", 1)) for one in body.split(";") if ":" in one
        )
        text, ground = values.get("color", ""), values.get("background", "")
        if text.startswith("#") and ground.startswith("#") and not DISABLED.search(selectors):
            found.append((" ".join(selectors.split()), text, ground))
    return found


@pytest.mark.parametrize("name", ["light", "dark"])
def test_text_can_be_read_on_every_ground_the_style_sheet_gives_it(name: str) -> None:
    found = pairs(build_style_sheet(load_theme(name), 10))

    low = [(who, text, on) for who, text, on in found if contrast(text, on) < TEXT_CONTRAST]

    assert len(found) > 8
    assert low == []


WORDS_ON = {
    "hover": ("text", "muted", "status.error"),
    "selected": ("text", "muted", "accent", "status.ok", "status.warn", "status.error"),
    "soft.error": ("text", "muted", "status.error"),
    "soft.warn": ("text", "muted", "status.warn"),
    "soft.ok": ("text", "muted", "status.ok"),
    "soft.unknown": ("text", "muted"),
    "lane": ("text", "muted"),
    "island": ("text", "muted"),
    "track": ("muted",),
}
"""Words that are drawn on a ground: selected and hovered rows, banners, badges, the scenes."""

GRAPHICS = ("strong", "accent", "status.ok", "status.warn", "status.error", "status.unknown",
            "link.nvlink", "link.pcie", "memory.limit", "memory.weights", "memory.kv",
            "memory.activations", "memory.graphs", "memory.other")  # fmt: skip


@pytest.mark.parametrize("name", ["light", "dark"])
@pytest.mark.parametrize("ground", WORDS_ON)
def test_words_can_be_read_on_every_ground_they_are_drawn_on(name: str, ground: str) -> None:
    colors = load_theme(name).colors
    low = {
        word: round(contrast(colors[word], colors[ground]), 2)
        for word in WORDS_ON[ground]
        if contrast(colors[word], colors[ground]) < TEXT_CONTRAST
    }
    assert low == {}


@pytest.mark.parametrize("name", ["light", "dark"])
@pytest.mark.parametrize(
    "ground", ["window", "surface", "hover", "selected", "soft.accent", "track", "memory.free"]
)
def test_an_empty_bar_shows_its_length_on_every_ground(name: str, ground: str) -> None:
    colors = load_theme(name).colors

    assert contrast(colors["edge"], colors[ground]) >= LINE_CONTRAST


@pytest.mark.parametrize("name", ["light", "dark"])
@pytest.mark.parametrize("ground", ["surface", "raised"])
def test_edges_icons_and_pictures_stand_out(name: str, ground: str) -> None:
    colors = load_theme(name).colors
    low = {
        token: round(contrast(colors[token], colors[ground]), 2)
        for token in GRAPHICS
        if contrast(colors[token], colors[ground]) < LINE_CONTRAST
    }
    assert low == {}


def test_every_token_that_the_code_names_is_in_both_themes() -> None:
    named = set()
    token = re.compile(r"\.color\(\s*\"([a-z_.]+)\"\s*\)")
    for file in (ROOT / "app" / "ui").rglob("*.py"):
        named |= set(token.findall(file.read_text("utf-8")))
    for name in ("light", "dark"):
        assert named - set(load_theme(name).colors) == set()
