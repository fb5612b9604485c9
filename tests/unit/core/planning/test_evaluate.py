import time
from dataclasses import replace

import pytest
from fakes.planning_world import (
    best,
    cpu_host,
    engines,
    gguf_model,
    gpu_host,
    h200_recording,
    llama_70b,
    plan,
    quantized,
    refusals,
    safetensors_model,
)

from app.core.errors import ErrorCode, PlanError
from app.core.hardware.fingerprint import GpuAccess, HostSource, UnknownReason
from app.core.models.architecture import ModelFormat
from app.core.planning.plan import Goal, GoalKind
from app.core.units import GIB


def codes(reasons):
    return {reason.code for reason in reasons}


def by_parameter(found):
    return {reason.parameter: reason.code for reason in found.reasons if reason.parameter}


# --- the two main ways


def test_gguf_on_a_cpu_host_is_planned_with_llamacpps_server_image():
    found = best(cpu_host(), gguf_model())
    assert found.engine == "llamacpp"
    assert found.image == "ghcr.io/ggml-org/llama.cpp:server-b10434"
    assert found.parameters.gpu_layers is None
    assert found.parameters.threads == 2
    assert found.estimate.on_cpu


def test_cpu_only_leaves_the_gpus_of_a_host_alone():
    found = best(gpu_host(), gguf_model(), Goal(cpu_only=True))
    assert found.image == "ghcr.io/ggml-org/llama.cpp:server-b10434"
    assert found.container.gpu_uuids == ()
    assert found.estimate.on_cpu


def test_safetensors_on_a_cpu_host_are_planned_with_vllms_cpu_image():
    found = best(cpu_host(ram_gib=64), safetensors_model(), Goal(engine_version="0.32.0"))
    assert found.engine == "vllm"
    assert found.image.startswith("vllm/vllm-openai-cpu:v")
    assert found.container.shm_size_bytes == 4 * GIB
    command = found.container.command
    assert command[command.index("--dtype") + 1] == "bfloat16"
    assert "--enforce-eager" in command
    assert "--gpu-memory-utilization" not in command
    assert "image_note" in codes(found.advice)


def test_cache_in_main_memory_is_what_the_requests_need_at_full_length():
    goal = Goal(concurrency=4, context_tokens=8192)
    found = best(cpu_host(ram_gib=64), safetensors_model(), goal)
    parameters, estimate = found.parameters, found.estimate
    assert parameters.kv_cache_bytes == 4 * 8192 * 128 * 1024
    assert estimate.kv_cache_bytes_per_gpu == parameters.kv_cache_bytes
    assert estimate.max_concurrency == pytest.approx(4)
    assert f"--kv-cache-memory-bytes {parameters.kv_cache_bytes}" in " ".join(found.argv)
    assert by_parameter(found)["kv_cache_bytes"] == "kv_main_memory"


def test_little_main_memory_means_fewer_requests_then_less_context():
    def planned(ram_gib, **goal):
        goal = {"concurrency": None, "kind": GoalKind.LONG_CONTEXT, **goal}
        found = best(cpu_host(ram_gib=ram_gib), safetensors_model(), Goal(**goal)).parameters
        return found.context_tokens, found.concurrency

    assert planned(64) == (131072, 2)
    assert planned(48) == (131072, 1)
    assert planned(26) == (65536, 1)


def test_unknown_main_memory_does_not_refuse():
    found = best(cpu_host(ram_gib=None), safetensors_model())
    assert found.estimate.fits == "unknown"


def test_gpu_that_vllm_cannot_use_is_refused_with_its_reason_and_gets_no_cpu_plan():
    host = gpu_host("Tesla P40", cap="6.1", memory_mib=24576, ram_gib=64)
    assert refusals(plan(host, safetensors_model()))["vllm"] == "compute_capability"
    assert best(host, safetensors_model(), Goal(cpu_only=True)).engine == "vllm"


def test_gguf_on_a_gpu_host_is_planned_with_the_cuda_image_and_all_layers():
    found = best(gpu_host(), gguf_model())
    assert found.image == "ghcr.io/ggml-org/llama.cpp:server-cuda-b10434"
    assert found.parameters.gpu_layers == 29
    assert found.parameters.threads is None
    assert found.container.gpu_uuids == ("GPU-0",)


def test_recorded_h200_gets_the_newest_vllm_with_cuda_13():
    found = best(h200_recording(), safetensors_model())
    assert (found.engine, found.version) == ("vllm", "0.33.0")
    assert found.image == "vllm/vllm-openai:v0.33.0"
    assert found.parameters.tensor_parallel_size == 1
    assert found.estimate.fits is True


