"""The Hosts page for daily use: find, group, note, take back, import; and where secrets go."""

import asyncio
import json
import shutil
from dataclasses import replace

import pytest
import ui_fakes
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QToolButton

from app.core.errors import ErrorCode, HostError
from app.core.events import (
    AuthMethod,
    DeploymentSnapshot,
    DeploymentState,
    HostKind,
    HostSnapshot,
    HostState,
    PhaseProgress,
)
from app.core.hardware.summary import summarize
from app.core.ids import HostId
from app.services.host_secrets import KeyringState
from app.ui.models.hosts import Column
from app.ui.viewmodels.hosts_keyring import keyring_advice, present_keyring
from app.ui.viewmodels.hosts_next import present_next
from app.ui.viewmodels.hosts_rows import present_host_row, present_running, ssh_command
from app.ui.widgets.connect_dialogs import SecretDialog
from app.ui.widgets.dialog import ConfirmDialog
from app.ui.widgets.hosts_details import HostDetails
from app.ui.widgets.hosts_dialog import HostDialog
from app.ui.widgets.hosts_import import ImportDialog


@pytest.fixture
def page(desk):
    desk.window.open_page("hosts")
    return desk.window.page("hosts")


def add(desk, name, *, connect=False, **changes):
    settings = replace(ui_fakes.ssh_settings(name), **changes)
    return desk.add_host(settings, connect=connect)


def shown(page):
    return [host.settings.name for host in page.hosts.shown()]


def opened(desk, kind):
    desk.qtbot.waitUntil(lambda: any(w.isVisible() for w in desk.window.findChildren(kind)))
    return next(widget for widget in desk.window.findChildren(kind) if widget.isVisible())


def gone(desk, kind):
    desk.qtbot.waitUntil(lambda: not any(w.isVisible() for w in desk.window.findChildren(kind)))


def look_at(desk, page, host):
    page.hosts.looked_at.emit(host.settings.id)
    return opened(desk, HostDetails)


def wants(what, **params):
    return HostError(ErrorCode.PASSWORD_NEEDED, {"what": what, **params}, cause="c", remedy="r")


# What comes next


def test_a_connected_host_leads_on(desk, page) -> None:
    add(desk, "alpha")
    assert page.next.step is None
    assert page.tools_row.add.property("kind") == "primary"
    ready = add(desk, "beta", connect=True)
    desk.window.select_host(ready.settings.id)
    desk.qtbot.waitUntil(page.next.isVisible)
    assert "beta" in page.next.step.words
    assert page.tools_row.add.property("kind") == ""  # one primary button per view
    page.next.button.click()  # the recorded host told nothing of a container engine
    assert desk.window.current_page == "fingerprint"


def test_after_adding_a_host_enter_goes_on(desk, outside, page) -> None:
    outside.fingerprints["gamma"] = ui_fakes.recorded_fingerprint()
    page.setFocus()
    page.view_model.added.emit(add(desk, "gamma"))
    desk.qtbot.waitUntil(page.next.isVisible)
    desk.qtbot.waitUntil(page.next.button.hasFocus)
    desk.qtbot.keyClick(page.next.button, Qt.Key.Key_Return)
    assert desk.window.current_page == page.next.step.page


def test_the_next_step_is_what_is_missing_or_nothing() -> None:
    host = HostSnapshot(
        revision=1, settings=ui_fakes.ssh_settings("box"), state=HostState.CONNECTED,
        summary=replace(summarize(ui_fakes.recorded_fingerprint()), container_text="Docker 26.1"),
    )  # fmt: skip
    bare = replace(host, summary=replace(host.summary, container_text=""))
    record = replace(host, settings=replace(host.settings, kind=HostKind.IMPORTED))
    assert present_next(host, ()).page == present_next(record, None).page == "plan"
    assert present_next(bare, ()).action == "checks"
    assert present_next(replace(host, state=HostState.LOST), ()) is None
    begun = (PhaseProgress(phase="create", started_s=0.2, duration_s=0.1),)
    assert present_next(host, (deployment("chat", DeploymentState.SERVING, phases=begun),)) is None
    assert present_next(host, (deployment("of-others", DeploymentState.SERVING),)).page == "plan"
    assert present_next(None, None) is None


# Finding


def test_search_finds_by_every_word_in_any_place(desk, page) -> None:
    add(desk, "alpha", group="Lab", notes="Rack 4, 上海")
    add(desk, "beta", group="Field", connect=True)
    desk.qtbot.waitUntil(lambda: page.model.rowCount() == 2)
    for words, found in (
        ("ALPHA", ["alpha"]), ("rack 上海", ["alpha"]), ("field h200", ["beta"]),
        ("rack field", []), ("", ["alpha", "beta"]),
    ):  # fmt: skip
        page.tools_row.search.setText(words)
        assert shown(page) == found


