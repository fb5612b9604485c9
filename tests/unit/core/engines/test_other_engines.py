"""SGLang, TensorRT-LLM, LMDeploy, TGI and Ollama: what each needs so that Pitwall can use it."""

from dataclasses import replace

import pytest
from fakes.planning_world import (
    best,
    cpu_host,
    engines,
    gguf_model,
    gpu_host,
    plan,
    refusals,
    safetensors_model,
)

from app.core.engines.flags import FlagProblem, GivenFlag, check_flags, read_flags
from app.core.engines.parameters import Parameters
from app.core.engines.render import Placement, render
from app.core.planning.plan import Goal, GoalKind
from app.core.versions import in_span

GPU_ENGINES = ("lmdeploy", "sglang", "tensorrt-llm", "tgi")


def started(engine, version, *, placement=None, **parameters):
    data = engines()[engine]
    values = Parameters(**{"context_tokens": 4096, "concurrency": 2, **parameters})
    model = gguf_model() if engine == "ollama" else safetensors_model()
    return render(data, version, values, model, image=data.engine.image[0], placement=placement)


def pairs(command):
    return {word: command[i + 1] for i, word in enumerate(command[:-1]) if word.startswith("--")}


def check(engine, version, *flags):
    data = engines()[engine]
    given = [GivenFlag(name=name, value=value) for name, value in flags]
    return [
        (finding.problem, finding.suggestion)
        for finding in check_flags(given, data.flags, data.engine, version)
    ]


@pytest.mark.parametrize(
    ("engine", "flag"),
    [
        ("sglang", "--host"),
        ("tensorrt-llm", "--host"),
        ("lmdeploy", "--server-name"),
        ("tgi", "--hostname"),
    ],
)
def test_server_listens_where_a_published_port_reaches_it(engine, flag):
    for version in engines()[engine].engine.versions:
        assert pairs(started(engine, version).container.command)[flag] == "0.0.0.0"


@pytest.mark.parametrize("engine", [*GPU_ENGINES, "ollama"])
def test_every_version_is_only_given_flags_that_it_takes(engine):
    data = engines()[engine]
    for version in data.engine.versions:
        rendered = started(engine, version, tensor_parallel_size=2, prefill_tokens=2048)
        given = [GivenFlag(name=flag.name, value=flag.value) for flag in rendered.flags]
        assert check_flags(given, data.flags, data.engine, version) == ()


def test_metrics_are_turned_on_where_they_are_off():
    assert "--enable-metrics" in started("sglang", "0.5.23").container.command
    assert "--enable-metrics" in started("lmdeploy", "0.9.2").container.command
    assert "--enable-metrics" not in started("lmdeploy", "0.18.0").container.command


def test_tensorrt_llm_is_given_only_settings_that_its_version_knows():
    oldest, old, new = (
        started("tensorrt-llm", version).container.command[2]
        for version in ("0.21.0", "1.0.0", "1.1.0")
    )
    assert "enable_iter_perf_stats" not in oldest
    assert "enable_iter_perf_stats: true" in old
    assert "return_perf_metrics" not in old
    assert "return_perf_metrics: true" in new
    values = pairs(started("tensorrt-llm", "1.2.1").container.command)
    assert values["--backend"] == "pytorch"
    assert values["--extra_llm_api_options"] == "/tmp/pitwall-options.yaml"


def test_tensorrt_llm_that_must_build_its_engine_is_refused():
    goal = Goal(engine="tensorrt-llm", engine_version="0.16.0")
    assert refusals(plan(gpu_host(), safetensors_model(), goal))["tensorrt-llm"] == (
        "engine_build_needed"
    )


def test_tgis_longest_prompt_leaves_room_for_an_answer():
    values = pairs(started("tgi", "3.3.7", context_tokens=8192).container.command)
    assert (values["--max-total-tokens"], values["--max-input-tokens"]) == ("8192", "8191")
    assert values["--num-shard"] == "1"


def test_ollama_is_told_by_variables_and_takes_the_model_in_first():
    container = started("ollama", "0.32.15", context_tokens=8192, kv_dtype="q8_0").container
    assert container.environment["OLLAMA_CONTEXT_LENGTH"] == "8192"
    assert container.environment["OLLAMA_KV_CACHE_TYPE"] == "q8_0"
    assert container.environment["OLLAMA_FLASH_ATTENTION"] == "1"
    assert container.environment["OLLAMA_NO_CLOUD"] == "1"
    assert container.entrypoint == ("/bin/sh", "-c")
    assert "ollama create" in container.command[0]
    assert container.command[-2:] == ("/models/qwen2.5-7b-q4_k_m.gguf", "qwen2.5-7b-q4_k_m")


def test_ollama_refuses_a_model_in_several_files():
    path = "/models/big-00001-of-00002.gguf"
    split = replace(gguf_model(), path=path, name="big-00001-of-00002.gguf")
    result = plan(gpu_host(), split)
    assert refusals(result)["ollama"] == "split_gguf"
    assert [found.engine for found in result.ranked] == ["llamacpp"]


