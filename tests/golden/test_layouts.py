"""Plans in short: adapters, hosts that are not one row of like GPUs, flags of the user's own."""

from dataclasses import replace

import pytest
from fakes.planning_world import gguf_model, gpu_host, llama_70b, plan, safetensors_model

from app.core.hardware.fingerprint import MigDevice
from app.core.models.lora import LoraAdapter
from app.core.planning.plan import Goal

MODULES = ("q_proj", "v_proj")
LAW = LoraAdapter(name="law", path="/srv/lora/law", rank=12, target_modules=MODULES)
MED = LoraAdapter(name="med", path="/srv/lora/med-v2", rank=16, target_modules=MODULES)
LAW_GGUF = LoraAdapter(name="law", path="/srv/lora/law.gguf", is_gguf=True)
ISLANDS = ((0, 1, 2, 3), (4, 5, 6, 7))


def mixed():
    host = gpu_host(count=3, memory_mib=81920, reserved_mib=None)
    small = replace(host.gpus[2], name="NVIDIA L40S", compute_cap="8.9", memory_total_mib=46068)
    return replace(host, gpus=(*host.gpus[:2], small))


def unlike():
    host = gpu_host(count=2, memory_mib=81920, reserved_mib=None)
    other = replace(host.gpus[1], name="NVIDIA H200 NVL", memory_total_mib=90000)
    return replace(host, gpus=(host.gpus[0], other))


def parted():
    host = gpu_host(mig=(0,))
    parts = tuple(
        MigDevice(index=n, uuid=f"MIG-{n}", profile="3g.71gb", memory_total_mib=71000)
        for n in range(2)
    )
    return replace(host, gpus=(replace(host.gpus[0], mig_devices=parts),))


def off_fabric():
    host = gpu_host(count=8, islands=(tuple(range(8)),))
    lost = replace(host.gpus[0], fabric_state="In Progress")
    return replace(host, gpus=(lost, *host.gpus[1:]))


def busy():
    return gpu_host(count=8, islands=ISLANDS, used_mib=(0, 100000, 0, 0, 0, 0, 0, 0))


ADAPTERS = {
    "vllm": (gpu_host, safetensors_model, Goal(engine="vllm", adapters=(LAW, MED))),
    "sglang": (gpu_host, safetensors_model, Goal(engine="sglang", adapters=(LAW, MED))),
    "lmdeploy": (gpu_host, safetensors_model, Goal(engine="lmdeploy", adapters=(LAW, MED))),
    "tgi": (gpu_host, safetensors_model, Goal(engine="tgi", adapters=(LAW, MED))),
    "llamacpp": (gpu_host, gguf_model, Goal(engine="llamacpp", adapters=(LAW_GGUF,))),
    "tensorrt-llm": (gpu_host, safetensors_model, Goal(engine="tensorrt-llm", adapters=(LAW,))),
    "ollama": (gpu_host, gguf_model, Goal(engine="ollama", adapters=(LAW_GGUF,))),
}
HOSTS = {
    "mixed kinds, one is enough": (mixed, safetensors_model, Goal(engine="vllm")),
    "mixed kinds, all are needed": (unlike, llama_70b, Goal(engine="vllm")),
    "mixed kinds, too small": (mixed, llama_70b, Goal(engine="vllm", context_tokens=131072)),
    "MIG instances": (parted, safetensors_model, Goal(engine="vllm")),
    "MIG instances, too small": (parted, llama_70b, Goal(engine="vllm")),
    "one GPU off the fabric": (off_fabric, llama_70b, Goal(engine="vllm", concurrency=400)),
    "two islands, one GPU in use": (busy, llama_70b, Goal(engine="vllm")),
    "chosen GPUs of two islands": (
        busy, llama_70b, Goal(engine="vllm", gpu_uuids=("GPU-0", "GPU-4")),
    ),
}  # fmt: skip
OWN = {
    "vllm": "--max-model-len 32k --tensor-parallel-size 2 --dtype half --port 9000",
    "sglang": "--context-length 32768 --tp 2 --mem-fraction-static 0.7 --port 9000",
    "tensorrt-llm": "--max_seq_len 32768 --tp_size 2 --port 9000",
    "lmdeploy": "--session-len 32768 --tp 2 --quant-policy 8 --server-port 9000",
    "tgi": "MAX_TOTAL_TOKENS=32768 --num-shard 2 --port 9000",
    "llamacpp": "-c 32768 -np 2 -ngl 20 -ctk q8_0 --port 9000",
    "ollama": "OLLAMA_CONTEXT_LENGTH=32768 OLLAMA_KV_CACHE_TYPE=q8_0 OLLAMA_HOST=0.0.0.0:9000",
}


def text_of(name, host, model, goal):
    result = plan(host(), model(), goal)
    found = next((each for each in result.ranked if each.engine == goal.engine), None)
    if found is None:
        refusal = next(each for each in result.rejected if each.engine == goal.engine)
        return f"# {name}\nrefused: {refusal.code}: {refusal.text.en}\n"
    container, values = found.container, found.parameters
    mounts = [f"{mount.source}:{mount.target}" for mount in container.mounts]
    return "\n".join(
        [
            f"# {name}",
            f"{found.engine} {found.version}  {' '.join(found.argv)}".replace("\x1f", " "),
            *(f"{key}={value}" for key, value in found.environment.items()),
            f"GPUs {', '.join(values.gpu_uuids)}; port {container.container_port}",
            f"mounts {' '.join(mounts)}",
            f"context {values.context_tokens}, requests {values.concurrency}",
            *(f"{each.parameter or '·'}: {each.code}" for each in found.reasons if each.parameter),
            *(f"advice: {each.code}" for each in found.advice),
            "",
        ]
    )


@pytest.mark.parametrize(("file", "cases"), [("adapters", ADAPTERS), ("hosts", HOSTS)])
def test_plans_of_a_kind_read_as_reviewed(golden, file, cases):
    golden(f"plan-{file}.txt", "\n".join(text_of(name, *case) for name, case in cases.items()))


def test_plans_with_own_flags_read_as_reviewed(golden):
    host = gpu_host(count=8, islands=ISLANDS)
    texts = []
    for engine, flags in OWN.items():
        model = gguf_model if engine in ("llamacpp", "ollama") else safetensors_model
        goal = Goal(engine=engine, own_flags=tuple(flags.split()))
        texts.append(text_of(f"{engine} {flags}", lambda: host, model, goal))
    golden("plan-own-flags.txt", "\n".join(texts))
