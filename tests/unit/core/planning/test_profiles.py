from dataclasses import replace

import pytest
from fakes.planning_world import (
    best,
    calibration,
    cpu_host,
    engines,
    gguf_model,
    gpu_host,
    llama_70b,
    safetensors_model,
)
from hypothesis import given
from hypothesis import strategies as st

from app.core.deployment.spec import Profile, ProfileFlag
from app.core.engines.spec import PlanField
from app.core.errors import ErrorCode, PlanError, UserInputError
from app.core.hardware.fingerprint import GpuAccess
from app.core.labels import read_labels
from app.core.models.estimate import estimate_memory
from app.core.planning.digest import plan_digest
from app.core.planning.fit import estimate_flags
from app.core.planning.flag_values import estimate_options, neutral_values
from app.core.planning.plan import Goal
from app.core.planning.profile import profile_from_plan
from app.core.planning.resolve import resolve

VLLM = Profile(
    name="chat",
    engine="vllm",
    engine_version="newest",
    model="ask",
    context_tokens=8192,
    concurrency=64,
    gpu_count=1,
    flags=(
        ProfileFlag(name="--max-model-len", value="8192"),
        ProfileFlag(name="--max-num-seqs", value="64"),
    ),
)
LLAMA = Profile(
    name="quick",
    engine="llamacpp",
    engine_version="newest",
    model="ask",
    context_tokens=4096,
    concurrency=2,
    flags=(
        ProfileFlag(name="--ctx-size", value="8192"),
        ProfileFlag(name="--parallel", value="2"),
        ProfileFlag(name="--metrics"),
    ),
)


def estimator(**asked):
    return estimate_memory(calibration=calibration(), **asked)


def resolved(profile=VLLM, *, fingerprint=None, model=None, **changes):
    is_llama = profile.engine == "llamacpp"
    asked = {
        "engine": engines()[profile.engine],
        "fingerprint": fingerprint or (cpu_host() if is_llama else gpu_host()),
        "model": model or (gguf_model() if is_llama else safetensors_model()),
        "host_id": "host-1",
        "name": "chat",
        "revision": 1,
        "estimator": estimator,
        **changes,
    }
    return resolve(profile, **asked)


def refused(profile=VLLM, **changes):
    with pytest.raises((PlanError, UserInputError)) as caught:
        resolved(profile, **changes)
    assert caught.value.cause
    assert caught.value.remedy
    return caught.value


def flags_of(command):
    return {word: command[i + 1] for i, word in enumerate(command[:-1]) if word.startswith("--")}


# --- plan → profile


def test_profile_keeps_what_does_not_belong_to_one_host():
    plan = best(gpu_host(count=2, islands=((0, 1),)), llama_70b())
    profile = profile_from_plan(plan, name="big", model=llama_70b())
    names = [flag.name for flag in profile.flags]
    assert "--tensor-parallel-size" in names
    assert not {"--host", "--port", "--served-model-name", "--model"} & set(names)
    assert (profile.gpu_count, profile.gpu_same_island) == (2, True)
    assert profile.gpu_memory_min_mib > 60000
    assert all(flag.why and flag.why_zh_CN for flag in profile.flags)


def test_profile_of_a_cpu_plan_leaves_threads_to_the_host():
    plan = best(cpu_host(), gguf_model())
    profile = profile_from_plan(plan, model=gguf_model())
    assert profile.name == "qwen2-5-7b-q4-k-m-llamacpp"
    assert "--threads" not in [flag.name for flag in profile.flags]
    assert (profile.gpu_count, profile.gpu_memory_min_mib) == (0, None)


@pytest.mark.parametrize(
    ("host", "model"),
    [
        (gpu_host(), safetensors_model()),
        (gpu_host(count=2, islands=((0, 1),)), llama_70b()),
        (gpu_host(), gguf_model()),
        (cpu_host(), gguf_model()),
        (cpu_host(ram_gib=64), safetensors_model()),
    ],
)
def test_resolving_a_plans_profile_where_it_was_made_gives_the_planned_container(host, model):
    plan = best(host, model)
    profile = profile_from_plan(plan, model=model)
    spec = resolved(profile, fingerprint=host, model=model)
    assert spec.container.image == plan.image
    assert sorted(spec.container.command) == sorted(plan.container.command)
    assert spec.container.gpu_uuids == plan.container.gpu_uuids
    assert spec.container.environment == plan.container.environment