def test_record_without_container_engine_is_planned_with_a_warning():
    found = best(h200_recording(), safetensors_model())
    assert "recorded_without_container" in codes(found.advice)
    assert found.container.gpu_access == GpuAccess.DEVICE_REQUEST.value


def test_volta_gets_the_last_vllm_that_has_code_for_it():
    host = gpu_host("Tesla V100-SXM2-32GB", cap="7.0", memory_mib=32768, reserved_mib=None)
    found = best(host, safetensors_model())
    assert found.version == "0.8.5"
    assert found.parameters.dtype == "float16"
    assert by_parameter(found)["version"] == "version_older_host"
    assert {"v100_nvlink", "volta-last-release"} <= codes(found.advice)


def test_driver_535_gets_a_cuda_12_image_by_compatibility():
    host = gpu_host("NVIDIA A100-SXM4-80GB", cap="8.0", memory_mib=81920, driver="535.104.05")
    found = best(host, safetensors_model())
    assert found.version == "0.19.1"
    assert found.environment["VLLM_ENABLE_CUDA_COMPATIBILITY"] == "1"
    assert "compatibility_driver" in codes(found.advice)


def test_host_whose_gpus_could_not_be_asked_is_planned_without_them_and_says_so():
    silent = replace(cpu_host(), unknown={"gpus": UnknownReason.TOOL_TIMEOUT})
    advice = {entry.code: entry for entry in best(silent, gguf_model()).advice}
    assert "tool_timeout" in advice["gpus_unknown"].text.en
    assert "gpus_unknown" not in codes(best(cpu_host(), gguf_model()).advice)


# --- placement


def test_plan_keeps_tensor_parallel_inside_one_island():
    # The freest two GPUs, 0 and 1, lie in different islands.
    host = gpu_host(count=4, islands=((0, 2), (1, 3)), used_mib=(0, 0, 10, 10))
    found = best(host, llama_70b())
    assert found.parameters.gpu_indices in ((0, 2), (1, 3))
    assert by_parameter(found)["gpu_indices"] == "gpus_one_island"


def test_plan_leaves_the_island_only_when_it_is_too_small():
    host = gpu_host(count=4, memory_mib=65536, reserved_mib=None, islands=((0, 2), (1, 3)))
    found = best(host, llama_70b())
    assert found.parameters.tensor_parallel_size == 4
    assert by_parameter(found)["gpu_indices"] == "gpus_cross_links"


def test_two_gpus_of_an_island_carry_what_one_cannot():
    host = gpu_host(count=2, islands=((0, 1),))
    found = best(host, llama_70b())
    assert found.parameters.tensor_parallel_size == 2
    assert found.parameters.gpu_indices == (0, 1)
    assert by_parameter(found)["tensor_parallel_size"] == "tp_memory"
    assert by_parameter(found)["gpu_indices"] == "gpus_one_island"


def test_island_is_preferred_to_free_gpus_across_pcie():
    host = gpu_host(count=4, islands=((2, 3),), used_mib=(0, 0, 50, 50))
    assert best(host, llama_70b()).parameters.gpu_indices == (2, 3)


def test_split_over_pcie_is_allowed_weighed_and_said():
    island = best(gpu_host(count=2, islands=((0, 1),)), llama_70b())
    pcie = best(gpu_host(count=2), llama_70b())
    assert pcie.parameters.tensor_parallel_size == 2
    assert by_parameter(pcie)["gpu_indices"] == "gpus_cross_links"
    assert pcie.score < island.score
    assert "tp_over_pcie_works" in codes(pcie.advice)


def test_three_gpus_are_not_used_for_heads_that_do_not_divide():
    host = gpu_host(count=3, memory_mib=49152, reserved_mib=None)
    result = plan(host, llama_70b())
    assert refusals(result)["vllm"] == "does_not_fit"


def test_more_gpus_are_taken_when_the_asked_concurrency_needs_them():
    host = gpu_host(count=2, islands=((0, 1),))
    few = best(host, safetensors_model(), Goal(context_tokens=8192, concurrency=20))
    many = best(host, safetensors_model(), Goal(context_tokens=8192, concurrency=200))
    assert few.parameters.tensor_parallel_size == 1
    assert many.parameters.tensor_parallel_size == 2
    assert by_parameter(many)["tensor_parallel_size"] == "tp_concurrency"


