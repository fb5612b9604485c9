"""How long planning takes: all engines and all splits of eight GPUs, and the command as a whole."""

import json
import sys
import time

from fakes.planning_world import gpu_host, llama_70b, plan

from app.core.planning.plan import Goal, GoalKind

_HOST = "8x H200 141GB SXM, NVLink, 2TB RAM, driver 580.95, Docker 28, toolkit, x86_64"


def test_planning_all_engines_and_splits(figure):
    host, model = gpu_host(count=8, islands=(tuple(range(8)),)), llama_70b()
    goal = Goal(kind=GoalKind.LONG_CONTEXT, concurrency=5000)
    plan(host, model, goal)
    began = time.perf_counter()
    result = plan(host, model, goal)
    figure("plan 7 engines × all splits of 8 GPUs", time.perf_counter() - began, "", budget_s=0.5)
    assert len(result.ranked) >= 4


def test_the_plan_command_as_a_whole(figure, median_run, bare_python_s, tmp_path):
    config = tmp_path / "config.json"
    config.write_text(json.dumps(_CONFIG), encoding="utf-8")
    seconds = median_run(
        sys.executable, "-m", "app", "plan", "--what-if", _HOST, "--config", str(config)
    )
    figure(
        "pitwall plan", seconds, f"{seconds / bare_python_s:.0f} × interpreter alone", budget_s=1.5
    )


_CONFIG = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 8192,
    "intermediate_size": 28672, "num_hidden_layers": 80, "num_attention_heads": 64,
    "num_key_value_heads": 8, "vocab_size": 128256, "max_position_embeddings": 131072,
    "torch_dtype": "bfloat16",
}  # fmt: skip
