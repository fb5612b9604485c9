"""By keyboard alone: Enter presses the button that has the focus, and the focus can be seen."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QListView, QTableView, QTextBrowser, QWidget

from app.core.errors import ErrorCode, ErrorInfo
from app.ui.widgets.buttons import icon_button, push_button
from app.ui.widgets.connect_dialogs import KeyDialog
from app.ui.widgets.dialog import ConfirmDialog, FormDialog
from app.ui.widgets.text import MonoBlock, label

KINDS = ("", "primary", "danger", "quiet", "chip", "choice")


def shown(qtbot, widget: QWidget) -> QWidget:
    qtbot.addWidget(widget)
    widget.show()
    widget.activateWindow()
    qtbot.waitUntil(widget.isActiveWindow)
    return widget


def picture(widget: QWidget) -> QImage:
    return widget.grab().toImage()


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space])
def test_enter_presses_the_button_that_has_the_focus(desk, key) -> None:
    pressed: list[str] = []
    icons = desk.parts.icons
    box = QWidget()
    for button, name in (
        (push_button(icons, on_click=lambda: pressed.append("push")), "push"),
        (icon_button(icons, "x", on_click=lambda: pressed.append("icon")), "icon"),
    ):
        button.setParent(box)
        button.setObjectName(name)
    shown(desk.qtbot, box)

    for name in ("push", "icon"):
        button = box.findChild(QWidget, name)
        button.setFocus()
        desk.qtbot.keyClick(button, key)

    assert pressed == ["push", "icon"]


def test_first_contact_cancels_at_first_and_accepts_where_the_focus_is(desk) -> None:
    host = desk.finish(desk.app.hosts.add_demo())
    error = ErrorInfo(code=ErrorCode.HOST_KEY_UNKNOWN, params={}, cause="", remedy="")
    for goes_on in (False, True):
        dialog = KeyDialog(desk.parts.icons, desk.parts.theme, desk.window, host, error)
        answers: list[bool] = []
        dialog.accepted.connect(lambda into=answers: into.append(True))
        dialog.rejected.connect(lambda into=answers: into.append(False))
        dialog.open()
        desk.qtbot.waitUntil(dialog.isActiveWindow)
        assert dialog.focusWidget() is dialog.cancel_button
        if goes_on:
            dialog.accept_button.setFocus()
        desk.qtbot.keyClick(dialog.focusWidget(), Qt.Key.Key_Return)
        assert answers == [goes_on]


def test_a_form_begins_on_its_primary_button_and_a_warning_on_cancel(desk) -> None:
    form = FormDialog(desk.parts.icons, desk.window)
    form.open()
    desk.qtbot.waitUntil(form.isActiveWindow)
    assert form.focusWidget() is form.accept_button
    form.reject()
    ask = ConfirmDialog(
        desk.parts.icons, desk.window, title="Remove?", text="", verb="Remove", on_yes=lambda: None
    )
    ask.open()
    desk.qtbot.waitUntil(ask.isActiveWindow)
    assert ask.focusWidget() is ask.cancel_button
    ask.reject()


def test_a_dialog_is_as_high_as_its_wrapped_texts_need(desk) -> None:
    form = FormDialog(desk.parts.icons, desk.window)
    form.body.addWidget(label("body", "A long sentence that has to be wrapped. " * 12, wrap=True))
    block = MonoBlock(desk.parts.theme)
    block.setMinimumHeight(200)
    form.body.addWidget(block)
    form.open()
    desk.qtbot.waitUntil(lambda: form.accept_button.y() >= block.geometry().bottom())
    assert form.accept_button.geometry().bottom() < form.height()
    form.reject()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_focus_can_be_seen_on_every_kind_of_widget(desk, theme) -> None:
    desk.use(theme=theme)
    icons = desk.parts.icons
    widgets = [push_button(icons, kind=kind) for kind in KINDS]
    for button, kind in zip(widgets, KINDS, strict=True):
        button.setText(kind or "plain")
    plain = QTextBrowser()
    plain.setProperty("role", "plain")
    groups = QListView()
    groups.setProperty("role", "groups")
    others = [icon_button(icons, "x"), QTableView(), QListView(), groups, plain]
    others.append(MonoBlock(desk.parts.theme))
    for widget in (*widgets, *others):
        box = QWidget()
        first = push_button(icons)
        first.setParent(box)
        first.move(300, 0)
        widget.setParent(box)
        widget.resize(120, 40)
        box.resize(400, 80)
        shown(desk.qtbot, box)
        first.setFocus()
        before = picture(widget)
        widget.setFocus(Qt.FocusReason.TabFocusReason)
        assert widget.hasFocus()
        assert picture(widget) != before, widget
        box.hide()


@pytest.mark.parametrize(
    ("key", "page"),
    [(Qt.Key.Key_1, "hosts"), (Qt.Key.Key_6, "live"), (Qt.Key.Key_7, "inspect"),
     (Qt.Key.Key_8, "settings"), (Qt.Key.Key_9, "help")],
)  # fmt: skip
def test_digits_open_the_pages_from_top_to_bottom(desk, key, page) -> None:
    desk.window.activateWindow()
    desk.qtbot.waitUntil(desk.window.isActiveWindow)
    desk.window.open_page("plan")
    desk.qtbot.keyClick(desk.window, key, Qt.KeyboardModifier.ControlModifier)
    assert desk.window.current_page == page