def test_concurrency_out_of_reach_is_said_with_the_largest_plan():
    host = gpu_host(count=2, islands=((0, 1),))
    found = best(host, safetensors_model(), Goal(context_tokens=131072, concurrency=500))
    assert found.parameters.tensor_parallel_size == 2
    assert {"concurrency_not_reached"} <= codes(found.reasons)
    assert {"concurrency_queues"} <= codes(found.advice)


def test_chosen_gpus_are_all_used_even_across_pcie():
    host = gpu_host(count=4)
    found = best(host, safetensors_model(), Goal(gpu_uuids=("GPU-1", "GPU-2")))
    assert found.parameters.gpu_uuids == ("GPU-1", "GPU-2")
    assert by_parameter(found)["tensor_parallel_size"] == "tp_chosen"


def test_unknown_chosen_gpu_is_an_error():
    with pytest.raises(PlanError) as caught:
        plan(gpu_host(), safetensors_model(), Goal(gpu_uuids=("GPU-9",)))
    assert caught.value.code is ErrorCode.NOT_FOUND


def test_freest_gpu_is_taken_and_its_share_respects_others():
    host = gpu_host(count=2, used_mib=(60000, 20000))
    found = best(host, safetensors_model())
    assert found.parameters.gpu_indices == (1,)
    assert found.parameters.memory_fraction < 0.92
    assert by_parameter(found)["memory_fraction"] == "fraction_shared"
    assert found.estimate.fits is True


def test_gpus_in_mig_mode_are_left_out_and_said():
    found = best(gpu_host(count=2, mig=(0,)), safetensors_model())
    assert found.parameters.gpu_indices == (1,)
    assert "mig_left_out" in codes(found.advice)


def test_mixed_gpus_are_not_combined():
    host = gpu_host(count=2)
    small = replace(host.gpus[1], name="NVIDIA L4", memory_total_mib=23034, compute_cap="8.9")
    found = best(replace(host, gpus=(host.gpus[0], small)), safetensors_model())
    assert found.parameters.gpu_indices == (0,)


# --- why not


def test_each_engine_is_ranked_or_refused_with_text_in_both_languages():
    result = plan(gpu_host(), safetensors_model())
    named = {p.engine for p in result.ranked} | set(refusals(result))
    assert named == set(engines())
    for rejection in result.rejected:
        assert rejection.text.en
        assert rejection.text.zh_CN
        assert rejection.source
        assert "{" not in rejection.text.en


def test_inactive_project_says_so():
    result = plan(gpu_host(), safetensors_model())
    texts = {r.engine: r.text.en for r in result.rejected}
    assert "inactive" in texts["deepspeed-mii"]
    assert refusals(result)["deepspeed-mii"] == "inactive"


def test_hard_limit_is_said_before_not_planned_yet():
    host = gpu_host("Tesla V100-SXM2-32GB", cap="7.0", memory_mib=32768)
    assert refusals(plan(host, safetensors_model()))["sglang"] == "compute_capability"


@pytest.mark.parametrize(
    ("host", "model", "engine", "code"),
    [
        (cpu_host(), safetensors_model(), "sglang", "no_gpu"),
        (cpu_host(), safetensors_model(), "vllm", "does_not_fit_ram"),
        (
            cpu_host(ram_gib=64),
            quantized(safetensors_model(), "fp8", bits=8),
            "vllm",
            "quantization_not_on_cpu",
        ),
        (gpu_host(), gguf_model(), "vllm", "format_unsupported"),
        (gpu_host(), safetensors_model(), "llamacpp", "format_unsupported"),
        (gpu_host(container=None), safetensors_model(), "vllm", "container_engine_missing"),
        (
            gpu_host(reachable=False),
            safetensors_model(),
            "vllm",
            "container_engine_not_reachable",
        ),
        (gpu_host(access=GpuAccess.NONE), safetensors_model(), "vllm", "gpu_access_missing"),
        (
            gpu_host("NVIDIA GeForce RTX 3090", cap="8.6", driver="535.104.05"),
            safetensors_model(),
            "vllm",
            "driver_too_old",
        ),
        (gpu_host(architecture="ppc64le"), safetensors_model(), "vllm", "cpu_architecture"),
        (
            gpu_host("Tesla V100-SXM2-32GB", cap="7.0", memory_mib=32768),
            quantized(safetensors_model(), "awq", bits=4),
            "vllm",
            "quantization_capability",
        ),
        (
            gpu_host(),
            quantized(safetensors_model(), "bitsandbytes", bits=4),
            "vllm",
            "quantization_ended",
        ),
        (gpu_host(memory_mib=8192, reserved_mib=None), safetensors_model(), "vllm", "does_not_fit"),
        (cpu_host(ram_gib=2), gguf_model(), "llamacpp", "does_not_fit_ram"),
    ],
)
def test_hard_constraint_refuses_with_its_own_code(host, model, engine, code):
    assert refusals(plan(host, model))[engine] == code


