"""The engine in tests is the genuine one, and what tests start is swept away."""

import json
import urllib.request

from fixtures.containers import LlamaServer, LlamaServerFactory, TinyModel


def complete(url: str, prompt: str, tokens: int) -> dict:
    body = {"prompt": prompt, "max_tokens": tokens, "temperature": 0, "ignore_eos": True}
    request = urllib.request.Request(
        f"{url}/v1/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def test_llama_server_completes_with_the_tiny_model(llama_server: LlamaServer):
    answer = complete(llama_server.url, "hello world", 8)

    assert answer["usage"]["completion_tokens"] == 8
    assert answer["choices"][0]["text"].strip()


def test_greedy_answer_repeats(llama_server: LlamaServer):
    first, second = (complete(llama_server.url, "the server", 12) for _ in range(2))

    assert first["choices"][0]["text"] == second["choices"][0]["text"]


def test_llama_server_shows_metrics(llama_server: LlamaServer):
    with urllib.request.urlopen(f"{llama_server.url}/metrics", timeout=10) as answer:
        assert b"llamacpp:" in answer.read()


def test_image_has_the_official_entrypoint_and_address(docker_client, llama_image: str):
    official = docker_client.images.get("ghcr.io/ggml-org/llama.cpp:server-b10434")
    config = official.attrs["Config"]

    assert official.id == docker_client.images.get(llama_image).id
    assert config["Entrypoint"] == ["/app/llama-server"]
    assert "LLAMA_ARG_HOST=0.0.0.0" in config["Env"]


def test_own_server_takes_flags_and_stops_cleanly(
    llama_server_factory: LlamaServerFactory, tiny_model: TinyModel
):
    server = llama_server_factory("--ctx-size", "512", parallel=1, model=tiny_model)

    server.container.stop(timeout=10)
    server.container.reload()

    assert server.container.attrs["State"]["ExitCode"] == 0


def test_both_forms_of_the_tiny_model_are_there(tiny_model: TinyModel):
    config = json.loads((tiny_model.folder / "config.json").read_text())

    assert config["max_position_embeddings"] == tiny_model.context
    assert tiny_model.gguf.read_bytes()[:4] == b"GGUF"