def test_nothing_found_offers_all_hosts_again(desk, page) -> None:
    add(desk, "alpha", group="Lab")
    page.tools_row.search.setText("nowhere")
    assert page.hosts.currentWidget() is not page.table
    page.hosts.cleared.emit()
    assert page.hosts.currentWidget() is page.table
    assert shown(page) == ["alpha"]


def test_groups_are_offered_once_there_are_any(desk, page) -> None:
    host = add(desk, "alpha")
    assert not page.tools_row.group.isVisible()
    assert page.table.isColumnHidden(Column.GROUP)
    page.view_model.change(host.settings.id, group="Lab")
    desk.qtbot.waitUntil(page.tools_row.group.isVisible)
    add(desk, "beta")
    assert not page.table.isColumnHidden(Column.GROUP)
    page.tools_row.group.setCurrentIndex(page.tools_row.group.findData("Lab"))
    assert shown(page) == ["alpha"]
    page.tools_row.group.setCurrentIndex(page.tools_row.group.findData(""))
    desk.qtbot.waitUntil(lambda: shown(page) == ["beta"])


def test_a_group_that_ends_shows_every_host(desk, page) -> None:
    host = add(desk, "alpha", group="Lab")
    add(desk, "beta", group="Field")
    desk.qtbot.waitUntil(lambda: page.tools_row.group.count() == 4)
    page.tools_row.group.setCurrentIndex(page.tools_row.group.findData("Lab"))
    page.view_model.change(host.settings.id, group="")
    desk.qtbot.waitUntil(lambda: len(shown(page)) == 2)


def test_widths_and_order_are_kept(desk, page) -> None:
    add(desk, "alpha")
    page.table.sortByColumn(Column.STATE, Qt.SortOrder.DescendingOrder)
    key = "window.hosts.table"

    def kept():
        return desk.finish(desk.app.last_used.get(key))

    desk.qtbot.waitUntil(lambda: kept() is not None)
    text = json.loads(kept())
    assert text["sort"] == ["STATE", 1]
    text["widths"]["GPUS"] = 333
    for broken in ("", "no", "[]", "{}", '{"widths": {}, "sort": ["X", 0]}'):
        page.hosts.arrange(broken)
    page.hosts.arrange(json.dumps(text))
    assert page.table.columnWidth(Column.GPUS) == 333
    assert page.table.horizontalHeader().sortIndicatorSection() == Column.STATE


# What runs where, notes, actions


def deployment(name, state, **changes):
    return DeploymentSnapshot(
        revision=1, host_id=HostId("h"), host_name="h", name=name, state=state, engine="vllm",
        engine_version="0.32.0", model_name="Qwen3-8B", host_port=8000, **changes,
    )  # fmt: skip


def test_a_row_tells_the_worst_of_what_runs_there(desk) -> None:
    host = add(desk, "alpha", connect=True)
    runs = (deployment("b", DeploymentState.SERVING), deployment("a", DeploymentState.FAILED))
    row = present_host_row(host, now_s=0.0, deployments=runs)
    assert row.texts[Column.DEPLOYMENTS] == "2"
    assert row.runs.status == "error"
    assert "a: Failed · vLLM 0.32.0 · Qwen3-8B" in row.tool_tips[Column.DEPLOYMENTS]
    assert [one.text for one in present_running(runs)] == [
        "vLLM 0.32.0 · Qwen3-8B", "vLLM 0.32.0 · Qwen3-8B · port 8000",
    ]  # fmt: skip
    assert "qwen3-8b" in row.search


@pytest.mark.parametrize(
    ("changes", "command"),
    [
        ({}, "ssh ops@gpu.example"),
        ({"user": "", "port": 2222}, "ssh -p 2222 gpu.example"),
        ({"key_file": "/my keys/one"}, "ssh -i '/my keys/one' ops@gpu.example"),
    ],
)
def test_the_ssh_command_fits_the_settings(changes, command) -> None:
    settings = ui_fakes.ssh_settings("a", address="gpu.example", user="ops", port=22)
    assert ssh_command(replace(settings, **changes)) == command


def test_notes_are_kept_when_they_are_left(desk, page) -> None:
    host = add(desk, "alpha")
    details = look_at(desk, page, host)
    details.notes.setFocus()
    desk.qtbot.keyClicks(details.notes, "rack 4")
    page.table.setFocus()
    desk.qtbot.waitUntil(lambda: desk.app.hosts.find("alpha").settings.notes == "rack 4")
    details.notes.setPlainText("rack 5")
    desk.window.hide_inspector()
    desk.qtbot.waitUntil(lambda: desk.app.hosts.find("alpha").settings.notes == "rack 5")


