"""A user's own flags take the planned values' place; everything is planned around them."""

from dataclasses import replace

import pytest
from fakes.planning_world import (
    best,
    catalogue,
    cpu_host,
    engines,
    gguf_model,
    gpu_host,
    llama_70b,
    plan,
    safetensors_model,
)

from app.core.hardware.fingerprint import MigDevice
from app.core.hardware.what_if import make_what_if
from app.core.planning.changes import profile_of
from app.core.planning.flag_values import layer_runs
from app.core.planning.own_words import sort_words
from app.core.planning.plan import Goal, GoalKind
from app.core.planning.profile import profile_from_plan
from app.core.planning.resolve import resolve
from app.core.units import GIB

FOUR = gpu_host(count=4, islands=((0, 1, 2, 3),))
OLD = gpu_host("Tesla T4", cap="7.5", memory_mib=15360, reserved_mib=None, count=4)

SHARED = {"context_tokens": 4096, "concurrency": 9, "tensor_parallel_size": 2}
CASES = {
    "vllm": (
        ("--max-model-len 4096 --max-num-seqs 9 -tp 2 --gpu-memory-utilization 0.5 --dtype half "
        "--kv-cache-dtype fp8 --port 9001 --max-num-batched-tokens 4096 --enforce-eager "
        "--served-model-name mine --no-enable-prefix-caching --block-size 32"),
        {
            **SHARED, "memory_fraction": 0.5, "dtype": "float16", "kv_dtype": "fp8",
            "prefill_tokens": 4096, "enforce_eager": True, "prefix_caching": False,
        },
    ),
    "sglang": (
        ("--context-length 4096 --max-running-requests 9 --tp 2 --mem-fraction-static 0.5 "
        "--dtype float16 --kv-cache-dtype fp8_e4m3 --port 9001 --chunked-prefill-size 4096 "
        "--served-model-name mine"),
        {
            **SHARED, "memory_fraction": 0.5, "dtype": "float16", "kv_dtype": "fp8",
            "prefill_tokens": 4096,
        },
    ),
    "tensorrt-llm": (
        ("--max_seq_len 4096 --max_batch_size 9 --tp_size 2 --port 9001 "
        "--kv_cache_free_gpu_memory_fraction 0.5 --max_num_tokens 4096"),
        {**SHARED, "memory_fraction": 0.5, "prefill_tokens": 4096},
    ),
    "lmdeploy": (
        ("--session-len 4096 --max-batch-size 9 --tp 2 --cache-max-entry-count 0.5 "
        "--quant-policy 8 --server-port 9001 --model-name mine --enable-prefix-caching"),
        {**SHARED, "memory_fraction": 0.5, "kv_dtype": "int8", "prefix_caching": True},
    ),
    "tgi": (
        ("--max-total-tokens 4096 --max-concurrent-requests 9 --num-shard 2 --port 9001 "
        "--cuda-memory-fraction 0.5 --dtype float16"),
        {**SHARED, "memory_fraction": 0.5, "dtype": "float16"},
    ),
    "llamacpp": (
        "-c 36864 -np 9 -ngl 7 -ctk q8_0 -t 3 -ub 256 --port 9001 -a mine",
        {
            "context_tokens": 4096, "concurrency": 9, "gpu_layers": 7, "kv_dtype": "q8_0/f16",
            "threads": 3, "prefill_tokens": 256,
        },
    ),
    "ollama": (
        ("OLLAMA_CONTEXT_LENGTH=4096 -e OLLAMA_NUM_PARALLEL=9 OLLAMA_KV_CACHE_TYPE=q8_0 "
        "OLLAMA_HOST=0.0.0.0:9001 OLLAMA_GPU_OVERHEAD=1000"),
        {
            "context_tokens": 4096, "concurrency": 9, "kv_dtype": "q8_0",
            "gpu_overhead_bytes": 1000,
        },
    ),
}  # fmt: skip


