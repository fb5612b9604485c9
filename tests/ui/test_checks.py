"""The Checks tab: worst on top, filters, details, the sheet, both languages and themes."""

import pytest
import ui_fakes
from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QStyleOptionViewItem, QToolButton

from app.core.checks.spec import CheckState
from app.ui.models.fingerprint_checks import STATE_COLUMN


@pytest.fixture
def page(desk):
    snapshot = desk.add_host(ui_fakes.ssh_settings())
    desk.window.select_host(snapshot.settings.id)
    desk.window.open_page("fingerprint")
    page = desk.window.page("fingerprint")
    page.open_tab(page.checks)
    desk.qtbot.waitUntil(lambda: page.checks.view_model.report is not None)
    return page


def shown(page) -> list[str]:
    proxy = page.checks.proxy
    return [proxy.index(row, STATE_COLUMN).data() for row in range(proxy.rowCount())]


def test_the_worst_stand_on_top_and_what_does_not_apply_is_hidden(page) -> None:
    words = shown(page)

    assert words[0] == "Fail"
    assert "Not applicable" not in words
    ranks = [["Fail", "Warning", "Unknown", "Pass"].index(word) for word in words]
    assert ranks == sorted(ranks)
    total = sum(page.checks.view_model.report.counts.values())
    assert total == page.checks.model.rowCount() == 90


def test_counts_choose_states_and_words_and_area_narrow_them(page) -> None:
    checks = page.checks
    for state, button in checks.states.items():
        if button.isChecked() != (state is CheckState.WARN):
            button.click()
    assert set(shown(page)) == {"Warning"}

    for button in checks.states.values():
        if button.isChecked():
            button.click()
    assert len(shown(page)) == 90  # none chosen shows all

    checks.category.setCurrentText("NVLink")
    assert len(shown(page)) == 4
    checks.search.setText("fabric manager")
    assert len(shown(page)) == 1
    checks.search.setText("no such words")
    assert shown(page) == []
    assert checks._none.isVisible()


def test_a_chosen_check_says_why_and_gives_its_commands_to_copy(page) -> None:
    checks = page.checks
    checks.search.setText("open files")
    checks.table.selectRow(0)
    texts = [label.text().replace("\u200b", "") for label in checks.details.findChildren(QLabel)]

    assert "Each streamed answer is an open socket." in texts
    copies = [b for b in checks.details.findChildren(QToolButton) if b.accessibleName()]
    copies[0].click()
    assert QApplication.clipboard().text().startswith("docker run --ulimit nofile=")


def test_the_sheet_is_copied_saved_and_in_the_windows_language(page, desk, tmp_path) -> None:
    page.checks._copy.trigger()
    assert QApplication.clipboard().text().startswith("# Preparing h200-a")

    desk.use(language="zh_CN")
    page.checks._copy.trigger()
    assert "准备清单" in QApplication.clipboard().text()

    page.checks._save.trigger()
    (dialog,) = page.checks.findChildren(QFileDialog)
    with desk.qtbot.waitSignal(page.checks.view_model.sheet_saved):
        dialog.fileSelected.emit(str(tmp_path / "sheet.md"))
    assert "准备清单" in (tmp_path / "sheet.md").read_text()


def test_the_command_names_the_host_or_the_file_that_is_shown(page, desk, tmp_path) -> None:
    page.checks.command.click()
    assert QApplication.clipboard().text() == "pitwall check h200-a"

    path = tmp_path / "what a customer sent.json"
    with desk.qtbot.waitSignal(page.view_model.saved):
        page.view_model.save(path)
    with desk.qtbot.waitSignal(page.view_model.loaded):
        page.view_model.open_file(path)
    desk.qtbot.waitUntil(lambda: page.checks.view_model.report is not None)
    page.checks.command.click()
    assert QApplication.clipboard().text() == f"pitwall check '{path}'"


def test_language_and_theme_change_what_is_shown_and_keep_the_choice(page, desk) -> None:
    page.checks.table.selectRow(2)
    chosen = page.checks._chosen

    for language, word in (("zh_CN", "失败"), ("en", "Fail")):
        for theme in ("dark", "light"):
            desk.use(language=language, theme=theme)
            assert shown(page)[0] == word
            assert page.checks._chosen == chosen
    assert page.tabs.tabText(1) == "Checks"


def test_the_table_is_a_sound_model(page, desk) -> None:
    QAbstractItemModelTester(page.checks.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    page.checks.table.sortByColumn(2, Qt.SortOrder.DescendingOrder)
    desk.outside.fingerprints["h200-a"] = ui_fakes.big_fingerprint()

    desk.window.refresh()

    desk.qtbot.waitUntil(lambda: page.details.gpus.rowCount() == 16)
    desk.qtbot.waitUntil(lambda: page.checks.view_model.report is not None)
    assert page.checks.model.rowCount() == 90


def test_without_a_fingerprint_the_tab_says_what_to_do(desk) -> None:
    desk.window.open_page("fingerprint")
    page = desk.window.page("fingerprint")
    page.open_tab(page.checks)

    def texts() -> list[str]:
        return [label.text() for label in page.checks.findChildren(QLabel) if label.isVisible()]

    desk.qtbot.waitUntil(lambda: "Nothing to check yet" in texts())


def test_a_chosen_row_keeps_the_colour_of_its_state(page) -> None:
    checks = page.checks
    index = checks.proxy.index(0, STATE_COLUMN)
    checks.table.selectRow(0)
    option = QStyleOptionViewItem()
    delegate = checks.table.itemDelegateForIndex(index)
    delegate.initStyleOption(option, index)

    shown = option.palette.color(QPalette.ColorRole.HighlightedText)
    assert shown == index.data(Qt.ItemDataRole.ForegroundRole)
