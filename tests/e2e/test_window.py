"""The whole main job from the window, on real parts: sshd, Docker, llama-server, real dialogs."""

import urllib.request

import pytest
from PySide6.QtCore import Qt

from app.bootstrap import build
from app.core.events import AuthMethod, DeploymentState
from app.core.metrics.vocabulary import Metric
from app.services.runtime import LoopThread
from app.ui.app import create_window
from app.ui.bridge import CoreBridge
from app.ui.widgets.connect_dialogs import KeyDialog
from app.ui.widgets.hosts_dialog import HostDialog

pytestmark = pytest.mark.timeout(240)


class Desk:
    """A real window over real services; closing it is what closing Pitwall does."""

    def __init__(self, qtbot, home):
        self.qtbot = qtbot
        self.closed = False
        self.loop = LoopThread().start()
        self.app = build(home=home)
        self.bridge = CoreBridge(self.loop, self.app.bus)
        self.window = create_window(self.app, self.bridge)
        self.window.view_model.run(self.app.start(), on_result=lambda _: self.window.started())
        self.window.show()
        qtbot.addWidget(self.window)
        self.until(lambda: bool(self.window.current_page))

    def until(self, holds, seconds=30):
        # What a person does next is an event of its own, so Qt always gets a turn between.
        self.qtbot.wait(20)
        self.qtbot.waitUntil(holds, timeout=seconds * 1000)

    def page(self, name):
        self.window.open_page(name)
        self.until(lambda: self.window.current_page == name)
        return self.window.page(name)

    def dialog(self, kind):
        self.until(lambda: any(found.isVisible() for found in self.window.findChildren(kind)))
        return next(found for found in self.window.findChildren(kind) if found.isVisible())

    def press(self, button):
        self.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)

    def deployment(self, name):
        found = [one for one in self.app.deployments.snapshot() if one.name == name]
        return found[0] if found else None

    def is_in(self, name, state):
        found = self.deployment(name)
        return found is not None and found.state is state

    def close(self):
        self.closed = True
        self.window.close()
        self.window.dispose()
        self.bridge.detach()
        assert self.loop.finish(self.app.close(), timeout_s=10)
        assert self.loop.stop()


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def open_desk(qtbot, home, heartbeat):
    desks = []

    def make():
        # Before the first paint there is nothing that could freeze; tests/perf has its time.
        with heartbeat.paused():
            desk = Desk(qtbot, home)
        desks.append(desk)
        return desk

    yield make
    for desk in desks:
        if not desk.closed:
            desk.close()


def _add_over_ssh(desk, host):
    hosts = desk.page("hosts")
    hosts.add_over_ssh()
    dialog = desk.dialog(HostDialog)
    dialog.name.setText("gpu")
    dialog.address.setText(host.address)
    dialog.port.setValue(host.port)
    dialog.user.setText(host.user)
    dialog.auth.setCurrentIndex(dialog.auth.findData(AuthMethod.KEY.value))
    dialog.key_file.setText(str(host.client_key))
    desk.press(dialog.accept_button)
    question = desk.dialog(KeyDialog)
    assert question.sha256.startswith("SHA256:")
    desk.press(question.accept_button)
    desk.until(lambda: desk.window.hosts()[0].summary is not None)


def _plan_and_deploy(desk, model_path, name):
    plan = desk.page("plan").view_model
    plan.choose_model(str(model_path))
    plan.choose_cpu(only=True)
    desk.until(lambda: plan.state.plan is not None and not plan.state.is_planning)
    assert plan.state.plan.engine == "llamacpp"
    plan.set_name(name)
    plan.prepare_deploy()
    page = desk.page("plan")
    desk.until(lambda: page.sheet is not None and page.sheet.isVisible())
    desk.press(page.sheet.accept_button)
    desk.until(lambda: desk.is_in(name, DeploymentState.SERVING), seconds=60)


@pytest.mark.usefixtures("llama_image")
def test_from_a_new_host_to_a_stopped_deployment(
    open_desk, heartbeat, ssh_host, model_on_host, deployment_name
):
    desk = open_desk()
    _add_over_ssh(desk, ssh_host)
    fingerprint = desk.page("fingerprint")
    desk.until(lambda: fingerprint.view_model.fingerprint is not None)
    assert len(fingerprint.view_model.fingerprint.gpus) == 2
    _plan_and_deploy(desk, model_on_host, deployment_name)

    deployments = desk.page("deployments").view_model
    deployments.select(f"gpu/{deployment_name}")
    deployments.say("Hello", max_tokens=16)
    desk.until(lambda: bool(deployments.state.chat.answer))
    deployments.open_tunnel()
    desk.until(lambda: bool(deployments.state.detail.tunnel_url))
    health = desk.loop.submit(_get(f"{deployments.state.detail.tunnel_url}/health"))
    desk.until(health.done)
    assert health.result() == 200
    assert deployments.log.rowCount() > 0

    live = desk.page("live").view_model
    live.choose_deployment(deployment_name)
    host_id = desk.window.hosts()[0].settings.id
    desk.until(lambda: _samples(desk, host_id, deployment_name, Metric.REQUESTS_RUNNING) >= 3)
    desk.until(lambda: _samples(desk, host_id, None, Metric.GPU_MEMORY_USED_MIB) >= 3)
    missing = {plot.id: plot.missing for plot in live.state.plots}
    assert "llama.cpp" in missing["ttft"]

    with heartbeat.paused():
        desk.close()
    again = open_desk()
    again.until(lambda: bool(again.window.hosts()))
    again.window.connect_host(again.window.hosts()[0].settings.id)
    again.until(lambda: again.is_in(deployment_name, DeploymentState.SERVING))
    found = again.page("deployments").view_model
    again.until(lambda: bool(found.state.cards))
    found.select(f"gpu/{deployment_name}")
    again.until(lambda: found.state.detail is not None)
    found.stop()
    again.until(lambda: again.is_in(deployment_name, DeploymentState.STOPPED))
    found.remove()
    again.until(lambda: again.deployment(deployment_name) is None)


async def _get(url):
    import asyncio

    return await asyncio.to_thread(lambda: urllib.request.urlopen(url, timeout=10).status)


def _samples(desk, host_id, deployment, metric):
    keys = [key for key in desk.app.metrics.keys(host_id, deployment) if key.metric is metric]
    return max((len(desk.app.metrics.series(key).values) for key in keys), default=0)