def model_for(engine):
    return gguf_model() if engine in ("llamacpp", "ollama") else safetensors_model()


def own(engine, flags, host=FOUR, model=None, **goal):
    wanted = Goal(engine=engine, own_flags=tuple(flags.split()), **goal)
    return best(host, model or model_for(engine), wanted)


def refused(engine, flags, host=FOUR, model=None, **goal):
    wanted = Goal(engine=engine, own_flags=tuple(flags.split()), **goal)
    result = plan(host, model or model_for(engine), wanted)
    return next(entry for entry in result.rejected if entry.engine == engine)


def advice(found):
    return {reason.code: reason.text.en for reason in found.advice}


@pytest.mark.parametrize("engine", CASES)
def test_own_flags_are_the_plans_values_and_stand_there_once(engine):
    flags, values = CASES[engine]
    found = own(engine, flags)
    assert {name: getattr(found.parameters, name) for name in values} == values
    names = [flag.name for flag in found.flags]
    assert len(names) == len(set(names))
    assert found.container.container_port == 9001
    given = [word.partition("=")[0] for word in flags.split() if word[0] in "-O" and word != "-e"]
    written = {flag.name for flag in found.flags if flag.reason.code.startswith("own_")}
    assert len(written) >= len(given)


@pytest.mark.parametrize("engine", CASES)
def test_memory_is_estimated_with_the_own_values(engine):
    flags, _ = CASES[engine]
    chosen, plain = own(engine, flags), best(FOUR, model_for(engine), Goal(engine=engine))
    assert chosen.estimate.fits is True
    assert chosen.estimate.kv_cache_bytes_per_gpu != plain.estimate.kv_cache_bytes_per_gpu
    if engine not in ("llamacpp", "ollama"):
        assert chosen.parameters.gpu_indices == (0, 1)
        assert chosen.estimate.weights_bytes_per_gpu < plain.estimate.weights_bytes_per_gpu


@pytest.mark.parametrize("engine", CASES)
def test_a_planned_flag_given_again_changes_nothing(engine):
    planned = best(FOUR, model_for(engine), Goal(engine=engine))
    carried = [f for f in planned.flags if f.reason.parameter in SHARED and f.value is not None]
    words = [w for f in carried for w in ((f"{f.name}={f.value}",) if f.is_variable
                                          else (f.name, f.value))]  # fmt: skip
    again = best(FOUR, model_for(engine), Goal(engine=engine, own_flags=tuple(words)))
    assert sorted(again.container.command) == sorted(planned.container.command)
    assert again.environment == planned.environment
    assert again.parameters == planned.parameters


@pytest.mark.parametrize("engine", CASES)
def test_a_profile_keeps_own_port_name_and_values(engine):
    model, flags = model_for(engine), CASES[engine][0]
    found = own(engine, flags)
    profile = profile_from_plan(found, model=model)
    spec = resolve(
        profile, engine=engines()[engine], fingerprint=FOUR, model=model, host_id="h", name="n",
        revision=1,
    )  # fmt: skip
    assert spec.container.container_port == 9001
    assert sorted(spec.container.command) == sorted(found.container.command)
    assert spec.model_name == ("mine" if "mine" in flags else model.name)


@pytest.mark.parametrize(
    ("engine", "flag"),
    [
        ("vllm", "--host 127.0.0.1"),
        ("sglang", "--host localhost"),
        ("tensorrt-llm", "--host 10.0.0.5"),
        ("lmdeploy", "--server-name 127.0.0.1"),
        ("tgi", "--hostname 127.0.0.1"),
        ("llamacpp", "--host ::1"),
        ("ollama", "OLLAMA_HOST=127.0.0.1:11434"),
    ],
)
def test_a_server_that_no_published_port_reaches_is_refused(engine, flag):
    refusal = refused(engine, flag)
    assert refusal.code == "own_flags_refused"
    assert "published port" in refusal.text.en
    assert flag.partition("=")[0].split()[0] in refusal.text.en


