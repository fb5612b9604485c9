"""Facts of host, plan and container under the names that rules use."""

from types import MappingProxyType

from app.core.deployment.spec import ContainerSpec, DeploymentSpec
from app.core.diagnosis.context import DiagnosisContext
from app.core.diagnosis.context_facts import facts_of
from app.core.hardware.fingerprint import Fingerprint, Gpu, HostSource, UnknownReason
from app.core.units import MIB


def host(*gpus, **kept):
    return Fingerprint(
        source=HostSource.LOCAL, taken_at="2026-11-30", parser_version="1", gpus=gpus, **kept
    )


def plan(*command, **environment):
    return DeploymentSpec(
        host_id="h",
        name="n",
        revision=1,
        engine="vllm",
        engine_version="0.9.1",
        model_name="m",
        model_path="/m",
        image="i:1",
        image_id="",
        plan_digest="",
        container=ContainerSpec(
            name="n",
            image="i:1",
            command=command,
            container_port=1,
            host_port=1,
            shm_size_bytes=64 * MIB,
            gpu_uuids=("a", "b"),
            environment=MappingProxyType(environment),
        ),
    )


def test_nothing_known_gives_nothing():
    assert facts_of(DiagnosisContext()) == {}


def test_container_end_is_told():
    context = DiagnosisContext(exit_code=137, oom_killed=False, restart_count=2)

    assert facts_of(context) == {"exit_code": 137, "oom_killed": False, "restart_count": 2}


def test_weakest_gpu_counts():
    facts = facts_of(
        DiagnosisContext(
            fingerprint=host(
                Gpu(index=0, compute_cap="9.0", memory_total_mib=81559, memory_free_mib=10),
                Gpu(index=1, compute_cap="8.6", memory_total_mib=24576, memory_free_mib=None),
                driver_version="550.54.14",
            )
        )
    )

    assert (facts["compute_cap"], facts["gpu_memory"], facts["gpu_free"]) == (
        "8.6",
        24576 * MIB,
        10 * MIB,
    )
    assert (facts["driver"], facts["gpu_count"]) == ("550.54.14", 2)


def test_gpus_that_could_not_be_counted_are_not_none():
    context = DiagnosisContext(fingerprint=host(unknown={"gpus": UnknownReason.TOOL_FAILED}))

    assert "gpu_count" not in facts_of(context)
    assert facts_of(DiagnosisContext(fingerprint=host()))["gpu_count"] == 0


def test_plan_tells_its_flags_and_environment():
    command = ("vllm", "--max-model-len", "4096", "--enforce-eager", "--tp=2")

    facts = facts_of(DiagnosisContext(spec=plan(*command, NCCL_DEBUG="INFO")))

    assert (facts["max_model_len"], facts["enforce_eager"]) == ("4096", True)
    assert (facts["tensor_parallel_size"], facts["env.NCCL_DEBUG"]) == ("2", "INFO")
    assert (facts["engine"], facts["shm"], facts["plan_gpus"]) == ("vllm", 64 * MIB, 2)
