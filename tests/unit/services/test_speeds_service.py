"""Measured runs are kept, and plans show them."""

from dataclasses import replace

import pytest
from fakes.planning_world import ShippedData, gpu_host, safetensors_model

from app.core.errors import ErrorCode, StoreError
from app.core.planning.plan import Goal
from app.core.speed.estimate import SpeedMethod
from app.core.speed.load import Load
from app.core.speed.measured import MeasuredRun
from app.io.store.db import Database
from app.io.store.speed_runs import SpeedRunStore
from app.services.planning import PlanningService
from app.services.speeds import SpeedRunService

MODEL = safetensors_model()


@pytest.fixture
async def database(tmp_path):
    database = Database(tmp_path / "pitwall.db", now=lambda: "2026-11-30T10:00:00Z")
    await database.open()
    yield database
    await database.close()


@pytest.fixture
def speeds(database):
    return SpeedRunService(SpeedRunStore(database))


async def test_a_run_replaces_the_roofline_of_the_same_plan(speeds):
    planning = PlanningService(data=ShippedData(), hosts=None, models=None, runs=speeds.runs)
    host, goal = gpu_host(), Goal(engine="vllm", concurrency=4)
    (before,) = (await planning.plan(host, MODEL, goal)).ranked
    assert before.speed.method is SpeedMethod.ROOFLINE

    await speeds.record(
        MeasuredRun(
            engine="vllm",
            engine_version=before.version,
            gpu=host.gpus[0].name,
            gpu_count=before.parameters.tensor_parallel_size,
            model=MODEL.name,
            load=before.speed.load,
            ttft_s=0.2,
            itl_s=0.007,
            output_tokens_per_s=400.0,
            at="2026-11-30T10:00:00Z",
            source="run 42",
        )
    )

    (after,) = (await planning.plan(host, MODEL, goal)).ranked
    assert after.speed.method is SpeedMethod.MEASURED
    assert after.speed.ttft_s.expected == 0.2
    assert "run 42" in after.speed.source


async def test_one_request_alone_stands_beside_the_roofline_and_replaces_nothing(speeds):
    planning = PlanningService(data=ShippedData(), hosts=None, models=None, runs=speeds.runs)
    host, goal = gpu_host(), Goal(engine="vllm", concurrency=4)
    (before,) = (await planning.plan(host, MODEL, goal)).ranked
    run = MeasuredRun(
        engine="vllm",
        engine_version=before.version,
        gpu=host.gpus[0].name,
        gpu_count=before.parameters.tensor_parallel_size,
        model=MODEL.name,
        load=Load(prompt_tokens=14, output_tokens=32, concurrency=1),
        ttft_s=0.042,
        itl_s=0.0071,
        output_tokens_per_s=140.0,
        at="2026-11-30T10:00:00Z",
        source="gpu-a/chat, one request after its start",
    )
    await speeds.record(run)
    await speeds.record(replace(run, engine_version="0.1.0", ttft_s=9.0))

    (after,) = (await planning.plan(host, MODEL, goal)).ranked

    assert replace(after.speed, notes=before.speed.notes) == before.speed
    assert after.speed.notes[-1].en == (
        "measured here at 2026-11-30T10:00:00Z, one request at a time (prompt of 14, answer of 32 "
        "tokens): first token 42 ms, 7.1 ms between tokens"
    )


async def test_a_run_of_another_version_is_passed_over(speeds, database):
    await database.run(
        lambda db: db.execute("INSERT INTO speed_runs (at, document) VALUES ('', '{}')").close()
    )

    assert await speeds.runs() == ()


async def test_a_broken_store_leaves_the_roofline():
    class Broken:
        async def all(self):
            raise StoreError(ErrorCode.STORE_BROKEN, {}, cause="broken", remedy="none")

    assert await SpeedRunService(Broken()).runs() == ()
