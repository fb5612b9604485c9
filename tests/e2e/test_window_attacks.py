"""The window under attack: bad input, hosts that freeze or change, containers taken away.

Real parts, and a heartbeat over everything: whatever happens, the window goes on answering.
"""

import shutil
import signal
import socket
import subprocess

import pytest

from app.core.events import AuthMethod, DeploymentState, HostState
from app.core.logs.kept import LIMIT
from app.ui.widgets.connect_dialogs import KeyChangedDialog, KeyDialog, SecretDialog
from app.ui.widgets.findings import FindingsView
from app.ui.widgets.hosts_dialog import HostDialog
from app.ui.widgets.state import ErrorBanner

pytestmark = pytest.mark.timeout(120)

SERVING, FAILED, UNKNOWN = (
    DeploymentState.SERVING,
    DeploymentState.FAILED,
    DeploymentState.UNKNOWN,
)


def banners(desk):
    """Return the codes of the errors that are seen on the page in front."""
    seen = desk.visible(ErrorBanner)
    assert all(banner.error.cause and banner.error.remedy for banner in seen)
    return {banner.error.code.value for banner in seen}


def causes(desk):
    """Return the causes of the findings that are seen on the page in front."""
    panels = [view.panel for view in desk.visible(FindingsView)]
    return [card.cause for panel in panels if panel is not None for card in panel.cards]


@pytest.fixture
def frail(ssh_host_factory, tiny_model):
    """A host to be broken, with the tiny model on it."""
    host = ssh_host_factory()
    host.model = shutil.copy(tiny_model.gguf, host.folder / "tiny.gguf")
    return host


def container_of(client, name):
    ours = {"name": f"pitwall-{name}-r"}
    return client.containers.list(all=True, filters=ours, ignore_removed=True)[0]


def opened(desk, name):
    """Open the Deployments page on a deployment and return its view-model."""
    found = desk.page("deployments").view_model
    desk.until(lambda: any(card.name == name for card in found.state.cards))
    found.select(f"gpu/{name}")
    desk.until(lambda: found.state.detail is not None)
    return found


def remove(desk, name):
    opened(desk, name).remove()
    desk.until(lambda: desk.deployment(name) is None)


# --- Adding and entering hosts

FORMS = [
    ({"address": ""}, {"address"}),
    ({"address": "   "}, {"address"}),
    ({"address": "a b"}, {"address"}),
    ({"address": "h:99999"}, {"port"}),
    ({"address": "h", "name": "a/b"}, {"name"}),
    ({"address": "h", "name": "x" * 65}, {"name"}),
    ({"address": "h", "name": "x.json"}, {"name"}),
    ({"address": "h", "name": " GPU "}, {"name"}),
    ({"address": "h", "user": "a b"}, {"user"}),
    ({"address": "h", "name": "a:b", "user": "a b"}, {"name", "user"}),
]


def test_host_form_says_beside_each_field_what_is_wrong(open_desk, ssh_host):
    desk = open_desk()
    desk.add(ssh_host, "gpu")
    desk.page("hosts").add_over_ssh()
    dialog = desk.dialog(HostDialog)
    names = ("name", "address", "port", "user", "key_file")
    for given, wrong in FORMS:
        for field in ("name", "address", "user"):
            getattr(dialog, field).setText(given.get(field, ""))
        desk.press(dialog.accept_button)
        desk.until(dialog.accept_button.isEnabled)
        assert {name for name in names if dialog.field_error(name)} == wrong, given
    dialog.auth.setCurrentIndex(dialog.auth.findData(AuthMethod.KEY.value))
    dialog.user.clear()
    dialog.name.setText("other")
    desk.press(dialog.accept_button)
    desk.until(lambda: bool(dialog.field_error("key_file")))
    desk.press(dialog.cancel_button)
    desk.until(lambda: not desk.visible(HostDialog))
    assert [one.settings.name for one in desk.window.hosts()] == ["gpu"]


