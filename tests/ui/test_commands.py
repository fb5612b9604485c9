"""Copied commands are commands; the palette finds by few letters; keys agree with the help."""

import shlex
from itertools import chain

import click
import pytest
import ui_fakes
from PySide6.QtGui import QShortcut
from PySide6.QtWidgets import QApplication, QMenu

from app.cli.main import pitwall
from app.core.events import AuthMethod, HostKind, HostSettings
from app.core.ids import HostId
from app.ui.keys import PAGE_KEYS, WINDOW_KEYS, portable, shown
from app.ui.models.fuzzy import score
from app.ui.pages.registry import load_pages
from app.ui.viewmodels.as_command import (
    add_host,
    command,
    deploy_command,
    deployment_commands,
    diff_command,
)
from app.ui.viewmodels.help import FIRST_TOPIC, topic_of
from app.ui.widgets.page import Page

PAGES = tuple(spec.id for spec in load_pages())
HARD = "/srv/it's 50 % $HOME/模型.json"


def parse(text: str) -> dict[str, object]:
    """Read a pasted command as the shell and the command line do, up to running it."""
    words = shlex.split(text)
    assert words[0] == "pitwall"
    found: click.Command = pitwall
    rest = words[1:]
    while isinstance(found, click.Group):
        inner = found.get_command(click.Context(found), rest[0])
        assert inner is not None, text
        found, rest = inner, rest[1:]
    return found.make_context("pitwall", list(rest)).params


def settings(**changes: object) -> HostSettings:
    values: dict[str, object] = {"id": HostId("1"), "name": "h200-a", "kind": HostKind.SSH}
    return HostSettings(**{**values, "address": "10.0.0.5", **changes})


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        (settings(), {"ssh": "10.0.0.5"}),
        (settings(user="ops", port=2222), {"ssh": "ops@10.0.0.5:2222"}),
        (settings(address="fd00::5", port=2222), {"ssh": "[fd00::5]:2222"}),
        (settings(key_file=HARD, auth=AuthMethod.KEY), {"key_file": HARD}),
        (settings(auth=AuthMethod.PASSWORD), {"ask_password": True}),
        (settings(notes="rack 4; it's $HOT", group="机房 A"), {"notes": "rack 4; it's $HOT"}),
        (settings(docker_socket="/run/user/1000/docker.sock"), {"ask_password": False}),
        (settings(kind=HostKind.LOCAL), {"local": True}),
        (settings(kind=HostKind.DEMO), {"demo": True}),
    ],
)
def test_adding_a_host_again_says_what_it_was(host: HostSettings, expected: dict) -> None:
    line = add_host(host)

    assert line is not None
    assert expected.items() <= parse(line.text).items()


def test_a_record_cannot_be_added_again_from_what_is_known() -> None:
    assert add_host(settings(kind=HostKind.IMPORTED)) is None


@pytest.mark.parametrize(
    "line",
    [
        *deployment_commands("h200-a/chat"),
        *deploy_command(HARD, "h200-a", "chat"),
        diff_command(("h200-a@2026-11-30T04:00:00Z", HARD), only_behaviour=True),
        command("check", HARD),
    ],
    ids=lambda line: line.argv[0],
)
def test_every_command_is_read_by_the_command_line_as_it_was_meant(line) -> None:
    assert parse(line.text)
    assert tuple(shlex.split(line.text)[1:]) == line.argv


def test_every_page_offers_commands_that_can_be_read(demo, wait) -> None:
    host = demo.window.current_host
    folder = demo.app.hosts.find("demo").settings.model_folder or "/models"
    demo.window.open_page("plan")
    plan = demo.window.page("plan").view_model
    plan.find_models(folder)
    wait(lambda: bool(plan.state.candidates))
    plan.choose_model(plan.state.candidates[0].path)
    wait(lambda: plan.state.plan is not None and not plan.state.is_planning)
    offered: dict[str, list[str]] = {}

    for page_id in PAGES:
        demo.window.open_page(page_id)
        page = demo.window.page(page_id)
        offered[page_id] = [line.text for line in page.command_lines()]
        if page_id == "fingerprint":
            for tab in range(page.tabs.count()):
                page.tabs.setCurrentIndex(tab)
                offered[page_id] += [line.text for line in page.command_lines()]

    for text in chain.from_iterable(offered.values()):
        parse(text)
    assert host is not None
    without = {page_id for page_id, lines in offered.items() if not lines}
    assert without == {"settings", "help", "about"}
    assert any(line.startswith("pitwall plan --host demo --model") for line in offered["plan"])


