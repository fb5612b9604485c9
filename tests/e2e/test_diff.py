"""`pitwall diff` from the outside: hosts, dates, files, and real deployments over SSH."""

import json
import socket
from pathlib import Path

import pytest

pytestmark = pytest.mark.timeout(240)

PROFILE = """
schema = "pitwall.profile/1"
name = "tiny"
engine = "llamacpp"
engine_version = "b10434"
model = "ask"
port = {port}

[[flags]]
name = "--ctx-size"
value = "{context}"
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def paths(document, weight=None):
    return {d["path"] for d in document["differences"] if weight in {None, d["weight"]}}


def test_load_on_a_host_is_no_difference_in_behaviour(pitwall, ssh_host_factory):
    host = ssh_host_factory(recordings=Path("resources/demo/h200-x2").resolve())
    name = pitwall.add(host)
    host.show("idle")
    pitwall.run("fingerprint", name)
    host.show("busy")
    document = pitwall.json("diff", f"{name}@latest", name)
    assert document["same_behaviour"]
    assert document["counts"]["performance"] == 0
    assert "gpu.memory_used_mib" in paths(document, "cosmetic")
    stored = pitwall.json("diff", name, "--list")["stored"]
    assert [entry["gpu_text"] for entry in stored] == ["2 × NVIDIA H200"] * 2


def test_a_host_and_a_changed_file_of_it_differ_with_exit_code_3(quick_pitwall, tmp_path):
    quick_pitwall.run("hosts", "add", "demo", "--demo")
    file = tmp_path / "customer.json"
    quick_pitwall.run("fingerprint", "demo", "--save", file)
    saved = json.loads(file.read_text(encoding="utf-8"))
    saved |= {"host_name": "customer", "driver_version": "535.54.03", "cuda_version": "12.2"}
    file.write_text(json.dumps(saved), encoding="utf-8")
    document = quick_pitwall.json("diff", "demo@latest", file, code=3)
    assert paths(document, "behaviour") == {"driver_version", "cuda_version"}
    text = quick_pitwall.run("diff", "demo@latest", "-", code=3, stdin=file.read_text("utf-8"))
    assert "customer refuses them" in text.stdout
    chinese = quick_pitwall.run(
        "diff", file, "demo", "--lang", "zh_CN", "--only-behaviour", code=3
    ).stdout
    assert "改变行为 (2)" in chinese
    assert "影响速度" not in chinese


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("demo",), "invalid_input"),
        (("demo", "demo", "--list"), "invalid_input"),
        (("demo@2001-01-01", "demo"), "not_found"),
        (("demo@previous", "demo"), "not_found"),
        (("nothere/chat", "demo"), "not_found"),
        (("nothere", "demo"), "not_found"),
        (("./missing.json", "demo"), "file_unreadable"),
        (("demo", "--record", "x.json"), "invalid_input"),
    ],
)
def test_wrong_use_is_explained(quick_pitwall, arguments, code):
    quick_pitwall.run("hosts", "add", "demo", "--demo")
    assert quick_pitwall.error("diff", *arguments, code=2)["code"] == code


@pytest.mark.usefixtures("llama_image")
def test_two_real_deployments_differ_in_one_flag_and_what_follows(
    pitwall, known_host, model_on_host, deployment_name, tmp_path
):
    names = [f"{deployment_name}-{letter}" for letter in "ab"]
    for name, context in zip(names, (512, 1024), strict=True):
        profile = tmp_path / f"{name}.toml"
        profile.write_text(PROFILE.format(context=context, port=free_port()), encoding="utf-8")
        pitwall.run(
            "deploy", profile, "--host", known_host, "--name", name, "--model", model_on_host
        )
    refs = [f"{known_host}/{name}" for name in names]
    record = tmp_path / "a.json"
    pitwall.run("diff", refs[0], "--record", record)
    kept = record.read_text(encoding="utf-8")
    (weights,) = json.loads(kept)["model"]["files"]
    assert weights["sha256"]

    document = pitwall.json("diff", record, refs[1], code=3)
    told = {d["path"]: (d["a"], d["b"]) for d in document["differences"]}
    assert told["flag.--ctx-size"] == ("512", "1024")
    assert "said.ctx_slot" in told
    assert "image.id" not in told
    assert not any(path.startswith("file.") for path in told)
    again = pitwall.json("diff", record, refs[0])
    assert again["same_behaviour"]
    assert again["counts"]["unknown"] == 0
    for ref in refs:
        pitwall.run("stop", ref, "--remove")
