"""Whole plans as a reviewer reads them: container line, reasons, advice, refusals, path."""

import pytest
from fakes.planning_world import (
    cpu_host,
    gguf_model,
    gpu_host,
    h200_recording,
    llama_70b,
    plan,
    safetensors_model,
)

from app.core.engines.docker_run import docker_run_text
from app.core.planning.plan import Goal, GoalKind, PlanResult

CASES = {
    "h200-vllm-throughput": (h200_recording, safetensors_model, Goal()),
    "h200-vllm-latency": (h200_recording, safetensors_model, Goal(kind=GoalKind.LATENCY)),
    "h200-vllm-70b-island": (h200_recording, llama_70b, Goal()),
    "h200-llamacpp": (h200_recording, gguf_model, Goal(port=18080)),
    "cpu-llamacpp": (cpu_host, gguf_model, Goal(kind=GoalKind.LATENCY, concurrency=2)),
    "v100-vllm": (
        lambda: gpu_host("Tesla V100-SXM2-32GB", cap="7.0", memory_mib=32768, reserved_mib=None),
        safetensors_model,
        Goal(),
    ),
    "a100-driver-535-vllm-memory": (
        lambda: gpu_host("NVIDIA A100-SXM4-80GB", cap="8.0", memory_mib=81920, driver="535.104.05"),
        safetensors_model,
        Goal(kind=GoalKind.MEMORY),
    ),
    "cpu-safetensors-refused": (cpu_host, safetensors_model, Goal()),
    "cpu-vllm": (
        lambda: cpu_host(ram_gib=64),
        safetensors_model,
        Goal(engine="vllm", engine_version="0.32.0", cpu_only=True),
    ),
}


def text_of(result: PlanResult) -> str:
    lines = []
    for proposal in result.ranked:
        lines += [f"# {proposal.engine} {proposal.version}, score {proposal.score:g}", ""]
        lines += [docker_run_text(proposal.container), ""]
        lines += [
            f"because {reason.parameter or '·'}: {reason.text.en} [{reason.source}]"
            for reason in proposal.reasons
        ]
        lines += [f"advice: {reason.text.en} [{reason.source}]" for reason in proposal.advice]
        lines.append("")
    lines += ["# refused"]
    lines += [f"{r.engine} {r.version}: {r.code}: {r.text.en}" for r in result.rejected]
    lines += ["", "# path"]
    lines += [f"{step.question.en} → {step.answer.en}" for step in result.path]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", sorted(CASES))
def test_plan_reads_as_reviewed(golden, name):
    host, model, goal = CASES[name]
    golden(f"plan-{name}.txt", text_of(plan(host(), model(), goal)))
