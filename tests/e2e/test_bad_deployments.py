"""Deployments that cannot work, are cut off, interrupted or made twice: nothing is half done."""

import json
import shutil
import signal
import socket
import subprocess
from pathlib import Path

import pytest

pytestmark = [pytest.mark.timeout(120), pytest.mark.usefixtures("llama_image")]

PROFILE = "quick-look-cpu"


class Site:
    """One host, one deployment's name, and Docker seen from beside Pitwall."""

    def __init__(self, pitwall, host, client, model, name) -> None:
        self.pitwall, self.host, self.client = pitwall, host, client
        self.model, self.name = model, name
        self.ref = f"gpu/{name}"

    def arguments(self, profile=PROFILE, model=None):
        return ("deploy", profile, "--host", "gpu", "--model", model or self.model,
                "--name", self.name)  # fmt: skip

    def containers(self):
        ours = {"name": f"pitwall-{self.name}-r"}
        return self.client.containers.list(all=True, filters=ours, ignore_removed=True)

    def states(self):
        entries = self.pitwall.json("ps", "gpu")["deployments"]
        return [entry["state"] for entry in entries if entry["ref"] == self.ref]

    def refused(self, **options):
        """Deploy in vain; nothing is left of it."""
        error = self.pitwall.error(*self.arguments(**options))
        assert self.containers() == []
        return error

    def lines_until(self, process, state):
        """Read the progress of a deploy until it is in a state."""
        for line in process.stdout:
            if json.loads(line)["deployment"]["state"] == state:
                return
        pytest.fail(f"never {state}: {process.stderr.read()}")


@pytest.fixture
def pitwall(quick_pitwall):
    return quick_pitwall


@pytest.fixture
def prepared(pitwall, ssh_host):
    """Know the host's key and its fingerprint."""
    pitwall.add(ssh_host)
    return pitwall


@pytest.fixture
def site(prepared, ssh_host, docker_client, model_on_host, deployment_name):
    return Site(prepared, ssh_host, docker_client, model_on_host, deployment_name)


@pytest.fixture
def frail_site(pitwall, ssh_host_factory, docker_client, model_on_host, deployment_name):
    """On a host of its own, whose connections may be cut."""
    host = ssh_host_factory()
    pitwall.add(host)
    return Site(pitwall, host, docker_client, model_on_host, deployment_name)


@pytest.fixture
def profile_with(tmp_path):
    """Write the shipped profile with another line or two."""

    def write(*lines, flags=()):
        shipped = Path(__file__).parents[2] / "profiles" / f"{PROFILE}.toml"
        head, *tables = shipped.read_text().split("\n[[flags]]\n")
        path = tmp_path / "profile.toml"
        path.write_text("\n[[flags]]\n".join(["\n".join([head, *lines, ""]), *tables, *flags]))
        return path

    return write


# --- Models


def broken_models(folder, tiny_model):
    """Lay out one bad model per kind and return where each is."""
    whole = tiny_model.gguf.read_bytes()
    made = {name: folder / name for name in ("no-config", "broken", "wrong-type", "secret")}
    for path in made.values():
        shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(tiny_model.folder, path)
    (made["no-config"] / "config.json").unlink()
    (made["broken"] / "config.json").write_text('{"architectures": ["Qwen2')
    (made["wrong-type"] / "config.json").write_text(
        '{"model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"], "num_hidden_layers": "x"}'
    )
    made["secret"].chmod(0o700)
    for name, content in {
        "cut.gguf": whole[: len(whole) // 2],
        "text.gguf": b"hello\n",
    }.items():
        made[name] = folder / name
        made[name].write_bytes(content)
    return made | {"nowhere": folder / "nowhere"}


EXPECTED = {
    "no-config": ("model_config_missing", "config.json"),
    "broken": ("model_config_broken", "JSON"),
    "wrong-type": ("model_config_broken", "num_hidden_layers"),
    "secret": ("permission_denied", "secret"),
    "cut.gguf": ("model_config_broken", "cut off"),
    "text.gguf": ("model_config_broken", "not GGUF"),
    "nowhere": ("model_not_found", "nowhere"),
}


def test_each_broken_model_is_refused_with_what_is_wrong_about_it(site, host_models, tiny_model):
    site.pitwall.run("fingerprint", "gpu")
    models = broken_models(host_models, tiny_model)
    for name, (code, word) in EXPECTED.items():
        error = site.refused(model=models[name])
        assert (error["code"], word in error["cause"]) == (code, True), error


# --- Profiles, images, ports


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"x = [", "Invalid value"),
        (b"\xff\xfe\x00", "utf-8"),
        (b'name = "x"\nengine = 7\n', "engine"),
    ],
)
def test_corrupt_profile_is_told_and_stays_as_it_is(prepared, tmp_path, content, word):
    path = tmp_path / "bad.toml"
    path.write_bytes(content)
    error = prepared.error("deploy", path, "--host", "gpu")
    assert error["code"] == "profile_broken"
    assert word in error["cause"] + error["details"]
    assert path.read_bytes() == content


def test_saving_over_a_corrupt_profile_keeps_it_aside(pitwall, ssh_host, tiny_model, tmp_path):
    pitwall.add(ssh_host)
    pitwall.run("fingerprint", "gpu", "--save", tmp_path / "fp.json")
    path = tmp_path / "bad.toml"
    path.write_text("x = [")
    pitwall.run(
        "plan", "--fingerprint", tmp_path / "fp.json", "--model", tiny_model.gguf, "--cpu",
        "--save", path,
    )  # fmt: skip
    (kept,) = tmp_path.glob("bad.toml.broken-*")
    assert kept.read_text() == "x = ["


