"""The tab Compare: choosing the other side, reading the answer, taking it away."""

import json
from dataclasses import replace

import pytest
import ui_fakes
from fakes.diff_pairs import record
from PySide6.QtGui import QGuiApplication

from app.io.documents import to_json
from app.ui.viewmodels.fingerprint_compare import FILE
from app.ui.viewmodels.fingerprint_compare_texts import present_comparison


@pytest.fixture
def two_hosts(desk, outside):
    """Return the desk with two hosts, the first one chosen, and its Compare tab in front."""
    weak = ui_fakes.recorded_fingerprint()
    gpus = tuple(
        replace(gpu, compute_cap="8.0", power_limit_w=500.0, uuid=f"GPU-{gpu.index}")
        for gpu in weak.gpus
    )
    outside.fingerprints["old"] = replace(weak, gpus=gpus, driver_version="535.54.03")
    desk.add_host(ui_fakes.ssh_settings("old", address="10.0.0.2"))
    first = desk.add_host(ui_fakes.ssh_settings("new"))
    desk.window.select_host(first.settings.id)
    desk.window.open_page("fingerprint")
    page = desk.window.page("fingerprint")
    desk.qtbot.waitUntil(lambda: page.view_model.fingerprint is not None)
    page.open_tab(page.compare)
    return desk


def tab_of(desk):
    return desk.window.page("fingerprint").compare


def choose(desk, label: str):
    """Choose the other side by its label and wait for the answer."""
    tab = tab_of(desk)
    state = tab.view_model.state
    (row,) = (i for i, choice in enumerate(state.others) if choice.label == label)
    tab.other.setCurrentIndex(row)
    tab.other.activated.emit(row)
    desk.qtbot.waitUntil(lambda: tab.view_model.state.comparison is not None)
    return tab


def test_another_host_is_compared_and_the_answer_is_read_at_once(two_hosts) -> None:
    tab = choose(two_hosts, "old")
    text = tab.text.toPlainText()
    assert tab.view_model.state.comparison.changes_behaviour
    assert tab._headline.text().startswith("They do not behave the same")
    assert text.index("Changes behaviour") < text.index("Changes speed")
    assert "images made for CUDA 13" in text
    assert tab.record.isHidden()


def test_only_what_changes_behaviour_can_be_shown(two_hosts) -> None:
    tab = choose(two_hosts, "old")
    tab.only.setChecked(True)
    text = tab.text.toPlainText()
    assert "Changes behaviour" in text
    assert "Changes speed" not in text


@pytest.mark.parametrize(
    ("number", "words", "missing"),
    [
        (0, ("They do not behave the same",), "两者行为不同"),
        (1, ("两者行为不同",), "They do not behave"),
        (2, ("They do not behave the same", "两者行为不同"), "\x00"),
    ],
)
def test_the_text_is_copied_in_the_language_of_the_customer(
    two_hosts, number, words, missing
) -> None:
    tab = choose(two_hosts, "old")
    tab._copies[number].trigger()
    copied = QGuiApplication.clipboard().text()
    assert all(word in copied for word in words)
    assert missing not in copied


def test_the_answer_follows_the_language(two_hosts) -> None:
    tab = choose(two_hosts, "old")
    two_hosts.use(language="zh_CN")
    two_hosts.qtbot.waitUntil(lambda: tab.what.itemText(0) == "此主机：new")
    assert "两者行为不同" in tab._headline.text()
    assert "改变行为" in tab.text.toPlainText()
    two_hosts.use(language="en")
    two_hosts.qtbot.waitUntil(lambda: tab.what.itemText(0) == "This host: new")


def test_an_earlier_date_of_the_same_host_can_be_chosen(two_hosts) -> None:
    desk, tab = two_hosts, tab_of(two_hosts)
    host = next(h for h in desk.window.hosts() if h.settings.name == "new")
    earlier = replace(
        ui_fakes.recorded_fingerprint(),
        driver_version="575.51.03",
        host_id=host.settings.id,
        taken_at="2026-01-01T00:00:00Z",
    )
    fingerprints = desk.app.hosts._fingerprints
    desk.finish(
        fingerprints._store.add_fingerprint(host.settings.id, earlier, ui_fakes.summary_of(earlier))
    )
    desk.finish(desk.app.hosts.take_fingerprint(host.settings.id))
    label = "Earlier: 2026-01-01 00:00 UTC"
    desk.qtbot.waitUntil(lambda: label in [c.label for c in tab.view_model.state.others])
    choose(desk, label)
    paths = {d.path for d in tab.view_model.state.comparison.differences}
    assert "driver_version" in paths