def test_wrong_password_is_asked_for_again_until_cancelled_or_right(open_desk, ssh_host_factory):
    host = ssh_host_factory()
    desk = open_desk()
    host_id = desk.add(host, auth=AuthMethod.PASSWORD, key_file=None).settings.id

    def answer(secret):
        dialog = desk.dialog(SecretDialog)
        dialog._input.setText(secret)
        desk.press(dialog.accept_button)
        desk.until(lambda: dialog not in desk.visible(SecretDialog))

    desk.window.connect_host(host_id)
    for number in range(3):
        answer(f"wrong {number}")
        desk.dialog(SecretDialog)
        assert not desk.is_host(HostState.CONNECTED)
    dialog = desk.dialog(SecretDialog)
    assert dialog._field.error
    desk.press(dialog.cancel_button)
    desk.until(lambda: not desk.visible(SecretDialog))
    desk.window.connect_host(host_id)
    answer(host.password)
    desk.until(lambda: desk.is_host(HostState.CONNECTED))


def test_bad_key_files_are_told_apart(open_desk, ssh_host, tmp_path):
    desk = open_desk()
    paths = {kind: tmp_path / kind for kind in ("missing", "garbage", "folder", "locked")}
    paths["garbage"].write_bytes(b"\xff\x00junk")
    paths["folder"].mkdir()
    make = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "secret", "-C", "", "-f"]
    subprocess.run([*make, str(paths["locked"])], check=True)
    for kind in ("missing", "garbage", "folder"):
        host_id = desk.add(ssh_host, kind, key_file=str(paths[kind])).settings.id
        desk.window.view_model.clear_errors()
        desk.window.connect_host(host_id)
        desk.until(desk.told)
        assert desk.told() == {"key_file_unreadable"}
    host_id = desk.add(ssh_host, "locked", key_file=str(paths["locked"])).settings.id
    desk.window.connect_host(host_id)
    first = desk.dialog(SecretDialog)
    first._input.setText("not it")
    desk.press(first.accept_button)
    desk.until(lambda: first not in desk.visible(SecretDialog))
    second = desk.dialog(SecretDialog)
    assert "open the key" in second._field.error
    desk.press(second.cancel_button)


def test_first_contact_can_be_cancelled_and_asked_again(open_desk, ssh_host, home):
    desk = open_desk()
    host_id = desk.add(ssh_host).settings.id
    (home / "config" / "known_hosts").unlink()
    for _ in range(2):
        desk.window.connect_host(host_id)
        desk.dialog(KeyDialog).reject()
        desk.until(lambda: not desk.visible(KeyDialog))
    desk.window.connect_host(host_id)
    question = desk.dialog(KeyDialog)
    desk.finish(desk.app.hosts.remove(host_id))
    desk.until(lambda: not desk.window.hosts())
    desk.press(question.accept_button)
    desk.until(lambda: desk.told() == {"not_found"})
    assert not (home / "config" / "known_hosts").exists()


def test_key_that_changed_while_away_is_told_and_stops_the_coming_back(open_desk, frail):
    desk = open_desk()
    host_id = desk.connect(frail).settings.id
    frail.rotate_host_key()
    desk.until(lambda: desk.is_host(HostState.FAILED))
    assert desk.told() == {"host_key_changed"}
    desk.window.connect_host(host_id)
    dialog = desk.dialog(KeyChangedDialog)
    assert not dialog.accept_button.isEnabled()
    dialog.confirmed.setChecked(True)
    desk.press(dialog.accept_button)
    desk.until(lambda: desk.is_host(HostState.CONNECTED))


def test_revoked_key_cannot_be_accepted(open_desk, frail, home):
    desk = open_desk()
    host_id = desk.connect(frail).settings.id
    revoked = f"@revoked {frail.known_hosts_line}\n"
    (home / "config" / "known_hosts").write_text(revoked, encoding="utf-8")
    frail.kill_connections()
    desk.until(lambda: desk.is_host(HostState.FAILED))
    assert desk.told() == {"host_key_revoked"}
    desk.window.connect_host(host_id)
    dialog = desk.dialog(KeyChangedDialog)
    assert not dialog.accept_button.isVisible()
    desk.press(dialog.cancel_button)


# --- A host that freezes


def test_connecting_to_a_frozen_host_can_be_cancelled(open_desk, frail):
    desk = open_desk()
    host_id = desk.add(frail).settings.id
    shell = desk.window.view_model

    def cancel():
        shell.cancel_activity(shell.activities()[0].id)

    with frail.frozen():
        for leave in (cancel, lambda: shell.disconnect_host(host_id)):
            desk.window.connect_host(host_id)
            desk.until(lambda: desk.is_host(HostState.CONNECTING) and shell.activities())
            leave()
            desk.until(lambda: desk.is_host(HostState.DISCONNECTED), seconds=3)
            assert not shell.activities()
    desk.window.connect_host(host_id)
    desk.until(lambda: desk.is_host(HostState.CONNECTED))


