"""The log without and with its window: levels, search, times, copying, wrapping, a full log."""

import time

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester

from app.core.logs.kept import PAGE
from app.core.logs.line import LogLevel, LogLine
from app.ui.viewmodels.deployments_lines import TIME_ROLE, LogModel, ShownTime
from app.ui.viewmodels.deployments_search import ALL_LEVELS, Query
from app.ui.widgets.deployments_log import LogView

L = LogLevel


def line(text: str, level: LogLevel = L.INFO, second: int = 0) -> LogLine:
    return LogLine(
        text=text, level=level, at=f"2026-11-30T14:{second // 60:02}:{second % 60:02}.250Z"
    )


def mixed(count: int, start: int = 0) -> list[LogLine]:
    levels = (L.INFO, L.WARNING, L.INFO, L.ERROR, L.UNKNOWN)
    return [line(f"line {n}", levels[n % 5], n % 3600) for n in range(start, start + count)]


@pytest.fixture
def model() -> LogModel:
    model = LogModel()
    model.show_time(ShownTime.UTC)
    return model


@pytest.fixture
def view(demo, model) -> LogView:
    view = LogView(demo.parts.theme, demo.parts.icons, model)
    demo.qtbot.addWidget(view)
    view.resize(760, 300)
    view.show()
    return view


def test_levels_filter_rows_old_and_new(model):
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Warning)
    model.append(mixed(10))
    model.show_levels(frozenset({L.ERROR}))
    model.append(mixed(10, start=10))

    assert [model.text(row)[10:] for row in range(model.rowCount())] == [
        "line 3", "line 8", "line 13", "line 18",
    ]  # fmt: skip
    assert model.kept == 20
    assert model.count({L.WARNING}) == 4
    assert model.row_of(9) == 2
    model.show_levels(ALL_LEVELS)
    assert model.rowCount() == 20
    tester.deleteLater()


def test_old_rows_go_under_a_filter_with_their_matches():
    model = LogModel(limit=PAGE)
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Warning)
    model.show_levels(frozenset({L.ERROR}))
    model.search.search(Query(text="line", levels=model.levels))
    for start in range(0, 3 * PAGE, 1024):
        model.append(mixed(1024, start=start))

    assert model.dropped == 2 * PAGE
    assert model.rowCount() == model.matches == model.count({L.ERROR})
    assert model.match_number(0) == 1
    tester.deleteLater()


def test_expressions_mind_case_only_when_asked_and_never_cross_lines(model):
    model.append([line("CUDA out of memory"), line("cuda fine"), line("out"), line("of memory")])

    def count(text: str, **options: bool) -> int:
        model.search.search(Query(text=text, **options))
        return model.matches

    assert count(r"cuda\b", is_regex=True) == 2
    assert count(r"CUDA\b", is_regex=True, with_case=True) == 1
    assert count(r"out\s+of", is_regex=True) == 1
    assert count("out of") == 1
    assert count("CUDA", with_case=True) == 1
    assert count("a.b") == 0


def test_an_expression_that_cannot_be_read_is_said_and_finds_nothing(model):
    model.append(mixed(5))
    model.search.search(Query(text="line (", is_regex=True))

    assert model.search.problem
    assert model.matches == 0
    assert not model.search.is_active


@pytest.mark.parametrize("length", [20, 22, 60])
def test_an_expression_that_would_try_for_ever_is_stopped_and_said(view, model, heartbeat, length):
    del heartbeat
    model.append([line("a" * length + "b") for _ in range(2_000)])
    view.finder.is_regex.setChecked(True)
    view.finder.search.setText("(a+)+$")

    assert model.search.is_too_hard
    assert "Too slow" in view.finder.found.full_text


def test_time_is_shown_local_utc_or_not_at_all(model):
    model.append([line("hello", second=63)])
    at_s = 1_796_047_263.25

    assert model.index(0).data(TIME_ROLE) == "14:01:03"
    assert model.stamped(0, with_time=True) == "2026-11-30T14:01:03.250Z hello"
    model.show_time(ShownTime.LOCAL)
    assert model.text(0) == time.strftime("%H:%M:%S", time.localtime(at_s)) + "  hello"
    model.show_time(ShownTime.NONE)
    assert model.text(0) == "hello"
    assert model.stamped(0, with_time=False) == "hello"


def test_level_buttons_count_and_filter(view, model):
    model.append(mixed(10))
    buttons = view.levels.buttons

    assert buttons["error"].text() == "E 2"
    assert buttons["warn"].accessibleName() == "Warnings: 2"
    assert not buttons["debug"].isVisibleTo(view)
    for name in ("info", "none", "warn"):
        buttons[name].setChecked(False)
    assert model.rowCount() == 2
    assert "2 of 10 lines" in view._count.full_text
    view.levels.all_on()
    assert model.rowCount() == 10


