"""The lines that tell why an engine ended."""

import pytest

from app.core.logs.reader import read_lines
from app.core.logs.telling import TellingLines


def telling(text):
    lines = TellingLines()
    for line in read_lines([text]):
        lines.feed(line)
    return lines.lines


def test_first_named_fault_wins_over_the_wrapper_at_the_end():
    log = """\
(Worker pid=3) ERROR 11-29 19:47:04 [m.py:953] WorkerProc failed to start.
(Worker pid=3) ERROR 11-29 19:47:04 [m.py:953] Traceback (most recent call last):
(Worker pid=3) ERROR 11-29 19:47:04 [m.py:953]     load()
(Worker pid=3) ERROR 11-29 19:47:04 [m.py:953] SafetensorError: incomplete metadata
RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}
"""
    assert telling(log) == ("SafetensorError: incomplete metadata",)


def test_explanation_indented_below_the_fault_belongs_to_it():
    log = "ValidationError: 1 validation error for ModelConfig\n  Value error, too long\n  See x\n"

    assert telling(log)[:2] == (
        "ValidationError: 1 validation error for ModelConfig",
        "  Value error, too long",
    )


def test_llama_cause_stands_above_its_clean_up():
    log = """\
0.00.005.203 E gguf_init_from_file: failed to open GGUF file 'no.gguf' (No such file or directory)
0.00.005.331 E srv    load_model: failed to load model, 'no.gguf'
0.00.005.338 I srv    operator(): operator(): cleaning up before exit...
0.00.005.652 E srv  llama_server: exiting due to model loading error
"""
    assert telling(log)[0].startswith("gguf_init_from_file: failed to open GGUF file 'no.gguf'")


def test_errors_without_a_named_fault_are_shown():
    log = "INFO:     up\nERROR 11-29 19:47:04 [m.py:953] something odd\nbye\n"

    assert telling(log) == ("something odd",)


def test_log_without_errors_shows_its_end():
    assert telling("one\n\ntwo\nthree\nfour\n") == ("two", "three", "four")
    assert telling("") == ()


def test_a_later_start_replaces_what_an_earlier_one_said():
    first = "0.00.004.964 E srv  a: failed to open x\n"

    assert telling("0.09.000.000 E srv  a: failed to bind y\n" + first) == ("a: failed to open x",)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("llama-server-b10434/fail-bad-flag.log", "invalid argument: --bogus-flag"),
        ("llama-server-b10434/fail-bad-model-path.log", "failed to open GGUF file"),
        ("llama-server-b10434/fail-port-in-use.log", "couldn't bind HTTP server socket"),
        ("vllm-0.32.0/fail-bad-flag.log", "unrecognized arguments"),
        ("vllm-0.32.0/fail-kv-cache-too-small.log", "To serve at least one request"),
        ("vllm-0.32.0/fail-truncated-weights.log", "incomplete metadata"),
        ("vllm-0.32.0/fail-port-in-use.log", "Address already in use"),
        ("vllm-0.32.0/fail-missing-libnuma.log", "libnuma.so.1"),
    ],
)
def test_recorded_failures_show_their_cause(shared_log, path, words):
    log = shared_log(f"lab/captures/{path}")

    assert words in telling(log)[0]