@pytest.mark.usefixtures("llama_image")
def test_frozen_host_is_told_on_every_page_and_all_comes_back(open_desk, frail, deployment_name):
    desk = open_desk()
    desk.connect(frail)
    desk.deploy(frail.model, deployment_name)
    found = opened(desk, deployment_name)
    found.open_tunnel()
    desk.until(lambda: bool(found.state.detail.tunnel_url) and found.log.rowCount() > 0)
    live = desk.page("live").view_model
    desk.until(lambda: any(plot.curves for plot in live.state.plots))
    plan = desk.page("plan").view_model
    fingerprint = desk.page("fingerprint").view_model
    opened(desk, deployment_name)

    with frail.frozen():
        found.say("Hello")
        plan.find_models(str(frail.folder))
        fingerprint.take()
        desk.until(lambda: desk.is_host(HostState.LOST))
        desk.until(lambda: desk.is_in(deployment_name, UNKNOWN) and not found.state.chat.is_waiting)
        assert found.state.chat.error.code.value == "connection_lost"
        assert plan.state.find_error is not None
        assert not fingerprint.is_busy
        desk.until(lambda: not found.state.detail.tunnel_url and found.state.log_error)
        assert "connection_lost" in banners(desk)
        desk.page("live")
        desk.until(lambda: {plot.missing for plot in live.state.plots} <= {"", "no answer"})
        desk.page("deployments")

    desk.until(lambda: desk.is_in(deployment_name, SERVING))
    desk.until(lambda: found.log.rowCount() > 0 and found.state.log_error is None)
    desk.until(lambda: not banners(desk) - {"connection_lost"})
    rows = found.log.rowCount()
    found.say("Hello again")
    desk.until(lambda: bool(found.state.chat.answer))
    desk.until(lambda: found.log.rowCount() > rows)
    desk.until(lambda: not banners(desk))
    desk.page("live")
    desk.until(lambda: "no answer" not in {plot.missing for plot in live.state.plots})
    desk.until(lambda: {c.value for plot in live.state.plots for c in plot.curves} - {"", "–"})
    remove(desk, deployment_name)


@pytest.mark.usefixtures("llama_image")
def test_connection_cut_while_deploying_ends_in_a_deployment_that_serves(
    open_desk, frail, deployment_name
):
    desk = open_desk()
    desk.connect(frail)
    desk.plan(frail.model)
    desk.confirm_deploy(deployment_name)
    desk.until(lambda: desk.is_in(deployment_name, DeploymentState.STARTING))
    frail.kill_connections()
    desk.until(lambda: desk.is_in(deployment_name, UNKNOWN))
    desk.until(lambda: desk.is_in(deployment_name, SERVING))
    remove(desk, deployment_name)


# --- What others do to containers


@pytest.mark.usefixtures("llama_image")
def test_container_that_others_stop_or_remove_is_shown_as_it_is(
    open_desk, ssh_host, model_on_host, deployment_name, docker_client
):
    desk = open_desk()
    desk.connect(ssh_host)
    desk.deploy(model_on_host, deployment_name)
    found = opened(desk, deployment_name)
    container_of(docker_client, deployment_name).kill()
    desk.until(lambda: desk.is_in(deployment_name, FAILED))
    desk.until(lambda: banners(desk) == {"engine_exited"})
    assert "137" in found.snapshot.error.cause
    assert found.snapshot.error.details
    found.start()
    desk.until(lambda: desk.is_in(deployment_name, SERVING))
    container_of(docker_client, deployment_name).remove(force=True)
    desk.page("hosts")
    desk.until(lambda: desk.is_in(deployment_name, FAILED))
    # Looking at the page asks the host again: what was not read yet must not vanish by that.
    desk.page("deployments")
    desk.until(lambda: banners(desk) == {"container_not_found"})
    desk.window.refresh()
    desk.until(lambda: not found.is_busy or found.state.log_error is None)
    assert desk.is_in(deployment_name, FAILED)
    remove(desk, deployment_name)


