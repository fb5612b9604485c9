"""What is said to be left of a simulated start is what it takes."""

import pytest

from app.core.engines.spec import StartupFile
from app.core.logs.phases import PhaseTracker, typical_durations
from app.core.logs.reader import read_lines
from app.io.datafiles import data_root, read_data
from app.io.demo.engine_log import StartFigures, start_lines, written

FIGURES = StartFigures(
    model_path="/models/m", architecture="Qwen2ForCausalLM", version="0.26.0", port=8000,
    max_model_len=4096, weights_gib=14.29, activation_gib=1.1, non_torch_gib=0.2, graph_gib=0.9,
    kv_bytes_per_token=57_344,
)  # fmt: skip


def test_the_data_gives_the_durations_that_the_demo_host_plays():
    startup = read_data(StartupFile, data_root(), "engines/vllm/startup.toml")
    tracker = PhaseTracker(startup)
    tracker.begin(0.0)
    at_s = 0.0
    for played in start_lines(FIGURES):
        at_s += played.wait_s
        for line in read_lines([f"{written(played, at_s)}\n".encode()]):
            tracker.feed(line, at_s)

    expected = typical_durations(startup, on_cpu=False, simulated=True)
    assert tracker.durations() == pytest.approx(expected, abs=0.11)


def test_what_a_log_sums_up_is_what_its_lines_took():
    """Loading, graphs and preparing, as the track beside the log shows them."""
    at_s, said = 0.0, {}
    for line in start_lines(FIGURES):
        at_s += line.wait_s
        said[line.text] = at_s
    began = said["Loading model from scratch..."]
    loaded = said["Model loading took 14.29 GiB and 2.8 seconds"]
    graphs = said["Capturing CUDA graphs (FULL):   0%"]
    prepared = said["init engine (profile, create kv cache, warmup model) took 6.40 s"]

    assert loaded - began == pytest.approx(2.8)
    assert prepared - loaded == pytest.approx(6.4)
    assert said["Graph capturing finished in 1 secs, took 0.90 GiB"] - graphs == pytest.approx(1.2)
