"""A remedy applied to a deployed plan: values found, changed, written as the engine wants them."""

from dataclasses import replace

import pytest
from fakes.planning_world import ShippedData, cpu_host, gguf_model, gpu_host, safetensors_model

from app.core.deployment.spec import Profile, ProfileFlag
from app.core.diagnosis.finding import ParameterChange, PlanChange
from app.core.planning.changes import change_profile, host_model_path, profile_of
from app.core.planning.plan import Goal, GoalKind
from app.core.planning.resolve import resolve
from app.services.planning import PlanningService

ENGINES = ShippedData().engines


def change(parameter, action, value=""):
    return PlanChange(
        parameters=(ParameterChange(parameter=parameter, action=action, value=value),)
    )


def planned(engine, host, model):
    """Return the spec of a plan as it would be deployed, and its profile."""
    import asyncio

    service = PlanningService(data=ShippedData(), hosts=None, models=None)
    goal = Goal(kind=GoalKind.THROUGHPUT, engine=engine)
    best = asyncio.run(service.plan(host, model, goal)).ranked[0]
    profile = service.profile(best, name="chat", model=model)
    return service.resolve_with(
        profile, fingerprint=host, model=model, host_id="h", name="chat", revision=1
    )


@pytest.fixture(scope="module")
def vllm_spec():
    return planned("vllm", gpu_host(), safetensors_model())


@pytest.fixture(scope="module")
def llama_spec():
    return planned("llamacpp", cpu_host(), gguf_model())


@pytest.mark.parametrize("engine", ["lmdeploy", "ollama", "sglang", "tensorrt-llm", "tgi"])
def test_profile_of_any_engine_is_read_back_whole(engine):
    model = gguf_model() if engine == "ollama" else safetensors_model()
    spec = planned(engine, gpu_host(), model)
    profile = profile_of(spec, ENGINES[engine])

    again = resolve(
        profile,
        engine=ENGINES[engine],
        fingerprint=gpu_host(),
        model=model,
        host_id="h",
        name="chat",
        revision=1,
    )

    assert again.container == spec.container
    assert (profile.context_tokens, profile.concurrency) == (8192, 4 if engine == "ollama" else 128)


@pytest.mark.parametrize(
    ("name", "host", "model"),
    [("vllm_spec", gpu_host, safetensors_model), ("llama_spec", cpu_host, gguf_model)],
)
def test_profile_read_back_from_a_spec_leads_to_the_same_container(name, host, model, request):
    spec = request.getfixturevalue(name)

    again = resolve(
        profile_of(spec, ENGINES[spec.engine]),
        engine=ENGINES[spec.engine],
        fingerprint=host(),
        model=model(),
        host_id="h",
        name="chat",
        revision=1,
        gpu_uuids=spec.container.gpu_uuids,
    )

    assert sorted(again.container.command) == sorted(spec.container.command)
    assert replace(again.container, command=(), labels={}) == replace(
        spec.container, command=(), labels={}
    )


def test_model_is_found_on_the_host_through_its_mount(llama_spec):
    assert host_model_path(llama_spec) == gguf_model().path


@pytest.mark.parametrize(
    ("wanted", "flag", "new"),
    [
        (change("context_tokens", "lower", "2048"), "--max-model-len", "2048"),
        (change("max_model_len", "set", "4,096"), "--max-model-len", "4096"),
        (change("max-num-seqs", "set", "8"), "--max-num-seqs", "8"),
        (change("enforce_eager", "set", "true"), "--enforce-eager", "--enforce-eager"),
        (change("trust-remote-code", "set"), "--trust-remote-code", "--trust-remote-code"),
    ],
)
def test_value_is_written_as_the_engine_takes_it(vllm_spec, wanted, flag, new):
    engine = ENGINES["vllm"]
    profile, (changed,) = change_profile(profile_of(vllm_spec, engine), wanted, engine)

    assert (changed.flag, changed.new, changed.proposed) == (flag, new, False)
    assert [f for f in profile.flags if f.name == flag]