def test_the_menu_copies_and_says_so(desk) -> None:
    snapshot = desk.add_host(ui_fakes.ssh_settings(), connect=False)
    desk.window.select_host(snapshot.settings.id)
    desk.window.open_page("hosts")
    page = desk.window.page("hosts")
    menu = QMenu()
    page._commands.fill(menu)
    texts = [action.text() for action in menu.actions()]
    assert texts[0].startswith("pitwall hosts add h200-a --ssh")

    menu.actions()[0].trigger()

    assert QApplication.clipboard().text() == texts[0]
    assert texts[0] in desk.window._activity._text.full_text
    inner = [action.menu() for action in page.menu_for(snapshot.settings.id).actions()]
    assert [a.text() for m in inner if m for a in m.actions() if "pitwall" in a.text()]


# Keys


def shortcuts(widget) -> set[str]:
    return {portable(found.key()) for found in widget.findChildren(QShortcut)}


def test_every_bound_key_is_in_the_table_and_the_other_way_round(desk) -> None:
    desk.add_host(ui_fakes.ssh_settings())
    for page_id in PAGES:
        desk.window.open_page(page_id)
        page = desk.window.page(page_id)
        for tab in range(page.tabs.count()) if hasattr(page, "tabs") else ():
            page.tabs.setCurrentIndex(tab)
            desk.qtbot.wait(1)
        told = {key.keys for key in PAGE_KEYS.get(page_id, ()) if key.bound}
        # Esc closes what is open inside a page; the window's own line of the table says so.
        assert shortcuts(page) - {"Esc"} == told, page_id
    of_pages = {
        portable(found.key())
        for page_id in PAGES
        for found in desk.window.page(page_id).findChildren(QShortcut)
    }
    digits = {f"Ctrl+{number}" for number in range(1, 10)}
    told = {key.keys for key in WINDOW_KEYS}
    assert told | digits <= shortcuts(desk.window)
    assert shortcuts(desk.window) <= told | digits | of_pages


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_help_lists_every_key_in_words(desk, language) -> None:
    desk.use(language=language)
    desk.window.open_page("help")
    page = desk.window.page("help")
    page.open_topic("06-keys")

    text = page.text.toPlainText()

    for key in (*WINDOW_KEYS, *(key for keys in PAGE_KEYS.values() for key in keys)):
        assert shown(key.keys) in text
    assert "<!--" not in text
    assert ("Refresh" in text) is (language == "en")


def test_every_page_has_a_topic_of_help_in_both_languages(desk) -> None:
    pages = desk.parts.assets.help_pages
    assert set(pages["en"]) == set(pages["zh_CN"])
    topics = tuple(pages["en"])
    without = {page_id for page_id in PAGES if topic_of(page_id, topics) == FIRST_TOPIC}
    assert without <= {"help", "about"}


def test_f1_opens_the_topic_of_the_page_in_front(desk) -> None:
    desk.window.open_page("deployments")
    desk.window.show_help()
    page = desk.window.page("help")
    assert page._topic == "05-deployments"


def test_searching_the_help_keeps_the_topics_that_hold_every_word(desk) -> None:
    desk.window.open_page("help")
    page = desk.window.page("help")
    everything = page.topics.count()

    page.search.setText("support bundle")
    assert 0 < page.topics.count() < everything
    assert page.text.extraSelections()
    page.search.setText("no such words anywhere xyzzy")
    assert page.topics.count() == 0
    assert page.nothing.isVisible()
    assert page.escape() is True
    assert page.topics.count() == everything


# The palette


@pytest.mark.parametrize(
    ("typed", "finds"),
    [("depl", "Deployments"), ("dplo", "Deployments"), ("mirr", "Mirrors for images"),
     ("support bundle", "Support bundle"), ("copy comm", "Copy as command"),
     ("back defa", "Back to the defaults")],
)  # fmt: skip
def test_the_palette_finds_by_few_letters(desk, typed, finds) -> None:
    from app.ui.models.commands import CommandFilter, CommandModel

    desk.window.open_page("settings")
    model = CommandModel(desk.window._commands(), desk.parts.icons, desk.window)
    found = CommandFilter(desk.window)
    found.setSourceModel(model)

    found.set_text(typed)

    assert str(found.index(0, 0).data()).startswith(finds)


def test_better_fits_come_first() -> None:
    texts = ("deployments page", "stop a deployment", "redeploy", "dull emply")
    found = [score(text, ("depl",)) for text in texts]
    assert found == sorted(found, reverse=True)
    assert score("hosts page", ("xyz",)) == 0
    assert score("anything", ()) > 0


def test_the_palette_shows_the_keys_that_do_the_same(desk) -> None:
    keys = {one.words: one.keys for one in desk.window._commands() if one.keys}
    assert keys["Refresh"] == "F5"
    assert keys["Hosts"] == "Ctrl+1"


def test_a_page_without_commands_has_no_button_for_them(desk) -> None:
    for page_id in PAGES:
        page = desk.window.page(page_id)
        assert isinstance(page, Page)
        has_lines = type(page).command_lines is not Page.command_lines
        assert (page._commands is not None) is has_lines, page_id
