"""The window around the pages: pages, keys, activity, errors, state, the end."""

import asyncio
import os
import subprocess
import sys

import pytest
import ui_fakes
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QWidget

from app.core.errors import ErrorCode, ErrorInfo, HostError
from app.core.events import ActivityChanged, AuthMethod, HostState
from app.ui.widgets.connect_dialogs import KeyChangedDialog, KeyDialog, SecretDialog
from app.ui.widgets.dialog import ConfirmDialog
from app.ui.widgets.hosts_dialog import HostDialog
from app.ui.widgets.palette import Palette
from app.ui.window_frame import first_size

SHA = "SHA256:uNiVztksCsDhcc0u9e8BrgJXVGDPfgIwuJkgLbOUNUY"
OURS = ("hosts", "fingerprint", "topology", "settings", "help", "about")
UNREACHABLE = HostError(
    ErrorCode.HOST_UNREACHABLE,
    {"host": "10.0.0.7", "port": "22"},
    cause="10.0.0.7 does not answer on port 22.",
    remedy="Check the address.",
)


def refused(code: ErrorCode, **params: str) -> HostError:
    return HostError(code, {"host": "10.0.0.7", "user": "ops", **params}, cause="No.", remedy="")


def visible(desk, kind):
    found = [w for w in desk.window.findChildren(kind) if w.isVisible()]
    return found[0] if found else None


def opened(desk, kind):
    desk.qtbot.waitUntil(lambda: visible(desk, kind) is not None)
    return visible(desk, kind)


def state_of(desk, host_id) -> HostState:
    return desk.app.hosts.find(host_id).state


# Pages


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_every_page_opens_in_each_language_and_theme(desk, heartbeat, language, theme) -> None:
    with heartbeat.paused():
        snapshot = desk.add_host(ui_fakes.ssh_settings())
        desk.window.select_host(snapshot.settings.id)
        desk.use(language=language, theme=theme)

    for page_id in OURS:
        desk.window.open_page(page_id)
        desk.qtbot.wait(60)
        with heartbeat.paused():
            assert desk.window.current_page == page_id
            picture = desk.window.grab().toImage()
            assert picture.width() >= 1280


@pytest.mark.parametrize("page_id", OURS)
def test_no_page_makes_the_window_wider_than_a_small_screen(desk, page_id) -> None:
    desk.use(language="en")
    desk.window.open_page(page_id)

    assert desk.window.minimumSizeHint().width() <= 1024
    assert desk.window.minimumSizeHint().height() <= 700


def test_a_change_of_language_changes_every_word_at_once(desk) -> None:
    for page_id in OURS:
        desk.window.open_page(page_id)
    desk.finish(desk.app.settings.update(language="zh_CN"))
    desk.qtbot.waitUntil(lambda: desk.parts.translations.language == "zh_CN")
    desk.qtbot.wait(50)

    english = []
    for page_id in OURS:
        desk.window.open_page(page_id)  # a page behind takes the language when it is shown
        english += [
            label.text()
            for label in desk.window.page(page_id).findChildren(QLabel)
            if label.property("role") == "title" and label.text().isascii() and label.text()
        ]
    assert english == []


def test_a_change_of_theme_reaches_the_window(desk) -> None:
    desk.finish(desk.app.settings.update(theme="dark"))

    desk.qtbot.waitUntil(lambda: desk.parts.theme.is_dark)
    desk.use(theme="light")


def test_every_control_with_an_icon_only_has_a_name_and_a_tool_tip(desk) -> None:
    snapshot = desk.add_host(ui_fakes.ssh_settings())
    desk.window.select_host(snapshot.settings.id)
    for page_id in OURS:
        desk.window.open_page(page_id)
    desk.window.show_error(UNREACHABLE.info)
    desk.window.page("hosts").add_over_ssh()

    nameless = [
        button
        for button in desk.window.findChildren(QAbstractButton)
        if not button.text()
        and button.metaObject().className() not in {"QTableCornerButton", "QAbstractButton"}
        and not button.objectName().startswith("qt_")
        and not (button.accessibleName() and button.toolTip())
        and type(button).__name__ != "ChoiceButton"
        and button.parent().metaObject().className() not in {"QLineEdit", "QTableView"}
    ]
    assert nameless == []


