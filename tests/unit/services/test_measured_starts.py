"""One timed request after a start: kept for plans as what it is, and never in the way."""

import json
from dataclasses import replace

import pytest
from fakes.containers import Script, lost
from fakes.deploy_host import LINES, Desk, spec

from app.core.errors import AppError, ErrorCode, StoreError
from app.core.events import DeploymentState as S
from app.core.models.prediction import Prediction
from app.core.speed.load import Load

PREDICTION = Prediction(
    engine="llamacpp",
    engine_version="b10434",
    gpu="CPU",
    gpu_count=0,
    on_cpu=True,
    family="LlamaForCausalLM",
    quantities=(),
    model="small",
)


def events(*, answer=20, prompt=14):
    words = [{"choices": [{"delta": {"content": "red "}}]} for _ in range(answer)]
    usage = {"completion_tokens": answer} | ({"prompt_tokens": prompt} if prompt else {})
    told = [json.dumps(event).encode() for event in (*words, {"choices": [], "usage": usage})]
    return (*told, b"[DONE]")


class SlowHttp:
    """Lets the test's clock go on between the pieces of a stream."""

    def __init__(self, inner, clock) -> None:
        self._inner, self._clock = inner, clock
        self.get, self.post_json = inner.get, inner.post_json

    async def stream_json(self, path, body, *, idle_timeout_s):
        async for piece in self._inner.stream_json(path, body, idle_timeout_s=idle_timeout_s):
            await self._clock.sleep(0.25)
            yield piece


@pytest.fixture
async def desk():
    desk = Desk(script=Script(lines=LINES, events=events()))
    make = desk._http
    parts = replace(desk.service._parts, http=lambda *a, **k: SlowHttp(make(*a, **k), desk.clock))
    desk.service._steps._parts = parts
    yield desk
    await desk.service.close()


async def test_a_start_is_measured_with_one_request_and_kept(desk):
    await desk.run(desk.service.deploy(spec(prediction=PREDICTION)))

    (run,) = desk.runs.runs
    assert run.load == Load(prompt_tokens=14, output_tokens=20, concurrency=1)
    assert (run.engine, run.engine_version, run.gpu, run.gpu_count, run.model) == (
        "llamacpp", "b10434", "CPU", 1, "small",
    )  # fmt: skip
    assert run.ttft_s == pytest.approx(0.25, abs=0.3)
    assert run.itl_s == pytest.approx(0.25, rel=0.3)
    assert "box/chat" in run.source


@pytest.mark.parametrize(
    "script",
    [
        Script(lines=LINES, events=events(prompt=None)),
        Script(lines=LINES, events=events(answer=3)),
        Script(lines=LINES, events=(b'{"error": {"message": "no"}}',)),
    ],
    ids=["not counted", "too short", "refused"],
)
async def test_what_is_no_measure_is_not_kept_and_hinders_nothing(desk, script):
    desk.engine.script = script

    done = await desk.run(desk.service.deploy(spec(prediction=PREDICTION)))

    assert (done.state, desk.runs.runs) == (S.SERVING, [])


async def test_what_cannot_be_kept_or_was_not_planned_hinders_nothing(desk):
    desk.runs.broken = StoreError(ErrorCode.STORE_FULL, cause="Full.", remedy="x")
    assert (await desk.run(desk.service.deploy(spec(prediction=PREDICTION)))).state is S.SERVING

    desk.runs.broken = None
    other = spec(name="other", port=18081)
    assert (await desk.run(desk.service.deploy(other))).state is S.SERVING
    assert desk.runs.runs == []


async def test_a_host_that_is_lost_meanwhile_is_told(desk):
    desk.runs.broken = lost()

    with pytest.raises(AppError) as caught:
        await desk.run(desk.service.deploy(spec(prediction=PREDICTION)))

    assert caught.value.code is ErrorCode.CONNECTION_LOST
