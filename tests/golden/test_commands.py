"""Typical plans as every examined engine version is started with them.

One file per engine under ``engines/``; versions that are started alike share one entry, so a flag
that comes, goes or is renamed shows as a new one. ``pytest tests/golden --update-golden`` rewrites
them; the difference is to be read before it is committed.
"""

import shlex
from itertools import groupby

import pytest
from fakes.planning_world import engines, gguf_model, safetensors_model

from app.core.engines.build import two_step_job, two_step_text
from app.core.engines.flags import GivenFlag, check_flags
from app.core.engines.parameters import Parameters
from app.core.engines.render import Placement, render
from app.core.engines.spec import Device, PlanField
from app.core.versions import in_span

ENGINES = sorted(name for name, data in engines().items() if data.engine.plannable)
TWO_GPUS = ("GPU-0", "GPU-1")


def eight_bits(data, version):
    """The 8-bit KV cache of a version, where it has one."""
    for rule in data.engine.kv_dtype:
        is_there = in_span(version, rule.since, rule.until, data.engine.version_scheme)
        if rule.dtype != "auto" and "8" in rule.dtype and is_there:
            return rule.dtype
    return "auto"


def typical_plans(data, version):
    """Plans as users ask for them, with the GPUs that they run on."""
    split = data.engine.layer_split
    many = 16 if split else 256
    steps = {} if split else {"prefill_tokens": 4096}
    layers = {"gpu_layers": 29} if split else {}
    spread = {"tensor_split": "15,14"} if split else {"tensor_parallel_size": 2}
    return {
        "chat on one GPU": (
            Parameters(context_tokens=8192, concurrency=32, **layers),
            TWO_GPUS[:1],
        ),
        "two GPUs": (
            Parameters(
                context_tokens=8192, concurrency=64, memory_fraction=0.85, **spread, **layers
            ),
            TWO_GPUS,
        ),
        "long context, 8-bit KV cache": (
            Parameters(
                context_tokens=131072,
                concurrency=4,
                kv_dtype=eight_bits(data, version),
                **steps,
                **layers,
            ),
            TWO_GPUS[:1],
        ),
        "many users who share a prompt": (
            Parameters(
                context_tokens=16384,
                concurrency=many,
                dtype="float16",
                **steps,
                prefix_caching=True,
                **layers,
            ),
            TWO_GPUS[:1],
        ),
        "no prefix caching": (
            Parameters(context_tokens=8192, concurrency=8, prefix_caching=False, **layers),
            TWO_GPUS[:1],
        ),
        "CPU": (
            Parameters(
                context_tokens=4096,
                concurrency=2,
                threads=8,
                gpu_layers=0 if split else None,
            ),
            (),
        ),
    }


def image_of(data, version, device):
    for rule in data.engine.image:
        if rule.device is device and in_span(
            version, rule.since, rule.until, data.engine.version_scheme
        ):
            return rule
    return None


def started(engine, title, version):
    """Return what a plan starts; ``None`` where this version has no image or flag for it."""
    data = engines()[engine]
    parameters, gpus = typical_plans(data, version)[title]
    fields = {rule.plan_field for rule in data.flags.flag}
    if parameters.prefix_caching is False and PlanField.PREFIX_CACHING not in fields:
        return None
    image = image_of(data, version, Device.NVIDIA if gpus else Device.CPU)
    if image is None:
        return None
    is_gguf = "gguf" in data.engine.formats
    return render(
        data,
        version,
        parameters,
        gguf_model() if is_gguf else safetensors_model(),
        image=image,
        placement=Placement(name="chat", gpu_uuids=gpus, gpu_access="cdi", with_api_key=True),
    )


def described(rendered, version):
    """Write what is started in a block of lines; the version itself is left open."""
    if rendered is None:
        return "  (not offered)"
    container = rendered.container
    variables = [*(f"{k}={v}" for k, v in rendered.environment.items())]
    secret = [f"{name}=…" for name in container.secret_environment]
    lines = [
        container.image.replace(version, "{version}"),
        shlex.join(rendered.argv),
        " ".join([*variables, *secret]),
    ]
    return "\n".join(f"  {line}" for line in lines if line)


TITLES = list(typical_plans(engines()["vllm"], "0.33.0"))


@pytest.mark.parametrize("engine", ENGINES)
def test_typical_plans_of_all_versions_read_as_reviewed(golden, engine):
    versions = engines()[engine].engine.versions
    blocks = []
    for title in TITLES:
        blocks.append(f"# {title}")
        told = [
            (version, described(started(engine, title, version), version)) for version in versions
        ]
        for text, same in groupby(told, key=lambda pair: pair[1]):
            names = [version for version, _ in same]
            span = names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"
            blocks.append(f"{span}:\n{text}")
    golden(f"{engine}.txt", "\n\n".join(blocks) + "\n", folder="engines")


@pytest.mark.parametrize("engine", ENGINES)
def test_every_version_takes_every_flag_it_is_started_with(engine):
    data = engines()[engine]
    for version in data.engine.versions:
        for title in TITLES:
            rendered = started(engine, title, version)
            flags = rendered.flags if rendered else ()
            given = [GivenFlag(name=flag.name, value=flag.value) for flag in flags]
            assert check_flags(given, data.flags, data.engine, version) == (), (version, title)


@pytest.mark.parametrize("version", ["0.21.0", "1.2.1"])
def test_engine_that_is_built_first_reads_as_reviewed(golden, version):
    rendered = started("tensorrt-llm", "two GPUs", version)
    data = engines()["tensorrt-llm"]
    job = two_step_job(
        data,
        version,
        parameters=typical_plans(data, version)["two GPUs"][0],
        container=rendered.container,
        model=safetensors_model(),
    )
    golden(f"tensorrt-llm-build-{version}.txt", two_step_text(job) + "\n", folder="engines")