def test_encoder_is_not_planned_for_generation():
    model = safetensors_model()
    encoder = replace(model, architecture=replace(model.architecture, is_encoder=True))
    assert refusals(plan(gpu_host(), encoder))["vllm"] == "encoder_model"


def test_does_not_fit_names_needed_and_available_memory():
    result = plan(gpu_host(memory_mib=8192, reserved_mib=None), safetensors_model())
    text = next(r.text.en for r in result.rejected if r.engine == "vllm")
    assert "GiB are lacking" in text
    assert "{" not in text


def test_a_context_that_is_too_long_says_which_one_would_fit():
    host, model = gpu_host(memory_mib=24576, reserved_mib=None), safetensors_model()
    refused = plan(host, model, Goal(context_tokens=131072, engine="vllm"))
    text = next(r for r in refused.rejected if r.engine == "vllm")
    assert text.code == "does_not_fit_context"
    said = next(int(w) for w in text.text.en.split() if w.isdigit() and int(w) % 1024 == 0
                and 2048 < int(w) < 131072)  # fmt: skip
    assert plan(host, model, Goal(context_tokens=said, engine="vllm")).ranked


def test_context_beyond_the_model_is_refused_with_both_numbers():
    result = plan(gpu_host(), safetensors_model(), Goal(context_tokens=200000))
    rejection = next(r for r in result.rejected if r.engine == "vllm")
    assert rejection.code == "context_beyond_model"
    assert "200000" in rejection.text.en
    assert "131072" in rejection.text.en


def test_asking_for_one_engine_refuses_the_others():
    result = plan(gpu_host(), safetensors_model(), Goal(engine="vllm", engine_version="0.26.0"))
    assert [(p.engine, p.version) for p in result.ranked] == [("vllm", "0.26.0")]
    assert refusals(result)["llamacpp"] == "other_engine_asked"
    assert by_parameter(result.ranked[0])["version"] == "version_asked"


def test_version_newer_than_everything_known_is_planned_and_said():
    found = best(gpu_host(), safetensors_model(), Goal(engine="vllm", engine_version="0.40.0"))
    reason = next(reason for reason in found.reasons if reason.parameter == "version")
    assert found.image == "vllm/vllm-openai:v0.40.0"
    assert reason.code == "version_beyond_known"
    assert "0.33.0" in reason.text.en


def test_version_between_examined_ones_says_which_facts_it_uses():
    found = best(gpu_host(), safetensors_model(), Goal(engine="vllm", engine_version="0.25.0"))
    assert by_parameter(found)["version"] == "version_not_examined"


def test_unknown_engine_gets_a_suggestion():
    with pytest.raises(PlanError, match="vlm") as caught:
        plan(gpu_host(), safetensors_model(), Goal(engine="vlm"))
    assert "Did you mean vllm?" in caught.value.remedy


def test_engine_name_like_nothing_gets_the_list():
    with pytest.raises(PlanError) as caught:
        plan(gpu_host(), safetensors_model(), Goal(engine="zzz"))
    assert caught.value.remedy.startswith("Known engines:")


# --- values


@pytest.mark.parametrize("kind", list(GoalKind))
def test_every_goal_gives_a_plan_whose_values_all_have_reasons(kind):
    for host, model in ((gpu_host(count=2, islands=((0, 1),)), safetensors_model()),
                        (cpu_host(), gguf_model())):  # fmt: skip
        found = best(host, model, Goal(kind=kind))
        reasons = {reason.parameter for reason in found.reasons}
        assert {"context_tokens", "concurrency", "kv_dtype", "version"} <= reasons
        for reason in (*found.reasons, *found.advice):
            assert reason.source
            assert "{" not in reason.text.en, reason
            assert "{" not in reason.text.zh_CN, reason
        for flag in found.flags:
            assert flag.reason.text.zh_CN


