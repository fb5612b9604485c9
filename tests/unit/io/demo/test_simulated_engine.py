"""The simulated engine gives the times it was told to give, and counts what it did."""

import asyncio
import json
import time

import aiohttp
import pytest
from fixtures.demo import ITL_S, TTFT_S
from prometheus_client.parser import text_string_to_metric_families

from app.io.demo.engine import SimulatedEngine
from app.io.demo.engine_log import StartLine
from app.services.clock import SystemClock

SLACK_S = 0.03
"""What a busy test machine may add to a gap; subtracting is never allowed."""


@pytest.fixture
async def client():
    async with aiohttp.ClientSession() as session:
        yield session


@pytest.fixture
async def quick_engine():
    engine = SimulatedEngine(clock=SystemClock(), ttft_s=0, itl_s=0, tokens=("a", " b", " c"))
    await engine.start()
    await engine.ready.wait()
    yield engine
    await engine.stop()


def body(**more):
    return {
        "model": "simulated-model",
        "messages": [{"role": "user", "content": "Tell me where you are."}],
        "max_tokens": 8,
        **more,
    }


async def stream(client, engine, **more):
    """Return arrival times of token chunks since the request, and all payloads."""
    arrivals, payloads = [], []
    began = time.perf_counter()
    url = f"{engine.url}/v1/chat/completions"
    async with client.post(url, json=body(stream=True, **more)) as response:
        async for line in response.content:
            if not line.startswith(b"data: "):
                continue
            payloads.append(line[6:].strip())
            if b'"content":' in line and b'"role"' not in line:
                arrivals.append(time.perf_counter() - began)
    return arrivals, payloads


async def until(condition):
    """Let the loop run until something has happened."""
    while not condition():  # noqa: ASYNC110 - plain counters are watched
        await asyncio.sleep(0.002)


def samples(text, name):
    return [
        sample
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == name
    ]


async def metrics(client, engine):
    async with client.get(f"{engine.url}/metrics") as response:
        return await response.text()


async def test_client_sees_the_scripted_times(client, simulated_engine):
    arrivals, _ = await stream(client, simulated_engine)
    assert len(arrivals) == 8
    assert TTFT_S <= arrivals[0] <= TTFT_S + 5 * SLACK_S
    # On an absolute schedule lateness does not add up, so the mean gap is exact.
    mean_gap = (arrivals[-1] - arrivals[0]) / 7
    assert mean_gap == pytest.approx(ITL_S, abs=SLACK_S / 7)