@pytest.mark.parametrize(
    ("engine", "version", "variable"),
    [("tgi", "3.3.7", "API_KEY"), ("tgi", "2.0.4", None), ("sglang", "0.5.23", None)],
)
def test_label_and_key_agree_on_whether_the_engine_asks_for_one(engine, version, variable):
    placement = Placement(name="chat", with_api_key=True)
    container = started(engine, version, placement=placement).container
    assert container.secret_environment == ((variable,) if variable else ())
    assert container.labels["io.pitwall.auth"] == ("api-key" if variable else "none")


@pytest.mark.parametrize("kind", list(GoalKind))
def test_what_is_only_kept_working_is_never_first(kind):
    ranked = plan(gpu_host(), safetensors_model(), Goal(kind=kind)).ranked
    assert ranked[-1].engine == "tgi"
    assert "tgi-maintenance" in {reason.code for reason in ranked[-1].advice}


def test_engines_without_rival_on_the_host_are_all_planned():
    ranked = plan(gpu_host(), safetensors_model()).ranked
    assert {found.engine for found in ranked} == {"vllm", *GPU_ENGINES}
    assert {p.engine for p in plan(cpu_host(), gguf_model()).ranked} == {"llamacpp", "ollama"}


@pytest.mark.parametrize("kind", list(GoalKind))
def test_demo_host_proposes_first_what_it_can_play(kind):
    ranked = plan(gpu_host(simulated=True), safetensors_model(), Goal(kind=kind)).ranked
    assert ranked[0].engine == "vllm"
    assert "not_played" in {reason.code for reason in ranked[1].reasons}


def test_memory_share_is_the_engines_own():
    shares = {
        found.engine: found.parameters.memory_fraction
        for found in plan(gpu_host(used_mib=(40000,)), safetensors_model()).ranked
    }
    assert shares["vllm"] < 0.75  # of the total: what others hold is taken off
    assert shares["lmdeploy"] == 0.8  # of what is free
    assert shares["tensorrt-llm"] == 0.9
    assert shares["sglang"] is None  # worked out by the engine


def test_volta_with_four_bit_weights_is_planned_with_lmdeploy():
    host = gpu_host("Tesla V100-SXM2-32GB", cap="7.0", memory_mib=32768, reserved_mib=None)
    found = best(host, safetensors_model(), Goal(engine="lmdeploy"))
    assert found.image == "openmmlab/lmdeploy:v0.18.0-cu12.8"
    assert found.parameters.dtype == "float16"


@pytest.mark.parametrize(
    ("version", "flag", "problem", "suggestion"),
    [
        (
            "0.5.22",
            ("--cuda-graph-max-bs", "64"),
            FlagProblem.REMOVED,
            "--cuda-graph-max-bs-decode",
        ),
        ("0.5.10", ("--cuda-graph-max-bs-decode", "64"), FlagProblem.NOT_YET, ""),
        ("0.5.5", ("--engine-info-bootstrap-port", "1"), FlagProblem.NOT_YET, ""),
        ("0.5.22", ("--gpu-memory-utilization", "0.9"), FlagProblem.UNKNOWN, ""),
        ("0.5.22", ("--api-key", "abc"), FlagProblem.SECRET, ""),
    ],
)
def test_flags_of_sglang_are_judged_by_its_version(version, flag, problem, suggestion):
    assert check("sglang", version, flag) == [(problem, suggestion)]


def test_lmdeploy_shares_layers_among_a_power_of_two():
    model = safetensors_model("wide", num_attention_heads=36, num_key_value_heads=12,
                              intermediate_size=18432, hidden_size=4608)  # fmt: skip
    host = gpu_host(count=3, islands=((0, 1, 2),))
    goal = Goal(gpu_uuids=("GPU-0", "GPU-1", "GPU-2"))
    split = {p.engine: p.parameters.tensor_parallel_size for p in plan(host, model, goal).ranked}
    assert (split["vllm"], split["lmdeploy"]) == (3, 2)


def test_variables_are_read_as_they_are_written_in_a_shell():
    data = engines()["ollama"]
    words = ["OLLAMA_NUM_PARALLEL=4", "OLLAMA_KV_CACHE_TYPE=q8_0"]
    given = read_flags(words, data.flags, data.engine, "0.32.15")
    assert given == (
        GivenFlag(name="OLLAMA_NUM_PARALLEL", value="4"),
        GivenFlag(name="OLLAMA_KV_CACHE_TYPE", value="q8_0"),
    )
    assert check_flags(given, data.flags, data.engine, "0.32.15") == ()


def test_flags_of_which_only_the_name_is_known_are_passed_on():
    assert check("sglang", "0.5.23", ("--weight-version", "3"), ("--use-ray", None)) == []


def test_first_trtllm_serve_takes_the_flags_of_its_source():
    data = engines()["tensorrt-llm"]
    first = data.engine.flags_since
    taken = {
        rule.name
        for rule in data.flags.flag
        if in_span(first, rule.since, rule.until, data.engine.version_scheme)
    }
    assert taken == {
        "--tokenizer", "--host", "--port", "--max_beam_width", "--max_batch_size",
        "--max_num_tokens", "--max_seq_len", "--tp_size", "--pp_size",
        "--kv_cache_free_gpu_memory_fraction", "--trust_remote_code",
    }  # fmt: skip
