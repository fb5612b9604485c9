"""Runs inside an engine's image: does CUDA work here, and how fast are memory and links.

Prints one JSON object a line after the mark ``pitwall-smoke``; reads only, writes no file. Each
measurement has its own small budget and may fail alone. Arguments: seconds for everything, and
optionally a folder whose largest file is read.

Needs the image's torch; started as ``python3 -c``, so it starts its ranks from the same text.
"""

import json
import os
import subprocess
import sys
import time

MARK = "pitwall-smoke"
REPEATS = 8
DEVICE_BYTES = 4 << 30
HOST_BYTES = 256 << 20
PEER_BYTES = 512 << 20
REDUCE_BYTES = 256 << 20
DISK_BYTES = 2 << 30
BLOCK = 8 << 20


def say(step, **values):
    """Print one result."""
    print(MARK, json.dumps({"step": step, **values}), flush=True)


def attempt(step, measure, **values):
    """Measure; a failure is a result, too."""
    try:
        say(step, **values, **measure())
    except Exception as problem:  # whatever torch raises is what we want to know
        say(step, **values, error=f"{type(problem).__name__}: {problem}"[:2000])


def timed_copies(torch, device, copy, bytes_moved):
    """Return the best rate of several copies: the best one was disturbed least."""
    torch.cuda.synchronize(device)
    copy()
    best = None
    for _ in range(REPEATS):
        torch.cuda.synchronize(device)
        start = time.perf_counter()
        copy()
        torch.cuda.synchronize(device)
        seconds = time.perf_counter() - start
        best = seconds if best is None else min(best, seconds)
    return {"gbps": bytes_moved / best / 1e9, "bytes": bytes_moved, "repeats": REPEATS}