@pytest.mark.usefixtures("llama_image")
def test_taken_port_two_at_once_taken_name_and_a_host_removed_while_busy(
    open_desk, ssh_host, model_on_host, deployment_name
):
    desk = open_desk()
    host_id = desk.connect(ssh_host).settings.id
    other = f"{deployment_name}-b"
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        plan = desk.plan(model_on_host)
        plan.set_input("port", str(taken.getsockname()[1]))
        desk.until(lambda: plan.state.is_planning)
        desk.until(lambda: not plan.state.is_planning)
        desk.confirm_deploy(deployment_name)
        desk.until(lambda: causes(desk) == ["port_in_use"])
    plan.set_input("port", "")
    desk.until(lambda: not plan.state.is_planning)
    for name in (deployment_name, other):
        desk.confirm_deploy(name)
    desk.until(lambda: all(desk.is_in(name, SERVING) for name in (deployment_name, other)))

    hosts = desk.page("hosts").view_model
    desk.page("deployments")
    hosts.remove(host_id)
    desk.until(lambda: not desk.window.hosts() and not desk.app.deployments.snapshot())
    for page in ("live", "plan", "fingerprint", "topology", "deployments"):
        desk.page(page)
    desk.connect(ssh_host)
    for name in (deployment_name, other):
        desk.until(lambda name=name: desk.is_in(name, SERVING))
        remove(desk, name)


def test_model_that_is_read_or_broken_cannot_be_deployed(
    open_desk, ssh_host, host_models, tiny_model, model_on_host
):
    desk = open_desk()
    desk.connect(ssh_host)
    made = {name: host_models / f"window-{name}" for name in ("missing", "broken", "secret")}
    for path in made.values():
        shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(tiny_model.folder, path)
    (made["missing"] / "config.json").unlink()
    (made["broken"] / "config.json").write_text('{"architectures": ["Qwen2', encoding="utf-8")
    made["secret"].chmod(0o700)
    cut = host_models / "window-cut.gguf"
    cut.write_bytes(tiny_model.gguf.read_bytes()[:-200_000])
    plan = desk.plan(model_on_host)
    for path, code in (
        (made["missing"], "model_config_missing"),
        (made["broken"], "model_config_broken"),
        (made["secret"], "permission_denied"),
        (cut, "model_config_broken"),
        (host_models / "nowhere", "model_not_found"),
    ):
        plan.choose_model(str(path))
        assert not plan.state.can_deploy
        desk.until(lambda: not plan.state.is_reading)
        assert plan.state.model_error.code.value == code
        assert banners(desk) == {code}
        assert not plan.can_go(1)


# --- Tools and stores that do not answer well


@pytest.mark.parametrize("fault", ["garbage", "mismatch"])
def test_gpus_that_cannot_be_asked_are_unknown_and_not_none(open_desk, ssh_host_factory, fault):
    host = ssh_host_factory()
    host.fail(fault)
    desk = open_desk()
    desk.connect(host)
    page = desk.page("fingerprint")
    desk.until(lambda: page.details.facts.rowCount() > 0)
    assert "unknown" in desk.window._host_bar._note.full_text
    live = desk.page("live").view_model
    desk.until(lambda: "no answer" in {plot.missing for plot in live.state.plots})
    (memory,) = (plot for plot in live.state.plots if plot.id == "memory")
    assert "nvidia-smi" in memory.why_missing


def test_host_without_docker_says_so_on_the_deployments_page(open_desk, ssh_host):
    desk = open_desk()
    desk.connect(ssh_host, docker_socket="/nowhere/docker.sock")
    desk.page("deployments")
    desk.until(lambda: bool(banners(desk)))
    assert banners(desk) <= {"docker_not_found", "docker_not_reachable"}


@pytest.mark.expect_logs
def test_spoiled_settings_and_store_are_kept_aside_and_told(open_desk, home, heartbeat):
    with heartbeat.paused():
        desk = open_desk()
        desk.finish(desk.app.settings.update(window_geometry="%no base64", last_page="no page"))
        desk.finish(desk.app.settings.update(window_state="AAAA", last_host_id="nobody"))
        again = open_desk()
    assert again.window.current_page == "hosts"
    with heartbeat.paused():
        again.close(others=[desk])
        desk.close()
        (home / "config" / "settings.toml").write_bytes(b"\xff{{{{")
        (home / "data" / "pitwall.db").write_bytes(b"garbage" * 300)
        last = open_desk()
    last.until(lambda: last.told() == {"settings_broken", "store_broken"})
    kept = [path.name for path in home.rglob("*.broken-*")]
    assert len(kept) == 2


