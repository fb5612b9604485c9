"""Reading logs of any size and writing for their causes, off the loop."""

import asyncio
import gzip

import pytest
from fakes.diagnosis import CAUSES, RULES, small_diagnoser

from app.core.diagnosis.finding import Verdict
from app.core.errors import ErrorCode, StoreError
from app.services.activities import Activities
from app.services.bus import EventBus
from app.services.diagnosing import Diagnoser
from app.services.diagnosis import DiagnosisService

LOG = "starting\nerror: invalid argument: --bogus\n"


@pytest.fixture
def diagnoser():
    return small_diagnoser()


async def test_text_is_explained(diagnoser):
    diagnosis = await diagnoser.text(LOG)

    assert diagnosis.primary.cause == "usage_error"
    assert [(e.line, e.text) for e in diagnosis.primary.evidence] == [
        (2, "error: invalid argument: --bogus")
    ]


@pytest.mark.parametrize(
    "content",
    [
        LOG.encode(),
        gzip.compress(LOG.encode()),
        b"\xff\xfe" + LOG.encode("utf-16-le"),
        b"\xfe\xff" + LOG.encode("utf-16-be"),
        b"\xff\x00\x80 broken bytes\n" + LOG.encode(),
        LOG.encode().replace(b"\n", b"\r\n"),
    ],
    ids=["plain", "gzip", "utf-16", "utf-16 big", "broken bytes", "windows ends"],
)
async def test_file_is_explained_however_it_is_written(tmp_path, diagnoser, content):
    file = tmp_path / "engine.log"
    file.write_bytes(content)

    assert (await diagnoser.file(file)).primary.cause == "usage_error"


async def test_empty_file_is_an_answer(tmp_path, diagnoser):
    file = tmp_path / "empty.log"
    file.touch()

    diagnosis = await diagnoser.file(file)

    assert (diagnosis.primary, diagnosis.verdict) == (None, Verdict.NOTHING_FOUND)


@pytest.mark.parametrize("name", ["missing.log", ".", "nul\x00.log", "broken.gz"])
async def test_what_cannot_be_read_says_why(tmp_path, diagnoser, name):
    (tmp_path / "broken.gz").write_bytes(gzip.compress(LOG.encode() * 100)[:40])

    with pytest.raises(StoreError) as caught:
        await diagnoser.file(tmp_path / name)

    assert caught.value.code is ErrorCode.FILE_UNREADABLE
    assert caught.value.params["reason"]


async def test_cancelling_ends_the_reading(diagnoser):
    reading = asyncio.Event()
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()

    def chunks():
        try:
            while True:
                loop.call_soon_threadsafe(reading.set)
                yield b"more\n"
        finally:
            loop.call_soon_threadsafe(ended.set)

    task = asyncio.ensure_future(diagnoser.stream(chunks))
    await reading.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    await ended.wait()


async def test_progress_is_told_in_bytes_and_in_the_activity_bar(tmp_path, diagnoser):
    file = tmp_path / "engine.log"
    file.write_bytes(LOG.encode())
    bus, events, told = EventBus(), [], []
    bus.subscribe(events.append)
    service = DiagnosisService(
        diagnoser=diagnoser,
        deployments=lambda: None,
        planner=lambda: None,
        activities=Activities(bus),
    )

    await service.file(file, progress=lambda done, total: told.append((done, total)))
    await asyncio.sleep(0)

    assert told == [(len(LOG), len(LOG))]
    assert events[-1].finished


async def test_rules_are_read_once():
    reads = []
    diagnoser = Diagnoser(lambda: reads.append(1) or RULES, lambda: CAUSES)

    await diagnoser.begin()
    before = len(reads)
    await diagnoser.begin()

    assert before >= 1