def test_every_input_has_an_accessible_name(desk) -> None:
    from PySide6.QtWidgets import QAbstractItemView, QComboBox, QLineEdit, QPlainTextEdit, QSpinBox

    for page_id in OURS:
        desk.window.open_page(page_id)
    desk.window.page("hosts").add_over_ssh()

    nameless = [
        widget
        for kind in (QLineEdit, QComboBox, QPlainTextEdit, QSpinBox, QAbstractItemView)
        for widget in desk.window.findChildren(kind)
        if not widget.accessibleName()
        and not widget.objectName().startswith("qt_")
        and "ComboBox" not in widget.metaObject().className()
        and "ComboBox" not in type(widget.parent()).__name__
        and type(widget).__name__ not in {"QHeaderView", "QListView"}
    ]
    assert nameless == []


def test_the_palette_begins_actions_and_says_when_it_finds_nothing(desk) -> None:
    desk.window.show_palette()
    palette = opened(desk, Palette)
    desk.qtbot.keyClicks(palette.input, "zzz")
    assert palette.nothing.isVisible()
    assert "zzz" in palette.nothing.text()

    palette.input.setText("add ssh")
    assert not palette.nothing.isVisible()
    desk.qtbot.keyClick(palette.input, Qt.Key.Key_Return)

    opened(desk, HostDialog).reject()
    assert desk.window.current_page == "hosts"


def test_the_palette_finds_english_names_in_chinese(desk) -> None:
    desk.use(language="zh_CN")
    desk.window.show_palette()
    palette = opened(desk, Palette)

    palette.input.setText("settings")
    desk.qtbot.keyClick(palette.input, Qt.Key.Key_Return)

    assert desk.window.current_page == "settings"


def test_what_was_said_goes_with_the_page_and_the_language(desk) -> None:
    desk.window.notify("Copied")
    desk.window.open_page("settings")
    assert desk.window._activity._text.full_text == "Ready"

    desk.window.notify("Copied")
    desk.use(language="zh_CN")
    desk.qtbot.waitUntil(lambda: desk.window._activity._text.full_text == "就绪")


def test_a_first_window_fits_the_screen_with_its_title_bar() -> None:
    assert first_size(QSize(1280, 800)).height() < 770
    assert first_size(QSize(2560, 1440)) == QSize(1280, 800)