def test_f3_goes_on_and_shift_f3_back(view, model, demo):
    model.append([line("needle"), *mixed(50), line("needle"), *mixed(50), line("needle")])
    view.finder.search.setText("needle")
    assert view.lines.currentIndex().row() == 102

    demo.qtbot.keyClick(view.lines, Qt.Key.Key_F3)
    assert view.lines.currentIndex().row() == 0
    assert view.finder.found.full_text == "1 of 3"
    demo.qtbot.keyClick(view.lines, Qt.Key.Key_F3, Qt.KeyboardModifier.ShiftModifier)
    assert view.lines.currentIndex().row() == 102


def test_an_unreadable_expression_is_said_beside_the_input(view, model):
    model.append(mixed(5))
    view.finder.is_regex.setChecked(True)
    view.finder.search.setText("(")

    assert view.finder.found.full_text.startswith("Not an expression:")
    assert view.finder.search.property("invalid") == "true"
    assert not view.finder.next_button.isEnabled()


def test_a_time_typed_leads_to_its_line(view, model, demo):
    model.append(mixed(600))
    view.open_time()
    for typed, row in (("14:05", 300), ("-1m", 539), ("2026-11-30T14:08:20", 500)):
        view.finder.time.setText(typed)
        demo.qtbot.keyClick(view.finder.time, Qt.Key.Key_Return)
        assert view.lines.currentIndex().row() == row

    view.finder.time.setText("later")
    demo.qtbot.keyClick(view.finder.time, Qt.Key.Key_Return)
    assert view.finder.time.property("invalid") == "true"
    demo.qtbot.keyClick(view.finder.time, Qt.Key.Key_Escape)
    assert not view.finder.isVisible()


def test_a_log_without_stamps_says_so_when_a_time_is_typed(view, model, demo):
    model.append([LogLine(text="bare")])
    view.open_time()
    view.finder.time.setText("14:05")
    demo.qtbot.keyClick(view.finder.time, Qt.Key.Key_Return)

    assert "no time stamps" in view.finder.found.full_text


def test_chosen_lines_are_copied_with_and_without_stamps(view, model):
    model.append(mixed(3))
    view.lines.selectRow(1)
    clipboard = QGuiApplication.clipboard()

    view.copy_stamped.trigger()
    assert clipboard.text() == "2026-11-30T14:00:01.250Z line 1"
    view.copy_bare.trigger()
    assert clipboard.text() == "line 1"
    view.lines.copy()
    assert clipboard.text() == "14:00:01  line 1"


def test_wrapped_lines_get_the_height_they_need(view, model):
    model.append([line("short"), line("word " * 200), line("short")])
    plain = view.lines.rowHeight(0)
    view.wrap.setChecked(True)

    assert view.lines.rowHeight(1) > 3 * plain
    assert view.lines.rowHeight(0) == plain
    assert view.lines.columnWidth(0) == view.lines.viewport().width()
    view.wrap.setChecked(False)
    assert view.lines.rowHeight(1) == plain


def test_scrolling_up_pauses_and_the_end_follows_again(view, model, demo):
    model.append(mixed(300))
    demo.qtbot.keyClick(view.lines, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    model.append(mixed(7, start=300))

    assert view.news.text() == "7 new lines"
    assert view.lines.verticalScrollBar().value() == 0
    demo.qtbot.keyClick(view.lines, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    assert not view.news.isVisible()
    model.append(mixed(100))
    assert view.lines.is_at_end


def test_whoever_reads_keeps_the_line_while_old_ones_are_dropped(demo):
    model = LogModel(limit=PAGE)
    view = LogView(demo.parts.theme, demo.parts.icons, model)
    demo.qtbot.addWidget(view)
    view.resize(600, 300)
    view.show()
    model.append(mixed(2 * PAGE - 10))
    view.set_following(following=False)
    bar = view.lines.verticalScrollBar()
    bar.setValue(PAGE + 500)
    before = model.place(bar.value())
    model.append(mixed(100))

    assert model.dropped == PAGE
    assert model.place(bar.value()) == before
    assert "older lines dropped: 4,096" in view._count.full_text


def test_an_evidence_line_that_is_filtered_out_is_shown_again(view, model, demo):
    model.append(mixed(20))
    view.levels.buttons["error"].setChecked(False)

    view.show_line(4, "line 3")

    assert model.text(view.lines.currentIndex().row()).endswith("line 3")
    with demo.qtbot.waitSignal(view.missed):
        view.show_line(4, "never said")


def test_the_log_can_take_all_the_room(demo):
    demo.window.open_page("deployments")
    detail = demo.window.page("deployments").detail
    detail.log.enlarge.setChecked(True)

    assert not detail._facts.isVisibleTo(detail)
    assert not detail.chat.isVisibleTo(detail)
    detail.log.enlarge.setChecked(False)
    assert detail._facts.isVisibleTo(detail)


def test_six_lines_are_seen_however_low_the_place(view, model):
    model.append([*mixed(50), line("wide " * 200)])
    view.resize(600, 20)

    rows = view.lines.viewport().height() // view.lines.rowHeight(0)
    assert rows >= 6