def test_flag_the_engine_does_not_know_is_named(site, profile_with):
    error = site.refused(profile=profile_with(flags=['name = "--no-such-flag"\nvalue = "1"\n']))
    assert error["code"] == "flag_unknown"
    assert "--no-such-flag" in error["cause"]


def test_taken_port_is_named(site, profile_with):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        error = site.refused(profile=profile_with(f"port = {port}"))
    assert error["code"] == "port_in_use"
    assert str(port) in error["cause"]


def test_absent_image_on_a_host_without_a_way_out_is_told_with_the_way_to_bring_it(
    site, profile_with
):
    error = site.refused(profile=profile_with('image = "127.0.0.1:1/none:1"'))
    assert error["code"] == "image_missing"
    assert "docker load" in error["remedy"]


def test_container_that_exits_at_once_is_told_with_its_last_words_and_can_be_removed(
    site, profile_with
):
    profile = profile_with('image = "pitwall-test/base:bookworm"')
    error = site.pitwall.error(*site.arguments(profile=profile))
    assert error["code"] == "engine_exited"
    assert "127" in error["cause"]
    assert site.states() == ["failed"]
    assert any("--model" in line["text"] for line in site.pitwall.lines("logs", site.ref))
    assert site.pitwall.json("stop", site.ref)["deployment"]["state"] == "failed"
    assert site.pitwall.json("stop", site.ref, "--remove")["removed"]
    assert site.containers() == []


# --- Cut off


def test_connection_lost_while_deploying_is_told_and_the_container_is_found_again(frail_site):
    with frail_site.pitwall.started(*frail_site.arguments(), "--json") as process:
        frail_site.lines_until(process, "starting")
        frail_site.host.kill_connections()
        shown, said = process.communicate(timeout=30)
    last = json.loads(shown.splitlines()[-1])
    assert (process.returncode, last["error"]["code"]) == (1, "connection_lost")
    assert last["error"]["remedy"]
    assert "Traceback" not in said
    assert len(frail_site.containers()) == 1
    assert frail_site.states()[0] in {"starting", "stopped", "verifying", "serving"}
    assert frail_site.pitwall.json("stop", frail_site.ref, "--remove")["removed"]


def test_tunnel_and_log_end_when_the_host_is_lost(frail_site):
    frail_site.pitwall.run(*frail_site.arguments())
    with (
        frail_site.pitwall.started("tunnel", frail_site.ref, "--json") as tunnel,
        frail_site.pitwall.started("logs", frail_site.ref, "--follow", "--json") as log,
    ):
        assert json.loads(tunnel.stdout.readline())["local_port"]
        assert json.loads(log.stdout.readline())["text"]
        frail_site.host.kill_connections()
        for process in (tunnel, log):
            shown, said = process.communicate(timeout=30)
            last = json.loads(shown.splitlines()[-1])
            assert (process.returncode, last["error"]["code"]) == (1, "connection_lost"), said
    frail_site.pitwall.run("stop", frail_site.ref, "--remove")


# --- Interrupted


@pytest.mark.parametrize("state", ["creating", "starting", "verifying"])
def test_ctrl_c_while_deploying_leaves_nothing(site, state):
    with site.pitwall.started(*site.arguments(), "--json") as process:
        site.lines_until(process, state)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert said.endswith(f"Cancelled: nothing of {site.name} is left on gpu.\n")
    assert site.containers() == []
    assert site.states() == []


def test_ctrl_c_while_the_host_hangs_ends_soon_and_ps_removes_what_is_left(frail_site):
    with frail_site.pitwall.started(*frail_site.arguments(), "--json") as process:
        frail_site.lines_until(process, "starting")
        with frail_site.host.frozen():
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "is removed when Pitwall reaches it again" in said or "nothing of" in said
    assert frail_site.states() == []
    assert frail_site.containers() == []


def test_lost_readers_taken_ports_and_ctrl_c_leave_a_deployment_serving(site):
    site.pitwall.run("fingerprint", "gpu")
    with site.pitwall.started(*site.arguments(), "--json") as process:
        process.stdout.readline()
        process.stdout.close()
        said = process.stderr.read()
        process.wait(30)
    assert (process.returncode, said) == (0, "")
    assert site.states() == ["serving"]

    with site.pitwall.tunnel(site.ref) as tunnel:
        port = tunnel["local_port"]
        error = site.pitwall.error("tunnel", site.ref, "--port", port)
        assert error["code"] == "port_in_use"

    commands = (("tunnel", site.ref), ("logs", site.ref, "--follow"), ("watch", site.ref))
    for command in commands:
        with site.pitwall.started(*command, "--json") as process:
            assert json.loads(process.stdout.readline())
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=20)
        assert (process.returncode, "Traceback" in said) == (130, False), said

    with site.pitwall.started("logs", site.ref, "--follow") as process:
        process.stdout.readline()
        process.stdout.close()
        site.containers()[0].stop(timeout=5)  # its last words meet a closed pipe
        said = process.stderr.read()
        process.wait(30)
    assert (process.returncode, said) == (0, "")
    site.pitwall.run("stop", site.ref, "--remove")


# --- Two at once


def test_two_pitwalls_that_deploy_the_same_leave_one_deployment_that_serves(site):
    processes = [
        subprocess.Popen(
            site.pitwall.argv(*site.arguments(), "--json"),
            env=site.pitwall.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    ends = [(process.communicate(timeout=60), process.returncode) for process in processes]
    last = [json.loads(shown.splitlines()[-1]) for (shown, _), _ in ends]
    assert min(code for _, code in ends) == 0, ends
    assert not [said for (_, said), _ in ends if "Traceback" in said]
    for document, (_, code) in zip(last, ends, strict=True):
        assert code == 0 or document["error"]["code"] != "internal"
    assert site.states() == ["serving"]
    site.pitwall.run("stop", site.ref, "--remove")
