import pytest
from fakes.planning_world import best, engines, gpu_host, llama_70b, quantized, safetensors_model

from app.core.engines.build import two_step_job, two_step_text
from app.core.errors import ErrorCode, PlanError
from app.core.planning.plan import Goal


def job(version="1.2.1", model=None, build_for=None, engine="tensorrt-llm", host=None):
    model = model or safetensors_model()
    found = best(host or gpu_host(), model, Goal(engine=engine, engine_version=version))
    return two_step_job(
        engines()[engine],
        build_for or version,
        parameters=found.parameters,
        container=found.container,
        model=model,
    )


def test_first_step_converts_and_builds_with_the_plans_limits():
    done = job()
    shell = done.build.command[-1]
    assert done.build.command[:2] == ("sh", "-c")
    assert "examples/models/core/llama/convert_checkpoint.py --model_dir /models/llama" in shell
    assert "&& trtllm-build --checkpoint_dir /engines/" in shell
    assert done.build.container_port == 0
    fixed = {limit.limit.flag: limit.value for limit in done.limits}
    assert fixed["--tp_size"] == "1"
    assert fixed["--max_seq_len"] in shell
    assert int(fixed["--max_batch_size"]) > 0


def test_both_steps_share_image_gpus_and_the_volume_with_the_engine():
    done = job()
    assert done.build.image == done.serve.image
    assert done.build.gpu_uuids == done.serve.gpu_uuids
    volumes = [[m for m in step.mounts if m.kind == "volume"] for step in (done.build, done.serve)]
    assert volumes[0] == volumes[1]
    assert not volumes[0][0].read_only
    engine = done.serve.command[1]
    assert engine.startswith("/engines/")
    assert f"--output_dir {engine}" in done.build.command[-1]


@pytest.mark.parametrize(("version", "backend"), [("0.21.0", None), ("1.0.0", "trt")])
def test_back_end_is_named_where_it_is_not_the_default(version, backend):
    command = job(version).serve.command
    named = command[command.index("--backend") + 1] if "--backend" in command else None
    assert named == backend


def test_split_is_the_plans():
    done = job(model=llama_70b(), host=gpu_host("NVIDIA H100 80GB HBM3", count=4, memory_mib=81559))
    size = done.serve.command[done.serve.command.index("--tp_size") + 1]
    assert int(size) > 1
    assert f"--tp_size {size}" in done.build.command[-1]


@pytest.mark.parametrize("version", ["0.16.0", "1.4.0rc1"])
def test_version_without_a_build_is_refused_with_those_that_have_one(version):
    with pytest.raises(PlanError, match=r"no image of .* builds an engine") as caught:
        job(build_for=version)
    assert caught.value.code is ErrorCode.UNSUPPORTED_COMBINATION
    assert "0.20.0 to 0.21.0, 1.0.0 to 1.2.1" in caught.value.remedy


def test_engine_that_builds_nothing_says_so():
    with pytest.raises(PlanError) as caught:
        job(engine="vllm", version="0.33.0")
    assert "serves the model as it is" in caught.value.remedy


def test_quantized_and_unknown_models_are_refused():
    with pytest.raises(PlanError, match="quantized"):
        job(model=quantized(safetensors_model(), "fp8", bits=8))
    with pytest.raises(PlanError, match="no known conversion of “qwen3”"):
        job(model=safetensors_model("qwen3", model_type="qwen3"))


def test_text_can_be_pasted_and_tells_what_is_fixed():
    text = two_step_text(job())
    first, second = text.split("# Step 2: serve it.")
    assert "docker wait pitwall-llama-3-1-8b-r1-build" in first
    assert "#   --max_seq_len 8192: " in first
    assert second.strip().startswith("docker run -d --name pitwall-llama-3-1-8b-r1")
