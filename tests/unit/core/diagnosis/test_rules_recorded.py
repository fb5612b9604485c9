"""Failures that were made on purpose with real engines and recorded come out right."""

import pytest

from app.core.diagnosis.finding import Verdict

VLLM, LLAMA = "vllm-0.32.0", "llama-server-b10434"
RECORDED = {
    f"{VLLM}/fail-bad-flag.log": "usage_error",
    f"{VLLM}/fail-bad-model-path.log": "model_not_found",
    f"{VLLM}/fail-docker-port-taken.log": "port_in_use",
    f"{VLLM}/fail-kv-cache-too-small.log": "kv_cache_smaller_than_max_len",
    f"{VLLM}/fail-kv-space-too-small.log": "invalid_setting",
    f"{VLLM}/fail-memory-limit-oom.log": "host_ram_oom",
    f"{VLLM}/fail-memory-limit-worker.log": "no_memory_for_kv",
    f"{VLLM}/fail-missing-libnuma.log": "system_library_missing",
    f"{VLLM}/fail-model-len-too-large.log": "context_beyond_model",
    f"{VLLM}/fail-port-in-use.log": "port_in_use",
    f"{VLLM}/fail-tp-not-divisible.log": "tp_not_divisible",
    f"{VLLM}/fail-truncated-weights.log": "corrupt_or_partial_weights",
    f"{VLLM}/kill9-worker.txt": "peer_rank_died",
    f"{LLAMA}/fail-bad-flag.log": "usage_error",
    f"{LLAMA}/fail-bad-model-path.log": "model_not_found",
    f"{LLAMA}/fail-port-in-use.log": "port_in_use",
    f"{LLAMA}/fail-truncated-gguf.log": "corrupt_or_partial_weights",
}


def recorded(folder, name: str) -> str:
    return (folder / "lab" / "captures" / name).read_text(encoding="utf-8", errors="replace")


@pytest.mark.parametrize(("name", "cause"), RECORDED.items(), ids=list(RECORDED))
def test_recorded_failure_is_named(shared_folder, diagnosed, name, cause):
    assert diagnosed(recorded(shared_folder, name)).primary.cause == cause


def test_a_killed_engine_leaves_no_cause_in_its_log(shared_folder, diagnosed):
    found = diagnosed(recorded(shared_folder, f"{VLLM}/kill9-enginecore.txt"))
    assert (found.primary, found.verdict) == (None, Verdict.NOT_IN_LOG)
    assert found.collect


@pytest.mark.parametrize("name", [f"{VLLM}/startup.log", f"{LLAMA}/startup.log"])
def test_a_refused_request_is_no_failure(shared_folder, diagnosed, name):
    assert diagnosed(recorded(shared_folder, name)).verdict is Verdict.NOT_A_FAILURE