@pytest.mark.parametrize(
    ("engine", "flags", "host", "said"),
    [
        ("vllm", "--tensor-parallel-size 3", FOUR, "/ 3"),
        ("vllm", "--tensor-parallel-size 16", FOUR, "16 GPUs > 4"),
        ("vllm", "--pipeline-parallel-size 5", FOUR, "5 GPUs > 4"),
        ("vllm", "-dp 3 -tp 2", FOUR, "6 GPUs > 4"),
        ("lmdeploy", "--tp 3", FOUR, "1, 2, 4, 8"),
        ("vllm", "--gpu-memory-utilization 0.05", gpu_host(), "--gpu-memory-utilization 0.05"),
        ("vllm", "--max-model-len 0", FOUR, "from 1"),
        ("vllm", "--max-model-len 200000", FOUR, "131072"),
        ("vllm", "--dtype bfloat16", OLD, "bfloat16"),
        ("vllm", "--kv-cache-dtype fp8", OLD, "--kv-cache-dtype fp8"),
        ("vllm", "--quantization awq", FOUR, "--quantization awq"),
        ("vllm", "--quantization bitsandbytes", FOUR, "no longer has this method"),
        ("vllm", "--gpu-memory-utilization 1.0", FOUR, "0.98 at most"),
        ("llamacpp", "-ts 1,1,1,1,1", FOUR, "5 GPUs > 4"),
        ("tgi", "--quantize fp8", OLD, "8.0"),
        ("vllm", "--enable-expert-parallel", FOUR, "no experts"),
        ("sglang", "--ep 2 --tp 2", FOUR, "no experts"),
        ("vllm", "--model other/model", FOUR, "Pitwall sets this itself"),
        ("vllm", "CUDA_VISIBLE_DEVICES=0", FOUR, "CUDA_VISIBLE_DEVICES"),
        ("sglang", "HF_TOKEN=x", FOUR, "HF_TOKEN"),
        ("tgi", "--max-input-tokens 9000", FOUR, "8191 at most"),
        ("llamacpp", "-c 999999 -ngl 99 -np 1", gpu_host(memory_mib=8192), "-c 999999"),
        ("ollama", "num_ctx=4096", FOUR, "OLLAMA_CONTEXT_LENGTH"),
    ],
)
def test_own_flags_that_cannot_start_refuse_the_engine(engine, flags, host, said):
    assert said in refused(engine, flags, host).text.en


def test_a_share_that_one_gpu_cannot_serve_takes_more_gpus():
    found = own("vllm", "--gpu-memory-utilization 0.06")
    assert found.parameters.memory_fraction == 0.06
    assert len(found.parameters.gpu_indices) > 1


def test_copies_of_the_model_get_gpus_of_their_own():
    found = own("vllm", "-dp 2 -tp 2")
    assert found.parameters.gpu_indices == (0, 1, 2, 3)
    assert found.parameters.tensor_parallel_size == 2
    inside = own("sglang", "--dp 2 --tp 2 --enable-dp-attention")
    assert inside.parameters.gpu_indices == (0, 1)


def test_experts_are_dealt_out_or_cut_as_the_user_says():
    model = mixture()
    dealt = own("vllm", "--enable-expert-parallel -tp 2", model=model)
    assert dealt.parameters.expert_parallel_size == 2
    assert own("sglang", "--ep 2 --tp 4", model=model).parameters.expert_parallel_size == 2
    assert "3" in refused("sglang", "--ep 3 --tp 4", model=model).text.en
    cut = own("vllm", "--no-enable-expert-parallel -tp 2", model=model)
    assert cut.parameters.expert_parallel_size is None
    assert refused("sglang", "--ep 2", gpu_host(), model).code == "own_flags_refused"


