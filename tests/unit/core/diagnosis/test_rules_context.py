"""What is known beside the log confirms or excludes, and opposite remedies are kept apart."""

import pytest

from app.core.deployment.spec import ContainerSpec, DeploymentSpec
from app.core.diagnosis.finding import Confidence, ParameterChange, Verdict
from app.core.hardware.fingerprint import Fingerprint, Gpu, GpuProcess, HostSource
from app.core.units import GIB

LOAD_OOM = """\
Traceback (most recent call last):
  File "/usr/lib/python3/dist-packages/vllm/v1/worker/gpu_worker.py", line 180, in load_model
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 172.00 MiB.
"""
NO_BLOCKS = "ValueError: No available memory for the cache blocks.\n"
SYSTEM_ERROR = "RuntimeError: NCCL error: unhandled system error (run with NCCL_DEBUG=INFO)\n"


def spec(*command: str, shm: int | None = None, limit: int | None = None) -> DeploymentSpec:
    container = ContainerSpec(
        name="llm",
        image="engine:1",
        command=command,
        container_port=8000,
        host_port=8000,
        shm_size_bytes=shm,
        memory_limit_bytes=limit,
    )
    return DeploymentSpec(
        host_id="h",
        name="llm",
        revision=1,
        engine="vllm",
        engine_version="0.32.0",
        model_name="m",
        model_path="/models/m",
        image="engine:1",
        image_id="",
        container=container,
        plan_digest="",
    )


def host(gpus: int, *processes: GpuProcess) -> Fingerprint:
    return Fingerprint(
        source=HostSource.SSH,
        taken_at="2026-11-30T00:00:00Z",
        parser_version="1",
        gpus=tuple(Gpu(index=i, name="NVIDIA L4", memory_total_mib=23034) for i in range(gpus)),
        gpu_processes=processes,
    )


def changes(diagnosis) -> dict[str, ParameterChange]:
    return {change.parameter: change for change in diagnosis.primary.change.parameters}


def test_a_second_gpu_that_the_plan_does_not_use_is_the_remedy(diagnosed):
    one = spec("serve", "--tensor-parallel-size", "1")
    assert diagnosed(LOAD_OOM, fingerprint=host(2), spec=one).primary.cause == "tp_not_set"
    assert diagnosed(LOAD_OOM, fingerprint=host(1), spec=one).primary.cause == "model_does_not_fit"


def test_processes_on_the_gpu_point_at_the_other_instance(diagnosed):
    other = GpuProcess(gpu_uuid=None, pid=41, name="VLLM::EngineCore", memory_used_mib=9000)
    found = diagnosed(NO_BLOCKS, fingerprint=host(1, other))
    assert found.primary.cause == "gpu_memory_shared_by_instances"
    assert diagnosed(NO_BLOCKS, fingerprint=host(1)).primary.cause == "no_memory_for_kv"


def test_large_shared_memory_excludes_that_it_is_too_small(diagnosed):
    assert diagnosed(SYSTEM_ERROR).primary.cause == "shm_too_small"
    assert diagnosed(SYSTEM_ERROR, spec=spec(shm=64 * GIB)).primary is None


def test_how_the_container_ended_tells_a_kill_for_memory_from_another(diagnosed):
    killed = "RuntimeError: Engine core initialization failed. Failed core proc(s): {'a': -9}\n"
    assert diagnosed(killed, oom_killed=True).primary.confidence is Confidence.HIGH
    assert diagnosed(killed, oom_killed=False, exit_code=1).primary is None
    limited = spec(limit=4 * GIB)
    assert diagnosed("", exit_code=137, spec=limited).primary.cause == "host_ram_oom"
    assert diagnosed("", exit_code=137, spec=spec()).verdict is Verdict.NOT_IN_LOG


def test_kernel_log_names_the_gpu_that_is_gone(diagnosed):
    lost = "NVRM: Xid (PCI:0000:41:00): 79, pid=1, GPU has fallen off the bus."
    wrapper = "RuntimeError: Engine core initialization failed.\n"
    assert diagnosed(wrapper, kernel_log=(lost,)).primary.cause == "gpu_fallen_off_bus"


@pytest.mark.parametrize(
    ("log", "parameter", "action", "value"),
    [
        (
            "RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.",
            "mem-fraction-static",
            "raise",
            "",
        ),
        (
            "Exception: Capture cuda graph failed: CUDA out of memory. Tried to allocate 9 MiB.",
            "mem-fraction-static",
            "lower",
            "",
        ),
        (
            (
                "RuntimeError: CUDA out of memory occurred when warming up sampler with 512 dummy"
                " requests."
            ),
            "memory_fraction",
            "lower",
            "",
        ),
        (NO_BLOCKS, "memory_fraction", "raise", ""),
        (
            (
                "ValueError: 1 GiB KV cache is needed, which is larger than the available KV cache"
                " memory (0.5 GiB). The estimated maximum model length is 20480."
            ),
            "context_tokens",
            "set",
            "20480",
        ),
    ],
)
def test_texts_that_look_alike_get_opposite_changes(diagnosed, log, parameter, action, value):
    change = changes(diagnosed(log))[parameter]
    assert (change.action, change.value) == (action, value)


def test_remedy_names_the_heads_in_both_languages(diagnosed):
    log = "ValueError: Total number of attention heads (40) must be divisible by tensor parallel"
    remedy = diagnosed(f"{log} size (6).").primary.remedy[0]
    assert "40" in remedy.en
    assert "40" in remedy.zh_CN
    assert "{" not in remedy.en + remedy.zh_CN


def test_all_advice_is_in_both_languages(shipped_rules):
    for advice in shipped_rules.advice.values():
        for text in (advice.title, advice.explanation, *advice.remedy, *advice.collect):
            assert text.en.isprintable()
            assert any("\u4e00" <= char <= "\u9fff" for char in text.zh_CN) or text.en == text.zh_CN
            assert "{" not in text.en


def test_a_harmless_warning_does_not_excuse_an_unknown_error(diagnosed):
    warning = "WARNING 06-11 08:00:08 [topk.py:59] FlashInfer is not available.\n"
    assert diagnosed(warning).verdict is Verdict.NOT_A_FAILURE
    unknown = "ValueError: something that nobody has seen\n"
    assert diagnosed(warning + unknown).verdict is Verdict.NOTHING_FOUND
