"""What each engine says of its start, in lines written for these tests in their shapes."""

# ruff: noqa: E501 - log lines are as long as they are.

from dataclasses import dataclass, field

import pytest
from fakes.planning_world import engines

from app.core.engines.observed_spec import ActualRule, StartupFile
from app.core.logs.actuals import ActualsReader
from app.core.logs.line import LogLine
from app.core.logs.reader import read_lines
from app.core.units import GIB, MIB


@dataclass
class Start:
    engine: str
    log: str
    bytes: dict[str, float] = field(default_factory=dict)
    counts: dict[str, float] = field(default_factory=dict)
    chosen: dict[str, str] = field(default_factory=dict)


STARTS = {
    "vllm 0.6, engine V0": Start(
        engine="vllm",
        log="""\
INFO 11-05 09:00:00 api_server.py:529] args: Namespace(host=None, port=8000, model='/m', block_size=32, swap_space=4)
INFO 11-05 09:00:04 llm_engine.py:238] Initializing an LLM engine (v0.6.4) with config: model='/m', tokenizer='/m', dtype=torch.float16, max_seq_len=4096, quantization=awq, kv_cache_dtype=auto, seed=0)
INFO 11-05 09:00:05 selector.py:135] Using XFormers backend.
INFO 11-05 09:00:22 model_runner.py:1077] Loading model weights took 5.2015 GB
INFO 11-05 09:00:25 worker.py:232] Memory profiling results: total_gpu_memory=22.07GiB
INFO 11-05 09:00:25 gpu_executor.py:113] # GPU blocks: 2100, # CPU blocks: 900
INFO 11-05 09:00:25 gpu_executor.py:117] Maximum concurrency for 4096 tokens per request: 16.41x
INFO 11-05 09:00:44 model_runner.py:1518] Graph capturing finished in 19 secs, took 0.31 GiB
""",
        bytes={"weights_bytes_per_gpu": 5.2015 * GIB, "cuda_graph_bytes": 0.31 * GIB},
        counts={"kv_tokens": 2100 * 32, "context_tokens": 4096, "graph_capture_s": 19},
        chosen={
            "attention_backend": "XFormers",
            "dtype": "float16",
            "quantization": "awq",
            "kv_dtype": "auto",
        },
    ),
    "vllm 0.7, engine V0 in one line": Start(
        engine="vllm",
        log="""\
INFO 02-11 10:00:01 model_runner.py:1115] Loading model weights took 2.8797 GB
INFO 02-11 10:00:03 worker.py:267] Memory profiling takes 1.48 seconds
INFO 02-11 10:00:03 worker.py:267] the current vLLM instance can use total_gpu_memory (22.06GiB) x gpu_memory_utilization (0.90) = 19.85GiB
INFO 02-11 10:00:03 worker.py:267] model weights take 2.88GiB; non_torch_memory takes 0.05GiB; PyTorch activation peak memory takes 1.40GiB; the rest of the memory reserved for KV Cache is 15.52GiB.
INFO 02-11 10:00:03 executor_base.py:110] # CUDA blocks: 36332, # CPU blocks: 9362
""",
        bytes={
            "weights_bytes_per_gpu": 2.88 * GIB,
            "activation_bytes": 1.40 * GIB,
            "non_torch_bytes": 0.05 * GIB,
            "kv_cache_bytes_per_gpu": 15.52 * GIB,
            "total_bytes_per_gpu": 22.06 * GIB,
            "usable_bytes_per_gpu": 19.85 * GIB,
        },
        counts={"kv_tokens": 36332 * 16, "profile_s": 1.48},
    ),
    "vllm 0.10, engine V1 on two GPUs": Start(
        engine="vllm",
        log="""\
(VllmWorker TP0 pid=20) INFO 09-24 20:46:11 [cuda.py:362] Using Flash Attention backend on V1 engine.
(VllmWorker TP0 pid=20) INFO 09-24 20:46:12 [gpu_model_runner.py:1892] Using MacheteLinearKernel for GPTQMarlinLinearMethod
(VllmWorker TP0 pid=20) INFO 09-24 20:46:30 [gpu_model_runner.py:2019] Model loading took 7.5100 GiB and 9.5 seconds
(VllmWorker TP1 pid=21) INFO 09-24 20:46:30 [gpu_model_runner.py:2019] Model loading took 7.6100 GiB and 9.6 seconds
(VllmWorker TP0 pid=20) INFO 09-24 20:47:00 [gpu_worker.py:276] Available KV cache memory: 60.11 GiB
(VllmWorker TP1 pid=21) INFO 09-24 20:47:00 [gpu_worker.py:276] Available KV cache memory: 59.90 GiB
(EngineCore_0 pid=9) INFO 09-24 20:47:01 [kv_cache_utils.py:849] GPU KV cache size: 981,400 tokens
(EngineCore_0 pid=9) INFO 09-24 20:47:01 [kv_cache_utils.py:853] Maximum concurrency for 8,192 tokens per request: 119.80x
""",
        bytes={"weights_bytes_per_gpu": 7.61 * GIB, "kv_cache_bytes_per_gpu": 59.90 * GIB},
        counts={"kv_tokens": 981_400, "max_concurrency": 119.8, "weights_load_s": 9.6},
        chosen={
            "attention_backend": "Flash Attention",
            "quantization_kernel": "MacheteLinearKernel",
        },
    ),
    "sglang 0.4.4": Start(
        engine="sglang",
        log="""\
[2025-03-08 12:29:01 TP0] Attention backend not set. Use flashinfer backend by default.
[2025-03-08 12:29:02 TP0] Load weight begin. avail mem=21.63 GB
[2025-03-08 12:29:21 TP0] Load weight end. type=Qwen2ForCausalLM, dtype=torch.bfloat16, avail mem=6.09 GB
[2025-03-08 12:29:21 TP0] KV Cache is allocated. #tokens: 46611, K size: 1.42 GB, V size: 1.42 GB
[2025-03-08 12:29:21 TP0] Memory pool end. avail mem=1.46 GB
[2025-03-08 12:29:28 TP0] Capture cuda graph end. Time elapsed: 7.23 s. avail mem=0.53 GB. mem usage=0.93 GB.
[2025-03-08 12:29:29 TP0] max_total_num_tokens=46611, chunked_prefill_size=2048, max_prefill_tokens=16384, max_running_requests=2049, context_len=32768
""",
        bytes={
            "weights_bytes_per_gpu": 15.54 * GIB,
            "kv_cache_bytes_per_gpu": 2.84 * GIB,
            "cuda_graph_bytes": 0.93 * GIB,
        },
        counts={"kv_tokens": 46611, "graph_capture_s": 7.23, "context_tokens": 32768},
        chosen={"attention_backend": "flashinfer", "dtype": "bfloat16"},
    ),
    "sglang 0.5.20 with sliding layers": Start(
        engine="sglang",
        log="""\
[2026-05-15 09:09:20] server_args=ServerArgs(model_path='/m', attention_backend='fa3', quantization='fp8', tp_size=1)
[2026-05-15 09:09:40] Load weight end. elapsed=8.01 s, type=GemmaForCausalLM, dtype=torch.bfloat16, avail mem=62.08 GB, mem usage=16.41 GB.
[2026-05-15 09:09:40] Using KV cache dtype: torch.float8_e4m3fn
[2026-05-15 09:09:41] SWA KV Cache is allocated. dtype: torch.float8_e4m3fn, #tokens: 900, K size: 1.00 GB, V size: 1.00 GB
[2026-05-15 09:09:41] Full KV Cache is allocated. dtype: torch.float8_e4m3fn, #tokens: 5000, K size: 10.25 GB, V size: 10.25 GB
[2026-05-15 09:09:59] Capture target decode CUDA graph end. elapsed=16.40 s, mem usage=1.93 GB, avail mem=8.16 GB.
[2026-05-15 09:10:01] max_total_num_tokens=5000, chunked_prefill_size=8192, max_prefill_tokens=16384, max_running_requests=256, context_len=131072, available_gpu_mem=8.16 GB
""",
        bytes={
            "weights_bytes_per_gpu": 16.41 * GIB,
            "kv_cache_bytes_per_gpu": 22.5 * GIB,
            "cuda_graph_bytes": 1.93 * GIB,
            "free_when_ready_bytes": 8.16 * GIB,
        },
        counts={"weights_load_s": 8.01, "graph_capture_s": 16.4, "max_concurrency": 256},
        chosen={
            "attention_backend": "fa3",
            "quantization": "fp8",
            "kv_dtype": "float8_e4m3fn",
        },
    ),
    "tensorrt-llm 1.2": Start(
        engine="tensorrt-llm",
        log="""\
[12/20/2025-04:20:10] [TRT-LLM] [I] Memory used after loading model weights (inside torch) in memory usage profiling: 15.02 GiB
[12/20/2025-04:20:10] [TRT-LLM] [I] Memory used outside torch (e.g., NCCL and CUDA graphs) in memory usage profiling: 1.75 GiB
[TensorRT-LLM][INFO] [MemUsageChange] Allocated 0.56 GiB for max tokens in paged KV cache (8224).
[12/20/2025-04:20:40] [TRT-LLM] [I] Peak memory during memory usage profiling (torch + non-torch): 19.60 GiB, available KV cache memory when calculating max tokens: 53.36 GiB, fraction is set 0.9, kv size is 131072
[TensorRT-LLM][INFO] Number of tokens per block: 32.
[TensorRT-LLM][INFO] [MemUsageChange] Allocated 53.36 GiB for max tokens in paged KV cache (437120).
[12/20/2025-04:21:10] [TRT-LLM] [I] max_seq_len=8192, max_num_requests=64, max_num_tokens=8192, max_batch_size=64
""",
        bytes={
            "weights_bytes_per_gpu": 15.02 * GIB,
            "non_torch_bytes": 1.75 * GIB,
            "peak_bytes_per_gpu": 19.6 * GIB,
            "kv_cache_bytes_per_gpu": 53.36 * GIB,
            "kv_bytes_per_token_per_gpu": 131072,
        },
        counts={"kv_tokens": 437_120, "block_tokens": 32, "context_tokens": 8192},
    ),
    "tensorrt-llm 0.12, blocks only": Start(
        engine="tensorrt-llm",
        log="""\
[TensorRT-LLM][INFO] Number of blocks in KV cache primary pool: 4607
[TensorRT-LLM][INFO] Number of tokens per block: 64.
""",
        counts={"kv_tokens": 4607 * 64},
    ),
    "lmdeploy 0.18, TurboMind": Start(
        engine="lmdeploy",
        log="""\
2026-08-01 10:00:00,100 - lmdeploy - INFO - async_engine.py:95 - input backend=turbomind, backend_config=TurbomindEngineConfig(dtype='auto')
[TM][INFO] Object cache budget: 50226.5 MB from free 62783.1 MB and ratio 0.80
""",
        bytes={"kv_cache_bytes_per_gpu": 50226.5 * MIB, "free_after_load_bytes": 62783.1 * MIB},
        chosen={"engine_backend": "turbomind"},
    ),
    "lmdeploy 0.9, TurboMind blocks": Start(
        engine="lmdeploy",
        log="""\
[TM][INFO] [BlockManager] block_size = 8 MB
[TM][INFO] [BlockManager] max_block_count = 6278
""",
        bytes={"kv_cache_bytes_per_gpu": 6278 * 8 * MIB},
        counts={"kv_tokens": 6278 * 64},
    ),
    "lmdeploy, PyTorch engine": Start(
        engine="lmdeploy",
        log="""\
2025-12-30 12:41:32,786 - lmdeploy - INFO - cache_engine.py:36 - build CacheEngine with config:CacheConfig(max_batches=128, block_size=128, num_cpu_blocks=128, num_gpu_blocks=2100, window_size=-1)
""",
        counts={"kv_tokens": 2100 * 128},
    ),
    "tgi 3.0": Start(
        engine="tgi",
        log="""\
2025-01-10T09:00:01.000000Z  INFO text_generation_launcher: Using attention flashinfer - Prefix caching true
2025-01-10T09:00:02.000000Z  INFO text_generation_launcher: Default `max_batch_prefill_tokens` to 4096
2025-01-10T09:00:31.000000Z  INFO shard-manager: text_generation_launcher: Shard ready in 29.5s rank=0
2025-01-10T09:00:39.000000Z  INFO text_generation_launcher: KV-cache blocks: 121517, size: 1
2025-01-10T09:00:55.000000Z  INFO text_generation_router_v3: backends/v3/src/lib.rs:90: Maximum total tokens defaulted to 32768
""",
        counts={"kv_tokens": 121_517, "context_tokens": 32768, "weights_load_s": 29.5},
        chosen={"attention_backend": "flashinfer", "prefix_caching": "true"},
    ),
    "llamacpp on two GPUs": Start(
        engine="llamacpp",
        log="""\
0.00.012.023 I print_info: file type   = Q4_K - Medium
0.01.012.023 I load_tensors:   CPU_Mapped model buffer size =   682.03 MiB
0.01.012.023 I load_tensors:        CUDA0 model buffer size =  8000.00 MiB
0.01.012.023 I load_tensors:        CUDA1 model buffer size =  8028.79 MiB
0.01.212.196 I llama_context: n_ctx                 = 32768
0.01.212.196 I llama_context: flash_attn            = auto
0.01.212.283 I llama_kv_cache:      CUDA0 KV buffer size =  1024.00 MiB
0.01.212.283 I llama_kv_cache:      CUDA1 KV buffer size =   900.00 MiB
0.01.212.290 I llama_kv_cache: size = 1924.00 MiB ( 32768 cells,  30 layers,  1/1 seqs), K (q8_0):  962.00 MiB, V (q8_0):  962.00 MiB
0.01.212.383 I llama_kv_cache:      CUDA0 KV buffer size =    64.00 MiB
0.01.221.542 I sched_reserve:      CUDA0 compute buffer size =   154.02 MiB
0.01.231.542 I sched_reserve:      CUDA0 compute buffer size =   154.02 MiB
""",
        bytes={
            "weights_bytes_per_gpu": 8028.79 * MIB,
            "kv_cache_bytes_per_gpu": 1088 * MIB,
            "activation_bytes": 154.02 * MIB,
            "weights_bytes_host": 682.03 * MIB,
        },
        counts={"kv_tokens": 32768},
        chosen={"quantization": "Q4_K - Medium", "flash_attention": "auto", "kv_dtype": "q8_0"},
    ),
    "llama.cpp of 2024": Start(
        engine="llamacpp",
        log="""\
llm_load_tensors:        CPU buffer size =   281.81 MiB
llm_load_tensors:      CUDA0 buffer size =  4155.99 MiB
llama_new_context_with_model: n_ctx      = 4096
llama_kv_cache_init:      CUDA0 KV buffer size =   512.00 MiB
llama_new_context_with_model:      CUDA0 compute buffer size =   296.00 MiB
llama_new_context_with_model:  CUDA_Host compute buffer size =    16.01 MiB
""",
        bytes={
            "weights_bytes_per_gpu": 4155.99 * MIB,
            "weights_bytes_host": 281.81 * MIB,
            "kv_cache_bytes_per_gpu": 512 * MIB,
            "activation_bytes": 296 * MIB,
        },
        counts={"kv_tokens": 4096},
    ),
    "ollama 0.20": Start(
        engine="ollama",
        log="""\
time=2026-05-05T01:30:33.796+08:00 level=INFO source=device.go:240 msg="model weights" device=CUDA0 size="4.1 GiB"
time=2026-05-05T01:30:33.796+08:00 level=INFO source=device.go:245 msg="model weights" device=CPU size="292.4 MiB"
time=2026-05-05T01:30:33.796+08:00 level=INFO source=device.go:251 msg="kv cache" device=CUDA0 size="896.0 MiB"
time=2026-05-05T01:30:33.796+08:00 level=INFO source=device.go:262 msg="compute graph" device=CUDA0 size="258.5 MiB"
time=2026-05-05T01:30:39.796+08:00 level=INFO source=server.go:1294 msg="llama runner started in 6.01 seconds"
""",
        bytes={
            "weights_bytes_per_gpu": 4.1 * GIB,
            "weights_bytes_host": 292.4 * MIB,
            "kv_cache_bytes_per_gpu": 896 * MIB,
            "activation_bytes": 258.5 * MIB,
        },
        counts={"weights_load_s": 6.01},
    ),
}