async def test_stream_has_the_shape_of_vllm(client, simulated_engine):
    _, payloads = await stream(client, simulated_engine, stream_options={"include_usage": True})
    *chunks, usage, done = payloads
    first, last = json.loads(chunks[0]), json.loads(chunks[-1])
    assert first["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert last["choices"][0]["finish_reason"] == "length"
    assert json.loads(usage)["usage"]["completion_tokens"] == 8
    assert json.loads(usage)["choices"] == []
    assert done == b"[DONE]"


async def test_whole_answer_is_text_that_says_it_is_simulated(client, simulated_engine):
    url = f"{simulated_engine.url}/v1/chat/completions"
    async with client.post(url, json=body(max_tokens=12)) as response:
        document = await response.json()
        assert response.headers["X-Pitwall-Simulated"] == "true"
    text = document["choices"][0]["message"]["content"]
    assert text.startswith("This answer is simulated: ")
    assert document["usage"]["completion_tokens"] == 12
    assert document["system_fingerprint"].startswith("simulated")


async def test_a_chinese_question_gets_a_chinese_answer(client, simulated_engine):
    url = f"{simulated_engine.url}/v1/chat/completions"
    asked = [{"role": "user", "content": "pit wall 是什么？"}]
    async with client.post(url, json=body(messages=asked, max_tokens=12)) as response:
        document = await response.json()
    assert (
        document["choices"][0]["message"]["content"]
        == "这是模拟回答：演示主机只有录制的硬件信息，没有模"
    )
    assert document["usage"]["completion_tokens"] == 12


async def test_answer_ends_by_itself_unless_told_to_go_on(client, quick_engine):
    url = f"{quick_engine.url}/v1/chat/completions"
    async with client.post(url, json=body()) as response:
        assert (await response.json())["choices"][0]["finish_reason"] == "stop"
    async with client.post(url, json=body(ignore_eos=True)) as response:
        document = await response.json()
    assert document["choices"][0]["finish_reason"] == "length"
    assert document["choices"][0]["message"]["content"] == "a b ca b ca b"


async def test_counters_agree_with_what_clients_got(client, simulated_engine):
    await asyncio.gather(*(stream(client, simulated_engine) for _ in range(5)))
    text = await metrics(client, simulated_engine)
    (tokens,) = samples(text, "vllm:generation_tokens_total")
    (ttft_count,) = samples(text, "vllm:time_to_first_token_seconds_count")
    (ttft_sum,) = samples(text, "vllm:time_to_first_token_seconds_sum")
    (itl_count,) = samples(text, "vllm:inter_token_latency_seconds_count")
    assert tokens.value == 40
    assert ttft_count.value == 5
    assert ttft_sum.value / 5 >= TTFT_S
    assert itl_count.value == 35
    finished = samples(text, "vllm:request_success_total")
    assert {s.labels["finished_reason"]: s.value for s in finished}["length"] == 5


async def test_gauges_move_while_requests_run_and_return_to_nothing(client, simulated_engine):
    running = asyncio.create_task(stream(client, simulated_engine, max_tokens=30))
    await until(lambda: simulated_engine.metrics.output_tokens)
    text = await metrics(client, simulated_engine)
    assert samples(text, "vllm:num_requests_running")[0].value == 1
    assert 0 < samples(text, "vllm:kv_cache_usage_perc")[0].value < 1
    await running
    text = await metrics(client, simulated_engine)
    assert samples(text, "vllm:num_requests_running")[0].value == 0
    assert samples(text, "vllm:kv_cache_usage_perc")[0].value == 0


async def test_requests_beyond_the_batch_wait(client):
    engine = SimulatedEngine(clock=SystemClock(), ttft_s=0.02, itl_s=0.005, max_running=1)
    await engine.start()
    await engine.ready.wait()
    both = asyncio.gather(stream(client, engine), stream(client, engine))
    await until(lambda: engine.metrics.waiting)
    assert engine.metrics.running == 1
    first, second = sorted(arrivals[0] for arrivals, _ in await both)
    await engine.stop()
    assert second >= first + 7 * 0.005


async def test_client_that_leaves_counts_as_aborted(client, simulated_engine):
    url = f"{simulated_engine.url}/v1/chat/completions"
    async with client.post(url, json=body(stream=True, max_tokens=90)) as response:
        await response.content.readany()
        response.close()
    await until(lambda: not simulated_engine.metrics.running)
    assert simulated_engine.metrics.finished["abort"] == 1
    assert simulated_engine.metrics.held_tokens == 0


@pytest.mark.parametrize(
    ("asked", "status", "kind"),
    [
        ({"model": "nope"}, 404, "NotFoundError"),
        ({"max_tokens": 99_999}, 400, "BadRequestError"),
        ({"messages": [{"role": "user", "content": "x" * 200_000}]}, 400, "BadRequestError"),
    ],
)
async def test_what_cannot_be_served_is_refused_as_vllm_does(
    client, simulated_engine, asked, status, kind
):
    url = f"{simulated_engine.url}/v1/chat/completions"
    async with client.post(url, json=body(**asked)) as response:
        assert response.status == status
        assert (await response.json())["error"]["type"] == kind


async def test_body_that_is_no_json_is_refused(client, simulated_engine):
    url = f"{simulated_engine.url}/v1/chat/completions"
    async with client.post(url, data=b"{") as response:
        assert response.status == 400


async def test_odd_body_does_not_break_it(client, quick_engine):
    url = f"{quick_engine.url}/v1/chat/completions"
    odd = {"model": 3, "messages": "x", "max_tokens": "many", "stream": 1}
    async with client.post(url, json=odd) as response:
        assert response.status == 200
    async with client.post(url, json=[1]) as response:
        assert response.status == 200


async def test_key_is_asked_for_where_one_was_given(client):
    engine = SimulatedEngine(clock=SystemClock(), ttft_s=0, itl_s=0, api_key="k")
    await engine.start()
    await engine.ready.wait()
    url = f"{engine.url}/v1/models"
    async with client.get(url) as response:
        refused = response.status
    async with client.get(url, headers={"Authorization": "Bearer k"}) as response:
        allowed = response.status
    await engine.stop()
    assert (refused, allowed) == (401, 200)


async def test_engine_is_unhealthy_until_its_start_is_through(client, fake_clock):
    lines = []
    engine = SimulatedEngine(
        clock=fake_clock,
        start_phases=[StartLine(wait_s=5, text="Loading"), StartLine(wait_s=1, text="Done")],
        log=lines.append,
    )
    await engine.start()
    statuses = []
    for path in ("/health", "/metrics", "/v1/models"):
        async with client.get(engine.url + path) as response:
            statuses.append(response.status)
    assert statuses == [503, 503, 503]
    await fake_clock.advance(6)
    async with client.get(f"{engine.url}/health") as response:
        assert response.status == 200
    await engine.stop()
    assert len(lines) == 2
    assert all(line.endswith("[simulated]") for line in lines)


async def test_models_and_version_are_told(client, simulated_engine):
    async with client.get(f"{simulated_engine.url}/v1/models") as response:
        (entry,) = (await response.json())["data"]
    async with client.get(f"{simulated_engine.url}/version") as response:
        version = await response.json()
    assert (entry["id"], entry["owned_by"]) == ("simulated-model", "simulated")
    assert version == {"version": "0.26.0"}


async def test_stopping_closes_the_port_even_while_serving(client):
    engine = SimulatedEngine(clock=SystemClock(), ttft_s=0.01, itl_s=0.5)
    await engine.start()
    await engine.ready.wait()
    running = asyncio.create_task(stream(client, engine, max_tokens=50))
    await until(lambda: engine.metrics.output_tokens)
    began = time.perf_counter()
    await engine.stop()
    await engine.stop()
    assert time.perf_counter() - began < 2
    await asyncio.gather(running, return_exceptions=True)
    with pytest.raises(aiohttp.ClientConnectionError):
        await client.get(f"{engine.url}/health")


async def test_plain_completions_are_answered_too(client, quick_engine):
    url = f"{quick_engine.url}/v1/completions"
    async with client.post(url, json={"prompt": "x", "max_tokens": 2}) as response:
        document = await response.json()
    assert document["object"] == "text_completion"
    assert document["choices"][0]["text"] == "a b"
    async with client.post(url, json={"prompt": "x", "max_tokens": 2, "stream": True}) as response:
        lines = [line async for line in response.content if line.startswith(b"data: {")]
    assert [json.loads(line[6:])["choices"][0]["text"] for line in lines] == ["a", " b"]
