"""Nonsense in every option and in the config: a typed error that names it, never a traceback."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from app.cli.main import run

_CONFIG = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096,
    "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32,
    "num_key_value_heads": 8, "vocab_size": 128256, "max_position_embeddings": 131072,
    "torch_dtype": "bfloat16",
}  # fmt: skip
_TEXT = json.dumps(_CONFIG)
_HUGE, _LONG = "9" * 5000, "1" * 400
_NO_COUNT = (
    "0", "-1", "1e9", "1.5", "nan", "inf", "-inf", "", "  ", "abc", "٣", "１２", _HUGE, _LONG,
    "0x10", "1_000", "1,000", "+5", "8 GiB", "None",
)  # fmt: skip
_NO_TIME = ("0", "-1", "1e9", "nan", "inf", "", "abc", "٣", _HUGE, "1,5", "5 days")
_NO_NAME = ("", "  ", "zzz", "v" * 5000, "/etc", "中文", "%s", "{x}", "*", "(")
_NO_VERSION = ("", "0.1O.0", "latest", "-1", "0..1", "٠.٢٦", "b9800", "0.26.0-" + "a" * 99, _HUGE)
_HOST = "2x H200 141GB SXM, driver 580.95, Docker 28, toolkit, x86_64"

Ask = Callable[..., tuple[int, dict]]


@pytest.fixture
def config(tmp_path) -> Path:
    file = tmp_path / "config.json"
    file.write_text(_TEXT, encoding="utf-8")
    return file


@pytest.fixture
def ask(capsys) -> Ask:
    """Run one command line; return its exit code and its document."""

    def ask(command: str, options: dict[str, str | None], *flags: str) -> tuple[int, dict]:
        words = [f"{name}={value}" for name, value in options.items() if value is not None]
        code = run(
            [command, *words, "--json", *(["--", *flags] if flags else [])],
            open_window=lambda: 0,
            run_tour=lambda _: pytest.fail("no tour was asked for"),
        )
        return code, json.loads(capsys.readouterr().out)

    return ask


@pytest.fixture
def estimate(ask, config) -> Ask:
    usual = {
        "--config": str(config), "--engine": "vllm", "--engine-version": "0.26.0",
        "--gpu": "NVIDIA H200",
    }  # fmt: skip
    return lambda options, *flags: ask("estimate", usual | options, *flags)


@pytest.fixture
def plan(ask, config) -> Ask:
    usual = {"--config": str(config), "--what-if": _HOST}
    return lambda options, *flags: ask("plan", usual | options, *flags)


def _is_refused(answer: tuple[int, dict], *names: str, exit_code: int = 2) -> None:
    """Check that it was refused by name, in few words, and that there is something to do."""
    code, document = answer
    assert code == exit_code, document
    error = document["error"]
    assert error["code"] != "internal", error
    assert any(name in error["cause"] for name in names), error["cause"]
    assert error["remedy"]
    assert len(error["cause"]) < 600


@pytest.mark.parametrize(
    "option", ["--gpu-count", "--gpu-memory-mib", "--gpu-used-mib", "--weights-bytes"]
)
def test_an_estimate_refuses_what_is_no_size(estimate, option):
    fine = {"--gpu-used-mib": ("0",), "--weights-bytes": ("1.5", "8 GiB")}.get(option, ())
    for value in _NO_COUNT:
        if value not in fine:
            _is_refused(estimate({option: value}), option)


@pytest.mark.parametrize("option", ["--engine", "--gpu", "--solve", "--config"])
def test_an_estimate_refuses_unknown_names(estimate, option):
    for value in _NO_NAME:
        _is_refused(estimate({option: value}), value[:60], option.removeprefix("--"))


def test_an_estimate_refuses_what_is_no_version(estimate):
    for version in _NO_VERSION:
        _is_refused(estimate({"--engine-version": version}), "is not a version of vLLM")
    for version in ("0.26.0", "zzz", ""):
        asked = {"--engine": "llamacpp", "--engine-version": version}
        _is_refused(estimate(asked), "is not a version of llama.cpp")


@pytest.mark.parametrize(
    "flag",
    ["--max-model-len", "--tensor-parallel-size", "--max-num-seqs", "--gpu-memory-utilization"],
)
def test_an_estimate_refuses_numbers_that_the_engine_cannot_take(estimate, flag):
    for value in ("0", "-5", "1e9", "nan", "inf", "", "abc", _HUGE, _LONG):
        _is_refused(estimate({}, flag, value), flag)


@pytest.mark.parametrize(
    "flags",
    [
        ["--max-model-len", "1.5"], ["--kv-cache-dtype", ""],
        ["--dtype", "fp8"], ["--quantization", ""], ["--hf-overrides", "{"],
        ["--block-size", "0"], ["--cpu-offload-gb", "-5"],
        ["--max-model-len"], ["--mem-fraction-static", "0.9"], ["--ctx-size", "4096"],
        ["-ngl", "5"], ["--max-modellen", "5"], ["stray"], ["-"],  ["--x" * 300],
    ],
    ids=" ".join,
)  # fmt: skip
def test_an_estimate_names_the_flag_that_is_wrong(estimate, flags):
    _is_refused(estimate({}, *flags), flags[0][:40])


def test_a_split_that_cannot_be_is_an_answer_with_its_reason(estimate):
    code, document = estimate({}, "--tensor-parallel-size", "3")
    assert (code, document["fits"]) == (3, False)
    assert any("heads_not_divisible" in limit for limit in document["limits"])


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"", "no JSON"),
        (b"null", "not an object"),
        (b"[]", "not an object"),
        (_TEXT[:50].encode(), "no JSON"),
        (_TEXT.encode() + b"\0", "no JSON"),
        (b"\0" * 1000, "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b'{"a":' * 100_000, "no JSON"),
        (_TEXT.replace("4096", "NaN").encode(), "hidden_size"),
        (_TEXT.replace("4096", "-Infinity").encode(), "hidden_size"),
        (_TEXT.replace("4096", "1e400").encode(), "hidden_size"),
        (_TEXT.replace("4096", "9" * 400).encode(), "hidden_size"),
        (_TEXT.replace("4096", _HUGE).encode(), "no JSON"),
        (_TEXT.replace("4096", '"4096"').encode(), "hidden_size"),
        (_TEXT.replace("4096", "-4096").encode(), "hidden_size"),
        (_TEXT.replace('"num_attention_heads": 32,', "").encode(), "num_attention_heads"),
        (_TEXT.replace('heads": 32', 'heads": 0').encode(), "num_attention_heads"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 5\n", "no JSON"),
        (b"<html>404</html>", "no JSON"),
        (_TEXT[:-1].encode() + b', "hidden_size": -5}', "hidden_size"),
    ],
)
def test_a_config_that_is_none_is_refused_by_key(estimate, config, content, named):
    config.write_bytes(content)
    _is_refused(estimate({}), named, exit_code=1)


@pytest.mark.parametrize(
    "content",
    [
        _TEXT.encode("utf-8-sig"),
        _TEXT.encode("utf-16"),
        _TEXT[:-1].encode() + b', "x": "' + b"a" * 50_000_000 + b'"}',
        b" " * 1_000_000 + _TEXT.encode(),
    ],
    ids=["BOM", "UTF-16", "50 MB", "blanks"],
)
def test_an_odd_config_is_read_all_the_same(estimate, config, content):
    config.write_bytes(content)
    assert estimate({})[1]["fits"] is True


def test_what_is_no_file_is_no_config(estimate, tmp_path):
    for path in (str(tmp_path), "/dev/null/x", "a\0b", str(tmp_path / ("v" * 300))):
        _is_refused(estimate({"--config": path}), path[:100])


@pytest.mark.parametrize("option", ["--concurrency", "--context", "--output", "--memory"])
def test_a_plan_refuses_what_is_no_size(plan, option):
    fine = ("1.5", "8 GiB") if option == "--memory" else ()
    for value in _NO_COUNT:
        if value not in fine:
            _is_refused(plan({option: value}), option, option.removeprefix("--"))


def test_a_plan_refuses_what_is_no_time_and_no_port(plan):
    for option, values in (("--ttft", _NO_TIME), ("--itl", _NO_TIME), ("--port", ("0", "x", "-1"))):
        for value in values:
            _is_refused(plan({option: value}), option)


@pytest.mark.parametrize("option", ["--goal", "--engine", "--what-if", "--config"])
def test_a_plan_refuses_unknown_names(plan, option):
    for value in _NO_NAME:
        _is_refused(plan({option: value}), value[:60], option.removeprefix("--"), "0 GPUs")


@pytest.mark.parametrize("value", ["  ", "zzz", "v" * 5000, "中文"])
def test_a_plan_refuses_a_fingerprint_that_is_none(ask, config, value):
    _is_refused(ask("plan", {"--config": str(config), "--fingerprint": value}), value[:60])


def test_a_plan_refuses_a_version_of_no_engine_and_what_is_none(plan):
    _is_refused(plan({"--engine-version": "0.26.0"}), "of no engine")
    for version in _NO_VERSION:
        asked = {"--engine": "vllm", "--engine-version": version}
        _is_refused(plan(asked), "is not a version of vLLM")


def test_a_profile_that_cannot_be_written_is_said(plan):
    _is_refused(plan({"--save": "v" * 5000}), "vvv", exit_code=1)


def test_an_inspection_refuses_what_is_no_version(ask, tmp_path):
    launch = tmp_path / "run.sh"
    launch.write_text("docker run --gpus all vllm/vllm-openai --model /m\n", encoding="utf-8")
    for version in ("zzz", "", "0.1O.0", "v" * 5000):
        code, document = ask("inspect", {"--engine-version": version}, str(launch))
        _is_refused((code, document), "--engine-version")
    code, _ = ask("inspect", {"--engine-version": "0.26.0"}, str(launch))
    assert code in {0, 3}


def test_a_name_that_is_too_long_is_no_file(ask):
    for command in ("inspect", "diagnose", "deploy"):
        code, document = ask(command, {"--host": "x"} if command == "deploy" else {}, "v" * 5000)
        assert code in {1, 2}
        assert document["error"]["code"] != "internal"