def test_details_follow_the_host(desk, page) -> None:
    host = add(desk, "alpha")
    details = look_at(desk, page, host)
    assert details.acts._acts[0].words == "Connect"
    details.acts._buttons[0].click()
    desk.qtbot.waitUntil(lambda: details.acts._acts[0].words == "Disconnect")
    desk.qtbot.waitUntil(details.acts._buttons[1].isEnabled)


def test_what_runs_is_listed_and_opens(desk, page) -> None:
    details = look_at(desk, page, add(desk, "alpha"))
    rows = present_running((deployment("chat", DeploymentState.SERVING),))
    wanted = []
    details.deployment_opened.connect(wanted.append)
    details.running.set_rows(rows)
    details.running.set_rows(rows)
    (button,) = details.running.findChildren(QToolButton)
    assert button.accessibleName() == "Open chat"
    button.click()
    assert wanted == ["chat"]
    assert desk.window.current_page == "deployments"


def test_a_host_changes_its_group_from_the_menu(desk, page) -> None:
    host = add(desk, "alpha")
    add(desk, "beta", group="R&D")
    menu = page.menu_for(host.settings.id)
    (groups,) = (action.menu() for action in menu.actions() if action.text() == "Group")
    (target,) = (action for action in groups.actions() if action.text() == "R&&D")
    target.trigger()
    desk.qtbot.waitUntil(lambda: desk.app.hosts.find("alpha").settings.group == "R&D")