def test_field_opinions_are_marked():
    found = best(gpu_host(), safetensors_model())
    opinion = next(reason for reason in found.reasons if reason.code == "many_users")
    assert opinion.source.startswith("field opinion")


def test_memory_goal_stores_the_kv_cache_in_eight_bits_where_that_works():
    goal = Goal(kind=GoalKind.MEMORY)
    assert best(gpu_host(), safetensors_model(), goal).parameters.kv_dtype == "fp8"
    old = gpu_host("Tesla T4", cap="7.5", memory_mib=15360, reserved_mib=None)
    small = safetensors_model(
        "small", num_hidden_layers=16, hidden_size=2048, intermediate_size=8192
    )
    assert best(old, small, goal).parameters.kv_dtype == "auto"
    assert best(cpu_host(), gguf_model(), goal).parameters.kv_dtype == "q8_0"


def test_fp8_on_ampere_is_explained_instead_of_feared():
    host = gpu_host("NVIDIA A100-SXM4-80GB", cap="8.0", memory_mib=81920)
    found = best(host, safetensors_model(), Goal(kind=GoalKind.MEMORY))
    assert found.parameters.kv_dtype == "fp8"
    assert "fp8_kv_on_ampere" in codes(found.advice)


def test_latency_goal_limits_prefill_and_mentions_the_unused_island():
    host = gpu_host(count=2, islands=((0, 1),))
    found = best(host, safetensors_model(), Goal(kind=GoalKind.LATENCY))
    assert found.parameters.prefill_tokens == 2048
    assert "island_unused" in codes(found.advice)


def test_limits_on_speed_are_not_promised_before_they_are_measured():
    found = best(gpu_host(), safetensors_model(), Goal(ttft_s=0.5, itl_s=0.05))
    assert {"ttft_not_predicted", "itl_not_predicted"} <= codes(found.advice)
    assert found.parameters.prefill_tokens == 2048


def test_multi_step_goal_reuses_prefixes():
    goal = Goal(kind=GoalKind.MULTI_STEP, engine="vllm")
    found = best(gpu_host(), safetensors_model(), goal)
    assert found.parameters.prefix_caching is True
    assert "--enable-prefix-caching" in found.argv


def test_context_is_cut_to_the_model():
    found = best(cpu_host(), gguf_model(max_context=2048))
    assert found.parameters.context_tokens == 2048
    assert by_parameter(found)["context_tokens"] == "context_model_limit"


def test_open_context_shrinks_until_it_fits():
    host = gpu_host(memory_mib=24000, reserved_mib=None)
    found = best(host, safetensors_model(), Goal(kind=GoalKind.LONG_CONTEXT))
    assert found.parameters.context_tokens < 131072
    assert by_parameter(found)["context_tokens"] == "context_reduced"


def test_open_slots_shrink_before_the_context_does():
    host = gpu_host(memory_mib=7000, reserved_mib=None)
    found = best(host, gguf_model())
    assert found.parameters.context_tokens == 8192
    assert found.parameters.concurrency < 4
    assert by_parameter(found)["concurrency"] == "slots_reduced"


def test_model_too_large_for_the_gpu_leaves_layers_to_the_cpu():
    host = gpu_host(memory_mib=24576, reserved_mib=None, ram_gib=128)
    found = best(host, gguf_model(weights_gib=40, layers=80))
    assert 0 < found.parameters.gpu_layers < 81
    assert found.parameters.threads == 32
    assert "partly_on_cpu" in codes(found.reasons)
    assert "partly_on_cpu" in codes(found.advice)


def test_layers_spread_over_gpus_before_they_go_to_the_cpu():
    host = gpu_host(count=2, memory_mib=24576, reserved_mib=None)
    found = best(host, gguf_model(weights_gib=34, layers=80))
    assert found.parameters.gpu_layers == 81
    assert len(found.parameters.gpu_uuids) == 2
    assert by_parameter(found)["gpu_indices"] == "gpus_layers_spread"


def test_chosen_gpus_are_all_given_to_llamacpp():
    host = gpu_host(count=2)
    found = best(host, gguf_model(), Goal(gpu_uuids=("GPU-0", "GPU-1")))
    assert len(found.parameters.gpu_uuids) == 2


def test_gpu_without_usable_image_falls_back_to_the_cpu_and_says_so():
    host = gpu_host("NVIDIA A100-SXM4-80GB", cap="8.0", memory_mib=81920, driver="535.104.05")
    found = best(host, gguf_model())
    assert found.image.endswith(":server-b10434")
    assert "gpu_left_unused" in codes(found.reasons)
    assert found.container.gpu_uuids == ()


