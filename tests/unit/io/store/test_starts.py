"""What starts took survives in the store."""

from dataclasses import replace

import pytest

from app.core.actuals.record import StartRecord
from app.core.ids import HostId
from app.core.logs.actuals import Actual
from app.core.models.prediction import Predicted, Prediction
from app.io.store.starts import StartStore

PREDICTION = Prediction(
    engine="vllm",
    engine_version="0.26.0",
    gpu="NVIDIA H200",
    gpu_count=1,
    on_cpu=False,
    family="Qwen2ForCausalLM",
    quantities=(Predicted(quantity="weights_bytes_per_gpu", value=14.0, band=0.01),),
)
START = StartRecord(
    host_id="1",
    name="chat",
    revision=1,
    at="2026-11-30T10:00:00Z",
    prediction=PREDICTION,
    actuals=(Actual(quantity="kv_tokens", value=5.0, unit="tokens", line=3, text="KV"),),
    chosen={"dtype": "bfloat16"},
    durations={"weights": 2.5},
)
HOST = HostId("1")


@pytest.fixture
def starts(database):
    return StartStore(database)


async def test_the_newest_start_of_a_revision_comes_back_whole(starts):
    await starts.add(START, key="k")
    await starts.add(replace(START, at="2026-11-30T11:00:00Z"), key="k")
    await starts.add(replace(START, revision=2), key="k")

    found = await starts.newest(HOST, "chat", 1)

    assert found == replace(START, at="2026-11-30T11:00:00Z")
    assert await starts.newest(HOST, "other", 1) is None


async def test_so_many_starts_of_each_kind_teach(starts):
    for number in range(4):
        await starts.add(replace(START, name=f"a{number}"), key="a")
    await starts.add(replace(START, name="b"), key="b")
    await starts.add(replace(START, name="none"), key="")

    taught = await starts.teaching(limit=2)

    assert [start.name for start in taught] == ["b", "a3", "a2"]


async def test_forgotten_starts_teach_no_more_but_are_still_shown(starts):
    await starts.add(START, key="a")
    await starts.add(replace(START, name="other"), key="b")

    assert await starts.forget("a") == 1
    assert [start.name for start in await starts.teaching(limit=9)] == ["other"]
    assert await starts.newest(HOST, "chat", 1) == START
    assert await starts.forget() == 1
    assert await starts.forget() == 0


async def test_a_start_of_another_version_is_passed_over(starts, database):
    await starts.add(START, key="a")
    await database.run(lambda db: db.execute("UPDATE starts SET document = '{}'").close())

    assert await starts.newest(HOST, "chat", 1) is None
    assert await starts.teaching(limit=9) == ()
