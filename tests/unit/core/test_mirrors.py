"""Mirrors of registries, and the preferences that are typed."""

import pytest

from app.core.errors import UserInputError
from app.core.mirrors import mirrored, read_mirrors, registry_of
from app.core.settings import Settings, check_proxy, default_changes


@pytest.mark.parametrize(
    ("image", "registry", "name"),
    [
        ("ubuntu:24.04", "docker.io", "library/ubuntu:24.04"),
        ("vllm/vllm-openai:v0.9", "docker.io", "vllm/vllm-openai:v0.9"),
        ("docker.io/ollama/ollama", "docker.io", "ollama/ollama"),
        ("index.docker.io/a/b", "docker.io", "a/b"),
        ("ghcr.io/ggml-org/llama.cpp:server", "ghcr.io", "ggml-org/llama.cpp:server"),
        ("localhost/x", "localhost", "x"),
        ("10.0.0.5:5000/team/x@sha256:0a", "10.0.0.5:5000", "team/x@sha256:0a"),
    ],
)
def test_a_reference_names_its_registry(image: str, registry: str, name: str) -> None:
    assert registry_of(image) == (registry, name)


def test_an_image_is_fetched_by_the_mirrors_name_and_others_by_their_own() -> None:
    mirrors = read_mirrors("Docker.io = mirror.example:5000/hub/\n\nghcr.io=m2.example")

    assert mirrored("vllm/vllm-openai:v1", mirrors) == "mirror.example:5000/hub/vllm/vllm-openai:v1"
    assert mirrored("ghcr.io/a/b:c", mirrors) == "m2.example/a/b:c"
    assert mirrored("nvcr.io/a/b:c", mirrors) is None
    assert mirrored("a/b", {}) is None


@pytest.mark.parametrize("line", ["docker.io", "= x", "docker.io = ", "a b = c", "x = http://y"])
def test_a_line_that_is_no_mirror_is_named(line: str) -> None:
    with pytest.raises(UserInputError, match=r"REGISTRY = MIRROR"):
        read_mirrors(f"ghcr.io = fine.example\n{line}")


def test_a_proxy_is_an_address_without_a_secret() -> None:
    assert check_proxy(" http://proxy.example:3128/ ") == "http://proxy.example:3128"
    assert check_proxy("") == ""
    for wrong in ("proxy.example", "https://x", "http://user:word@proxy.example:1"):
        with pytest.raises(UserInputError) as caught:
            check_proxy(wrong)
        assert "word" not in f"{caught.value.cause}{caught.value.params}".replace("password", "")


def test_only_preferences_go_back_to_their_defaults() -> None:
    changed = Settings(http_proxy="http://a:1", last_page="plan", text_percent=150)

    assert default_changes(changed) == {"http_proxy": "", "text_percent": 100}
    assert default_changes(Settings()) == {}
