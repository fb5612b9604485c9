"""The whole main job from the command line, on real parts: sshd, Docker, llama-server."""

import json
import shutil
import urllib.request

import pytest

pytestmark = pytest.mark.timeout(240)


def ask(tunnel):
    """Send what a client of the OpenAI API sends: base URL, key and model as they were told."""
    request = urllib.request.Request(
        f"{tunnel['api_base']}/chat/completions",
        headers={
            "Authorization": f"Bearer {tunnel['api_key']}",
            "Content-Type": "application/json",
        },
        data=json.dumps(
            {
                "model": tunnel["model"],
                "messages": [{"role": "user", "content": "Hello"}],
                "max_tokens": 8,
            }
        ).encode(),
    )
    return urllib.request.urlopen(request, timeout=30).read()


@pytest.mark.usefixtures("llama_image")
def test_from_a_new_host_to_a_stopped_deployment(
    pitwall, known_host, model_on_host, deployment_name, tmp_path
):
    fingerprint = pitwall.json("fingerprint", known_host, "--save", tmp_path / "fp.json")
    assert [gpu["name"] for gpu in fingerprint["gpus"]] == ["NVIDIA H200"] * 2
    assert fingerprint["containers"]["name"] == "docker"

    profile = tmp_path / "chat.toml"
    plan = pitwall.json(
        "plan", "--host", known_host, "--model", model_on_host, "--cpu", "--save", profile
    )
    assert plan["ranked"][0]["engine"] == "llamacpp"
    assert {entry["engine"] for entry in plan["rejected"]} >= {"vllm", "sglang"}

    preview = pitwall.json(
        "deploy", profile, "--host", known_host, "--name", deployment_name, "--dry-run"
    )
    assert preview["spec"]["container"]["host_address"] == "127.0.0.1"

    ref = f"{known_host}/{deployment_name}"
    *progress, done = pitwall.lines(
        "deploy", profile, "--host", known_host, "--name", deployment_name
    )
    assert done["event"] == "done"
    assert done["deployment"]["state"] == "serving"
    assert done["deployment"]["verified_text"]
    states = [line["deployment"]["state"] for line in progress]
    assert states.index("creating") < states.index("starting") < states.index("verifying")

    again = pitwall.json("plan", "--host", known_host, "--model", model_on_host, "--cpu")
    assert any("measured here at" in note for note in again["ranked"][0]["speed"]["notes"])

    running = pitwall.json("ps", known_host)["deployments"]
    assert [entry["state"] for entry in running if entry["ref"] == ref] == ["serving"]

    with pitwall.tunnel(ref) as tunnel:
        assert urllib.request.urlopen(f"{tunnel['url']}/health", timeout=10).status == 200
        assert tunnel["needs_api_key"]
        assert tunnel["api_key"] is None
    with pitwall.tunnel(ref, "--show-key") as tunnel:
        answer = json.loads(ask(tunnel))
        assert answer["choices"][0]["message"]["content"]

    watched = pitwall.lines("watch", ref, "--count", 4)
    assert watched[-1]["engine"]["requests_running"] == 0
    assert watched[-1]["gpus"][0]["memory_used_mib"] is not None
    assert watched[-1]["not_exposed"]["ttft_p50_s"] == "not_exposed"

    log = pitwall.lines("logs", ref)
    assert any("listening" in line["text"] for line in log)

    assert pitwall.json("restart", ref)["deployment"]["state"] == "serving"
    assert pitwall.json("stop", ref)["deployment"]["state"] == "stopped"

    *_, again = pitwall.lines("deploy", profile, "--host", known_host, "--name", deployment_name)
    assert again["deployment"]["deployment_revision"] == 2
    assert again["deployment"]["host_port"] == done["deployment"]["host_port"]
    back = pitwall.json("rollback", ref)
    assert back["revision_before"] == 2
    assert back["deployment"]["deployment_revision"] == 1
    assert back["deployment"]["container_id"] == done["deployment"]["container_id"]
    assert back["deployment"]["state"] == "serving"
    assert pitwall.error("rollback", ref, code=2)["code"] == "not_found"

    assert pitwall.json("stop", ref, "--remove")["removed"]
    left = pitwall.json("ps", known_host)["deployments"]
    assert ref not in [entry["ref"] for entry in left]


def test_safetensors_are_planned_with_vllm_on_the_cpu(
    pitwall, known_host, host_models, tiny_model_dir
):
    model = shutil.copytree(tiny_model_dir, host_models / "tiny-vllm", dirs_exist_ok=True)
    plan = pitwall.json(
        "plan", "--host", known_host, "--model", model, "--cpu", "--engine", "vllm",
        "--engine-version", "0.32.0",
    )  # fmt: skip
    (best,) = plan["ranked"]
    assert best["image"] == "vllm/vllm-openai-cpu:v0.32.0-x86_64"
    assert best["parameters"]["kv_cache_bytes"] == 256 * 1024**2
    assert "--gpus" not in best["docker_run"]
    assert "--kv-cache-memory-bytes" in best["docker_run"]