def test_a_file_is_compared_and_a_broken_one_is_told(two_hosts, tmp_path) -> None:
    desk, tab = two_hosts, tab_of(two_hosts)
    good = tmp_path / "customer.json"
    good.write_text(to_json(ui_fakes.recorded_fingerprint()), encoding="utf-8")
    tab.view_model.open_file(good)
    desk.qtbot.waitUntil(lambda: tab.view_model.state.comparison is not None)
    assert tab.view_model.state.other.label == "customer.json"
    bad = tmp_path / "bad.json"
    bad.write_text("{}", encoding="utf-8")
    tab.view_model.open_file(bad)
    banner = desk.window.page("fingerprint")._banner
    desk.qtbot.waitUntil(lambda: not banner.isHidden())
    assert "bad.json" in banner.error.cause
    assert tab.view_model.state.comparison is None


def test_a_host_is_not_compared_with_a_deployment(two_hosts, tmp_path) -> None:
    desk, tab = two_hosts, tab_of(two_hosts)
    file = tmp_path / "chat.json"
    file.write_text(to_json(record()), encoding="utf-8")
    tab.view_model.open_file(file)
    banner = desk.window.page("fingerprint")._banner
    desk.qtbot.waitUntil(lambda: not banner.isHidden())
    assert "cannot be compared with a deployment" in banner.error.cause


def test_the_text_is_saved_in_both_languages(two_hosts, tmp_path) -> None:
    tab = choose(two_hosts, "old")
    file = tmp_path / "answer.txt"
    with two_hosts.qtbot.waitSignal(tab.view_model.saved):
        tab.view_model.save(file)
    text = file.read_text(encoding="utf-8")
    assert "They do not behave the same" in text
    assert "两者行为不同" in text


def test_escape_gives_up_a_comparison(two_hosts) -> None:
    tab = tab_of(two_hosts)
    choice = next(c for c in tab.view_model.state.others if c.label == "old")
    tab.view_model.choose_other(choice)
    assert tab._stack.currentIndex() == 1
    assert tab.escape()
    assert tab.view_model.state.other is None
    assert tab._stack.currentIndex() == 0
    assert not tab.escape()


def test_without_a_fingerprint_the_tab_says_what_to_do(desk) -> None:
    desk.window.open_page("fingerprint")
    tab = tab_of(desk)
    desk.window.page("fingerprint").open_tab(tab)
    assert tab.view_model.state.what is None
    assert not tab.open.isEnabled()
    assert tab.view_model.text("en") == ""


def test_a_presented_comparison_names_what_could_not_be_compared(two_hosts) -> None:
    tab = choose(two_hosts, "old")
    view = present_comparison(tab.view_model.state.comparison, only_behaviour=False)
    assert view.status == "error"
    assert view.groups[0].rows[0].source


def deploy(demo, name: str) -> None:
    """Put a shipped profile onto the demo host and wait until it serves."""

    async def work() -> None:
        (host,) = demo.app.hosts.snapshot()
        profile = await demo.app.profiles.load("chat-one-gpu")
        spec = await demo.app.deployments.preview(
            profile, host.settings.id, name=name, model_path="/models/qwen2.5-7b-instruct"
        )
        await demo.app.deployments.deploy(spec)

    demo.finish(work())


def test_deployments_of_the_demo_host_are_compared_with_a_saved_one(demo, tmp_path) -> None:
    """Everything real but the engine: deploy, save what it is, change the record, compare."""
    deploy(demo, "one")
    wait = demo.qtbot.waitUntil
    demo.window.open_page("deployments")
    detail = demo.window.page("deployments").detail
    wait(lambda: demo.window.page("deployments").view_model.snapshot is not None)
    detail.compare.click()
    wait(lambda: demo.window.current_page == "fingerprint")
    page = demo.window.page("fingerprint")
    vm = page.compare.view_model
    wait(lambda: vm.state.what is not None and vm.state.what.key.endswith("/one"))
    made = demo.finish(demo.app.diffs.record(demo.app.deployments.find(vm.state.what.key)))
    saved = json.loads(to_json(made))
    saved["command"] += ["--kv-cache-dtype", "fp8"]
    file = tmp_path / "there.json"
    file.write_text(json.dumps(saved), encoding="utf-8")
    vm.open_file(file)
    wait(lambda: vm.state.comparison is not None, timeout=10000)
    (difference,) = vm.state.comparison.differences
    assert difference.path == "flag.--kv-cache-dtype"
    assert vm.state.other.kind == FILE
    assert page.compare.record.isVisibleTo(page)
    kept = tmp_path / "here.json"
    with demo.qtbot.waitSignal(vm.saved):
        vm.save_record(kept)
    assert json.loads(kept.read_text(encoding="utf-8"))["name"] == "one"