def fitting(torch, device, wanted):
    """Return how much to allocate: what is wanted, at most a quarter of what is free."""
    free, _ = torch.cuda.mem_get_info(device)
    size = min(wanted, free // 4) // BLOCK * BLOCK
    if size < BLOCK:
        raise MemoryError(f"only {free} bytes are free on this GPU")
    return size


def device_memory(torch, device):
    """Copy within the GPU: each byte is read and written."""
    size = fitting(torch, device, DEVICE_BYTES)
    source = torch.zeros(size, dtype=torch.uint8, device=device)
    target = torch.empty_like(source)
    return timed_copies(torch, device, lambda: target.copy_(source), 2 * size)


def host_copy(torch, device, to_device):
    """Copy between pinned memory of the host and the GPU."""
    size = fitting(torch, device, HOST_BYTES)
    host = torch.zeros(size, dtype=torch.uint8, pin_memory=True)
    there = torch.empty(size, dtype=torch.uint8, device=device)
    target, source = (there, host) if to_device else (host, there)
    return timed_copies(torch, device, lambda: target.copy_(source, non_blocking=True), size)


def peer_copy(torch, first, second):
    """Copy from one GPU to another."""
    size = min(fitting(torch, device, PEER_BYTES) for device in (first, second))
    source = torch.zeros(size, dtype=torch.uint8, device=first)
    target = torch.empty(size, dtype=torch.uint8, device=second)
    direct = bool(torch.cuda.can_device_access_peer(first, second))
    copied = timed_copies(torch, second, lambda: target.copy_(source), size)
    return {**copied, "direct": direct}


def disk_read(folder, limit_s):
    """Read the largest file once, after asking the kernel to forget it."""
    paths = [os.path.join(root, name) for root, _, names in os.walk(folder) for name in names]
    sizes = {path: os.path.getsize(path) for path in paths if os.path.isfile(path)}
    if not sizes:
        raise FileNotFoundError(f"no file below {folder}")
    path = max(sizes, key=sizes.get)
    handle = os.open(path, os.O_RDONLY)
    done, start = 0, time.perf_counter()
    try:
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
        while done < DISK_BYTES and time.perf_counter() - start < limit_s:
            block = os.read(handle, BLOCK)
            if not block:
                break
            done += len(block)
    finally:
        os.close(handle)
    return {"gbps": done / max(time.perf_counter() - start, 1e-9) / 1e9, "bytes": done}


def rank_main(rank, count):
    """One rank of the all-reduce."""
    import torch
    import torch.distributed as dist

    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=count)
    data = torch.ones(REDUCE_BYTES // 2, dtype=torch.bfloat16, device=rank)
    for _ in range(3):
        dist.all_reduce(data)
    torch.cuda.synchronize()
    dist.barrier()
    start = time.perf_counter()
    for _ in range(REPEATS):
        dist.all_reduce(data)
    torch.cuda.synchronize()
    seconds = (time.perf_counter() - start) / REPEATS
    if rank == 0:
        size = data.numel() * data.element_size()
        # Bus rate: what each link carries, comparable with the link's own figure.
        print(json.dumps({"gbps": 2 * (count - 1) / count * size / seconds / 1e9, "bytes": size}))
    dist.destroy_process_group()


def all_reduce(count, limit_s):
    """Start a rank for each GPU from this very text and wait for the first."""
    source = sys.orig_argv[sys.orig_argv.index("-c") + 1]
    ranks = []
    for rank in range(count):
        environment = {
            **os.environ,
            "PITWALL_SMOKE_RANK": str(rank),
            "PITWALL_SMOKE_RANKS": str(count),
            "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": "29555",
            # The container has no other interface.
            "NCCL_SOCKET_IFNAME": "lo",
        }
        ranks.append(
            subprocess.Popen(
                [sys.executable, "-c", source],
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
        )
    try:
        answer, trouble = ranks[0].communicate(timeout=limit_s)
    finally:
        for rank in ranks:
            rank.kill()
    if ranks[0].returncode != 0:
        raise RuntimeError((trouble or "a rank ended without a word").strip()[-1500:])
    return json.loads(answer.strip().splitlines()[-1])


def describe(torch, index):
    """Say what CUDA itself sees."""
    found = torch.cuda.get_device_properties(index)
    free, total = torch.cuda.mem_get_info(index)
    product = torch.ones(256, 256, device=index) @ torch.ones(256, 256, device=index)
    return {
        "name": found.name,
        "compute_cap": f"{found.major}.{found.minor}",
        "uuid": str(getattr(found, "uuid", "")),
        "total_bytes": total,
        "free_bytes": free,
        "computes": bool(float(product.sum()) == 256.0**3),
    }


def measure_gpus(torch, left_s):
    """Measure each GPU, then each pair, then all together."""
    count = torch.cuda.device_count()
    for index in range(count):
        attempt("device", lambda index=index: describe(torch, index), gpu=index)
    for index in range(count):
        attempt("device_memory", lambda i=index: device_memory(torch, i), gpus=[index])
        for step, to_device in (("host_to_device", True), ("device_to_host", False)):
            attempt(step, lambda i=index, to=to_device: host_copy(torch, i, to), gpus=[index])
        torch.cuda.empty_cache()
    for first in range(count):
        for second in range(first + 1, count):
            if left_s() < 20:
                say("gpu_to_gpu", gpus=[first, second], error="not tried, the time was used up")
                continue
            pair = [first, second]
            attempt("gpu_to_gpu", lambda p=pair: peer_copy(torch, *p), gpus=pair)
    torch.cuda.empty_cache()
    if count > 1:
        gpus = list(range(count))
        attempt("all_reduce", lambda: all_reduce(count, max(left_s() - 5, 5)), gpus=gpus)


def main():
    """Measure everything within the time given."""
    limit_s = float(sys.argv[1]) if len(sys.argv) > 1 else 120.0
    folder = sys.argv[2] if len(sys.argv) > 2 else ""
    end = time.monotonic() + limit_s
    try:
        import torch
    except Exception as problem:  # an image without torch, or with a broken one
        say("runtime", error=f"{type(problem).__name__}: {problem}"[:2000])
    else:
        say("runtime", torch=torch.__version__, cuda=torch.version.cuda or "")
        attempt("cuda", lambda: {"devices": _initialised(torch)})
        if torch.cuda.is_available():
            measure_gpus(torch, lambda: end - time.monotonic())
    if folder:
        attempt("disk_read", lambda: disk_read(folder, 20.0))
    say("done")


def _initialised(torch):
    torch.cuda.init()
    return torch.cuda.device_count()


if "PITWALL_SMOKE_RANK" in os.environ:
    rank_main(int(os.environ["PITWALL_SMOKE_RANK"]), int(os.environ["PITWALL_SMOKE_RANKS"]))
else:
    main()