def test_keys_open_pages_and_the_palette(desk) -> None:
    desk.window.activateWindow()
    desk.qtbot.keyClick(desk.window, Qt.Key.Key_3, Qt.KeyboardModifier.ControlModifier)
    assert desk.window.current_page == "topology"

    desk.qtbot.keyClick(desk.window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    palette = opened(desk, Palette)
    desk.qtbot.keyClicks(palette.input, "sett")
    desk.qtbot.keyClick(palette.input, Qt.Key.Key_Return)

    assert desk.window.current_page == "settings"


def test_the_palette_moves_with_the_arrows(desk) -> None:
    desk.window.show_palette()
    palette = opened(desk, Palette)

    desk.qtbot.keyClick(palette.input, Qt.Key.Key_Down)

    assert palette.list.currentIndex().row() == 1
    palette.reject()


def test_escape_closes_the_details_first(desk) -> None:
    desk.window.show_error(UNREACHABLE.info)
    assert desk.window._inspector.isVisible()

    desk.window.escape()

    assert not desk.window._inspector.isVisible()


# Activity and errors


def test_running_work_is_shown_and_can_be_cancelled(desk) -> None:
    snapshot = desk.add_host(ui_fakes.ssh_settings())

    async def gate() -> asyncio.Event:
        return asyncio.Event()

    desk.outside.probe_gate = desk.finish(gate())
    bar = desk.window._activity
    begun: list[str] = []

    def note(event: object) -> None:
        if isinstance(event, ActivityChanged) and not event.finished:
            begun.append(event.id)

    desk.app.bus.subscribe(note)
    desk.window.view_model.take_fingerprint(snapshot.settings.id)
    # Not any work: what connected the host may still stand in the bar for a moment.
    desk.qtbot.waitUntil(lambda: bool(begun) and [a.id for a in bar._activities] == begun[:1])
    assert bar._cancel.isVisible()
    assert "h200-a" in bar._text.full_text

    desk.qtbot.mouseClick(bar._cancel, Qt.MouseButton.LeftButton)

    desk.qtbot.waitUntil(lambda: not bar._progress.isVisible())
    assert desk.window.view_model.errors == ()


def test_progress_and_detail_stand_in_the_activity_bar(desk) -> None:
    desk.app.bus.publish(
        ActivityChanged(
            id="1", title_code="deploy", subject="a/b", progress=0.62, detail="41 MiB/s"
        )
    )
    desk.app.bus.publish(ActivityChanged(id="2", title_code="connect", subject="c"))
    bar = desk.window._activity
    desk.qtbot.waitUntil(bar._more.isVisible)

    texts = [view.text for view in desk.window.view_model.activities()]
    assert texts == ["Connecting to c", "Deploying a/b · 62% · 41 MiB/s"]


def test_an_error_is_kept_once_and_shown_in_full(desk) -> None:
    desk.window.show_error(UNREACHABLE.info)
    desk.window.show_error(UNREACHABLE.info)

    assert len(desk.window.view_model.errors) == 1
    assert desk.window._activity._error.isVisible()
    texts = [label.text() for label in desk.window._inspector.findChildren(QLabel)]
    assert "10.0.0.7 does not answer on port 22." in texts
    assert "Check the address." in texts
    desk.window._activity.dismiss.click()
    assert not desk.window._activity._error.isVisible()
    assert desk.window.view_model.errors == ()


def test_an_error_in_the_bar_takes_the_room_that_there_is(desk) -> None:
    said = "The engine exited with code 1. " + "The KV cache is smaller than one request. " * 2
    desk.window.view_model.add_error(UNREACHABLE.info)
    desk.window.view_model.add_error(
        ErrorInfo(code=ErrorCode.HOST_UNREACHABLE, cause=said, remedy="")
    )
    bar = desk.window._activity

    wide = bar._error.text()
    bar.resize(bar.width() // 2, bar.height())

    assert len(bar._error.text()) < len(wide)
    assert bar._error.text().endswith("…")


def test_cancelling_is_not_an_error(desk) -> None:
    desk.window.view_model.add_error(ErrorInfo(code=ErrorCode.CANCELLED, cause="", remedy=""))

    assert desk.window.view_model.errors == ()


def test_the_activity_bar_never_changes_its_height(desk) -> None:
    before = desk.window._activity.height()
    desk.app.bus.publish(ActivityChanged(id="1", title_code="x", subject="y", can_cancel=True))
    desk.window.view_model.add_error(UNREACHABLE.info)
    desk.qtbot.waitUntil(desk.window._activity._cancel.isVisible)

    assert desk.window._activity.height() == before


# Hosts


def test_the_empty_page_offers_three_ways_to_begin(desk) -> None:
    page = desk.window.page("hosts")
    assert page.choice_demo.isVisible()

    desk.qtbot.mouseClick(page.choice_demo, Qt.MouseButton.LeftButton)

    desk.qtbot.waitUntil(lambda: bool(desk.window.hosts()))
    desk.qtbot.waitUntil(lambda: desk.window.hosts()[0].summary is not None)
    assert desk.window.current_host.settings.name == "demo"
    assert desk.window._host_bar._badge.isVisible()
    assert page.table.isVisible()


def test_this_computer_is_added_once(desk) -> None:
    page = desk.window.page("hosts")
    page.choice_local.click()
    desk.qtbot.waitUntil(lambda: len(desk.window.hosts()) == 1)

    page.tools_row.local.click()
    desk.qtbot.wait(50)

    assert len(desk.window.hosts()) == 1


def test_field_errors_stand_beside_their_fields(desk) -> None:
    page = desk.window.page("hosts")
    page.add_over_ssh()
    dialog = opened(desk, HostDialog)
    dialog.address.setText("not an address")
    dialog.name.setText("a/b")

    dialog.submit()
    desk.qtbot.waitUntil(lambda: bool(dialog.field_error("address")))

    assert dialog.field_error("name").startswith("At most 64 characters")
    dialog.address.clear()
    desk.qtbot.keyClicks(dialog.address, "10.0.0.7")
    assert dialog.field_error("address") == ""
    dialog.reject()


def test_a_name_that_is_taken_is_said_beside_the_name(desk) -> None:
    desk.add_host(ui_fakes.ssh_settings(), connect=False)
    desk.window.page("hosts").add_over_ssh()
    dialog = opened(desk, HostDialog)
    dialog.address.setText("10.0.0.8")
    dialog.name.setText("h200-a")

    dialog.submit()

    desk.qtbot.waitUntil(lambda: bool(dialog.field_error("name")))
    dialog.reject()


def test_a_new_host_is_connected_and_asked_at_once(desk) -> None:
    desk.window.page("hosts").add_over_ssh()
    dialog = opened(desk, HostDialog)
    dialog.address.setText("10.0.0.7")
    dialog.user.setText("ops")

    dialog.submit()

    desk.qtbot.waitUntil(lambda: bool(desk.window.hosts()))
    desk.qtbot.waitUntil(lambda: desk.window.hosts()[0].summary is not None)
    assert desk.window.current_host.settings.name == "10.0.0.7"


def test_editing_keeps_what_the_dialog_does_not_show(desk) -> None:
    snapshot = desk.add_host(ui_fakes.ssh_settings(notes="rack 4"), connect=False)
    page = desk.window.page("hosts")
    page.edit(snapshot.settings.id)
    dialog = opened(desk, HostDialog)
    dialog.auth.setCurrentIndex(dialog.auth.findData("key"))
    dialog.key_file.setText("/home/ops/.ssh/id")

    dialog.submit()
    desk.qtbot.waitUntil(lambda: visible(desk, HostDialog) is None)

    settings = desk.app.hosts.find(snapshot.settings.id).settings
    assert settings.notes == "rack 4"
    assert settings.key_file == "/home/ops/.ssh/id"
    assert settings.auth is AuthMethod.KEY


def test_a_host_is_removed_only_after_the_question(desk) -> None:
    snapshot = desk.add_host(ui_fakes.ssh_settings(), connect=False)
    page = desk.window.page("hosts")
    page.remove(snapshot.settings.id)
    dialog = opened(desk, ConfirmDialog)
    assert "h200-a" in dialog.windowTitle()
    assert dialog.cancel_button.isDefault()

    desk.qtbot.mouseClick(dialog.accept_button, Qt.MouseButton.LeftButton)

    desk.qtbot.waitUntil(page.choice_demo.isVisible)
    assert desk.window.hosts() == ()


def test_the_menu_of_a_host_fits_its_state(desk) -> None:
    snapshot = desk.add_host(ui_fakes.ssh_settings())
    page = desk.window.page("hosts")

    texts = [action.text() for action in page.menu_for(snapshot.settings.id).actions()]

    assert texts == [
        "Open", "Disconnect", "Take fingerprint", "Plan", "Deployments", "Copy SSH command", "",
        "Edit", "Group", "Forget secrets", "", "Remove",
        "Copy as command",
    ]  # fmt: skip


def test_enter_on_a_connected_host_opens_its_fingerprint(desk) -> None:
    desk.add_host(ui_fakes.ssh_settings())
    table = desk.window.page("hosts").table
    table.setFocus()
    table.selectRow(0)

    desk.qtbot.keyClick(table, Qt.Key.Key_Return)

    assert desk.window.current_page == "fingerprint"
    assert desk.window.current_host.settings.name == "h200-a"


# Connecting


@pytest.fixture
def host(desk):
    return desk.add_host(ui_fakes.ssh_settings(auth=AuthMethod.PASSWORD), connect=False)


def test_first_contact_shows_the_key_and_goes_on_when_accepted(desk, host) -> None:
    desk.outside.refusals["h200-a"] = [
        refused(ErrorCode.HOST_KEY_UNKNOWN, sha256=SHA, key_type="ssh-ed25519")
    ]
    desk.window.connect_host(host.settings.id)
    dialog = opened(desk, KeyDialog)
    assert any(SHA in label.text() for label in dialog.findChildren(QLabel))
    assert not dialog.accept_button.isDefault()

    desk.qtbot.mouseClick(dialog.accept_button, Qt.MouseButton.LeftButton)

    desk.qtbot.waitUntil(lambda: state_of(desk, host.settings.id) is HostState.CONNECTED)
    assert desk.outside.accepted_keys == [SHA]


def test_first_contact_refused_leaves_the_host_alone(desk, host) -> None:
    desk.outside.refusals["h200-a"] = [refused(ErrorCode.HOST_KEY_UNKNOWN, sha256=SHA)]
    desk.window.connect_host(host.settings.id)

    opened(desk, KeyDialog).reject()

    assert desk.outside.accepted_keys == []
    assert state_of(desk, host.settings.id) is HostState.FAILED


def test_a_changed_key_is_explained_and_needs_a_confirmation(desk, host) -> None:
    desk.outside.refusals["h200-a"] = [
        refused(ErrorCode.HOST_KEY_CHANGED, sha256=SHA, previous="SHA256:old")
    ]
    desk.window.connect_host(host.settings.id)
    dialog = opened(desk, KeyChangedDialog)
    assert not dialog.accept_button.isEnabled()

    dialog.confirmed.setChecked(True)
    desk.qtbot.mouseClick(dialog.accept_button, Qt.MouseButton.LeftButton)

    desk.qtbot.waitUntil(lambda: desk.outside.accepted_keys == [SHA])


def test_a_revoked_key_cannot_be_accepted(desk, host) -> None:
    desk.outside.refusals["h200-a"] = [refused(ErrorCode.HOST_KEY_REVOKED, sha256=SHA)]
    desk.window.connect_host(host.settings.id)

    dialog = opened(desk, KeyChangedDialog)

    assert not dialog.accept_button.isVisible()
    dialog.reject()


def test_a_password_is_asked_for_and_asked_again_when_wrong(desk, host) -> None:
    desk.outside.refusals["h200-a"] = [
        refused(ErrorCode.PASSWORD_NEEDED, what="password"),
        refused(ErrorCode.AUTH_FAILED, accepts="password"),
    ]
    desk.window.connect_host(host.settings.id)
    first = opened(desk, SecretDialog)
    first.submit()
    assert first.isVisible()
    desk.qtbot.keyClicks(first._input, "wrong")
    first.submit()
    desk.qtbot.waitUntil(lambda: not first.isVisible())
    second = opened(desk, SecretDialog)
    assert second._field.error
    desk.qtbot.keyClicks(second._input, "right")
    second.submit()

    desk.qtbot.waitUntil(lambda: state_of(desk, host.settings.id) is HostState.CONNECTED)
    assert desk.outside.passwords == [None, "wrong", "right"]


def test_a_key_asks_for_its_passphrase(desk, host) -> None:
    desk.outside.refusals["h200-a"] = [refused(ErrorCode.PASSWORD_NEEDED, what="passphrase")]
    desk.window.connect_host(host.settings.id)

    dialog = opened(desk, SecretDialog)

    assert "Passphrase" in dialog.windowTitle()
    desk.qtbot.keyClicks(dialog._input, "open")
    dialog.submit()
    desk.qtbot.waitUntil(lambda: state_of(desk, host.settings.id) is HostState.CONNECTED)


def test_another_failure_is_shown_with_its_remedy(desk, host) -> None:
    desk.outside.refusals["h200-a"] = [UNREACHABLE]

    desk.window.connect_host(host.settings.id)

    desk.qtbot.waitUntil(lambda: bool(desk.window.view_model.errors))
    assert desk.window.view_model.errors[0].code is ErrorCode.HOST_UNREACHABLE
    desk.qtbot.waitUntil(lambda: desk.window.hosts()[0].state is HostState.FAILED)


def test_a_click_on_a_host_shows_its_gpus_beside_the_table(desk) -> None:
    desk.add_host(ui_fakes.ssh_settings())
    page = desk.window.page("hosts")
    desk.qtbot.waitUntil(lambda: page.proxy.rowCount() == 1)

    page.table.clicked.emit(page.proxy.index(0, 0))

    desk.qtbot.waitUntil(desk.window._inspector.isVisible)
    texts = [label.text() for label in desk.window._inspector.findChildren(QLabel)]
    assert {"GPU 0", "GPU 1", "580.159.04"} <= set(texts)
    assert desk.window.current_host.settings.name == "h200-a"


def test_a_click_on_a_failed_host_shows_what_to_do(desk, host) -> None:
    desk.outside.refusals["h200-a"] = [UNREACHABLE]
    desk.window.connect_host(host.settings.id)
    desk.qtbot.waitUntil(lambda: desk.window.hosts()[0].state is HostState.FAILED)
    desk.window.hide_inspector()
    page = desk.window.page("hosts")

    page.table.clicked.emit(page.proxy.index(0, 0))

    desk.qtbot.waitUntil(desk.window._inspector.isVisible)
    texts = [label.text() for label in desk.window._inspector.findChildren(QLabel)]
    assert "Check the address." in texts


def test_the_list_of_running_work_follows_and_cancels(desk) -> None:
    for number in "12":
        desk.app.bus.publish(
            ActivityChanged(id=number, title_code="deploy", subject=number, can_cancel=True)
        )
    desk.qtbot.waitUntil(desk.window._activity._more.isVisible)
    desk.qtbot.mouseClick(desk.window._activity._more, Qt.MouseButton.LeftButton)
    texts = [label.text() for label in desk.window._inspector.findChildren(QLabel)]
    assert {"Deploying 1", "Deploying 2"} <= set(texts)

    desk.window.hide_inspector()
    desk.app.bus.publish(ActivityChanged(id="1", title_code="deploy", subject="1", finished=True))
    desk.qtbot.waitUntil(lambda: len(desk.window.view_model.activities()) == 1)


def test_disconnecting_keeps_the_host_in_the_bar(desk) -> None:
    snapshot = desk.add_host(ui_fakes.ssh_settings())
    desk.window.select_host(snapshot.settings.id)

    desk.window._host_bar.disconnect_clicked.emit()

    desk.qtbot.waitUntil(lambda: desk.window.current_host.state is HostState.DISCONNECTED)
    desk.qtbot.waitUntil(desk.window._host_bar._connect.isVisible)


def test_what_connecting_asks_for_is_no_error_in_the_bar(desk, host) -> None:
    desk.outside.refusals["h200-a"] = [refused(ErrorCode.HOST_KEY_UNKNOWN, sha256=SHA)]
    desk.window.connect_host(host.settings.id)

    opened(desk, KeyDialog).reject()
    desk.qtbot.wait(150)

    assert desk.window.view_model.errors == ()


# Fingerprint


def test_a_fingerprint_is_saved_and_opened_again(desk, tmp_path) -> None:
    snapshot = desk.add_host(ui_fakes.ssh_settings())
    desk.window.select_host(snapshot.settings.id)
    desk.window.open_page("fingerprint")
    page = desk.window.page("fingerprint")
    desk.qtbot.waitUntil(lambda: page.view_model.fingerprint is not None)
    path = tmp_path / "h.json"

    with desk.qtbot.waitSignal(page.view_model.saved):
        page.view_model.save(path)
    page.view_model.open_file(path)

    desk.qtbot.waitUntil(lambda: page.view_model.from_file == path)
    assert page.note_label.text().startswith("h.json")
    assert not page._save.isEnabled()


def test_a_file_that_is_no_fingerprint_is_named(desk, tmp_path) -> None:
    desk.window.open_page("fingerprint")
    page = desk.window.page("fingerprint")
    path = tmp_path / "broken.json"
    path.write_text("{}")

    page.view_model.open_file(path)
    desk.qtbot.waitUntil(page._banner.isVisible)
    assert page._banner.error.code is ErrorCode.FINGERPRINT_BROKEN

    page.view_model.open_file(tmp_path / "missing.json")
    desk.qtbot.waitUntil(lambda: page._banner.error.code is ErrorCode.FILE_UNREADABLE)


def test_groups_raw_output_and_copy(desk) -> None:
    snapshot = desk.add_host(ui_fakes.ssh_settings())
    desk.window.select_host(snapshot.settings.id)
    desk.window.open_page("fingerprint")
    page = desk.window.page("fingerprint")
    desk.qtbot.waitUntil(lambda: page.view_model.fingerprint is not None)

    page.choose_group("driver")
    page._copy.click()
    assert "NVIDIA driver\t580.159.04" in QApplication.clipboard().text()
    page._raw.click()
    page._copy.click()

    assert page.outputs.sections_view.isVisible()
    assert QApplication.clipboard().text() != ""


def test_a_chosen_gpu_opens_its_facts(desk) -> None:
    snapshot = desk.add_host(ui_fakes.ssh_settings())
    desk.window.select_host(snapshot.settings.id)
    desk.window.open_page("fingerprint")
    page = desk.window.page("fingerprint")
    desk.qtbot.waitUntil(lambda: page.details.gpus.rowCount() == 2)
    page.choose_group("gpus")
    page.details.gpus_view.setFocus()

    page.details.gpus_view.selectRow(1)

    texts = [w.accessibleName() for w in desk.window._inspector.findChildren(QWidget)]
    assert "Compute capability: 9.0" in texts


def test_taking_again_shows_the_new_fingerprint(desk) -> None:
    snapshot = desk.add_host(ui_fakes.ssh_settings())
    desk.window.select_host(snapshot.settings.id)
    desk.window.open_page("fingerprint")
    page = desk.window.page("fingerprint")
    desk.qtbot.waitUntil(lambda: page.details.gpus.rowCount() == 2)
    desk.outside.fingerprints["h200-a"] = ui_fakes.big_fingerprint()

    desk.window.refresh()

    desk.qtbot.waitUntil(lambda: page.details.gpus.rowCount() == 16)


# State and end


def test_the_window_remembers_page_host_and_size(desk) -> None:
    snapshot = desk.add_host(ui_fakes.ssh_settings(), connect=False)
    desk.window.select_host(snapshot.settings.id)
    desk.window.open_page("topology")

    state = desk.window.window_state()
    desk.finish(desk.app.settings.update(**state))
    desk.window.started()

    assert state["last_page"] == "topology"
    assert state["last_host_id"] == snapshot.settings.id
    assert state["window_geometry"]


def test_settings_change_language_and_theme(desk) -> None:
    desk.window.open_page("settings")
    page = desk.window.page("settings")

    page.theme.setCurrentIndex(page.theme.findData("dark"))
    page.theme.activated.emit(page.theme.currentIndex())
    page.language.setCurrentIndex(page.language.findData("zh_CN"))
    page.language.activated.emit(page.language.currentIndex())

    desk.qtbot.waitUntil(lambda: desk.parts.theme.is_dark)
    desk.qtbot.waitUntil(lambda: desk.parts.translations.language == "zh_CN")
    desk.qtbot.waitUntil(lambda: page.title_label.text() == "设置")
    desk.use()


def test_searching_the_help_keeps_the_topic_that_was_read(desk) -> None:
    desk.window.open_page("help")
    page = desk.window.page("help")
    page.topics.setCurrentRow(page.topics.count() - 1)
    title = page.topics.currentItem().text()
    for text in ("qzxqzx", "0.0000001", ""):
        page.search.setText(text)
    assert page.topics.currentItem().text() == title


def test_help_follows_its_links(desk) -> None:
    from PySide6.QtCore import QUrl

    desk.window.open_page("help")
    page = desk.window.page("help")

    page._on_link(QUrl("06-keys.md"))

    assert page.topics.currentItem().text() == "Keys"


def test_about_shows_the_lgpl_texts(desk) -> None:
    desk.window.open_page("about")
    page = desk.window.page("about")

    page.parts.setCurrentRow(1)

    assert "GNU LESSER GENERAL PUBLIC LICENSE" in page.notice.toPlainText()
    page._copy.click()
    assert QApplication.clipboard().text().startswith("Pitwall:")


PROGRAM = """
import sys, time
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
import app.ui.app as window_app
real = window_app.create_window
def create(*arguments):
    window = real(*arguments)
    QTimer.singleShot(600, window.close)
    return window
window_app.create_window = create
sys.exit(window_app.main())
"""


def run_program(tmp_path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "PITWALL_HOME": str(tmp_path), **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=40,
    )


@pytest.mark.window
def test_the_program_opens_closes_and_keeps_its_state(tmp_path) -> None:
    done = run_program(tmp_path, QT_QPA_PLATFORM="offscreen")

    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert 'last_page = "hosts"' in (tmp_path / "config" / "settings.toml").read_text("utf-8")


def test_without_a_display_the_program_says_so_instead_of_aborting(tmp_path) -> None:
    done = run_program(tmp_path, QT_QPA_PLATFORM="", DISPLAY="", WAYLAND_DISPLAY="")

    assert done.returncode == 1
    assert "There is no display to open a window on" in done.stderr


@pytest.mark.parametrize(
    ("page_id", "opener"),
    [
        ("fingerprint", "_on_save"),
        ("fingerprint", "_on_open"),
        ("topology", "_on_export"),
    ],
)
def test_file_dialogs_open_without_blocking(desk, heartbeat, page_id, opener) -> None:
    from PySide6.QtWidgets import QFileDialog

    with heartbeat.paused():
        snapshot = desk.add_host(ui_fakes.ssh_settings())
        desk.window.select_host(snapshot.settings.id)
        desk.window.open_page(page_id)
        page = desk.window.page(page_id)
        desk.qtbot.waitUntil(lambda: page.view_model.fingerprint is not None)
        desk.qtbot.waitUntil(lambda: not desk.window.current_host.is_busy)
        getattr(page, opener)(*(["png"] if opener == "_on_export" else []))
        opened(desk, QFileDialog).reject()


def test_without_a_host_pages_say_what_to_do_next(desk) -> None:
    for page_id in ("fingerprint", "topology"):
        desk.window.open_page(page_id)
        texts = [
            label.text()
            for label in desk.window.page(page_id).findChildren(QLabel)
            if label.isVisible()
        ]
        assert "No host chosen" in texts


def test_an_unconnected_host_is_connected_from_the_empty_page(desk) -> None:
    snapshot = desk.add_host(ui_fakes.ssh_settings(), connect=False)
    desk.window.select_host(snapshot.settings.id)
    desk.window.open_page("topology")
    page = desk.window.page("topology")

    page._empty_take.click()

    desk.qtbot.waitUntil(lambda: page.view_model.fingerprint is not None)
    assert page.scene.gpu_indices == (0, 1)


def test_planning_goes_on_with_the_chosen_gpus(desk, monkeypatch) -> None:
    snapshot = desk.add_host(ui_fakes.ssh_settings())
    desk.window.select_host(snapshot.settings.id)
    desk.window.open_page("topology")
    page = desk.window.page("topology")
    desk.qtbot.waitUntil(lambda: page.view_model.fingerprint is not None)
    asked = []
    monkeypatch.setattr(type(desk.window), "open_page", lambda _window, *given: asked.append(given))
    page.view_model.select({0, 1})

    page._plan.click()

    assert asked[0][0] == "plan"
    assert len(asked[0][1].gpu_uuids) == 2
