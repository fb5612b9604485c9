"""LoRA adapters are part of a plan: flags, mounts and memory, or why an engine cannot."""

import asyncio
from dataclasses import replace

import pytest
from fakes.planning_world import ShippedData, gguf_model, gpu_host, safetensors_model

from app.core.models.lora import LoraAdapter
from app.core.planning.changes import profile_of
from app.core.planning.plan import Goal
from app.services.planning import PlanningService

MODULES = ("q_proj", "v_proj")
LAW = LoraAdapter(name="law", path="/srv/lora/law", rank=12, target_modules=MODULES)
MED = LoraAdapter(name="med", path="/srv/lora/med-v2", rank=16, target_modules=MODULES)
GGUF = LoraAdapter(name="law", path="/srv/lora/law.gguf", is_gguf=True)
ENGINES = ShippedData().engines


def ask(engine, *adapters, model=None):
    service = PlanningService(data=ShippedData(), hosts=None, models=None)
    goal = Goal(engine=engine, adapters=adapters)
    return service, goal, asyncio.run(service.plan(gpu_host(), model or safetensors_model(), goal))


def best(engine, *adapters, model=None):
    return ask(engine, *adapters, model=model)[2].ranked[0]


def refusal(engine, *adapters, model=None):
    result = ask(engine, *adapters, model=model)[2]
    return next(entry.code for entry in result.rejected if entry.engine == engine)


def after(argv, flag):
    at = argv.index(flag) + 1
    end = next((n for n in range(at, len(argv)) if argv[n].startswith("--")), len(argv))
    return argv[at:end]


def test_vllm_is_given_all_adapters_with_the_next_rank_it_takes():
    argv = best("vllm", LAW, MED).argv
    assert "--enable-lora" in argv
    assert after(argv, "--lora-modules") == ("law=/adapters/law", "med=/adapters/med")
    assert after(argv, "--max-lora-rank") == ("16",)
    assert after(argv, "--max-loras") == ("2",)


def test_sglang_sets_a_slot_aside_for_the_base_model():
    argv = best("sglang", LAW).argv
    assert after(argv, "--lora-paths") == ("law=/adapters/law",)
    assert after(argv, "--max-loras-per-batch") == ("2",)
    assert after(argv, "--max-lora-rank") == ("12",)


def test_tgi_and_lmdeploy_write_them_their_way():
    assert after(best("tgi", LAW, MED).argv, "--lora-adapters") == (
        "law=/adapters/law,med=/adapters/med",
    )
    argv = best("lmdeploy", LAW).argv
    assert after(argv, "--backend") == ("pytorch",)
    assert after(argv, "--adapters") == ("law=/adapters/law",)


def test_llamacpp_takes_one_gguf_adapter():
    plan = best("llamacpp", GGUF, model=gguf_model())
    assert after(plan.argv, "--lora") == ("/adapters/law.gguf",)
    assert refusal("llamacpp", GGUF, replace(GGUF, name="b"), model=gguf_model()) == (
        "adapters_too_many"
    )


@pytest.mark.parametrize(
    ("engine", "adapter", "code"),
    [
        ("tensorrt-llm", LAW, "adapters_no_way"),
        ("vllm", GGUF, "adapters_format"),
        ("vllm", replace(LAW, rank=1024), "adapters_rank"),
        ("vllm", replace(LAW, uses_dora=True), "adapters_dora"),
        ("sglang", replace(LAW, extra_modules=("lm_head",)), "adapters_modules"),
    ],
)
def test_an_engine_that_cannot_serve_them_is_refused_with_its_reason(engine, adapter, code):
    assert refusal(engine, adapter) == code


def test_adapters_are_mounted_read_only():
    mounts = {m.target: m for m in best("vllm", LAW, MED).container.mounts}
    assert mounts["/adapters/med"].source == "/srv/lora/med-v2"
    assert mounts["/adapters/law"].read_only


def test_adapters_take_memory_of_every_gpu():
    plain, served = best("vllm").estimate, best("vllm", LAW).estimate
    assert served.weights_bytes_per_gpu > plain.weights_bytes_per_gpu
    assert served.kv_tokens < plain.kv_tokens


def test_an_adapter_of_another_base_model_is_advised_against():
    other = replace(LAW, base_model="org/quite-another-7b")
    codes = [reason.code for reason in best("vllm", other).advice]
    assert "adapter_other_base" in codes
    assert "adapter_other_base" not in [r.code for r in best("vllm", LAW).advice]


def test_a_profile_keeps_its_adapters_and_leads_to_the_same_container():
    service, goal, result = ask("vllm", LAW, MED)
    model = safetensors_model()
    profile = service.profile(result.ranked[0], name="chat", model=model, goal=goal)
    assert dict(profile.adapters) == {"law": "/srv/lora/law", "med": "/srv/lora/med-v2"}

    def resolved(found):
        return service.resolve_with(
            found, fingerprint=gpu_host(), model=model, host_id="h", name="chat", revision=1
        )

    spec = resolved(profile)
    assert after(spec.container.command, "--lora-modules") == (
        "law=/adapters/law",
        "med=/adapters/med",
    )
    assert {"/adapters/law", "/adapters/med"} <= {m.target for m in spec.container.mounts}
    again = resolved(profile_of(spec, ENGINES["vllm"]))
    assert again.container.mounts == spec.container.mounts
    assert sorted(again.container.command) == sorted(spec.container.command)
