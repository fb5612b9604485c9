"""Lines of polling are noise; what was asked by somebody, or is a warning, is not."""

import pytest

from app.core.engines.spec import StartupFile
from app.core.logs.noise import NoiseFilter
from app.core.logs.reader import LogReader
from app.io.datafiles import data_root, read_data


@pytest.mark.parametrize(
    ("engine", "raw", "noise"),
    [
        ("llamacpp", "0.00.707.636 I srv  update_slots: all slots are idle", True),
        ("llamacpp", "0.00.707.636 I slot      release: id  3 | task 3 | stop processing", False),
        ("vllm", 'INFO:     172.17.0.1:54788 - "GET /metrics HTTP/1.1" 200 OK', True),
        (
            "vllm",
            '(APIServer pid=1) INFO:     172.17.0.1:5 - "GET /health HTTP/1.1" 200 OK',
            True,
        ),
        ("vllm", 'INFO:     172.17.0.1:54788 - "GET /metrics HTTP/1.1" 500 Error', False),
        ("vllm", 'INFO:     1.2.3.4:5 - "POST /v1/chat/completions HTTP/1.1" 200 OK', False),
    ],
)
def test_polling_is_told_from_the_rest(engine, raw, noise):
    startup = read_data(StartupFile, data_root(), f"engines/{engine}/startup.toml")

    assert NoiseFilter(startup).is_noise(LogReader().feed_line(raw)) is noise


def test_engine_without_rules_has_no_noise():
    nothing = NoiseFilter(StartupFile())

    assert not nothing
    assert not nothing.is_noise(LogReader().feed_line("anything"))