# --- Very much, and the end


@pytest.mark.timeout(240)
@pytest.mark.usefixtures("llama_image")
def test_chatty_container_stays_smooth_bounded_and_counted(
    open_desk, ssh_host, model_on_host, deployment_name, docker_client
):
    desk = open_desk()
    desk.connect(ssh_host)
    desk.deploy(model_on_host, deployment_name)
    found = opened(desk, deployment_name)
    desk.until(lambda: found.log.rowCount() > 0)
    quiet = found.log.rowCount()
    flood = "seq 1 200000 | sed 's/$/ chatty line with some words/' > /proc/1/fd/1"
    container_of(docker_client, deployment_name).exec_run(["sh", "-c", flood], detach=True)
    last = "200000 chatty"
    # What counts is that the window stays smooth; coverage makes each of the lines cost more.
    desk.until(
        lambda: any(last in found.log.text(row) for row in range(found.log.rowCount())[-50:]),
        seconds=150,
    )
    assert found.log.rowCount() <= LIMIT
    desk.until(lambda: found.log.rowCount() + found.log.dropped >= quiet + 200_000)
    remove(desk, deployment_name)


@pytest.mark.usefixtures("llama_image")
def test_closing_at_any_moment_is_quick_and_leaves_what_runs(
    open_desk, frail, deployment_name, docker_client, heartbeat
):
    def connecting(desk):
        frail.freeze()
        desk.window.connect_host(desk.host().settings.id)
        desk.until(lambda: desk.is_host(HostState.CONNECTING))

    def asking(desk):
        desk.page("hosts").add_over_ssh()
        desk.dialog(HostDialog)

    def deploying(desk):
        desk.plan(frail.model)
        desk.confirm_deploy(deployment_name)
        desk.until(lambda: desk.is_in(deployment_name, DeploymentState.STARTING))

    def everything_frozen(desk):
        found = opened(desk, deployment_name)
        desk.until(lambda: desk.is_in(deployment_name, SERVING))
        found.open_tunnel()
        desk.until(lambda: bool(found.state.detail.tunnel_url))
        live = desk.page("live").view_model
        desk.until(lambda: any(plot.curves for plot in live.state.plots))
        frail.freeze()
        found.say("Hello")
        desk.page("plan").view_model.find_models(str(frail.folder))
        desk.page("fingerprint").view_model.take()

    def lost(desk):
        frail.freeze()
        desk.until(lambda: desk.is_host(HostState.LOST))

    with heartbeat.paused():
        desk = open_desk()
        desk.connect(frail)
        desk.close()
    for moment in (connecting, asking, deploying, everything_frozen, lost):
        desk = open_desk()
        desk.window.select_host(desk.host().settings.id)
        if moment is not connecting:
            desk.window.connect_host(desk.host().settings.id)
            desk.until(lambda: desk.is_host(HostState.CONNECTED))  # noqa: B023 - used at once
        moment(desk)
        with heartbeat.paused():
            assert desk.close() < 3, moment.__name__
        frail.thaw()
    container = container_of(docker_client, deployment_name)
    assert container.status == "running"
    container.kill(signal.SIGKILL)
    container.remove(force=True)


def test_language_changes_on_every_page_with_content(open_desk, ssh_host, heartbeat):
    desk = open_desk()
    desk.connect(ssh_host)
    pages = ("fingerprint", "topology", "plan", "deployments", "live", "settings", "help", "about")
    for page in pages:
        desk.page(page)
    for page, language in zip(pages, ("zh_CN", "en") * 4, strict=True):
        desk.page(page)
        word = "主机" if language == "zh_CN" else "Hosts"
        with heartbeat.paused():  # nine built pages at once: about 0.1 s, asked for by the user
            desk.window._parts.translations.choose(language)
            desk.until(lambda word=word: desk.window._rail._buttons["hosts"].text() == word)
        desk.qtbot.wait(20)
        assert not banners(desk)