def mixture():
    return safetensors_model(
        "mixture", architectures=["Qwen3MoeForCausalLM"], model_type="qwen3_moe",
        num_experts=128, num_experts_per_tok=8, moe_intermediate_size=768, hidden_size=2048,
    )  # fmt: skip


def test_stages_of_the_users_own_say_so_instead_of_one_gpu_holds_it():
    found = own("vllm", "-pp 2")
    reasons = {reason.parameter: reason.code for reason in found.reasons}
    assert reasons["tensor_parallel_size"] == "tp_own"
    assert reasons["pipeline_parallel_size"] == "own_value"
    assert len(found.parameters.gpu_indices) == 2


def test_a_wish_of_the_goal_that_gives_way_is_told():
    found = own("vllm", "--max-model-len 4096", context_tokens=8192, concurrency=4)
    assert found.parameters.context_tokens == 4096
    assert "8192" in advice(found)["own_flag_over_goal"]


def test_a_planned_flag_that_contradicts_is_left_out_and_that_is_told():
    found = own("tgi", "--max-input-length 1000")
    assert "--max-input-tokens" not in found.argv
    assert "--max-input-tokens" in advice(found)["own_flag_conflict"]


def test_a_path_that_is_not_in_the_container_is_told():
    assert "/srv/t.jinja" in advice(own("vllm", "--chat-template /srv/t.jinja"))["own_flag_path"]
    inside = own("vllm", "--chat-template /models/llama-3.1-8b/t.jinja")
    assert "own_flag_path" not in advice(inside)


def test_adapters_in_own_flags_lead_to_the_way_that_mounts_them():
    told = advice(own("vllm", "--enable-lora --lora-modules law=/srv/lora/law"))
    assert "--adapter" in told["own_flag_adapter"]


def test_the_images_own_health_check_on_another_port_is_told():
    assert "8080" in advice(own("llamacpp", "--port 9000"))["own_flag_health"]
    assert "own_flag_health" not in advice(own("llamacpp", "--port 8080"))


def test_more_context_than_the_model_has_is_taken_with_a_way_to_stretch_it():
    flags = '--max-model-len 200000 --hf-overrides {"rope_parameters":{"rope_type":"yarn"}}'
    assert own("vllm", flags).parameters.context_tokens == 200000


@pytest.mark.parametrize(
    ("flags", "context", "slots"),
    [
        ("-c 4096", 4096, 1),
        ("-c 32768", 8192, 4),
        ("-c 65536", 16384, 4),
        ("-c 0", 8192, 4),
        ("-c 0 -np 1", 32768, 1),
    ],
)
def test_one_context_for_all_slots_is_divided_among_them(flags, context, slots):
    found = own("llamacpp", flags)
    assert (found.parameters.context_tokens, found.parameters.concurrency) == (context, slots)


def test_an_own_split_of_layers_takes_as_many_gpus_as_it_has_parts():
    found = own("llamacpp", "-ts 3,1")
    assert found.parameters.gpu_indices == (0, 1)
    assert found.parameters.tensor_split == "22,7"


def test_an_8_bit_cache_turns_on_what_it_needs_and_f16_does_not():
    assert own("ollama", "OLLAMA_KV_CACHE_TYPE=q8_0").environment["OLLAMA_FLASH_ATTENTION"] == "1"
    plain = own("ollama", "OLLAMA_KV_CACHE_TYPE=f16")
    assert "OLLAMA_FLASH_ATTENTION" not in plain.environment


def test_a_cache_type_of_unknown_size_is_planned_and_told():
    assert "own_flag_uncounted" in advice(own("vllm", "--kv-cache-dtype fp5"))


def test_words_of_a_list_stay_words():
    assert own("vllm", "--served-model-name a b").container.command[-3:] == (
        "--served-model-name",
        "a",
        "b",
    )


