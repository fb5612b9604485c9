"""A log of a million lines: how fast it fills, scrolls and is searched, and what it weighs.

Each figure stands beside a text edit and a plain list, filled with the same lines in the same run.
"""

import os
import sys
import time
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QPlainTextEdit

from app.core.logs.line import LogLine
from app.core.logs.reader import LogReader
from app.io.datafiles import data_root, load_theme
from app.services.assets import load_assets
from app.ui.icons import IconSet
from app.ui.theme import Theme
from app.ui.viewmodels.deployments_lines import LogModel
from app.ui.viewmodels.deployments_search import Query
from app.ui.widgets.deployments_log import LogView

pytestmark = pytest.mark.timeout(300)

COUNT = 1_000_000
BATCH = 4_000
"""Lines that the window takes at once."""
TEMPLATE = (
    "(APIServer pid=7) INFO 03-04 10:{m:02}:{s:02} [loggers.py:123] Engine 000: Avg prompt "
    "throughput: {n}.1 tokens/s, Avg generation throughput: {k}.{d} tokens/s, Running: {d} reqs"
)


def batch(start: int) -> list[LogLine]:
    reader = LogReader()
    return [
        reader.feed_line(
            TEMPLATE.format(m=n // 60 % 60, s=n % 60, n=n, k=n * 7919 % 9973, d=n % 10),
            at=f"2026-11-30T{n // 3600 % 24:02}:{n // 60 % 60:02}:{n % 60:02}.5Z",
        )
        for n in range(start, start + BATCH)
    ]


def resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@pytest.fixture
def look(qapp):
    del qapp
    assets = load_assets(data_root())
    theme = Theme({name: load_theme(name) for name in ("light", "dark")})
    return theme, IconSet(assets.icons, theme)


def test_a_million_lines_fill_scroll_and_are_searched(look, qtbot, figure, row):
    model = LogModel()
    view = LogView(*look, model)
    qtbot.addWidget(view)
    view.resize(900, 500)
    view.show()
    before = resident_bytes()
    took, longest = 0.0, 0.0
    for start in range(0, COUNT, BATCH):
        lines = batch(start)
        begun = time.thread_time()
        model.append(lines)
        QCoreApplication.processEvents()
        spent = time.thread_time() - begun
        took, longest = took + spent, max(longest, spent)
    weight = resident_bytes() - before

    edit_s, frame_s, edit_bytes = _plain_edit(qtbot)
    texts, list_bytes = _plain_list(model)
    row("log: 1,000,000 lines appended", f"{COUNT / took:,.0f} lines/s",
        f"QPlainTextEdit, 100,000 lines kept: {100_000 / edit_s:,.0f} lines/s")  # fmt: skip
    figure("log: longest batch of 4,000", longest, "in one turn of the event loop", budget_s=0.1)
    row("log: memory of 1,000,000 lines", f"{weight / 2**20:,.0f} MiB",
        f"list of str {list_bytes / 2**20:,.0f} MiB, QPlainTextEdit with 100,000 lines "
        f"{edit_bytes / 2**20:,.0f} MiB")  # fmt: skip

    bar, frames = view.lines.verticalScrollBar(), []
    for step in range(60):
        begun = time.thread_time()
        bar.setValue(step * 16_411 % bar.maximum())
        view.lines.viewport().repaint()
        frames.append(time.thread_time() - begun)
    figure("log: longest frame while scrolling", max(frames),
           f"QPlainTextEdit with 100,000 lines {frame_s * 1000:.0f} ms", budget_s=0.05)  # fmt: skip

    for name, query, found in (
        ("text", Query(text="throughput: 999999"), 1),
        ("expression", Query(text=r"generation throughput: 99\d\d\.", is_regex=True), None),
    ):
        begun = time.thread_time()
        model.search.search(query)
        spent = time.thread_time() - begun
        begun = time.thread_time()
        plain = sum("throughput: 999999" in text for text in texts)
        plain_s = time.thread_time() - begun
        row(
            f"log: searching 1,000,000 lines, {name}",
            f"{spent * 1000:,.0f} ms",
            f"plain loop over a list of str {plain_s * 1000:,.0f} ms",
        )
        assert model.matches == (found or model.matches) > 0
        assert plain == 1
    assert model.rowCount() >= COUNT - BATCH


def _plain_edit(qtbot) -> tuple[float, float, int]:
    """Seconds for 100,000 lines, the longest frame while scrolling, and bytes."""
    edit = QPlainTextEdit()
    qtbot.addWidget(edit)
    edit.setMaximumBlockCount(100_000)
    edit.resize(900, 500)
    edit.show()
    before, took = resident_bytes(), 0.0
    for start in range(0, 100_000, BATCH):
        lines = batch(start)
        begun = time.thread_time()
        edit.appendPlainText("\n".join(line.text for line in lines))
        QCoreApplication.processEvents()
        took += time.thread_time() - begun
    weight, frames = resident_bytes() - before, []
    for step in range(60):
        begun = time.thread_time()
        edit.verticalScrollBar().setValue(step * 1_641 % edit.verticalScrollBar().maximum())
        edit.viewport().repaint()
        frames.append(time.thread_time() - begun)
    return took, max(frames), weight


def _plain_list(model: LogModel) -> tuple[list[str], int]:
    texts = [model.text(row) for row in range(model.rowCount())]
    return texts, sys.getsizeof(texts) + sum(map(sys.getsizeof, texts))
