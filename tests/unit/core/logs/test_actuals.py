"""What the engine says that it took."""

import pytest
from fakes.engine_logs import LLAMA_START, VLLM_START

from app.core.engines.spec import ActualRule, StartupFile
from app.core.logs.actuals import ActualsReader
from app.core.logs.line import LogLine
from app.core.logs.reader import read_lines
from app.core.units import GIB


def read(startup, log):
    reader = ActualsReader(startup)
    for line in read_lines([log]):
        reader.feed(line)
    return {actual.quantity: actual for actual in reader.actuals()}


def test_vllm_figures_are_read_in_bytes(vllm_startup):
    actuals = read(vllm_startup, VLLM_START)

    assert actuals["kv_cache_bytes_per_gpu"].value == pytest.approx(120.3 * GIB)
    assert actuals["kv_tokens"].value == 1_971_008
    assert actuals["cuda_graph_bytes"].unit == "bytes"
    assert actuals["engine_init_s"].value == 54.56


def test_of_several_ranks_the_largest_decides(vllm_startup):
    reader = ActualsReader(vllm_startup)
    for line in read_lines([VLLM_START]):
        reader.feed(line)

    weights = {
        a.rank: a.value / GIB for a in reader.per_rank() if a.quantity == "weights_bytes_per_gpu"
    }
    largest = next(a for a in reader.actuals() if a.quantity == "weights_bytes_per_gpu")
    assert weights == pytest.approx({0: 7.54, 1: 7.60})
    assert largest.rank == 1


def test_llama_figures_are_read(llama_startup):
    actuals = read(llama_startup, LLAMA_START)

    assert actuals["slots"].value == 2
    assert actuals["context_tokens_per_slot"].value == 1024


def test_llama_buffer_sizes_of_a_cpu_host_are_read_at_verbosity_four(llama_startup):
    log = """\
0.00.012.023 I load_tensors:   CPU_Mapped model buffer size =     0.82 MiB
0.00.012.196 I llama_context: n_ctx                 = 8192
0.00.012.196 I llama_context: n_ctx_seq             = 4096
0.00.012.283 I llama_kv_cache:        CPU KV buffer size =     4.00 MiB
0.00.021.542 I sched_reserve:        CPU compute buffer size =     6.01 MiB
"""
    actuals = read(llama_startup, log)

    assert actuals["kv_tokens"].value == 8192
    assert actuals["kv_cache_bytes_host"].value == 4 * 2**20
    assert actuals["weights_bytes_host"].value == pytest.approx(0.82 * 2**20)
    assert "weights_bytes_per_gpu" not in actuals


def test_recorded_h200_figures_are_read(vllm_startup, shared_log):
    actuals = read(vllm_startup, shared_log("captures/h200-docker-vllm-0.26.0/v1.log"))

    assert actuals["weights_bytes_per_gpu"].value == pytest.approx(14.29 * GIB)
    assert actuals["activation_bytes"].value == pytest.approx(1.13 * GIB)
    assert actuals["non_torch_bytes"].value == pytest.approx(0.22 * GIB)
    assert actuals["total_bytes_per_gpu"].value == pytest.approx(139.8 * GIB)
    assert actuals["usable_bytes_per_gpu"].value == pytest.approx(128.62 * GIB)
    assert actuals["max_concurrency"].value == 258.23


def test_what_is_no_number_is_no_quantity():
    startup = StartupFile(
        actual=(
            ActualRule(quantity="a", pattern=r"a=(\S+)", unit="count"),
            ActualRule(quantity="b", pattern=r"b=\S+", unit="count"),
            ActualRule(quantity="c", pattern=r"(?P<value>c)?x", unit="count"),
        )
    )
    reader = ActualsReader(startup)

    assert not reader.feed(LogLine(text="a=many b=2 x"))
    assert reader.feed(LogLine(text="a=1,234"))
    assert [actual.value for actual in reader.actuals()] == [1234]