def test_variables_stand_for_flags_or_reach_the_container():
    words = sort_words(
        ("-e", "MAX_TOTAL_TOKENS=4096", "--env=NCCL_P2P_DISABLE=1", "--sharded", "true", "-e"),
        engines()["tgi"],
        "3.3.7",
    )
    assert words.flags == ("--max-total-tokens", "4096", "--sharded", "true", "-e")
    assert words.variables == {"NCCL_P2P_DISABLE": "1"}
    found = own("vllm", "NCCL_P2P_DISABLE=1")
    assert found.environment["NCCL_P2P_DISABLE"] == "1"
    profile = profile_from_plan(found, model=safetensors_model())
    assert profile.environment == {"NCCL_P2P_DISABLE": "1"}
    assert "NCCL_P2P_DISABLE" not in {flag.name for flag in profile.flags}


def test_switches_named_by_a_variable_are_on_or_off():
    tgi = engines()["tgi"]
    rule = next(flag for flag in tgi.flags.flag if flag.env and flag.type.value == "switch")
    assert sort_words((f"{rule.env}=true",), tgi, "3.3.7").flags == (rule.name,)
    assert sort_words((f"{rule.env}=0",), tgi, "3.3.7").flags == ()


def test_a_cache_size_of_the_users_own_is_taken_on_a_cpu():
    goal = Goal(
        engine="vllm", engine_version="0.32.0", cpu_only=True,
        own_flags=("--kv-cache-memory-bytes", "1G"),
    )  # fmt: skip
    found = best(cpu_host(ram_gib=64), safetensors_model(), goal)
    assert found.parameters.kv_cache_bytes == GIB


def test_a_model_that_does_not_fit_anyway_is_not_blamed_on_the_flags():
    small = gpu_host(memory_mib=16384, reserved_mib=None)
    assert refused("vllm", "--max-num-seqs 4", small, llama_70b()).code == "does_not_fit"


def test_what_if_hosts_take_own_flags_as_well():
    host = make_what_if("2x L40S", catalogue(), taken_at="2026-11-30T00:00:00Z")
    found = own("vllm", "--max-num-seqs 4", replace(host), kind=GoalKind.LATENCY)
    assert found.parameters.concurrency == 4


def test_a_removed_flag_refuses_with_the_truth_about_its_saying():
    goal = Goal(engine="vllm", engine_version="0.33.0", own_flags=("--swap-space", "16"))
    result = plan(gpu_host(), safetensors_model(), goal)
    refusal = next(r for r in result.rejected if r.engine == "vllm")
    assert refusal.code == "own_flags_refused"
    assert "never wrote to an SSD" in refusal.text.en
    assert "SSD" in refusal.text.zh_CN


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ("--max-modellen 1", "是否想写 --max-model-len？"),
        ("--ctx-size 1", "llama.cpp 的参数"),
        ("--max-num-seqs x", "应为整数"),
        ("--data-parallel-backend q9", "应为下列之一"),
        ("--port", "需要取值"),
        ("--enforce-eager=1", "不带取值"),
        ("--gpu-memory-utilization 5", "不大于 1"),
    ],
)
def test_what_is_wrong_with_a_flag_is_said_in_chinese_too(flags, said):
    text = refused("vllm", flags).text.zh_CN
    assert said in text
    assert "expected" not in text


def test_braces_in_a_flag_are_no_places_to_fill():
    flags = '--hf-overrides {"a":{"b":1}} --gpu-memory-utilization 0.05'
    assert '{"a":{"b":1}}' in refused("vllm", flags, gpu_host()).text.en
    assert "{x}" in refused("vllm", "--max-num-seqs {x}").text.zh_CN


def test_a_share_that_leaves_nothing_for_computing_is_told():
    high = advice(own("lmdeploy", "--cache-max-entry-count 0.99", gpu_host(memory_mib=81920)))
    assert "GiB for computing" in high["own_flag_share_high"]
    usual = own("lmdeploy", "--cache-max-entry-count 0.8", gpu_host(memory_mib=81920))
    assert "own_flag_share_high" not in advice(usual)


