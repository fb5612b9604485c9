"""Item models: exact changes, right order, checked by Qt's own tester."""

from dataclasses import replace

import pytest
import ui_fakes
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from app.core.events import (
    DeploymentSnapshot,
    DeploymentState,
    HostKind,
    HostSettings,
    HostSnapshot,
    HostState,
)
from app.core.ids import HostId
from app.io.datafiles import data_root, load_theme
from app.services.assets import load_assets
from app.ui.icons import IconSet
from app.ui.models.commands import Command, CommandFilter, CommandModel
from app.ui.models.fingerprint import FactsModel, GpuModel, GroupsModel, SectionsModel
from app.ui.models.hosts import Column, HostsModel, HostsProxy
from app.ui.models.roles import BAR_ROLE, ID_ROLE
from app.ui.theme import Theme
from app.ui.viewmodels.fingerprint import present_fingerprint

pytestmark = pytest.mark.usefixtures("qapp")
FATAL = QAbstractItemModelTester.FailureReportingMode.Fatal


@pytest.fixture
def theme() -> Theme:
    return Theme({name: load_theme(name) for name in ("light", "dark")})


@pytest.fixture
def icons(theme) -> IconSet:
    return IconSet(load_assets(data_root()).icons, theme)


def snapshot(name: str, **changes) -> HostSnapshot:
    settings = HostSettings(id=HostId(name), name=name, kind=HostKind.SSH, address="10.0.0.1")
    base = HostSnapshot(revision=1, settings=settings, state=HostState.DISCONNECTED)
    return replace(base, **changes)


SERVING = DeploymentSnapshot(
    revision=1, host_id=HostId("a"), host_name="a", name="chat", state=DeploymentState.SERVING
)


@pytest.fixture
def hosts_model(icons) -> HostsModel:
    model = HostsModel(icons, now=lambda: 1_780_000_000.0, deployments=lambda _id: (SERVING,) * 3)
    model.tester = QAbstractItemModelTester(model, FATAL)
    return model


def test_hosts_model_changes_only_the_row_that_changed(hosts_model) -> None:
    hosts_model.replace([snapshot("a"), snapshot("b")])
    changed, resets = [], []
    hosts_model.dataChanged.connect(lambda first, last: changed.append((first.row(), last.row())))
    hosts_model.modelReset.connect(lambda: resets.append(1))

    hosts_model.replace([snapshot("a"), snapshot("b", state=HostState.CONNECTED)])

    assert changed == [(1, 1)]
    assert resets == []


def test_hosts_model_removes_and_adds_rows(hosts_model) -> None:
    hosts_model.replace([snapshot("a"), snapshot("b"), snapshot("c")])

    hosts_model.replace([snapshot("d"), snapshot("b")])

    names = [hosts_model.snapshot(row).settings.name for row in range(hosts_model.rowCount())]
    assert names == ["b", "d"]
    assert hosts_model.row_of(HostId("d")) == 1
    assert hosts_model.row_of(HostId("a")) == -1


def test_hosts_model_shows_memory_as_a_bar_and_unknown_as_a_dash(hosts_model) -> None:
    summary = ui_fakes.summary_of(ui_fakes.recorded_fingerprint())
    hosts_model.replace([snapshot("a", summary=summary), snapshot("b")])

    known = hosts_model.index(0, Column.MEMORY).data(BAR_ROLE)
    unknown = hosts_model.index(1, Column.MEMORY).data(BAR_ROLE)

    assert known.text == "3.2 / 281"
    assert known.fraction == pytest.approx(0.0115, abs=1e-3)
    assert unknown.fraction is None
    assert hosts_model.index(1, Column.DEPLOYMENTS).data() == "3"
    assert hosts_model.index(0, Column.GPUS).data() == "2 × NVIDIA H200"
    assert hosts_model.index(0, Column.NAME).data(ID_ROLE) == "a"
    assert hosts_model.index(0, Column.STATE).data(Qt.ItemDataRole.DecorationRole) is not None


def test_hosts_sort_by_value_not_by_text(hosts_model) -> None:
    small = ui_fakes.summary_of(ui_fakes.recorded_fingerprint())
    big = ui_fakes.summary_of(ui_fakes.big_fingerprint())
    hosts_model.replace([snapshot("x", summary=big), snapshot("y", summary=small)])
    proxy = HostsProxy()
    proxy.setSourceModel(hosts_model)

    proxy.sort(Column.GPUS, Qt.SortOrder.AscendingOrder)

    assert [proxy.index(row, 0).data() for row in range(2)] == ["y", "x"]


def test_facts_model_shrinks_and_grows_without_a_reset(theme) -> None:
    model = FactsModel(theme)
    tester = QAbstractItemModelTester(model, FATAL)
    view = present_fingerprint(ui_fakes.recorded_fingerprint())
    groups = {group.id: group for group in view.groups}
    resets = []
    model.modelReset.connect(lambda: resets.append(1))

    for name in ("containers", "driver", "machine", "disks"):
        model.replace(groups[name].facts)
        assert model.rowCount() == len(groups[name].facts)

    assert resets == []
    assert tester is not None


def test_unknown_facts_show_their_reason(theme) -> None:
    view = present_fingerprint(ui_fakes.recorded_fingerprint())
    containers = next(group for group in view.groups if group.id == "containers")
    model = FactsModel(theme)

    model.replace(containers.facts)

    assert model.index(0, 1).data() == "the tool is not installed"
    assert model.index(0, 1).data(Qt.ItemDataRole.FontRole).italic()
    assert containers.unknown_count == 10


def test_gpu_model_has_a_row_per_gpu() -> None:
    model = GpuModel()
    tester = QAbstractItemModelTester(model, FATAL)

    model.replace(ui_fakes.recorded_fingerprint())
    model.replace(ui_fakes.big_fingerprint())
    model.replace(ui_fakes.big_fingerprint())

    assert model.rowCount() == 16
    assert model.index(15, 0).data() == "GPU 15"
    assert model.index(0, 4).data() == "–"
    model.replace(None)
    assert model.rowCount() == 0
    assert tester is not None


def test_groups_and_sections_pass_qts_tester(icons) -> None:
    groups, sections = GroupsModel(icons), SectionsModel(icons)
    testers = [QAbstractItemModelTester(model, FATAL) for model in (groups, sections)]
    found = ui_fakes.recorded_fingerprint()
    view = present_fingerprint(found)

    groups.replace(view.groups)
    groups.replace(view.groups)
    groups.replace(view.groups[:2])
    sections.replace(found.sections)
    sections.replace(())

    assert groups.row_of("gpus") == 1
    assert groups.row_of("nothing") == -1
    assert groups.index(0).data() == "Findings · 1"
    assert sections.rowCount() == 0
    assert len(testers) == 2


def test_palette_finds_all_typed_words_in_any_order(icons) -> None:
    commands = [
        Command(words="Fingerprint", hint="Page", icon="fingerprint", run=lambda: None),
        Command(words="Take fingerprint", hint="Action", icon="fingerprint", run=lambda: None),
    ]
    model = CommandModel(commands, icons)
    tester = QAbstractItemModelTester(model, FATAL)
    proxy = CommandFilter()
    proxy.setSourceModel(model)

    proxy.set_text("finger act")

    assert proxy.rowCount() == 1
    assert proxy.index(0, 0).data() == "Take fingerprint   ·   Action"
    assert tester is not None
