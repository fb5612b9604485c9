"""What starts teach reaches the next estimate, and can be reset."""

from dataclasses import replace

import pytest
from fakes.planning_world import ShippedData, gpu_host, safetensors_model

from app.core.actuals.record import StartRecord
from app.core.actuals.verdict import Verdict
from app.core.errors import ErrorCode, StoreError, UserInputError
from app.core.ids import HostId
from app.core.logs.actuals import Actual
from app.core.models.prediction import predict
from app.core.planning.plan import Goal
from app.core.units import MIB
from app.io.datafiles import data_root, load_why
from app.services.actuals import ActualsService
from app.services.planning import PlanningService

MODEL = safetensors_model()


class MemoryStarts:
    def __init__(self):
        self.rows: list[tuple[str, StartRecord]] = []
        self.broken: StoreError | None = None

    def _check(self):
        if self.broken is not None:
            raise self.broken

    async def add(self, record, *, key):
        self._check()
        self.rows.insert(0, (key, record))

    async def newest(self, host_id, name, revision):
        self._check()
        wanted = (host_id, name, revision)
        rows = (r for _, r in self.rows if (r.host_id, r.name, r.revision) == wanted)
        return next(rows, None)

    async def teaching(self, *, limit):
        self._check()
        return tuple(record for key, record in self.rows if key)[:limit]

    async def forget(self, key=None):
        self._check()
        hit = [row for row in self.rows if row[0] and key in (None, row[0])]
        self.rows = [("" if row in hit else row[0], row[1]) for row in self.rows]
        return len(hit)


@pytest.fixture
def starts():
    return MemoryStarts()


@pytest.fixture
def actuals(starts):
    return ActualsService(starts, lambda: load_why(data_root()))


@pytest.fixture
def planning(actuals):
    return PlanningService(data=ShippedData(), hosts=None, models=None, learned=actuals.lessons)


async def ask(planning):
    asked = planning.estimating.asked(
        model=MODEL, engine="vllm", version="0.26.0", gpu_name="NVIDIA H200"
    )
    return asked.estimate(await planning.learned_estimator())


def start(estimate, more_mib, **changes):
    prediction = predict(estimate, engine="vllm", version="0.26.0", gpu="NVIDIA H200", model=MODEL)
    value = prediction.of("weights_bytes_per_gpu").uncorrected + more_mib * MIB
    said = Actual(quantity="weights_bytes_per_gpu", value=value, unit="bytes", line=1, text="")
    record = StartRecord(
        host_id="h", name="chat", revision=1, at="2026", prediction=prediction, actuals=(said,)
    )
    return replace(record, **changes)


async def test_the_next_estimate_uses_two_starts_until_they_are_reset(planning, actuals):
    before = await ask(planning)
    await actuals.record(start(before, 300))
    assert (await ask(planning)).corrections == {}
    await actuals.record(start(before, 300))

    after = await ask(planning)
    assert after.weights_bytes_per_gpu == before.weights_bytes_per_gpu + 300 * MIB
    (learned,) = await actuals.learned()
    assert await actuals.forget(learned.key.id) == 2
    assert await ask(planning) == before


async def test_plans_use_it_too(planning, actuals):
    host = gpu_host()
    goal = Goal(engine="vllm", engine_version="0.26.0")
    before = (await planning.plan(host, MODEL, goal)).ranked[0].estimate
    gpu = host.gpus[0].name
    for _ in range(2):
        record = start(before, 200)
        prediction = replace(record.prediction, gpu=gpu)
        await actuals.record(replace(record, prediction=prediction))

    after = (await planning.plan(host, MODEL, goal)).ranked[0].estimate

    assert after.weights_bytes_per_gpu == before.weights_bytes_per_gpu + 200 * MIB


async def test_simulated_starts_are_kept_but_teach_nothing(planning, actuals):
    before = await ask(planning)
    for _ in range(3):
        await actuals.record(start(before, 300, simulated=True))

    assert await ask(planning) == before
    found = await actuals.of(HostId("h"), "chat", 1)
    rows = {row.quantity: row for row in actuals.comparisons(found)}
    assert rows["weights_bytes_per_gpu"].verdict is Verdict.OUTSIDE
    assert rows["weights_bytes_per_gpu"].why is not None


async def test_an_unknown_correction_is_named_with_those_there_are(planning, actuals):
    await actuals.record(start(await ask(planning), 10))

    with pytest.raises(UserInputError) as caught:
        await actuals.forget("sglang / 0.5 / X / Y")

    assert caught.value.code is ErrorCode.NOT_FOUND
    assert "vllm / 0.26 / NVIDIA H200" in caught.value.info.remedy


@pytest.mark.expect_logs("not kept")
async def test_a_broken_store_teaches_nothing_and_stops_nothing(planning, actuals, starts):
    before = await ask(planning)
    starts.broken = StoreError(ErrorCode.STORE_BROKEN, {}, cause="broken", remedy="none")

    await actuals.record(start(before, 10))

    assert await actuals.of(HostId("h"), "chat", 1) is None
    assert await ask(planning) == before
