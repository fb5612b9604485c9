"""How fast a long log is diagnosed."""

import time

from fakes.engine_logs import VLLM_START

from app.core.diagnosis.log_diagnosis import LogDiagnosis
from app.io.datafiles import data_root, load_causes, load_diagnosis

MEGABYTE = 1_000_000
PIECE = 256 * 1024
SERVED = (
    '(APIServer pid=7) INFO:     192.0.2.{a}:{b} - "POST /v1/completions HTTP/1.1" 200 OK\n'
    "(APIServer pid=7) INFO 03-04 10:{c:02}:{d:02} [loggers.py:123] Engine 000: Avg prompt "
    "throughput: {b}.{a} tokens/s, Avg generation throughput: {a}.{d} tokens/s, Running: {c} reqs, "
    "Waiting: 0 reqs, GPU KV cache usage: {d}.{a}%, Prefix cache hit rate: 0.{c}%\n"
)
FAILED = (
    '(EngineCore pid=90) ERROR 03-04 11:00:00 [core.py:70]   File "/x/vllm/v1/engine/core.py", '
    "line 7, in step\n"
    "(EngineCore pid=90) ERROR 03-04 11:00:00 [core.py:70] ValueError: odd value {a}\n"
)


def lines(template: str, count: int) -> str:
    return "".join(
        template.format(a=n % 250, b=1000 + n * 7919 % 60000, c=n // 60 % 60, d=n % 60)
        for n in range(count)
    )


def test_hundred_megabytes_take_less_than_ten_seconds(figure):
    rules, causes = load_diagnosis(data_root()), load_causes(data_root())
    piece = (VLLM_START + lines(SERVED, 20_000) + lines(FAILED, 2_000)).encode()
    repeats = 100 * MEGABYTE // len(piece) + 1
    diagnosis = LogDiagnosis(rules, causes)
    begun = time.process_time()
    for _ in range(repeats):
        for at in range(0, len(piece), PIECE):
            diagnosis.feed(piece[at : at + PIECE])
    found = diagnosis.result()
    took = time.process_time() - begun
    read = repeats * len(piece) / MEGABYTE

    figure("diagnosing 100 MB", took * 100 / read, f"{read / took:.0f} MB/s", budget_s=10.0)
    assert found.starts == repeats