@pytest.mark.parametrize(
    ("old", "action", "new"),
    [
        ("0.90", "lower", "0.85"),
        ("0.93", "raise", "0.95"),
        ("64", "lower", "32"),
        ("4", "raise", "8"),
    ],
)
def test_direction_without_a_value_becomes_a_first_step(old, action, new):
    name = "--gpu-memory-utilization" if "." in old else "--max-num-seqs"
    profile = Profile(
        name="p", engine="vllm", engine_version="0.26.0", model="/m",
        flags=(ProfileFlag(name=name, value=old),),
    )  # fmt: skip

    changed, (value,) = change_profile(profile, change(name.strip("-"), action), ENGINES["vllm"])

    assert (value.old, value.new, value.proposed) == (old, new, True)
    assert changed.flags == (ProfileFlag(name=name, value=new),)


def test_value_that_a_person_gives_counts(vllm_spec):
    engine = ENGINES["vllm"]
    _, (value,) = change_profile(
        profile_of(vllm_spec, engine),
        change("context_tokens", "lower"),
        engine,
        chosen={"context_tokens": "1000"},
    )

    assert (value.new, value.proposed) == ("1000", False)


def test_tensor_parallel_size_takes_its_gpus_with_it(vllm_spec):
    engine = ENGINES["vllm"]
    profile = replace(profile_of(vllm_spec, engine), tensor_parallel_size=4, gpu_count=4)

    changed, _ = change_profile(profile, change("tensor_parallel_size", "set", "2"), engine)

    assert (changed.tensor_parallel_size, changed.gpu_count) == (2, 2)


def test_context_of_llama_counts_for_all_requests(llama_spec):
    engine = ENGINES["llamacpp"]
    profile = profile_of(llama_spec, engine)

    changed, (value,) = change_profile(profile, change("context_tokens", "set", "512"), engine)

    assert int(value.new) == 512 * (profile.concurrency or 1)
    assert changed.context_tokens == 512


def test_environment_sizes_port_and_removal(vllm_spec):
    engine = ENGINES["vllm"]
    profile = replace(profile_of(vllm_spec, engine), shm_size_bytes=2**30, memory_limit_bytes=None)
    several = PlanChange(
        parameters=(
            ParameterChange(parameter="environment.NCCL_DEBUG", action="set", value="INFO"),
            ParameterChange(parameter="shm_size_bytes", action="raise"),
            ParameterChange(parameter="memory_limit_bytes", action="raise"),
            ParameterChange(parameter="host_port", action="set", value="9001"),
            ParameterChange(parameter="max_model_len", action="remove"),
            ParameterChange(parameter="gpu_uuids", action="set"),
            ParameterChange(parameter="no_such_flag", action="set", value="1"),
            ParameterChange(parameter="environment.NCCL_DEBUG", action="remove"),
        )
    )

    changed, values = change_profile(profile, several, engine)

    assert "NCCL_DEBUG" not in changed.environment
    assert (changed.shm_size_bytes, changed.memory_limit_bytes, changed.port) == (2**31, None, 9001)
    assert not [f for f in changed.flags if f.name == "--max-model-len"]
    assert changed.context_tokens is None
    assert [value.reason for value in values] == [
        "", "", "needs_value", "", "", "needs_value", "unknown", "",
    ]  # fmt: skip


def test_switch_is_turned_off_by_its_negation_or_left_out(vllm_spec):
    engine = ENGINES["vllm"]
    profile = profile_of(vllm_spec, engine)

    on, _ = change_profile(profile, change("enforce_eager", "set", "true"), engine)
    off, (value,) = change_profile(on, change("enforce_eager", "remove"), engine)

    assert [f.name for f in on.flags if "eager" in f.name] == ["--enforce-eager"]
    assert not [f for f in off.flags if f.name == "--enforce-eager"]
    assert (value.old, value.new) == ("true", None)