# --- profile → host


def test_spec_holds_everything_that_will_be_created():
    spec = resolved(replace(VLLM, port=18000), revision=3)
    assert spec.image == "vllm/vllm-openai:v0.33.0"
    assert spec.container.name == "pitwall-chat-r3"
    assert spec.container.gpu_uuids == ("GPU-0",)
    assert spec.container.gpu_access == GpuAccess.CDI.value
    assert spec.container.host_port == 18000
    assert (spec.image_id, spec.image_pinned_by) == ("", "")
    assert spec.estimate_bytes_per_gpu > 100 * 1024**3
    assert spec.health_path == "/health"
    assert spec.profile_name == "chat"
    labels = read_labels(spec.container.labels)
    assert (labels.plan_digest, labels.auth) == (spec.plan_digest, "api-key")
    assert spec.container.secret_environment == ("VLLM_API_KEY",)


def test_threads_come_from_the_host_on_a_cpu():
    assert flags_of(resolved(LLAMA).container.command)["--threads"] == "2"
    own = replace(LLAMA, flags=(*LLAMA.flags, ProfileFlag(name="-t", value="1")))
    command = resolved(own).container.command
    assert "--threads" not in command
    assert "-t" in command
    unknown = resolved(LLAMA, fingerprint=cpu_host(cores=None)).container.command
    assert "--threads" not in unknown


def test_vllm_without_thread_flag_gets_none():
    profile = replace(LLAMA, flags=())
    data = engines()["llamacpp"]
    bare = replace(
        data,
        flags=replace(
            data.flags,
            flag=tuple(f for f in data.flags.flag if f.plan_field is not PlanField.THREADS),
        ),
    )
    command = resolved(profile, engine=bare, estimator=None).container.command
    assert "--threads" not in command


def test_open_model_cuts_the_context_to_its_own():
    spec = resolved(LLAMA, model=gguf_model(max_context=2048))
    assert flags_of(spec.container.command)["--ctx-size"] == "4096"
    small = safetensors_model(max_position_embeddings=4096)
    assert flags_of(resolved(model=small).container.command)["--max-model-len"] == "4096"


def test_named_model_does_not_have_its_context_cut_silently():
    small = safetensors_model(max_position_embeddings=4096)
    error = refused(replace(VLLM, model="/models/m"), model=small)
    assert error.code is ErrorCode.DOES_NOT_FIT
    assert "8192" in error.cause
    assert "4096" in error.cause


def test_unknown_model_limit_cuts_nothing():
    spec = resolved(LLAMA, model=gguf_model(max_context=None))
    assert flags_of(spec.container.command)["--ctx-size"] == "8192"


def test_own_image_of_a_mirror_is_kept():
    spec = resolved(replace(VLLM, image="registry.local/vllm:v1", engine_version="0.33.0"))
    assert spec.container.image == spec.image == "registry.local/vllm:v1"


def test_own_served_name_takes_the_place_of_ours():
    profile = replace(
        VLLM, flags=(*VLLM.flags, ProfileFlag(name="--served-model-name", value="mine"))
    )
    command = resolved(profile).container.command
    assert command.count("--served-model-name") == 1
    assert flags_of(command)["--served-model-name"] == "mine"


