"""GPUs of several kinds that hold whole layers: each gets what it has room for."""

from dataclasses import replace
from functools import partial

import pytest
from fakes.planning_world import best, calibration, catalogue, engines, gguf_model, gpu_host

from app.core.hardware.fingerprint import Fingerprint
from app.core.models.estimate import estimate_memory
from app.core.planning.plan import Goal
from app.core.planning.profile import profile_from_plan
from app.core.planning.resolve import resolve
from app.core.units import GIB, MIB


def unlike(*sizes: int, used: int = 0) -> Fingerprint:
    host = gpu_host("NVIDIA GeForce RTX 3090", cap="8.6", count=len(sizes), reserved_mib=None)
    gpus = tuple(
        replace(gpu, name=f"NVIDIA GPU {size}", memory_total_mib=size, memory_used_mib=used)
        for gpu, size in zip(host.gpus, sizes, strict=True)
    )
    return replace(host, gpus=gpus)


def large(gib=44.0, layers=80):
    return gguf_model(weights_gib=gib, layers=layers)


def test_layers_are_dealt_out_by_the_memory_that_each_gpu_has():
    found = best(unlike(24576, 16384), large(30.0), Goal(engine="llamacpp"))
    first, second = (int(part) for part in found.parameters.tensor_split.split(","))
    assert first + second == found.parameters.gpu_layers == 81
    assert first > second
    codes = {reason.parameter: reason.code for reason in found.reasons}
    assert codes["tensor_split"] == "layers_by_memory"


def test_no_gpu_is_given_more_than_it_holds():
    sizes = (24576, 12288, 8192)
    found = best(unlike(*sizes), large(), Goal(engine="llamacpp", concurrency=1))
    layer = 44 * GIB / 81
    for part, size in zip(found.parameters.tensor_split.split(","), sizes, strict=True):
        assert int(part) * layer < size * MIB
    assert found.parameters.gpu_layers < 81
    alone = best(unlike(24576), large(), Goal(engine="llamacpp", concurrency=1))
    assert found.parameters.gpu_layers > alone.parameters.gpu_layers


def test_the_picture_is_of_the_gpu_that_has_most():
    found = best(unlike(24576, 16384), large(30.0), Goal(engine="llamacpp"))
    assert found.estimate.total_bytes_per_gpu == 24576 * MIB
    assert found.estimate.weights_bytes_per_gpu < 24576 * MIB
    assert found.estimate.gpu_count == 2


def test_one_kind_alone_is_kept_where_it_holds_everything():
    found = best(unlike(24576, 16384), large(14.0), Goal(engine="llamacpp"))
    assert found.parameters.gpu_indices == (0,)


def test_a_share_left_free_by_ollama_is_per_gpu():
    found = best(unlike(24576, 16384), large(), Goal(engine="ollama", concurrency=1))
    assert found.parameters.gpu_indices == (0, 1)
    assert found.parameters.gpu_overhead_bytes < 4 * GIB


@pytest.mark.parametrize("engine", ["llamacpp", "ollama"])
def test_such_a_plan_can_be_deployed(engine):
    host, model = unlike(24576, 16384), large()
    found = best(host, model, Goal(engine=engine, concurrency=1))
    spec = resolve(
        profile_from_plan(found, model=model), engine=engines()[engine], fingerprint=host,
        model=model, host_id="h", name="n", revision=1, catalogue=catalogue(),
        estimator=partial(estimate_memory, calibration=calibration()),
    )  # fmt: skip
    assert sorted(spec.container.command) == sorted(found.container.command)
    assert spec.container.gpu_uuids == ("GPU-0", "GPU-1")


def test_a_limit_per_gpu_counts_for_each_of_them():
    goal = Goal(engine="llamacpp", concurrency=1, memory_bytes_per_gpu=8 * GIB)
    limited = best(unlike(24576, 16384), large(), goal)
    free = best(unlike(24576, 16384), large(), Goal(engine="llamacpp", concurrency=1))
    assert limited.parameters.gpu_layers < free.parameters.gpu_layers


def test_unknown_memory_leaves_unlike_gpus_as_they_were():
    host = unlike(24576, 16384)
    blank = replace(host, gpus=(host.gpus[0], replace(host.gpus[1], memory_total_mib=None)))
    assert best(blank, large(), Goal(engine="llamacpp", concurrency=1)).parameters.gpu_layers
