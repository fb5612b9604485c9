"""The whole main job from the window, on real parts: sshd, Docker, llama-server, real dialogs."""

import urllib.request

import pytest

from app.core.events import AuthMethod, DeploymentState
from app.core.metrics.vocabulary import Metric
from app.ui.widgets.connect_dialogs import KeyDialog
from app.ui.widgets.hosts_dialog import HostDialog

pytestmark = pytest.mark.timeout(240)


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


@pytest.mark.usefixtures("llama_image")
def test_from_a_new_host_to_a_stopped_deployment(
    open_desk, heartbeat, ssh_host, model_on_host, deployment_name
):
    desk = open_desk()
    _add_over_ssh(desk, ssh_host)
    fingerprint = desk.page("fingerprint")
    desk.until(lambda: fingerprint.view_model.fingerprint is not None)
    assert len(fingerprint.view_model.fingerprint.gpus) == 2
    desk.deploy(model_on_host, deployment_name)
    assert desk.deployment(deployment_name).engine == "llamacpp"

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