@pytest.mark.parametrize(
    ("profile", "changes", "code"),
    [
        (replace(VLLM, gpu_count=2), {}, ErrorCode.DOES_NOT_FIT),
        (replace(VLLM, gpu_memory_min_mib=200000), {}, ErrorCode.DOES_NOT_FIT),
        (
            replace(VLLM, gpu_count=2),
            {"fingerprint": gpu_host(count=2)},
            ErrorCode.UNSUPPORTED_COMBINATION,
        ),
        (VLLM, {"fingerprint": gpu_host(access=GpuAccess.NONE)}, ErrorCode.GPU_RUNTIME_MISSING),
        (VLLM, {"fingerprint": cpu_host()}, ErrorCode.DOES_NOT_FIT),
        (
            replace(VLLM, gpu_count=0, engine_version="0.26.0"),
            {},
            ErrorCode.UNSUPPORTED_COMBINATION,
        ),
        (
            replace(VLLM, engine_version="0.33.0"),
            {"fingerprint": gpu_host("Tesla V100-SXM2-32GB", cap="7.0", memory_mib=32768)},
            ErrorCode.UNSUPPORTED_COMBINATION,
        ),
        (VLLM, {"model": gguf_model()}, ErrorCode.MODEL_UNSUPPORTED),
        (
            replace(VLLM, tensor_parallel_size=3, gpu_count=3),
            {"fingerprint": gpu_host(count=3, islands=((0, 1, 2),))},
            ErrorCode.UNSUPPORTED_COMBINATION,
        ),
        (VLLM, {"model": llama_70b()}, ErrorCode.DOES_NOT_FIT),
        (replace(VLLM, port=70000), {}, ErrorCode.INVALID_INPUT),
        (VLLM, {"name": "Not A Name"}, ErrorCode.INVALID_INPUT),
        (LLAMA, {"fingerprint": cpu_host(ram_gib=2)}, ErrorCode.DOES_NOT_FIT),
        (
            replace(VLLM, engine="deepspeed-mii"),
            {"engine": engines()["deepspeed-mii"]},
            ErrorCode.UNSUPPORTED_COMBINATION,
        ),
    ],
)
def test_what_the_host_lacks_is_an_error_with_cause_and_remedy(profile, changes, code):
    assert refused(profile, **changes).code is code


def test_memory_that_others_hold_is_said_instead_of_a_size_that_nobody_needs():
    error = refused(VLLM, fingerprint=gpu_host(used_mib=(62314,)))

    assert error.code is ErrorCode.GPU_MEMORY_IN_USE
    assert "60.9 GiB of the GPU's memory are used" in error.cause
    assert "needs" not in error.cause


def test_unknown_links_refuse_nothing():
    profile = replace(VLLM, gpu_count=2)
    host = gpu_host(count=2, complete=False)
    assert len(resolved(profile, fingerprint=host).container.gpu_uuids) == 2


def test_pcie_is_allowed_when_the_profile_says_so():
    profile = replace(VLLM, gpu_count=2, gpu_same_island=False)
    assert len(resolved(profile, fingerprint=gpu_host(count=2)).container.gpu_uuids) == 2


def test_recording_without_container_engine_previews_with_plain_gpus():
    host = gpu_host(access=GpuAccess.NONE, container=None)
    assert resolved(fingerprint=host).container.gpu_access == GpuAccess.DEVICE_REQUEST.value


def test_every_wrong_flag_is_named_at_once():
    profile = replace(
        VLLM,
        flags=(
            ProfileFlag(name="--max-modellen", value="1"),
            ProfileFlag(name="--swap-space", value="4"),
            ProfileFlag(name="--host", value="127.0.0.1"),
        ),
    )
    error = refused(profile)
    assert error.code is ErrorCode.FLAG_UNKNOWN
    assert "Did you mean --max-model-len?" in error.cause
    assert "last accepted by 0.17.1" in error.cause
    assert "--host is set by Pitwall itself." in error.cause


def test_flag_of_a_newer_version_hints_at_the_version():
    profile = replace(
        VLLM,
        engine_version="0.26.0",
        flags=(ProfileFlag(name="--max-num-queued-reqs", value="10"),),
    )
    assert "newer engine version" in refused(profile).remedy


def test_does_not_fit_carries_needed_and_available_bytes():
    error = refused(model=llama_70b())
    assert int(error.params["needed_bytes"]) > int(error.params["available_bytes"]) > 0
    assert int(error.params["missing_bytes"]) > 0


def test_simulated_host_makes_a_simulated_deployment():
    spec = resolved(fingerprint=gpu_host(simulated=True))
    assert spec.simulated
    assert read_labels(spec.container.labels).simulated


def test_chosen_gpus_are_taken():
    spec = resolved(fingerprint=gpu_host(count=4), gpu_uuids=("GPU-3",))
    assert spec.container.gpu_uuids == ("GPU-3",)


# --- digest