def reader_of(start: Start) -> ActualsReader:
    reader = ActualsReader(engines()[start.engine].startup)
    for line in read_lines([start.log]):
        reader.feed(line)
    return reader


@pytest.mark.parametrize("start", STARTS.values(), ids=STARTS)
def test_a_start_tells_what_it_took_and_chose(start):
    reader = reader_of(start)
    actuals = {actual.quantity: actual for actual in reader.actuals()}

    sizes = {name: actuals[name].value for name in start.bytes if name in actuals}
    assert sizes == pytest.approx(start.bytes, rel=1e-6)
    assert all(actuals[name].unit == "bytes" for name in start.bytes)
    counts = {name: actuals[name].value for name in start.counts if name in actuals}
    assert counts == pytest.approx(start.counts)
    assert {name: reader.chosen().get(name) for name in start.chosen} == start.chosen


def test_a_new_start_in_the_same_log_forgets_the_earlier_one():
    startup = StartupFile(
        actual=(ActualRule(quantity="kv", pattern=r"kv=(\d+)", unit="MiB", add=True),)
    )
    reader = ActualsReader(startup)

    for number, text in ((1, "kv=10"), (1, "kv=5"), (2, "kv=7")):
        reader.feed(LogLine(text=text, start=number))

    assert [actual.value for actual in reader.actuals()] == [7 * MIB]


def test_a_unit_that_is_not_known_is_no_size():
    startup = StartupFile(
        actual=(ActualRule(quantity="kv", pattern=r"(?P<value>\d+) (?P<unit>\w+)", unit="MiB"),)
    )
    reader = ActualsReader(startup)

    assert not reader.feed(LogLine(text="7 parsecs"))
    assert reader.feed(LogLine(text="7 KiB"))
    assert reader.actuals()[0].value == 7 * 1024