def test_an_option_that_an_old_version_takes_is_taken_there():
    found = own("ollama", "num_ctx=4096", engine_version="0.5.7")
    assert found.parameters.context_tokens == 4096
    assert "OLLAMA_CONTEXT_LENGTH" in refused("ollama", "num_ctx=4096").text.en
    assert "OLLAMA_CONTEXT_LENGTH" in refused("ollama", "--num-ctx 4096").text.en


def test_what_looks_like_a_variable_behind_a_flag_is_its_value():
    words = ("--lora-modules", "LAW=/a", "med=/b", "--served-model-name", "A=1", "B_C=2")
    sorted_words = sort_words(words, engines()["vllm"], "0.33.0")
    assert sorted_words.flags == words
    assert not sorted_words.variables
    switch = sort_words(("--enforce-eager", "B_C=2"), engines()["vllm"], "0.33.0")
    assert switch.variables == {"B_C": "2"}


@pytest.mark.parametrize("engine", CASES)
def test_a_deployment_read_back_keeps_what_the_user_set(engine):
    model, flags = model_for(engine), CASES[engine][0]
    profile = profile_from_plan(own(engine, f"{flags} NCCL_P2P_DISABLE=1"
                                    if engine != "ollama" else flags), model=model)  # fmt: skip
    placed = {
        "engine": engines()[engine], "fingerprint": FOUR, "model": model, "host_id": "h",
        "name": "n", "revision": 1,
    }  # fmt: skip
    first = resolve(profile, **placed)
    again = resolve(profile_of(first, engines()[engine]), **placed)
    assert sorted(again.container.command) == sorted(first.container.command)
    assert again.container.environment == first.container.environment
    assert again.container.container_port == 9001
    assert again.model_name == first.model_name


def test_a_cache_of_a_given_size_takes_the_shares_place_on_gpus():
    found = own("vllm", "--kv-cache-memory-bytes 4G", gpu_host())
    assert found.estimate.kv_cache_bytes_per_gpu == 4 * GIB
    assert found.estimate.kv_tokens == 4 * GIB // found.estimate.kv_bytes_per_token_per_gpu
    small = refused("vllm", "--kv-cache-memory-bytes 64M --max-model-len 8192", gpu_host())
    assert "--kv-cache-memory-bytes 64M" in small.text.en
    huge = refused("vllm", "--kv-cache-memory-bytes 200G", gpu_host())
    assert "--kv-cache-memory-bytes 200G" in huge.text.en


def test_stages_and_instances_have_their_limits():
    many = gpu_host(count=40)
    assert "33 stages > 32 layers" in refused("vllm", "-pp 33", many).text.en
    host = gpu_host(mig=(0,))
    parts = tuple(
        MigDevice(index=n, uuid=f"MIG-{n}", profile="3g.71gb", memory_total_mib=71000)
        for n in range(2)
    )
    parted = replace(host, gpus=(replace(host.gpus[0], mig_devices=parts),))
    assert "2 MIG" in refused("vllm", "-tp 2", parted).text.en


def test_experts_are_dealt_out_over_the_size_that_the_plan_finds():
    model, host = mixture(), gpu_host(memory_mib=20480, reserved_mib=None, count=8)
    dealt = own("vllm", "--enable-expert-parallel", host, model, concurrency=1)
    assert dealt.parameters.tensor_parallel_size > 1
    assert dealt.parameters.expert_parallel_size == dealt.parameters.tensor_parallel_size
    cut = own("vllm", "--no-enable-expert-parallel", host, model, concurrency=1)
    assert cut.parameters.expert_parallel_size is None
    assert refused("sglang", "--ep 3", host, model, concurrency=1).code == "own_flags_refused"


def test_a_split_that_is_no_numbers_deals_out_nothing():
    assert layer_runs("a,b", 29) == layer_runs("", 29) == layer_runs("0,0", 29) == ()
