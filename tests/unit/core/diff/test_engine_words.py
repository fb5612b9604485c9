"""What engines say of themselves when they start. The lines are our own wording of real shapes."""

import pytest
from fakes.diff_pairs import rules
from hypothesis import given
from hypothesis import strategies as st

from app.core.diff.engine_words import EngineWords
from app.core.logs.reader import read_lines


def said(text: str, engine: str = "vllm") -> dict[str, str]:
    words = EngineWords(rules().said, engine)
    for line in read_lines([text]):
        words.feed(line)
    return dict(words.said)


CONFIG = (
    "(EngineCore pid=9) INFO 01-02 03:04:05 [core.py:1] Initializing a V1 LLM engine (v0.26.0) "
    "with config: model='/m/a, b', speculative_config=None, dtype=torch.bfloat16, "
    "max_seq_len=4096, download_dir='/x', parts=SomeConfig(seed=5, names=['a', 'b']), "
    "table={'seed': 6}, seed=0, api_key='sk-planted', enable_prefix_caching=True\n"
)


def test_the_configuration_line_gives_its_plain_values():
    found = said(CONFIG)
    assert found["version"] == "0.26.0"
    assert found["config.model"] == "/m/a, b"
    assert found["config.dtype"] == "torch.bfloat16"
    assert found["config.seed"] == "0"
    assert found["config.enable_prefix_caching"] == "True"
    assert "config.parts" not in found
    assert "config.download_dir" not in found
    assert "sk-planted" not in str(found)


def test_what_was_asked_for_is_read_and_secrets_are_hidden():
    line = (
        "(APIServer pid=1) INFO 01-02 03:04:05 [api_utils.py:1] non-default args: "
        "{'model': '/m/a', 'api_key': ['sk-planted'], 'max_model_len': 512}\n"
    )
    found = said(line)
    assert found["asked.max_model_len"] == "512"
    assert "planted" not in str(found)
    assert said("non-default args: {'a': oops}\n") == {}


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("Using TRITON_ATTN attention backend out of []", "attention_backend", "TRITON_ATTN"),
        ("Using FlashAttention version 2", "flash_attention", "2"),
        ("Selected MarlinLinearKernel for Fp8LinearMethod", "kernel", "MarlinLinearKernel"),
        ("Using TRITON Unquantized MoE backend out of potential", "moe_backend", "TRITON"),
        ("V2 requires Triton; using the V1 model runner instead.", "model_runner", "V1"),
        ("CPU KV cache size: 12,345 tokens, Maximum", "kv_tokens", "12,345"),
        ("Custom allreduce is disabled because of PCIe", "custom_allreduce", "disabled"),
        (
            "Defaults overridden by the model's `generation_config.json`: `{'temperature': 0.1}`.",
            "sampling_defaults",
            "{'temperature': 0.1}",
        ),
    ],
)  # fmt: skip
def test_choices_of_vllm_are_read(line, name, value):
    assert said(f"(EngineCore pid=9) INFO 01-02 03:04:05 [a.py:1] {line}\n") == {name: value}


def test_choices_of_llama_server_are_read():
    text = (
        "0.00.003.100 I cmn          init: llama threadpool init, n_threads = 6\n"
        "0.00.203.100 I srv    load_model: initializing, n_slots = 3, n_ctx_slot = 512, "
        "kv_unified = 'true'\n"
    )
    found = {"threads": "6", "slots": "3", "ctx_slot": "512", "kv_unified": "true"}
    assert said(text, "llamacpp") == found
    assert said(text, "vllm") == {}


def test_only_the_last_start_counts():
    def start(seconds: int, backend: str) -> str:
        head = f"(APIServer pid=1) INFO 01-02 03:04:{seconds:02} [a.py:1]"
        return f"{head}  version 0.26.0\n{head} Using {backend} attention backend\n"

    first = start(1, "FLASH_ATTN") + "x INFO Using FlashAttention version 3\n"
    assert said(first + start(40, "FLASHINFER")) == {"attention_backend": "FLASHINFER"}


@given(st.text(max_size=200))
def test_no_line_makes_it_fail(text):
    said(f"Initializing a V1 LLM engine (v1) with config: {text}\n")
    said(f"non-default args: {{{text}}}\n")