def test_digest_is_the_same_for_the_same_content_whatever_name_and_revision():
    first = resolved(name="a", revision=1)
    second = resolved(name="b", revision=7)
    assert first.plan_digest == second.plan_digest
    assert len(first.plan_digest) == 64


def test_digest_changes_with_everything_that_decides_what_runs():
    container = resolved().container
    base = plan_digest(container, engine="vllm", version="0.33.0")
    changes = (
        {"command": ()},
        {"image": "x"},
        {"environment": {"A": "1"}},
        {"host_port": 1},
        {"gpu_uuids": ("GPU-7",)},
        {"shm_size_bytes": 1},
        {"memory_limit_bytes": 1},
        {"mounts": ()},
        {"secret_environment": ()},
        {"capabilities_add": ("X",)},
    )
    digests = {
        plan_digest(replace(container, **change), engine="vllm", version="0.33.0")
        for change in changes
    }
    digests.add(plan_digest(container, engine="vllm", version="0.32.0"))
    assert len(digests) == len(changes) + 1
    assert base not in digests


@given(st.permutations(["A", "B", "C"]))
def test_digest_does_not_depend_on_the_order_of_the_environment(order):
    container = resolved(estimator=None).container
    mixed = replace(container, environment=dict.fromkeys(order, "1"))
    plain = replace(container, environment=dict.fromkeys(["A", "B", "C"], "1"))
    assert plan_digest(mixed, engine="e", version="1") == plan_digest(
        plain, engine="e", version="1"
    )


# --- flags → values


def test_flags_are_read_back_into_what_the_estimate_needs():
    flags = (
        ProfileFlag(name="-tp", value="2"),
        ProfileFlag(name="--max-model-len", value="32K"),
        ProfileFlag(name="--gpu-memory-utilization", value="0.8"),
        ProfileFlag(name="--kv-cache-dtype", value="fp8"),
        ProfileFlag(name="--max-num-batched-tokens", value="8k"),
        ProfileFlag(name="--enforce-eager"),
        ProfileFlag(name="--no-enable-prefix-caching"),
        ProfileFlag(name="--never-heard-of", value="1"),
    )
    values = neutral_values(engines()["vllm"], "0.33.0", flags)
    options = estimate_options(values)
    assert values[PlanField.PREFIX_CACHING] == "false"
    assert (options.tensor_parallel_size, options.context_tokens) == (2, 32768)
    assert (options.memory_fraction, options.prefill_tokens) == (0.8, 8000)
    assert (options.kv_dtype, options.enforce_eager) == ("fp8", True)


def test_total_context_is_divided_by_the_slots_again():
    options = estimate_options(neutral_values(engines()["llamacpp"], "b10434", LLAMA.flags))
    assert (options.context_tokens, options.concurrency) == (4096, 2)
    alone = (ProfileFlag(name="-c", value="4096"),)
    values = neutral_values(engines()["llamacpp"], "b10434", alone)
    assert values[PlanField.CONTEXT_TOKENS] == "4096"


def test_words_keep_the_engines_default():
    flags = (ProfileFlag(name="-ngl", value="all"), ProfileFlag(name="-c", value="auto"))
    options = estimate_options(neutral_values(engines()["llamacpp"], "b10434", flags))
    assert options.gpu_layers is None
    assert options.context_tokens is None


def test_llamacpp_profile_is_estimated_over_all_its_gpus():
    flags = (ProfileFlag(name="-ngl", value="all"), ProfileFlag(name="-c", value="8192"))
    model = gguf_model(weights_gib=20, layers=60)
    device = {"name": "NVIDIA L4", "compute_cap": "8.9", "memory_total_mib": 23034}
    from app.core.models.request import Device

    def weights(count):
        return estimate_flags(
            flags,
            engine=engines()["llamacpp"],
            version="b10434",
            model=model,
            device=Device(count=count, ram_bytes=64 * 1024**3, **device),
            estimator=estimator,
        ).weights_bytes_per_gpu

    assert weights(2) < weights(1) * 0.6


def test_goal_travels_into_the_profile():
    plan = best(gpu_host(), safetensors_model(), Goal())
    assert profile_from_plan(plan, model=safetensors_model(), goal="latency").goal == "latency"