def test_keys_of_the_table(desk, page) -> None:
    add(desk, "alpha", address="gpu.example", user="ops", port=22)
    page.table.setFocus()
    page.table.selectRow(0)
    desk.qtbot.keyClick(page.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "ssh ops@gpu.example"
    desk.qtbot.keyClick(page.table, Qt.Key.Key_Space)
    opened(desk, HostDetails)
    page.table.setFocus()
    desk.qtbot.keyClick(page.table, Qt.Key.Key_F2)
    dialog = opened(desk, HostDialog)
    dialog.group.setCurrentText("Lab")
    dialog.submit()
    desk.qtbot.waitUntil(lambda: desk.app.hosts.find("alpha").settings.group == "Lab")


def test_a_removed_host_comes_back(desk, page) -> None:
    host = add(desk, "alpha", group="Lab")
    page.remove(host.settings.id)
    opened(desk, ConfirmDialog).accept_button.click()
    desk.qtbot.waitUntil(lambda: "alpha" in page.undo.text)
    desk.qtbot.waitUntil(lambda: desk.window.hosts() == ())
    desk.window.activateWindow()
    desk.qtbot.waitUntil(desk.window.isActiveWindow)
    desk.qtbot.keyClick(desk.window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    desk.qtbot.waitUntil(lambda: shown(page) == ["alpha"])
    assert page.undo.text == ""


def test_many_hosts_connect_at_once_and_one_that_hangs_slows_nobody(
    desk, page, outside, heartbeat
) -> None:
    with heartbeat.paused():
        outside.connect_gates["host-07"] = asyncio.Event()
        for number in range(50):
            desk.finish(desk.app.hosts.add(ui_fakes.ssh_settings(f"host-{number:02}")))
        desk.qtbot.waitUntil(lambda: page.model.rowCount() == 50)
    page.shown.connect()

    def states():
        return [host.state for host in desk.window.hosts()]

    desk.qtbot.waitUntil(lambda: states().count(HostState.CONNECTED) == 49)
    assert states().count(HostState.CONNECTING) == 1
    page.tools_row.search.setText("host-1")
    page.shown.disconnect()
    desk.qtbot.waitUntil(lambda: states().count(HostState.CONNECTED) == 39)


# Importing


@pytest.mark.skipif(shutil.which("ssh") is None, reason="needs ssh")
def test_ticked_hosts_of_an_ssh_configuration_are_added(desk, page, tmp_path) -> None:
    config = tmp_path / "config"
    config.write_text("Host b\n HostName 10.0.0.2\n User u\nHost a\nHost c\n ProxyJump j\n")
    page.import_ssh_config()
    dialog = opened(desk, ImportDialog)
    desk.qtbot.waitUntil(dialog.banner.isVisible)  # there is no ~/.ssh/config
    dialog.file.setText(str(config))
    dialog.load()
    desk.qtbot.waitUntil(lambda: dialog.table.model() is not None and len(dialog.chosen) == 2)
    dialog.table.sortByColumn(0, Qt.SortOrder.DescendingOrder)
    assert {entry.alias for entry in dialog.chosen} == {"a", "b"}
    dialog._model.findItems("a")[0].setCheckState(Qt.CheckState.Unchecked)
    dialog.group.setCurrentText("Imported")
    dialog.submit()
    gone(desk, ImportDialog)
    settings = desk.app.hosts.find("b").settings
    assert (settings.address, settings.user, settings.group) == ("10.0.0.2", "u", "Imported")
    assert len(desk.app.hosts.snapshot()) == 1


def test_match_exec_is_asked_about(desk, page, tmp_path) -> None:
    config = tmp_path / "config"
    config.write_text("Host a\nMatch exec false\n User u\n")
    page.import_ssh_config()
    dialog = opened(desk, ImportDialog)
    desk.qtbot.waitUntil(dialog.banner.isVisible)
    dialog.file.setText(str(config))
    dialog.load()
    desk.qtbot.waitUntil(dialog.commands.isVisible)
    assert "false" in dialog.commands.text()
    assert not dialog.commands.isChecked()
    dialog.reject()


# Secrets


def test_a_password_is_remembered_when_that_is_ticked(desk, outside) -> None:
    outside.keyring = ui_fakes.FakeKeyring()
    host = add(desk, "alpha")
    outside.refusals["alpha"] = [wants("password")]
    desk.window.connect_host(host.settings.id)
    dialog = opened(desk, SecretDialog)
    assert not dialog.remember.is_wanted
    dialog.remember.box.setChecked(True)
    dialog._input.setText("s3cret")
    dialog.submit()
    desk.qtbot.waitUntil(lambda: "s3cret" in outside.keyring.kept.values())
    desk.qtbot.waitUntil(lambda: desk.app.hosts.find("alpha").settings.keeps_secrets)
    desk.window.page("hosts")._forget_secrets(host.settings.id)
    desk.qtbot.waitUntil(lambda: not outside.keyring.kept)


def test_without_a_keyring_the_dialog_says_that_memory_holds_it(desk, outside) -> None:
    host = add(desk, "alpha")
    outside.refusals["alpha"] = [wants("password")]
    desk.window.connect_host(host.settings.id)
    dialog = opened(desk, SecretDialog)
    desk.qtbot.waitUntil(lambda: not dialog.remember.box.isEnabled())
    assert "memory" in dialog.remember.box.toolTip()
    dialog.reject()


def test_a_keyring_that_stays_locked_is_told(desk, outside) -> None:
    outside.keyring = ui_fakes.FakeKeyring()
    outside.keyring.error = type("KeyringLocked", (Exception,), {})("dismissed")
    host = add(desk, "alpha")
    desk.window.connecting.connect_host(host, password="x", remember=True)
    desk.qtbot.waitUntil(lambda: bool(desk.window.view_model.errors))
    assert desk.window.view_model.errors[0].code is ErrorCode.KEYRING_UNUSABLE
    assert desk.app.hosts.find("alpha").state is HostState.CONNECTED


def test_the_passphrase_of_one_key_is_asked_for_once(desk, outside) -> None:
    keyed = {"auth": AuthMethod.KEY, "key_file": "/keys/one"}
    hosts = [add(desk, name, **keyed) for name in ("alpha", "beta")]
    for host in hosts:
        outside.refusals[host.settings.name] = [wants("passphrase", key_file="/keys/one")]
        desk.window.connect_host(host.settings.id)
    dialog = opened(desk, SecretDialog)
    desk.qtbot.waitUntil(lambda: all(h.state is HostState.FAILED for h in desk.window.hosts()))
    assert len(desk.window.findChildren(SecretDialog)) == 1
    dialog._input.setText("open")
    dialog.submit()
    desk.qtbot.waitUntil(lambda: all(h.state is HostState.CONNECTED for h in desk.window.hosts()))


@pytest.mark.parametrize("reason", ["", "no-backend", "not-guarded", "locked", "failed", "new"])
def test_every_state_of_the_keyring_has_words(reason) -> None:
    state = KeyringState(is_usable=not reason, reason=reason)
    assert present_keyring(state).word
    assert "memory" in keyring_advice(state)


def test_settings_show_the_keyring_and_look_again(desk, outside) -> None:
    desk.window.open_page("settings")
    card = desk.window.page("settings").keyring_card
    desk.qtbot.waitUntil(lambda: "No system keyring" in card.state.accessibleName())
    outside.keyring = ui_fakes.FakeKeyring()
    card.again.click()
    desk.qtbot.waitUntil(lambda: not card.again.isVisible())