def test_gguf_too_large_for_gpu_and_memory_together_does_not_fit():
    host = gpu_host(memory_mib=8192, reserved_mib=None, ram_gib=8)
    assert refusals(plan(host, gguf_model(weights_gib=60)))["llamacpp"] == "does_not_fit"


def test_bare_config_is_taken_for_safetensors_and_said():
    model = replace(safetensors_model(), format=ModelFormat.UNKNOWN, path=None)
    result = plan(gpu_host(), model)
    assert refusals(result)["llamacpp"] == "format_unsupported"
    assert "format_assumed" in codes(result.ranked[0].advice)


def test_unknown_memory_still_gives_a_plan_that_says_so():
    host = gpu_host("Unheard-of GPU", memory_mib=None, reserved_mib=None)
    found = best(host, safetensors_model())
    assert found.estimate.fits == "unknown"
    assert "memory_unknown" in codes(found.reasons)


def test_unknown_driver_is_said():
    assert "driver_unknown" in codes(best(gpu_host(driver=None), safetensors_model()).advice)


def test_compute_capability_missing_on_old_drivers_comes_from_the_catalogue():
    host = gpu_host("Tesla V100-SXM2-32GB", cap=None, memory_mib=32768)
    assert best(host, safetensors_model()).version == "0.8.5"


def test_fp8_model_on_ampere_is_planned_with_the_truth_about_speed():
    host = gpu_host("NVIDIA A100-SXM4-80GB", cap="8.0", memory_mib=81920)
    found = best(host, quantized(safetensors_model(), "fp8", bits=8))
    assert "fp8_weights_stored" in codes(found.advice)


def test_known_trouble_of_a_version_is_shown_where_it_bites():
    goal = Goal(engine="vllm", engine_version="0.15.1")
    assert "error-803" in codes(best(gpu_host(), safetensors_model(), goal).advice)
    other = gpu_host(access=GpuAccess.DEVICE_REQUEST)
    assert "error-803" not in codes(best(other, safetensors_model(), goal).advice)


def test_model_that_cannot_be_split_over_the_chosen_gpus_uses_fewer():
    model = safetensors_model(
        "odd", num_attention_heads=7, num_key_value_heads=7, hidden_size=896, head_dim=128
    )
    found = best(gpu_host(count=2), model, Goal(gpu_uuids=("GPU-0", "GPU-1")))
    assert found.parameters.tensor_parallel_size == 1


# --- the result as a whole


def test_port_and_simulation_reach_the_container():
    host = gpu_host(source=HostSource.SSH, simulated=True)
    found = best(host, safetensors_model(), Goal(port=18001))
    assert found.container.host_port == 18001
    assert found.container.labels["io.pitwall.simulated"] == "true"


def test_same_question_gives_the_same_answer():
    assert plan(gpu_host(), safetensors_model()) == plan(gpu_host(), safetensors_model())


def test_planning_all_engines_stays_within_half_a_second():
    host = gpu_host(count=8, islands=(tuple(range(8)),))
    plan(host, llama_70b())
    began = time.process_time()
    plan(host, llama_70b(), Goal(kind=GoalKind.LONG_CONTEXT, concurrency=5000))
    assert time.process_time() - began < 0.5


@pytest.mark.parametrize(
    ("version", "context", "said"),
    [("2.4.0", 131072, True), ("2.4.0", 65536, False), ("3.3.7", 131072, False)],
)
def test_prompts_that_an_old_version_reads_in_one_step_are_warned_of(version, context, said):
    goal = Goal(engine="tgi", engine_version=version, context_tokens=context)
    found = best(gpu_host(driver="580.95"), safetensors_model(), goal)
    assert ("tgi_whole_prompt" in codes(found.advice)) is said


@pytest.mark.parametrize(
    ("engine", "version", "flag"),
    [
        ("ollama", "0.12.0", "OLLAMA_FLASH_ATTENTION"),
        ("llamacpp", "b4747", "--flash-attn"),
        ("ollama", None, None),
        ("llamacpp", None, None),
    ],
)
def test_attention_that_spares_memory_is_switched_on_where_it_is_off(engine, version, flag):
    found = best(gpu_host(), gguf_model(), Goal(engine=engine, engine_version=version))
    names = {chosen.name for chosen in found.flags}
    assert {"OLLAMA_FLASH_ATTENTION", "--flash-attn"} & names == ({flag} if flag else set())
